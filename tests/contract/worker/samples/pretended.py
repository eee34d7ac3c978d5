"""What a wrapper may ask of a GPU that is not there. A wrong answer raises; the argument x is [6, 4] of steps [8, 1]."""

import torch

CAPABILITY = torch.cuda.get_device_capability()  # asked while the module is imported, as wrappers do


def asks(x, y):
    properties = torch.cuda.get_device_properties(x.device)
    known = {
        "device": (x.device, torch.device("cuda:0")),
        "index": (x.device.index, torch.cuda.current_device()),
        "capability": (CAPABILITY, (properties.major, properties.minor)),
        "multiprocessors": (properties.multi_processor_count, 108),
        "stream": (torch.cuda.current_stream().cuda_stream, 0),
        "capturing": (torch.cuda.is_current_stream_capturing(), False),
        "strides": (x.stride(), (8, 1)),
        "aligned": (x.data_ptr() % 256, 0),
        "second row": (x[1:].data_ptr() - x.data_ptr(), 8 * x.element_size()),
    }
    wrong = {name: pair for name, pair in known.items() if pair[0] != pair[1]}
    if wrong:
        raise AssertionError(wrong)
    return x


def computes(x, y):
    with torch.cuda.device(x.device), torch.cuda.stream(torch.cuda.Stream()):
        dense = x.contiguous()
        product = dense @ dense.t() + torch.ones(6, device="cuda")
        moved = torch.tensor([1.0, 2.0]).cuda()
        torch.cuda.synchronize()
    lengths = torch.arange(4).tolist()  # on the CPU, and real
    found = (dense.stride(), product.device.type, moved.device.type, lengths)
    if found != ((4, 1), "cuda", "cuda", [0, 1, 2, 3]):
        raise AssertionError(found)
    return product


def reads(x, y):
    return x * x.abs().max().item()


def chooses(x, y):
    return x if (x > 0).any() else y


def copies(x, y):
    return torch.from_numpy(x.cpu().numpy())


def captures(x, y):
    return torch.cuda.CUDAGraph()


def raises(x, y):
    raise ValueError("x has six rows")


def built(x, y):
    return x
