"""Who counts as an owner, and the lines of CODEOWNERS as evidence."""

from collections.abc import Iterable, Mapping

from kgate.model import Kernel, Ownership, Place

SHOWN = 5
WILD = frozenset("*?./")


def catch_all(pattern: str) -> bool:
    """Whether the pattern names no folder, file or ending: `*`, `/**/*`, `*.*`."""
    return set(pattern) <= WILD


def rule_of(ownership: Ownership, path: str) -> tuple[Place, str, tuple[str, ...]] | None:
    return ownership.files.get(path)


def own_files(kernel: Kernel, ownership: Ownership) -> tuple[str, ...]:
    """Those that hold the functions of the entry; the others are what these import."""
    entries = (kernel.dispatch, kernel.custom, kernel.fallback, kernel.reference)
    modules = {entry.partition(":")[0].replace(".", "/") for entry in entries if entry}
    ends = tuple(f"/{module}{end}" for module in modules for end in (".py", "/__init__.py"))
    return tuple(path for path in sorted(ownership.files) if f"/{path}".endswith(ends))


def lines(ownership: Ownership, paths: Iterable[str]) -> Mapping[str, str]:
    """By line of CODEOWNERS, what it says and of which of `paths`; what no line matches stands below `no line`."""
    found: dict[tuple[str, str], list[str]] = {}
    for path in sorted(paths):
        rule = rule_of(ownership, path)
        key = ("no line", "") if rule is None else (str(rule[0]), said(rule[1], rule[2]))
        found.setdefault(key, []).append(path)
    told = {place: f"{text}{shortened(files)}" for (place, text), files in found.items()}
    return {**told, **{str(place): sentence for place, sentence in ownership.without_effect[:SHOWN]}}


def said(pattern: str, owners: tuple[str, ...]) -> str:
    """`/kernels/ @acme/kernels: `; a catch-all is called one, and a line without owners as well."""
    what = "a catch-all alone, " if catch_all(pattern) else ""
    return f"{what}{pattern} {' '.join(owners) or 'without an owner'}: "


def shortened(paths: list[str]) -> str:
    more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
    return ", ".join(paths[:SHOWN]) + more
