"""`kgate` as its installed script starts it: the folder of the caller is not on the path, the variables count."""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[3])

from kgate.cli import main  # noqa: E402  found by the line above

main()
