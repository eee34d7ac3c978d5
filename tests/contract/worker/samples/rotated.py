"""Functions whose calls are captured, and those that cannot be."""

import torch

BUFFER = torch.empty(5, dtype=torch.float64)


def double(x):
    return x.contiguous() * 2


def waits(x):
    if torch.cuda.is_current_stream_capturing():
        raise RuntimeError("operation not permitted when stream is capturing")
    return x * 2


def works_elsewhere(x):
    """On a device: on a stream that is not captured, so that a replay does nothing."""
    out = x * 2
    out.not_captured = torch.cuda.is_current_stream_capturing()
    return out


def one_output_for_all(x):
    return torch.mul(x, 2, out=BUFFER)


def dies(x):
    if torch.cuda.is_current_stream_capturing():
        raise SystemExit(3)
    return x * 2
