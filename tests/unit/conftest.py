"""
Unit tests stay within the process: starting one, or opening a network socket, raises while a test runs. None of them
judges a time: on a busy machine an example of hypothesis takes as long as it takes.
"""

import os
import socket
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

# The suite is run before every commit, so by day a property is tried on fewer examples than at night.
settings.register_profile("day", deadline=None, max_examples=30)
settings.register_profile("night", deadline=None)
settings.load_profile("night" if "KGATE_NIGHTLY" in os.environ else "day")

STARTS = ("subprocess.Popen", "os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn", "os.system")
NETWORK = (socket.AF_INET, socket.AF_INET6)


class Watch:
    """An audit hook cannot be taken out again, so there is one for the session, and it asks here."""

    on = False


def refuse(event: str, args: tuple[Any, ...]) -> None:
    if not Watch.on:
        return
    if event in STARTS:
        raise RuntimeError(f"a unit test started a process ({event}); such a test belongs in tests/contract")
    if event == "socket.__new__" and args[1] in NETWORK:
        raise RuntimeError("a unit test opened a network socket; such a test belongs in tests/contract")


sys.addaudithook(refuse)


@pytest.fixture(autouse=True)
def _within_the_process() -> Iterator[None]:
    Watch.on = True
    yield
    Watch.on = False
