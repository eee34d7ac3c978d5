import cuda.tile as ct
import torch
from torch.library import Library

lib = Library("acme_rope", "DEF")
lib.define("rotate(Tensor x, Tensor angles) -> Tensor")


@ct.kernel
def rotate_kernel(x, angles, out, half: ct.Constant[int]):
    row = ct.bid(0)
    a = ct.load(x, index=(row, 0), shape=(1, half))
    b = ct.load(x, index=(row, 1), shape=(1, half))
    turn = ct.load(angles, index=(row, 0), shape=(1, half))
    ct.store(out, index=(row, 0), tile=a * ct.cos(turn) - b * ct.sin(turn))
    ct.store(out, index=(row, 1), tile=a * ct.sin(turn) + b * ct.cos(turn))


def rotate_cutile(x, angles):
    out = torch.empty_like(x)
    ct.launch(torch.cuda.current_stream(), (x.shape[0], 1, 1), rotate_kernel, (x, angles, out, x.shape[1] // 2))
    return out


def rotate_torch(x, angles):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()), dim=-1)


lib.impl("rotate", rotate_cutile, "CUDA")
lib.impl("rotate", rotate_torch, "CPU")


def rotate(x, angles):
    return torch.ops.acme_rope.rotate(x, angles)
