"""How tests call a function: its arguments as a manifest has them, and a workload for each set of sizes."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from kgate.load.source import Definition, Module
from kgate.model import Place
from kgate.survey.code import Code
from kgate.survey.literals import Names, Unread, plain, rows
from kgate.survey.natives import Function
from kgate.survey.onward import Parameters, parameters
from kgate.survey.tensors import MAKERS, Tensors

MOST = 6  # workloads; each is run for minutes in all, and tests have sizes by the dozen
BY_HAND = "__main__"
Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Use:
    """
    One call that could be read. `rows`: values of its symbols, () where all is fixed. `twin`: a function that the same
    test calls with the same arguments, as module:function; `by_test` says where, if it is the test's own.
    """

    args: Mapping[str, Any]
    rows: tuple[Row, ...]
    mutates: tuple[str, ...]
    devices: frozenset[str]
    place: Place
    test: str
    twin: str = ""
    by_test: str = ""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A function that calls, or the part of a module that runs as a program."""

    module: Module
    name: str
    body: Sequence[ast.stmt]
    function: Function | None = None


Calls = Mapping[Definition, Sequence[tuple[Scene, ast.Call]]]


def calls(code: Code) -> Calls:
    """Of each function of the tree, in the order of `Code.callers`."""
    found: dict[Definition, list[tuple[Scene, ast.Call]]] = {}
    for module in code.callers:
        for scene in scenes(module):
            for node in (n for statement in scene.body for n in ast.walk(statement)):
                at = code.named(module, node.func) if isinstance(node, ast.Call) else None
                if at is not None and isinstance(node, ast.Call):
                    found.setdefault(at, []).append((scene, node))
    return found


def readable(code: Code, found: Sequence[tuple[Scene, ast.Call]], shape: Parameters) -> Use | None:
    """The first that can be read; `shape` is that of the function that is called."""
    for scene, call in found:
        try:
            return use(code, scene, call, shape)
        except Unread:
            continue
    return None


def scenes(module: Module) -> Iterator[Scene]:
    for node in ast.walk(module.tree):
        if isinstance(node, Function):
            yield Scene(module=module, name=node.name, body=node.body, function=node)
    for statement in module.tree.body:
        if isinstance(statement, ast.If) and BY_HAND in ast.dump(statement.test):
            yield Scene(module=module, name=BY_HAND, body=statement.body)


def use(code: Code, scene: Scene, call: ast.Call, shape: Parameters) -> Use:
    """Raises Unread."""
    table, values = symbols_of(scene)
    names = Names(values=values, symbols=table.widths)
    tensors = Tensors(module=scene.module, names=names)
    args = {name: value(tensors, given) for name, given in bound(shape, call).items()}
    if not any(isinstance(arg, Mapping) for arg in args.values()):
        raise Unread("a call without a tensor")
    twin, by_test = beside(code, scene, call)
    return Use(
        args=args,
        rows=table.of(names.taken),
        mutates=tuple(name for name, given in bound(shape, call).items() if unset(scene, values, given)),
        devices=frozenset(tensors.devices),
        place=code.place(scene.module, call.lineno),
        test=scene.name,
        twin=twin,
        by_test=by_test,
    )


def bound(shape: Parameters, call: ast.Call) -> Mapping[str, ast.expr]:
    """The arguments by name and in order, up to the last that is given; between them defaults are written out."""
    if any(isinstance(arg, ast.Starred) for arg in call.args) or any(k.arg is None for k in call.keywords):
        raise Unread("stars")
    given = dict(zip(shape.names, call.args, strict=False))
    given |= {k.arg: k.value for k in call.keywords if k.arg in shape.names}
    if len(call.args) > len(shape.names) or len(given) < len(call.args) + len(call.keywords):
        raise Unread("arguments that may only be named")
    last = max((shape.names.index(name) for name in given), default=-1)
    found: dict[str, ast.expr] = {}
    for name in shape.names[: last + 1]:
        default = shape.default_of(name)
        chosen = given.get(name, default)
        if chosen is None:
            raise Unread(f"nothing for {name}")
        found[name] = chosen
    return found


def value(tensors: Tensors, node: ast.expr) -> Any:
    try:
        return plain(tensors.names.read(node))
    except Unread:
        return tensors.read(node)


def unset(scene: Scene, values: Mapping[str, ast.expr], node: ast.expr) -> bool:
    """Whether an argument is made without values: the function is to write it."""
    made = values.get(node.id, node) if isinstance(node, ast.Name) else node
    return isinstance(made, ast.Call) and scene.module.dotted(made.func) in ("torch.empty", "torch.empty_like")


