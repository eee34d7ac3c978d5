"""Which GPU takes which cases. Values in, values out; who takes launches runs one lockstep per GPU, side by side."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


def dealt(cases: Sequence[T], devices: Sequence[str]) -> dict[T, str]:
    """
    Each case's GPU for one look: in turn, since neighbours are of one kernel and take alike long. Given by the cases of
    the look alone, so that a run that goes on with an interrupted one puts each on the same GPU again.
    """
    return {case: devices[index % len(devices)] for index, case in enumerate(cases)}


def elsewhere(homes: Mapping[T, str], cases: Sequence[T], devices: Sequence[str]) -> dict[T, str]:
    """
    For a confirmation: the GPU after the one that made the claim; the same one where there is no other. `homes`: where
    each case was last; one that was nowhere is dealt as in a look.
    """
    before = {**dealt(cases, devices), **homes}
    return {case: devices[(devices.index(before[case]) + 1) % len(devices)] for case in cases}


def by_device(homes: Mapping[T, str], cases: Sequence[T]) -> dict[str, list[T]]:
    """The cases that each GPU takes side by side with the others, of those that have any."""
    found: dict[str, list[T]] = {}
    for case in cases:
        found.setdefault(homes[case], []).append(case)
    return found
