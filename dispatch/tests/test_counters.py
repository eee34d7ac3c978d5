"""Counters under threads, and across a fork: every call is counted exactly once."""

import collections
import os
import subprocess
import sys
import threading
from pathlib import Path

import kgate_dispatch
import pytest
from hypothesis import given
from hypothesis import strategies as st


class Refused(Exception):
    pass


class Unknown(Exception):
    pass


def kernel(fate):
    if fate == "fails":
        raise Refused
    if fate == "raises":
        raise Unknown


COUNTED = {
    "runs": ("custom", "default"),
    "fails": ("fallback", "failed"),
    "raises": ("custom", "raised"),
    "refused": ("fallback", "refused"),
    "using": ("fallback", "using"),
}


@kgate_dispatch.dispatch(custom=kernel, switch="ACME_COUNTED", when=lambda fate: fate != "refused", fallback_on=Refused)
def counted(fate):
    return None


def live(fates):
    for fate in fates:
        try:
            if fate == "using":
                with counted.using("fallback"):
                    counted(fate)
            else:
                counted(fate)
        except Unknown:
            pass


@given(st.lists(st.lists(st.sampled_from(sorted(COUNTED)), max_size=40), min_size=1, max_size=6))
def test_every_call_of_every_thread_is_counted_once_under_what_became_of_it(lives):
    before = counted.counts()
    threads = [threading.Thread(target=live, args=(fates,)) for fates in lives]

    for thread in threads:
        thread.start()
    reads = [counted.counts() for _ in range(3)]  # reading while others write disturbs nothing
    for thread in threads:
        thread.join()

    expected = collections.Counter(COUNTED[fate] for fates in lives for fate in fates)
    assert counted.counts() - before == expected
    assert all(later >= earlier for earlier, later in zip(reads, [*reads[1:], counted.counts()], strict=True))


def test_threads_that_change_over_at_every_instruction_lose_no_count(product):
    triple = product()
    threads = [threading.Thread(target=lambda: [triple(2) for _ in range(2000)]) for _ in range(8)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)

    assert triple.counts() == {("custom", "default"): 16000}


def test_one_line_is_logged_by_many_threads_at_once(product, lines):
    together = threading.Barrier(8)

    class Tensor:
        @property
        def shape(self):  # asked for by who is about to write the line: here all of them are
            together.wait(timeout=10)

    triple = product(when=lambda x: False)
    threads = [threading.Thread(target=triple, args=(Tensor(),)) for _ in range(8)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(lines()) == 1
    assert triple.counts() == {("fallback", "refused"): 8}


def test_a_pair_that_never_occurred_counts_zero_and_a_read_changes_nothing(product):
    triple = product()
    triple(2)

    first, second = triple.counts(), triple.counts()
    first["custom", "default"] = 99

    assert second["fallback", "failed"] == 0
    assert second == triple.counts() == {("custom", "default"): 1}


FORKS = """
import os, signal, sys
from kgate_dispatch import dispatch

f = dispatch(custom=abs, switch="ACME_FORKED")(lambda x: x)
f(2)
with f._tally._reading:  # as another thread would hold it, which does not exist in the child
    child = os.fork()
    if child == 0:
        signal.alarm(10)  # a child that waits for ever ends by this signal
        f(2)
        os._exit(0 if f.counts() == {("custom", "default"): 2} else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="not run: this system has no fork")
def test_a_child_forked_while_somebody_reads_the_counters_can_count_and_read():
    folder = Path(kgate_dispatch.__file__).parents[1]

    forked = subprocess.run([sys.executable, "-c", FORKS], cwd=folder, check=False)

    assert forked.returncode == 0
