import torch


def swiglu_torch(gate, up):
    return torch.nn.functional.silu(gate) * up
