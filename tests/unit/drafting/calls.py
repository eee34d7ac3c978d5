"""Calls by hand."""

from typing import Any

from kgate.captured import Bounds, CallSeen, EntrySeen, ScalarSeen, TensorSeen

NORMAL = Bounds(low=-3.0, high=3.2, mean=0.001, std=0.99)


def tensor(*shape: int, dtype: str = "float32", bounds: Bounds | None = NORMAL, **changes: Any) -> TensorSeen:
    return TensorSeen(shape=shape, dtype=dtype, device="cpu", bounds=bounds, **changes)


def index(size: int, highest: int) -> TensorSeen:
    return tensor(size, dtype="int64", bounds=Bounds(low=0, high=highest, mean=1, std=1))


def call(weight: int = 1, **args: Any) -> CallSeen:
    kinds = (TensorSeen,)
    return CallSeen(
        weight=weight, args={n: v if isinstance(v, kinds) else ScalarSeen(value=v) for n, v in args.items()}
    )


def entry(*calls: CallSeen, folded: int = 0) -> EntrySeen:
    total = sum(c.weight for c in calls) + folded
    return EntrySeen(entry="acme.ops:f", calls=total, workloads=calls, folded=folded)
