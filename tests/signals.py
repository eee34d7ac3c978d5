"""What a started program takes over from the tests' own process, where that would change what it does."""

import signal


def heed_interrupts() -> None:
    """
    As `preexec_fn`: a child that hears Ctrl-C.

    A shell without job control starts its background commands with SIGINT ignored, and every program below them
    inherits that: under `nohup make test &` a test that sends it would wait for ever.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
