"""Calls of the product from threads, forked and spawned processes, and from compiled code: 4 + 3 + 2 + 1 calls."""

import multiprocessing
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).with_name("product")))

import torch

from acme import ops


def calls(number: int) -> None:
    torch.set_num_threads(1)
    for _ in range(number):
        ops.softmax(torch.zeros(2, 3), 1.0)


def main() -> None:
    threads = [threading.Thread(target=calls, args=(1,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for way, number in (("fork", 3), ("spawn", 2)):
        child = multiprocessing.get_context(way).Process(target=calls, args=(number,))
        child.start()
        child.join()
        assert child.exitcode == 0
    compiled = torch.compile(lambda x: ops.softmax(x, 1.0) + 1, backend="eager", fullgraph=True)
    compiled(torch.zeros(5, 7))  # seen by the compiler, which must not stumble over what watches
    ops.softmax(torch.zeros(2, 3), 1.0)


if __name__ == "__main__":
    main()
