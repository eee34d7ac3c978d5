"""
Many comparisons at once: each different one made once, the large ones on every core.

Threads would not do for large outputs: a fold is thousands of NumPy calls of some 20 µs, and eight threads handing the
interpreter's lock round were 1.7 times as fast as one (an H200's host of 16 cores, 210 comparisons, 67 s).
"""

import ctypes
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import get_context
from types import ModuleType

import numpy as np

from kgate.compare import compare
from kgate.comparers import COMPARERS, of_users
from kgate.leniency import judged
from kgate.model import Bound, Comparison, Tensor

# A process takes 0.3 s to start, in which one core compares some 20 MiB.
LARGE_BYTES = 128 << 20
MOST_PROCESSES = 16
MOST_THREADS = 8
PIECE_BYTES = 4 << 20
PR_SET_PDEATHSIG = 1  # linux/prctl.h


@dataclass(frozen=True, kw_only=True)
class Question:
    """The arguments of `compare`."""

    outputs: tuple[Tensor, ...]
    reference: tuple[Tensor, ...]
    like: tuple[Tensor, ...] | None
    bounds: tuple[Bound, ...]
    giver: str = "fallback"
    comparer: str = ""  # of COMPARERS, or the user's, where element by element does not fit
    strict: tuple[Bound, ...] = ()  # what the dtypes allow at most, beside bounds by hand

    @property
    def size_bytes(self) -> int:
        return sum(t.path.stat().st_size for t in (*self.outputs, *self.reference) if t.path.exists())

    @property
    def form(self) -> object:
        """Equal for questions that have the same answer if their outputs hold the same bytes and no mismatch."""
        like = None if self.like is None else tuple((t.dtype, t.shape) for t in self.like)
        return (
            tuple((t.dtype, t.shape) for t in self.outputs),
            tuple(t.path for t in self.reference),
            like,
            self.bounds,
            self.comparer,
        )


def answers(questions: Sequence[Question]) -> Iterator[tuple[Comparison, ...]]:
    """
    What `compare` says of each, in the order given, as soon as it is known. Raises what `compare` raises.

    Base's and head's outputs are most often the same bytes, and are then compared with the reference once.
    """
    firsts = firsts_of(questions)
    pool = pool_for([questions[i] for i in dict.fromkeys(firsts)])
    made: dict[int, Future[tuple[Comparison, ...]]] = {}
    try:
        with no_program():
            for index in dict.fromkeys(firsts):
                made[index] = pool.submit(answer, questions[index])
        for index, first in enumerate(firsts):
            found = result(made[first], questions[first])
            if index != first and any(c.mismatch for c in found):
                found = answer(questions[index])  # whose contract is broken stands in the sentence
            yield found
    finally:
        # Ctrl-C has to sit through the comparisons that run, a second or two, but through no further ones.
        pool.shutdown(wait=False, cancel_futures=True)


def result(made: Future[tuple[Comparison, ...]], question: Question) -> tuple[Comparison, ...]:
    """A process of the pool that was ended, as where memory runs out, costs time and no answer."""
    try:
        return made.result()
    except BrokenExecutor:
        return answer(question)


@contextmanager
def no_program() -> Iterator[None]:
    """
    Processes that are started within it do not import the program that the gate was started by, as multiprocessing
    has it: one without a guard would run a second time.
    """
    program = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program


def answer(question: Question) -> tuple[Comparison, ...]:
    outputs, reference, like = question.outputs, question.reference, question.like
    found = compare(outputs, reference, like, question.bounds, question.giver)
    if of_users(question.comparer):
        return found  # what it says is asked elsewhere, in a process of its own
    if question.comparer:
        return otherwise(question, found)
    return judged(outputs, reference, like, found, question.strict)


def otherwise(question: Question, found: tuple[Comparison, ...]) -> tuple[Comparison, ...]:
    """What the comparer says, where the contract holds; nothing else counts then."""
    if any(c.mismatch for c in found):
        return found
    broken = COMPARERS[question.comparer].broken(question.outputs, question.reference, found)
    return tuple(replace(c, broken=words) for c, words in zip(found, broken, strict=True))


def firsts_of(questions: Sequence[Question]) -> list[int]:
    """For each question the index of the first one that has the same answer: its own, mostly."""
    firsts: list[int] = []
    alike: dict[object, list[int]] = {}  # by form, those whose outputs differ
    for index, question in enumerate(questions):
        before = alike.setdefault(question.form, [])
        first = next((i for i in before if same_bytes(questions[i].outputs, question.outputs)), index)
        if first == index:
            before.append(index)
        firsts.append(first)
    return firsts


def same_bytes(one: Sequence[Tensor], other: Sequence[Tensor]) -> bool:
    """Of two rows of outputs that have the same dtypes and shapes."""
    return all(map(equal, one, other))


def equal(one: Tensor, other: Tensor) -> bool:
    if one.path.stat().st_size != other.path.stat().st_size or not one.path.stat().st_size:
        return one.path.stat().st_size == other.path.stat().st_size
    left, right = (np.memmap(t.path, np.uint8, "r") for t in (one, other))
    return all(
        np.array_equal(left[at : at + PIECE_BYTES], right[at : at + PIECE_BYTES])
        for at in range(0, len(left), PIECE_BYTES)
    )


def pool_for(questions: Sequence[Question]) -> Executor:
    cores = os.cpu_count() or 1
    workers = min(MOST_PROCESSES, cores, len(questions))
    if workers < 2 or sum(q.size_bytes for q in questions) < LARGE_BYTES:
        return ThreadPoolExecutor(max_workers=min(MOST_THREADS, cores))
    return ProcessPoolExecutor(max_workers=workers, mp_context=get_context("spawn"), initializer=follow)


def follow() -> None:
    """In a process of the pool: Ctrl-C is the gate's to answer, and none outlives it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
