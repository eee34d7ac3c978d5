"""
Which functions make a manifest's entry: what the product calls, the custom path, the fallback. Each is a guess with the
reason for it; what cannot be known is "".

    tables of implementations -> functions that choose between a kernel and something else -> what launches a kernel
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from kgate.load.source import Definition
from kgate.survey.code import Code
from kgate.survey.natives import Native
from kgate.survey.onward import Onward, chooses, onward, parameters
from kgate.survey.registries import Member, groups

# Of names and labels: who stands for the plain path, and who for the fast one.
PLAIN = (
    "ref",
    "reference",
    "torch",
    "pytorch",
    "eager",
    "naive",
    "native",
    "fallback",
    "plain",
    "slow",
    "baseline",
    "cpu",
)
FAST = ("fused", "triton", "tilelang", "cutile", "cuda", "cute", "cutedsl", "custom", "fast", "kernel", "gpu", "launch")
DISPATCHER = "kgate_dispatch.dispatch"

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Guess:
    """`text` as a manifest has it, "" where it is not known; `why` says what it rests on, or what is missing."""

    text: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One operator. `custom` and `fallback` are None where dispatch tells them itself."""

    name: str
    dispatch: Guess
    custom: Guess | None
    fallback: Guess | None
    natives: tuple[Native, ...]

    @property
    def dsl(self) -> str:
        return self.natives[0].dsl if self.natives else "torch"

    @property
    def device(self) -> tuple[str, ...]:
        """Of what is launched; what device code calls in turn is a part of it."""
        return tuple(dict.fromkeys(name for native in self.natives for name in native.device))


@dataclass(frozen=True, kw_only=True)
class Found:
    """`left`: device code that no entry reaches."""

    entries: tuple[Entry, ...]
    left: tuple[tuple[Definition, Native], ...]


def entries(code: Code) -> Found:
    made: list[Entry] = []
    covered: set[Definition] = set()
    for finder in (self_telling, tabled, choosing, launching):
        for entry, natives in finder(code, frozenset(covered)):
            if set(natives) <= covered and any(entry.dispatch.text == other.dispatch.text for other in made):
                continue
            made.append(entry)
            covered |= set(natives)
    left = tuple((at, native) for at, native in code.natives.items() if at not in covered)
    return Found(entries=tuple(unlike(made)), left=left)


Made = Iterator[tuple[Entry, Sequence[Definition]]]


def self_telling(code: Code, covered: frozenset[Definition]) -> Made:
    """Functions of kgate_dispatch, which know their paths; that of `custom` is a text."""
    for name, module in code.modules.items():
        for what, statements in module.definitions.items():
            for decorator in (d for s in statements for d in getattr(s, "decorator_list", ())):
                if isinstance(decorator, ast.Call) and module.dotted(decorator.func) == DISPATCHER:
                    paths = [k.value.value for k in decorator.keywords if isinstance(k.value, ast.Constant)]
                    texts = [tuple(p.split(":")) for p in paths if isinstance(p, str) and p.count(":") == 1]
                    natives = [n for module_name, function in texts for n in code.reach((module_name, function))]
                    why = f"a function of kgate_dispatch, {code.at((name, what))}, which tells its paths and its switch"
                    yield entry(code, what, Guess(text=f"{name}:{what}", why=why), None, None, natives), natives


def tabled(code: Code, covered: frozenset[Definition]) -> Made:
    for operator, group in groups(code).items():
        custom = first(
            m for m in group if code.reach(m.at) and "dispatch" not in m.how and not covered & set(code.reach(m.at))
        )
        if custom is None:
            continue
        natives = code.reach(custom.at)
        dispatch = chosen_by(code, operator, group, custom)
        yield (
            entry(
                code,
                operator,
                dispatch,
                named_as(custom),
                plain_of(code, group, custom),
                natives,
            ),
            natives,
        )


def plain_of(code: Code, group: Sequence[Member], custom: Member) -> Guess:
    """The implementation that launches no kernel; one that no label calls plain is told with that doubt."""
    others = [m for m in group if not code.reach(m.at) and "dispatch" not in m.how]
    plain = first(m for m in others if set(m.labels) & set(PLAIN) or words(m.at[1]) & set(PLAIN))
    if plain is not None:
        return named_as(plain)
    guess = plain_named(code, custom.at, custom.operator)
    if guess.text or not others:
        return guess
    return replace(named_as(others[0]), why=f"{named_as(others[0]).why}; no label says that it is the plain one")


def named_as(member: Member) -> Guess:
    return Guess(text=":".join(member.at), why=f"{member.how} of {member.operator!r}, {member.place}")


def chosen_by(code: Code, operator: str, group: Sequence[Member], custom: Member) -> Guess:
    """Who looks the operator up: a stub that is registered as dispatch, the operator itself, or who names it."""
    stub = first(m for m in group if "dispatch" in m.how)
    if stub is not None:
        return named_as(stub)
    members = {m.at for m in group}
    callers = [at for at, texts in code.said.items() if at not in members and operator in texts]
    best = first(at for at in callers if at[1] == operator) or first(callers)
    if best is not None:
        return Guess(text=":".join(best), why=f"looks {operator!r} up, {code.at(best)}")
    itself = first(at for name, at in code.operators.items() if name.rpartition("::")[2] == operator)
    if itself is not None:
        return Guess(text=":".join(itself), why=f"the operator itself, {code.at(itself)}: torch chooses by the device")
    return Guess(text=":".join(custom.at), why="nothing was found that chooses between the two")


