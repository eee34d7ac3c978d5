"""An expression that makes a tensor, as a manifest writes it: shape, dtype, and how its values are drawn."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kgate.load.source import Module
from kgate.survey.literals import Names, Symbol, Unread, dtype_of, plain

# Maker -> how a manifest draws it. Ones and zeros are spread a little: equal elements would hide a kernel that does
# not read them.
MAKERS: Mapping[str, Mapping[str, Any]] = {
    "randn": {},
    "rand": {"uniform": {"low": 0, "high": 1}},
    "ones": {"normal": {"mean": 1, "std": 0.1}},
    "zeros": {},
    "empty": {},
    "full": {},
}
LIKE = {f"{name}_like": name for name in MAKERS}
# Methods that change nothing that a manifest says, and those that change the dtype.
SAME = ("cuda", "cpu", "contiguous", "requires_grad_", "clone", "detach", "to", "type")
CASTS = {
    "half": "float16",
    "bfloat16": "bfloat16",
    "float": "float32",
    "double": "float64",
    "int": "int32",
    "long": "int64",
}


@dataclass(frozen=True, kw_only=True)
class Tensors:
    """Of one call. `devices` collects what the makers say; `empty` the names whose values nobody has set."""

    module: Module
    names: Names
    devices: set[str] = field(default_factory=set)

    def read(self, node: ast.expr, depth: int = 8) -> Mapping[str, Any]:
        """Raises Unread."""
        if depth == 0:
            raise Unread(ast.unparse(node))
        match node:
            case ast.Name(id=name) if name in self.names.values:
                return self.read(self.names.values[name], depth - 1)
            case ast.BinOp(op=ast.Mult(), left=left, right=ast.Constant(value=int() | float() as factor)):
                return {**self.read(left, depth - 1), "scale": factor}
            case ast.Call(func=ast.Attribute(attr=method)):
                name = self.module.dotted(node.func).removeprefix("torch.")
                if name in MAKERS or name == "randint":
                    return self.made(name, node)
                if name in LIKE and node.args:
                    return {**self.bare(self.read(node.args[0], depth - 1)), **self.dtype(node), **MAKERS[LIKE[name]]}
                if method in SAME or method in CASTS:
                    return {**self.read(node.func.value, depth - 1), **self.cast(method, node)}  # type: ignore[attr-defined]
        raise Unread(ast.unparse(node))

    def bare(self, made: Mapping[str, Any]) -> Mapping[str, Any]:
        return {key: made[key] for key in ("shape", "dtype")}

    def made(self, name: str, node: ast.Call) -> Mapping[str, Any]:
        keywords = {k.arg: k.value for k in node.keywords if k.arg}
        self.notice(keywords.get("device"))
        if name == "randint":
            bounds, sizes = self.bounds(node, keywords)
            return {"shape": self.sizes(sizes), "dtype": "int64", **self.dtype(node), "integers": bounds}
        given = [keywords["size"]] if "size" in keywords else node.args[:1] if name == "full" else node.args
        return {"shape": self.sizes(given), "dtype": "float32", **self.dtype(node), **MAKERS[name]}

    def bounds(self, node: ast.Call, keywords: Mapping[str, ast.expr]) -> tuple[Mapping[str, Any], Sequence[ast.expr]]:
        """`torch.randint(high, size)` or `torch.randint(low, high, size)`."""
        size = keywords.get("size", node.args[-1] if node.args else ast.Constant(value=None))
        limits = [plain(self.names.read(a)) for a in (node.args if "size" in keywords else node.args[:-1])]
        if not 1 <= len(limits) <= 2:
            raise Unread(ast.unparse(node))
        low, high = limits if len(limits) == 2 else (0, limits[0])
        return ({"high": high} if low == 0 else {"low": low, "high": high}), [size]

    def sizes(self, given: Sequence[ast.expr]) -> Sequence[Any]:
        read = [self.names.read(each) for each in given]
        whole = read[0] if len(read) == 1 and isinstance(read[0], list) else read
        if not all(isinstance(each, int | str | Symbol) and not isinstance(each, bool) for each in whole):
            raise Unread("a size that is no number")
        return [plain(each) for each in whole]

    def dtype(self, node: ast.Call) -> Mapping[str, Any]:
        given = next((k.value for k in node.keywords if k.arg == "dtype"), None)
        return {"dtype": plain(self.names.read(given))} if given is not None else {}

    def cast(self, method: str, node: ast.Call) -> Mapping[str, Any]:
        if method in CASTS:
            return {"dtype": CASTS[method]}
        if method in ("cuda", "cpu"):
            self.devices.add(method)
        found = dict(self.dtype(node))
        for arg in node.args if method in ("to", "type") else ():
            try:
                value = plain(self.names.read(arg))
            except Unread:
                self.notice(arg)
                continue
            if isinstance(value, str) and (dtype_of(value) or value in self.names.symbols):
                found["dtype"] = value
            else:
                self.devices.add(str(value))
        return found

    def notice(self, device: ast.expr | None) -> None:
        """Which kinds of device an expression speaks of, such as `"cuda" if torch.cuda.is_available() else "cpu"`."""
        if device is None:
            return
        known = self.names.values.get(device.id, device) if isinstance(device, ast.Name) else device
        texts = [n.value for n in ast.walk(known) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        self.devices.update(texts or ["?"])
