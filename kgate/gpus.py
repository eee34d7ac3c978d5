"""Which GPUs `--gpus` means, whether they are alike, and that nobody else's run is on them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kgate.errors import HostError, UsageError
from kgate.plan import Target
from kgate.protocol import Identity
from kgate.runner import launch, parallel
from kgate.runner.place import Workplace

MOST = 64


def named(text: str, device: str) -> tuple[str, ...]:
    """
    Torch's names of what `--gpus` asks for beside `--device`; () for nothing. A number means the first so many that
    torch sees. Raises UsageError.
    """
    if not text:
        return ()
    if device not in ("auto", "cuda"):
        raise UsageError(f"--device {device} --gpus {text}: name the GPUs with --gpus alone")
    names = [f"cuda:{index}" for index in range(int(text))] if text.isdecimal() and len(text) < 3 else text.split(",")
    sound = all(name.startswith("cuda:") and name[5:].isdecimal() for name in names)
    if not names or not sound or len(set(names)) != len(names) or len(names) > MOST:
        raise UsageError(f"--gpus {text}: give a number of GPUs, or their names as in cuda:0,cuda:2")
    return tuple(names)


def others(workplace: Workplace, names: Sequence[str]) -> dict[str, Identity]:
    """What the worker says of GPUs besides the run's first one. Raises HostError for one that is not here."""
    found: dict[str, Identity] = {}

    def ask(name: str) -> None:
        found[name] = launch.probe(replace(workplace, device=name))

    parallel.run(names, len(names), ask)
    for name in names:
        if reason := found[name].devices.get(name, ""):
            raise HostError(f"--gpus: {reason}")
    return {name: found[name] for name in names}


def alike(identities: Mapping[str, Identity]) -> None:
    """
    Raises HostError where one differs from the first in what must match: a case may be timed on one GPU and confirmed
    on another.
    """
    first, *rest = identities
    for name in rest:
        one, other = identities[first].must_match, identities[name].must_match
        for field in ("device", *sorted({*one, *other} - {"device"})):
            if one.get(field) != other.get(field):
                told = f"{first} has {one.get(field, 'none')}, {name} has {other.get(field, 'none')}"
                raise HostError(f"--gpus: {first} and {name} differ in {field} ({told}); choose GPUs that are alike")


def uuids(identities: Mapping[str, Identity]) -> dict[str, str]:
    """By name; "" where the worker names none, as on a CPU."""
    return {name: identity.information.get("uuid", "") for name, identity in identities.items()}


def of_target(workplace: Workplace, target: Target, identity: Identity, chosen: Sequence[str]) -> dict[str, str]:
    """The uuid of every device that launches are taken on, by torch's name: the target first. Raises HostError."""
    beside = [name for name in chosen if name != target.torch_name]
    identities = {target.torch_name: identity, **(others(workplace, beside) if beside else {})}
    alike(identities)
    return uuids(identities)
