"""Shares of work, side by side."""

import queue
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def run(shares: Sequence[T], threads: int, each: Callable[[T], None]) -> None:
    """
    Raises the first exception that a share raises; the other shares then go on, and nobody waits for them.

    The threads are daemons, and wait for processes: on Ctrl-C nobody waits for them either, and their processes end
    with the gate's.
    """
    waiting: queue.SimpleQueue[T] = queue.SimpleQueue()
    ended: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
    for share in shares:
        waiting.put(share)

    def serve() -> None:
        while True:
            try:
                share = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                each(share)
            except BaseException as error:  # noqa: BLE001  raised again where it can be heard
                ended.put(error)
            else:
                ended.put(None)

    for _ in range(min(threads, len(shares))):
        threading.Thread(target=serve, daemon=True).start()
    for _ in shares:
        if (error := ended.get()) is not None:
            raise error
