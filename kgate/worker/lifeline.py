"""
The worker ends when the gate does, also by SIGKILL.

The gate holds the writing end of a pipe and hands down the reading end; nothing is ever written to it, so that what
becomes readable is the gate's end. PR_SET_PDEATHSIG is no substitute, since it follows the thread that started the
worker and not the gate; it is used where the parent is a zygote, which has one.
"""

import contextlib
import ctypes
import fcntl
import os
import signal
import threading

VARIABLE = "KGATE_LIFELINE"
F_SETSIG = 10  # of linux/fcntl.h; Python's fcntl does not name it
PR_SET_PDEATHSIG = 1  # of linux/prctl.h


def descriptor() -> int | None:
    text = os.environ.get(VARIABLE, "")
    return int(text) if text.isdecimal() else None


def hold() -> None:
    """
    Tie this process, with its group if it leads one, to the gate.

    Twice over: the kernel's signal reaches a process whose interpreter lock is never given back, and the thread serves
    where pipes send no signals, and where the gate was gone before the signal was asked for.
    """
    inherited = descriptor()
    if inherited is None:
        return
    # Opened anew: owner and signal belong to the open file, which all workers of the gate would otherwise share.
    own = os.open(f"/proc/self/fd/{inherited}", os.O_RDONLY | os.O_NONBLOCK)
    with contextlib.suppress(OSError):
        fcntl.fcntl(own, fcntl.F_SETOWN, -os.getpid() if leads() else os.getpid())
        fcntl.fcntl(own, F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(own, fcntl.F_SETFL, fcntl.fcntl(own, fcntl.F_GETFL) | os.O_ASYNC)
    threading.Thread(target=watch, args=(inherited,), name="kgate-lifeline", daemon=True).start()


def follow_parent() -> None:
    """In a zygote's child: die with the zygote."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


def watch(inherited: int) -> None:
    os.read(inherited, 1)
    end()


def end() -> None:
    os.kill(-os.getpid() if leads() else os.getpid(), signal.SIGKILL)


def leads() -> bool:
    return os.getpgid(0) == os.getpid()
