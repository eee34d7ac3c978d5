"""`python -m kgate` is `kgate`."""

from kgate.cli import main

if __name__ == "__main__":
    main()
