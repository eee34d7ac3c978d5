"""
Shadowing: the fallback runs beside the custom path on a share of the calls, and somebody is told how far apart they
were. Off by default.

What one shadowed call costs: a copy of all tensors among its arguments, one run of the fallback with the memory that it
takes, a wait for the GPU after each step, and a comparison, which needs 100 MB and a dense copy of what is not dense.
All of it comes out of that call's time. Calls that are not drawn pay one random number, about 0.1 µs.

What the caller gets is not touched. The fallback sees copies without gradients, made before the custom path ran, so
that functions that write to their arguments can be shadowed too; torch's random numbers are put back. Only tensors,
and lists, tuples and dicts of them, are copied: a function that changes anything else (an attribute of a module, a
counter) must not be shadowed.
"""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from kgate_dispatch.arguments import copied, is_tensor, leaves
from kgate_dispatch.differences import Difference, largest
from kgate_dispatch.needs import one_line
from kgate_dispatch.tally import log
from kgate_dispatch.tracing import capturing, loaded_torch

MOST_BYTES = 2**30  # of tensors among the arguments; a call with more is not shadowed, its report says so


@dataclass(frozen=True, kw_only=True)
class Report:
    """
    One shadowed call. Compared is what the call left behind: what it returned, and its arguments.

    `max_abs` and `relative_l2` are the largest over all tensors; NaN where one path has a NaN and the other has not.
    Times include everything up to the GPU's last work. They are of one call, the fallback's second and without
    gradients, so its inputs may lie in a cache: a trend over many calls, not a benchmark. With `error`, the shadow
    did not get that far, and the numbers mean nothing; the caller's own call went well.
    """

    function: str
    max_abs: float
    relative_l2: float
    custom_ns: int
    fallback_ns: int
    error: str | None = None

    @property
    def time_ratio(self) -> float:
        """Custom / fallback: below 1, the custom path was faster."""
        return self.custom_ns / self.fallback_ns if self.fallback_ns else float("nan")


class Shadow:
    def __init__(self, function: str, share: float, callback: Callable[[Report], object], most_bytes: int) -> None:
        if not 0 <= share <= 1:
            raise ValueError(f"{function}: shadow({share}): a share lies between 0 and 1")
        self._function = function
        self._share = share
        self._callback = callback
        self._most_bytes = most_bytes
        self._random = random.Random()  # the product's own sequence must not depend on whether somebody watches
        self._complained = False

    def begun(
        self, fallback: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Callable[[object], None] | None:
        """
        Before the custom path runs: whether this call is drawn, and then what to call with its answer.

        None during the capture of a CUDA graph, into which the fallback must not get.
        """
        if self._random.random() >= self._share or capturing():
            return None
        try:
            tensors = [leaf for leaf in leaves((args, kwargs)) if is_tensor(leaf)]
            size_bytes = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
            if size_bytes > self._most_bytes:
                self._failed(f"not run: the arguments hold {size_bytes} bytes, most_bytes is {self._most_bytes}")
                return None
            copies = copied((args, kwargs), {})
            gpus = sorted({tensor.device.index for tensor in tensors if tensor.is_cuda})
            start_ns = idle_ns(gpus)
        except Exception as error:  # noqa: BLE001  # whatever goes wrong here is not the caller's
            self._failed(one_line(error))
            return None
        return lambda answer: self._compared((answer, args, kwargs), fallback, copies, gpus, start_ns)

    def _compared(
        self, left: object, fallback: Callable[..., Any], copies: Any, gpus: list[int], start_ns: int
    ) -> None:
        try:
            middle_ns = idle_ns(gpus)
            args, kwargs = copies
            with undisturbed(gpus):
                begin_ns = time.perf_counter_ns()
                expected = fallback(*args, **kwargs)
                end_ns = idle_ns(gpus)
                difference = largest(left, (expected, args, kwargs))
        except Exception as error:  # noqa: BLE001  # as above
            self._failed(one_line(error))
            return
        self._tell(difference, middle_ns - start_ns, end_ns - begin_ns)

    def _failed(self, error: str) -> None:
        self._tell(Difference(max_abs=float("nan"), relative_l2=float("nan")), 0, 0, error)

    def _tell(self, difference: Difference, custom_ns: int, fallback_ns: int, error: str | None = None) -> None:
        report = Report(
            function=self._function,
            max_abs=difference.max_abs,
            relative_l2=difference.relative_l2,
            custom_ns=custom_ns,
            fallback_ns=fallback_ns,
            error=error,
        )
        try:
            self._callback(report)
        except Exception:  # noqa: BLE001  # as above
            if not self._complained:
                self._complained = True
                log.exception("%s: the callback of its shadow raised. Said once.", self._function)


def idle_ns(gpus: list[int]) -> int:
    """The time once these GPUs have done all their work."""
    torch = loaded_torch()
    for index in gpus:
        torch.cuda.synchronize(index)  # type: ignore[union-attr]  # where there is a GPU's number, there is torch
    return time.perf_counter_ns()


@contextmanager
def undisturbed(gpus: list[int]) -> Iterator[None]:
    """No gradients, and torch's random numbers as if nothing had been drawn."""
    torch = loaded_torch()
    with ExitStack() as stack:
        if torch is not None:
            contexts: list[AbstractContextManager[Any]] = [torch.no_grad(), torch.random.fork_rng(devices=gpus)]
            for context in contexts:
                stack.enter_context(context)
        yield
