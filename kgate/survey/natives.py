"""Device code of a tree: what it is written in, where it stands, and what a GPU calls it."""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kgate.model import Place

Function = ast.FunctionDef | ast.AsyncFunctionDef

# How kgate.load.marks calls what it finds -> the manifest's name of the DSL; operators of torch are not among them.
DSLS: Mapping[str, str] = {
    "tilelang": "tilelang",
    "T": "tilelang",
    "ct": "cutile",
    "triton": "triton",
    "gluon": "triton",
    "cute": "cutedsl",
}


@dataclass(frozen=True, kw_only=True)
class Native:
    """A definition that is device code, or holds it. `device`: names of it on the GPU, () where they are not known."""

    dsl: str
    place: Place
    how: str
    device: tuple[str, ...] = ()


def device_names(dsl: str, name: str, nodes: Iterable[ast.stmt]) -> tuple[str, ...]:
    """Triton and cuTile name device code after its function, TileLang after each `prim_func`, with `_kernel`."""
    if dsl in ("triton", "cutile"):
        return (name,)
    if dsl != "tilelang":
        return ()
    inner = (n.name for node in nodes for n in ast.walk(node) if isinstance(n, Function) and is_prim_func(n))
    return tuple(dict.fromkeys(f"{each}_kernel" for each in inner))


def is_prim_func(node: Function) -> bool:
    return any("prim_func" in ast.dump(decorator) for decorator in node.decorator_list)
