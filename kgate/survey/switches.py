"""The environment variable that a product reads to choose between its paths, and what its values mean."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kgate.load.source import Definition, Module
from kgate.model import Place
from kgate.survey.code import Code
from kgate.survey.natives import Function
from kgate.survey.onward import parameters

READS = ("os.environ.get", "os.getenv", "environ.get", "getenv")
ON = ("1", "true", "True", "on", "yes")
OFF = ("0", "false", "False", "off", "no", "torch", "pytorch", "eager", "reference", "native", "fallback", "none")
NEGATIVE = {"DISABLE", "DISABLED", "NO", "WITHOUT", "SKIP"}  # words of a variable's name that turn its meaning round


@dataclass(frozen=True, kw_only=True)
class Switch:
    """`read`: "import" or "call". `sure`: whether a value is compared with, and not guessed."""

    env: str
    custom: str
    fallback: str
    read: str
    place: Place
    sure: bool


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Of one variable; `compared` are the texts that it is held against."""

    variable: str
    default: str
    compared: tuple[str, ...]


def switch(code: Code, dispatch: Definition) -> Switch | None:
    """The first that the function reads: itself, through a helper, or in a name that was set on import."""
    for at in (dispatch, *sorted(code.uses.get(dispatch, ()))):
        module = code.sources.module(at[0])
        if module is None or at in code.natives or (at != dispatch and code.reach(at)):
            continue
        for statement in module.definitions.get(at[1], ()):
            for node, reading in readings(code, module, statement):
                called = isinstance(statement, Function) and not cached(statement)
                return meant(reading, "call" if called else "import", code.place(module, node.lineno))
    return None


def readings(code: Code, module: Module, statement: ast.stmt) -> Iterator[tuple[ast.expr, Reading]]:
    above = parents(statement)
    for node in ast.walk(statement):
        if isinstance(node, ast.Call | ast.Subscript):
            found = direct(module, node, above) or through_helper(code, module, node)
            if found is not None:
                yield node, found


def direct(module: Module, node: ast.expr, above: Mapping[int, ast.AST]) -> Reading | None:
    """Of `os.environ.get("X", "1") == "1"`, `os.getenv("X")` and `os.environ["X"]`."""
    texts: list[str] = []
    if isinstance(node, ast.Call) and module.dotted(node.func) in READS:
        texts = [str(a.value) for a in node.args if isinstance(a, ast.Constant)]
    elif isinstance(node, ast.Subscript) and module.dotted(node.value) == "os.environ":
        texts = [str(node.slice.value)] if isinstance(node.slice, ast.Constant) else []
    if not texts:
        return None
    return Reading(variable=texts[0], default="".join(texts[1:2]), compared=held_against(node, above))


def through_helper(code: Code, module: Module, node: ast.expr) -> Reading | None:
    """Of `switched_on("ACME_GELU")`, where that function reads the variable which its argument names."""
    match node:
        case ast.Call(args=[ast.Constant(value=str(variable)), *_]):
            at = code.named(module, node.func)
        case _:
            return None
    helper, home = (code.function(at), code.sources.module(at[0])) if at else (None, None)
    if helper is None or home is None:
        return None
    names, above = parameters(helper).names, parents(helper)
    for inner in ast.walk(helper):
        match inner:
            case ast.Call(args=[ast.Name(id=name), *rest]) if name in names and home.dotted(inner.func) in READS:
                default = "".join(str(a.value) for a in rest[:1] if isinstance(a, ast.Constant))
                return Reading(variable=variable, default=default, compared=held_against(inner, above))
    return None


def parents(node: ast.AST) -> Mapping[int, ast.AST]:
    return {id(child): inner for inner in ast.walk(node) for child in ast.iter_child_nodes(inner)}


def held_against(node: ast.AST, above: Mapping[int, ast.AST]) -> tuple[str, ...]:
    """The texts of the comparison that a reading stands in, past `.lower()`, `bool()` and a name that it is given."""
    parent = above.get(id(node))
    while isinstance(parent, ast.Attribute | ast.Call):
        node, parent = parent, above.get(id(parent))
    if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
        name = parent.targets[0].id
        held = [n for n in ast.walk(outermost(parent, above)) if isinstance(n, ast.Compare) and named_in(n, name)]
        return tuple(text for compare in held for text in texts_of(compare, parent))
    return tuple(texts_of(parent, node)) if isinstance(parent, ast.Compare) else ()


def outermost(node: ast.AST, above: Mapping[int, ast.AST]) -> ast.AST:
    while (parent := above.get(id(node))) is not None:
        node = parent
    return node


def named_in(compare: ast.Compare, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(compare))


def texts_of(compare: ast.Compare, without: ast.AST) -> Iterator[str]:
    for side in (compare.left, *compare.comparators):
        for part in ast.walk(side) if side is not without else ():
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.value


def cached(node: Function) -> bool:
    """A helper that answers once and for all is read as if on import."""
    return any("cache" in ast.dump(decorator) for decorator in node.decorator_list)


def meant(reading: Reading, when: str, place: Place) -> Switch:
    """
    Which value takes which path: a text that says "off" means the fallback, any other the kernel; of a variable that
    disables, the other way round.
    """
    said = [text for text in (*reading.compared, reading.default) if text]
    yes = next((text for text in said if text not in OFF), "1")
    no = next((text for text in said if text in OFF), "0" if yes in ON else "torch")
    turned = bool({*reading.variable.upper().split("_")} & NEGATIVE)
    return Switch(
        env=reading.variable,
        custom=no if turned else yes,
        fallback=yes if turned else no,
        read=when,
        place=place,
        sure=bool(reading.compared),
    )