def choosing(code: Code, covered: frozenset[Definition]) -> Made:
    """Functions that leave their arguments either to what launches a kernel or to something else."""
    for at, node in code.functions.items():
        ways = list(onward(code, at)) if code.reach(at) else []
        custom = first(w for w in ways if w.at and code.reach(w.at) and w.at not in code.natives)
        if custom is None or custom.at is None or at[1].startswith("_"):
            continue
        natives = code.reach(custom.at)
        others = [w for w in ways if w.at is None or not code.reach(w.at)]
        if set(natives) <= covered or not (others or chooses(node)):
            continue
        dispatch = Guess(text=":".join(at), why=f"chooses between the paths, {code.at(at)}")
        taken = Guess(
            text=custom.text, why=f"{at[1]} calls it, {spot(code, at, custom)}; it launches {shown(code, natives)}"
        )
        yield entry(code, at[1], dispatch, taken, otherwise(code, at, others, custom.at), natives), natives


def otherwise(code: Code, at: Definition, others: Sequence[Onward], custom: Definition) -> Guess:
    if others:
        return Guess(text=others[-1].text, why=f"{at[1]} calls it otherwise, {spot(code, at, others[-1])}")
    return plain_named(code, custom, at[1])


def launching(code: Code, covered: frozenset[Definition]) -> Made:
    """Functions that launch kernels, where nothing chooses: the nearest public one to each kernel."""
    nearest: dict[Definition, list[Definition]] = {}
    hosts = [at for at in code.functions if code.reach(at)]
    public = [at for at in hosts if not at[1].startswith("_")]
    for native in code.natives:
        if native in covered:
            continue
        near = closest(code, native, public) or closest(code, native, hosts)
        if near is not None:
            nearest.setdefault(near, []).append(native)
    for at in nearest:
        natives = code.reach(at)
        why = f"launches {shown(code, natives)}, {code.at(at)}"
        dispatch = Guess(text=":".join(at), why="nothing chooses here: the product calls the kernel's own function")
        yield (
            entry(code, at[1], dispatch, Guess(text=":".join(at), why=why), plain_named(code, at, at[1]), natives),
            natives,
        )


def closest(code: Code, native: Definition, hosts: Sequence[Definition]) -> Definition | None:
    """The one that rests on no other that rests on `native`."""
    over = [at for at in hosts if native in code.closure(at)]
    return first(at for at in over if not any(other != at and other in code.closure(at) for other in over))


def plain_named(code: Code, custom: Definition, operator: str) -> Guess:
    """A function that is called like a plain version of this one and takes the same arguments."""
    node = code.function(custom)
    wanted = parameters(node).required if node else ()
    stem = words(operator) - set(FAST) or words(operator)
    alike = []
    for at, other in code.functions.items():
        said = words(at[1])
        plain = bool(said & set(PLAIN)) and stem <= said | words(at[0].rpartition(".")[2])
        if plain and parameters(other).required == wanted and not code.reach(at):
            alike.append(at)
    near = first(at for at in alike if at[0] == custom[0]) or first(alike)
    if near is not None:
        return Guess(text=":".join(near), why=f"by its name and its arguments, {code.at(near)}")
    return Guess(text="", why="what the product runs without this kernel, with the same arguments, as module:function")


def words(name: str) -> set[str]:
    return set(filter(None, re.split(r"[_\d]+", name.lower())))


def shown(code: Code, natives: Sequence[Definition]) -> str:
    return ", ".join(at[1] for at in natives[:3]) + (f" and {len(natives) - 3} more" if len(natives) > 3 else "")


def spot(code: Code, at: Definition, way: Onward) -> str:
    return str(replace(code.at(at), line=way.line))


def entry(
    code: Code,
    name: str,
    dispatch: Guess,
    custom: Guess | None,
    fallback: Guess | None,
    natives: Sequence[Definition],
) -> Entry:
    return Entry(
        name=name.strip("_"),
        dispatch=dispatch,
        custom=custom,
        fallback=fallback,
        natives=tuple(code.natives[at] for at in natives if at in code.launched),
    )


def unlike(made: Sequence[Entry]) -> Iterator[Entry]:
    """With names of their own: a second `softmax` is called after its module as well."""
    taken: set[str] = set()
    for each in made:
        module = each.dispatch.text.partition(":")[0].rpartition(".")[2].strip("_")
        names = (each.name, f"{module}_{each.name}", *(f"{each.name}_{n}" for n in range(2, len(made) + 2)))
        name = next(n for n in names if n not in taken)
        taken.add(name)
        yield replace(each, name=name)


def first(found: Iterable[T]) -> T | None:
    return next(iter(found), None)
