"""What a run is aimed at: its device, and within which walls workers use it."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from kgate import gpus
from kgate.device import probed
from kgate.errors import HostError
from kgate.model import Manifest
from kgate.options import Options
from kgate.plan import Target
from kgate.protocol import Identity
from kgate.runner import sandbox
from kgate.runner.place import Workplace
from kgate.runner.sandbox import AUTO, Sandbox

DRIVER = Path("/dev/nvidiactl")
NO_GPU = "a GPU cannot be used within namespaces here"
Aimed = tuple[Target, Identity, Mapping[str, str]]


def within(options: Options, workplace: Workplace) -> Workplace:
    """With the sandbox that was asked for. Raises UsageError or HostError where there is none."""
    needed = {*map(str, workplace.trees.values()), *workplace.python.values()}
    return replace(workplace, sandbox=sandbox.chosen(options.sandbox, sorted(needed)))


def aimed(options: Options, manifest: Manifest, workplace: Workplace) -> tuple[Workplace, Aimed]:
    """
    The device, what the worker says of it, and the uuid of every device that launches are taken on. A sandbox that
    nobody named is left out where it would keep a GPU from being used.
    """
    named = options.sandbox != AUTO
    if named or not workplace.sandbox.confines or options.device == "cpu" or not DRIVER.exists():
        return workplace, looked(options, manifest, workplace)
    open_place = replace(workplace, sandbox=Sandbox(gaps=(NO_GPU,)))
    try:
        found = looked(options, manifest, workplace)
    except HostError:
        return open_place, looked(options, manifest, open_place)
    if found[0].kind != "cpu":
        return workplace, found
    without = looked(options, manifest, open_place)
    return (workplace, found) if without[0].kind == "cpu" else (open_place, without)


def looked(options: Options, manifest: Manifest, workplace: Workplace) -> Aimed:
    chosen = gpus.named(options.gpus, options.device)
    first = chosen[0] if chosen else options.device
    target, identity = probed(workplace, first, ("spin", "peaks") if manifest.declares_work else ("spin",))
    return target, identity, gpus.of_target(workplace, target, identity, chosen)
