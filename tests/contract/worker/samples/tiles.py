"""cuTile kernels for a GPU. Each function without an argument is an entry."""

import cuda.tile as ct
import torch
from cuda.tile import launch


@ct.kernel
def add_kernel(x, y, out, tile: ct.Constant[int]):
    at = ct.bid(0)
    total = ct.load(x, index=(at,), shape=(tile,)) + ct.load(y, index=(at,), shape=(tile,))
    ct.store(out, index=(at,), tile=total)


@ct.kernel(occupancy=ct.ByTarget(sm_90=2, default=1))
def scale_kernel(x, factor, tile: ct.Constant[int]):
    at = ct.bid(0)
    ct.store(x, index=(at,), tile=ct.load(x, index=(at,), shape=(tile,)) * factor)


def add(n=4096, start=0):
    x, y = made(n)[start:], made(n)[start:]
    out = torch.empty_like(x)
    launch(torch.cuda.current_stream(), (ct.cdiv(n, 1024), 1, 1), add_kernel, (x, y, out, 1024))
    return out


def add_aside():
    """Of addresses that no 16 bytes divide."""
    return add(start=1)


def tuned():
    x = made(4096)
    stream = torch.cuda.current_stream()
    found = ct.tune.exhaustive_search(
        [256, 512], stream, lambda tile: (4096 // tile, 1, 1), scale_kernel, lambda tile: (x, 2.0, tile), quiet=True
    )
    ct.launch(stream, (4096 // found.best.config, 1, 1), scale_kernel, (x, 2.0, found.best.config))
    return x


def refused():
    launch(torch.cuda.current_stream(), (1, 1, 1), add_kernel, (*[made(128)] * 3, 100))


def raises():
    launch(torch.cuda.current_stream(), (1, 1, 1), add_kernel, (made(128), 128))


def made(n):
    return torch.ones(n, device="cuda")