@dataclass(frozen=True, kw_only=True)
class Table:
    """Values of names that take several: a list of rows for each `parametrize` or loop."""

    parts: Sequence[Sequence[Row]]

    @property
    def widths(self) -> Mapping[str, int]:
        """How many values each value has; of lists that differ in that the name is left out."""
        found: dict[str, int] = {}
        for part in self.parts:
            for name in part[0] if part else ():
                lengths = {len(row[name]) if isinstance(row[name], list) else 1 for row in part}
                if len(lengths) == 1:
                    found[name] = lengths.pop()
        return found

    def of(self, taken: set[str]) -> tuple[Row, ...]:
        """Of the symbols that are made use of, each combination once, the first MOST of them."""
        kept = [unlike({n: v for n, v in spread(row) if n in taken} for row in part) for part in self.parts]
        combined = product(*(part for part in kept if part))
        merged = ({n: v for row in combination for n, v in row.items()} for combination in combined)
        return tuple(unlike(islice(merged, MOST)))


def spread(row: Row) -> Iterator[tuple[str, Any]]:
    for name, given in row.items():
        if isinstance(given, list):
            yield from ((f"{name}{place}", plain(each)) for place, each in enumerate(given))
        else:
            yield name, plain(given)


def unlike(found: Iterable[Row]) -> Sequence[Row]:
    """Each once, without empty ones."""
    rows_once: list[Row] = []
    for row in found:
        if row and row not in rows_once:
            rows_once.append(row)
    return rows_once


def symbols_of(scene: Scene) -> tuple[Table, Mapping[str, ast.expr]]:
    """What takes several values, and what has one: constants of the module, defaults, assignments."""
    values = dict(constants(scene.module.tree.body))
    if scene.function is not None:
        shape = parameters(scene.function)
        values |= {name: default for name in shape.names if (default := shape.default_of(name)) is not None}
    values |= dict(constants(scene.body))
    known = Names(values=values)
    parts: list[Sequence[Row]] = []
    for name, node in several(scene):
        try:
            found = rows(name, node, known)
        except Unread:
            continue
        if any(isinstance(given, bool) or given is None for row in found for given in row.values()):
            # No symbol may stand for these: the first is taken.
            values |= {n: ast.Constant(value=v) for n, v in found[0].items() if isinstance(v, bool) or v is None}
            found = [{n: v for n, v in row.items() if n not in values} for row in found]
        parts.append(found)
    return Table(parts=[part for part in parts if part and part[0]]), values


def several(scene: Scene) -> Iterator[tuple[str, ast.expr]]:
    """Names and the literal of their values, of `pytest.mark.parametrize` and of loops."""
    for decorator in scene.function.decorator_list if scene.function else ():
        match decorator:
            case ast.Call(func=ast.Attribute(attr="parametrize"), args=[ast.Constant(value=str(name)), node, *_]):
                yield name, node
            case ast.Call(
                func=ast.Attribute(attr="parametrize"), args=[ast.Tuple(elts=parts) | ast.List(elts=parts), node, *_]
            ):
                yield ",".join(str(p.value) for p in parts if isinstance(p, ast.Constant)), node
    for statement in scene.body:
        for inner in ast.walk(statement):
            if isinstance(inner, ast.For):
                yield ast.unparse(inner.target).strip("()"), inner.iter


def constants(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """Assignments at any depth, the last one counting; `M, N = shape` gives each name its place in `shape`."""
    for statement in body:
        for node in ast.walk(statement) if not isinstance(statement, Function | ast.ClassDef) else ():
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=given):
                    yield name, given
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=parts)) if len(names) == len(
                    parts
                ):
                    yield from ((n.id, p) for n, p in zip(names, parts, strict=True) if isinstance(n, ast.Name))
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Name() as whole):
                    for place, name_node in enumerate(names):
                        if isinstance(name_node, ast.Name):
                            yield name_node.id, ast.Subscript(value=whole, slice=ast.Constant(value=place))


def beside(code: Code, scene: Scene, call: ast.Call) -> tuple[str, str]:
    """What the same test calls with the same arguments: as module:function, or where the test's own function stands."""
    given = [ast.unparse(arg) for arg in (*call.args, *(k.value for k in call.keywords))]
    for node in (n for statement in scene.body for n in ast.walk(statement) if isinstance(n, ast.Call)):
        if node is call or [ast.unparse(a) for a in (*node.args, *(k.value for k in node.keywords))] != given:
            continue
        at = code.named(scene.module, node.func)
        if at is not None and at[0] in code.modules and not code.reach(at) and code.function(at):
            return ":".join(at), ""
        holder, _, name = scene.module.dotted(node.func).rpartition(".")
        if holder in ("torch", "torch.nn.functional") and name not in MAKERS and not name.endswith("_like"):
            return f"{holder}:{name}", ""
        if isinstance(node.func, ast.Name) and node.func.id in scene.module.definitions and at not in code.uses:
            line = scene.module.definitions[node.func.id][0].lineno
            return "", f"{node.func.id} in {code.place(scene.module, line)}"
    return "", ""
