"""Kernels that outstay their welcome."""

import ctypes
import os
import signal
import subprocess

import torch  # noqa: F401


def _say(what, pid):
    with open(os.environ["PIDS"], "a") as file:
        file.write(f"{what} {pid}\n")


def holds_the_lock(x, y):
    """Never gives the interpreter's lock back, and has a child."""
    child = subprocess.Popen(["sleep", "300"])
    _say("child", child.pid)
    _say("self", os.getpid())
    ctypes.PyDLL(None).sleep(300)
    return x + y


def crashes(x, y):
    os.kill(os.getpid(), signal.SIGSEGV)


def ends(x, y):
    os._exit(7)


def leaves_a_child(x, y):
    child = subprocess.Popen(["sleep", "300"])
    _say("child", child.pid)
    return x + y
