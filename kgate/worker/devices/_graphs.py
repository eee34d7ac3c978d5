"""
CUDA graphs: calls captured once and replayed for every sample, without the host between them.

A graph keeps addresses, not tensors: who captures holds inputs and outputs for as long as it is replayed.
"""

import functools
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

Spans = Callable[[Callable[[], Any], int], tuple[Any, Any]]  # a span, whose `ns` is there later, and a result


class Graph:
    """
    The calls as one piece of device work. `returned`: what each call gave, alive and written anew by every replay.

    Captured by hand and not by `torch.cuda.graph`, which collects garbage and empties the allocator's cache each time.
    Raises what a call that cannot be captured raises: it waits for the device, or works on a stream of its own.
    """

    def __init__(self, name: str, calls: Sequence[Callable[[], Any]], span: Spans, settle: Callable[[], None]) -> None:
        import torch

        stream = side_stream(name)
        stream.wait_stream(torch.cuda.current_stream(name))
        with torch.cuda.stream(stream):
            calls[0]()  # what a library sets up for a new stream is no part of the graph, and stays outside its memory
            torch.cuda.synchronize(name)
            self.graph = torch.cuda.CUDAGraph()
            # Another thread's business with the device breaks no capture of this one's.
            self.graph.capture_begin(capture_error_mode="thread_local")
            try:
                self.returned: Sequence[Any] = [call() for call in calls]
            except BaseException:
                with suppress(RuntimeError):
                    self.graph.capture_end()
                raise
            self.graph.capture_end()
        torch.cuda.synchronize(name)
        self.span = span
        self.settle = settle

    def queue(self) -> Callable[[], float]:
        """One replay of all; ns of one call, once the timer has settled."""
        span, _ = self.span(self.graph.replay, len(self.returned))
        ns: Callable[[], float] = span.ns
        return ns

    def span_ns(self) -> float:
        """Of one call, from one replay of all."""
        taken = self.queue()
        self.settle()
        return taken()


@functools.cache
def side_stream(name: str) -> Any:
    """One for all captures of the process, since libraries keep a workspace for every stream that they have seen."""
    import torch

    return torch.cuda.Stream(name)
