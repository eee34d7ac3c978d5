"""
What autotuners have picked: which of it two commits can share, and which pick would be a slower one.

A pick is a unit of replication of its own: two tunings of the same code may end in kernels that differ by some
per cent.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NUMBER = re.compile(r"(\w+)=(-?\d+)\b")
WARPS = re.compile(r"warps|threads", re.IGNORECASE)
TILE = re.compile(r"block|tile", re.IGNORECASE)
Facts = Mapping[str, Any]


def configurations(facts: Facts) -> dict[str, list[str]]:
    """By tuner and key, all that could have been picked; nothing where that was too much to tell."""
    found: dict[str, list[str]] = {}
    for line in facts.get("configurations", ()):
        key, tab, text = str(line).partition("\t")
        if tab:
            found.setdefault(key, []).append(text)
    return found


def together(cases: Iterable[Facts], key: str) -> dict[str, str]:
    """What the cases of an arm tell under `key`, by tuner."""
    return {tuner: text for facts in cases for tuner, text in facts.get(key, {}).items()}


def shared(head: Sequence[Facts], base: Sequence[Facts]) -> dict[str, str]:
    """Base's pick of every tuner that has the same choice in both; of all cases that each arm answered."""
    ours, theirs, took = together(head, "spaces"), together(base, "spaces"), together(base, "tuned")
    return {key: took[key] for key in took if key in ours and ours[key] == theirs.get(key)}


def changed(facts: Facts, same: Mapping[str, str]) -> bool:
    """Whether this case has brought in a tuner whose choice the other commit does not have."""
    return any(key not in same for key in facts.get("spaces", {}))


@dataclass(frozen=True, kw_only=True)
class Slower:
    """Picks that are likely to be slower, and in words what differs; `why` there are none, "" if there are."""

    picks: Mapping[str, str]
    what: str = ""
    why: str = ""


def slower(facts: Facts, names: re.Pattern[str], word: str) -> Slower:
    """
    For every tuner the configuration that has less of what `names` match (their product) and differs least otherwise.
    """
    tuned = facts.get("tuned", {})
    if not tuned:
        return Slower(picks={}, why="it has no autotuner, whose configurations could be taken")
    found = {
        key: near for key, pick in tuned.items() if (near := nearest(pick, configurations(facts).get(key, ()), names))
    }
    if not found:
        return Slower(picks={}, why=f"no configuration of its autotuner has {word} than the one picked")
    what = "; ".join(f"{tuned[key]} -> {pick}" for key, pick in found.items())
    return Slower(picks={**tuned, **found}, what=what)


def nearest(pick: str, listed: Sequence[str], names: re.Pattern[str]) -> str:
    """ "" where there is none."""

    def size(text: str) -> int:
        product = 1
        for name, value in NUMBER.findall(text):
            product *= int(value) if names.search(name) else 1
        return product

    def others(text: str) -> dict[str, str]:
        return {name: value for name, value in NUMBER.findall(text) if not names.search(name)}

    smaller = [text for text in listed if 0 < size(text) < size(pick)]
    mine = others(pick)

    def distance(text: str) -> tuple[int, int]:
        theirs = others(text)
        return sum(theirs.get(name) != mine.get(name) for name in {*theirs, *mine}), -size(text)

    return min(smaller, key=distance, default="")
