"""A workload with some of its arguments changed."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from kgate.model import Workload
from kgate.protocol import Arg, ListArg, MapArg, TensorArg


def named_tensors(workload: Workload) -> list[tuple[str, TensorArg]]:
    """Those that are arguments themselves."""
    return [(name, arg) for name, arg in workload.args.items() if isinstance(arg, TensorArg)]


def one_changed(workload: Workload, name: str, fields: Mapping[str, object]) -> Workload:
    arg = workload.args[name]
    assert isinstance(arg, TensorArg)
    return replace(workload, args={**workload.args, name: replace(arg, **fields)})  # type: ignore[arg-type]


def with_tensors(workload: Workload, other: Callable[[TensorArg], TensorArg]) -> Workload:
    def made(arg: Arg) -> Arg:
        match arg:
            case TensorArg():
                return other(arg)
            case ListArg():
                return ListArg(items=tuple(made(item) for item in arg.items))
            case MapArg():
                return MapArg(items={key: made(item) for key, item in arg.items.items()})
        return arg

    before = workload.resized
    again = None if before is None else (lambda symbols: with_tensors(before(symbols), other))
    return replace(workload, args={name: made(arg) for name, arg in workload.args.items()}, resized=again)
