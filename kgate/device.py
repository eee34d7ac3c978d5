"""Which interpreter runs the kernels, on which device, and what the worker says of both."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

from kgate.errors import HostError, UsageError
from kgate.plan import Target
from kgate.protocol import Identity, Yardstick
from kgate.runner import launch
from kgate.runner.place import Workplace


def interpreter(chosen: str, by_hand: bool, arm_folder: Path, checkout: Path) -> str:
    """The worker's interpreter: in the arm's tree after its build, else in the checkout, else from PATH."""
    if not chosen:
        found = shutil.which("python3") or shutil.which("python")
        if found is None:
            raise HostError("no python3 on PATH; name the interpreter that has torch with --python")
        return found
    if os.sep not in chosen:
        found = shutil.which(chosen)
        if found is None:
            raise HostError(f"{chosen}: no such program on PATH; name the interpreter that has torch with --python")
        return found
    places = [Path.cwd()] if by_hand else [arm_folder, checkout]
    for folder in places:
        # Not resolved: a virtual environment's python is a link, and only its own path finds its packages.
        path = Path(os.path.normpath(folder / Path(chosen).expanduser()))
        if path.exists():
            return str(path)
    raise HostError(f"{places[-1] / chosen}: no such interpreter; mend `python` in the manifest or pass --python")


def probed(workplace: Workplace, device: str, measure: tuple[Yardstick, ...] = ()) -> tuple[Target, Identity]:
    """
    The device of this run, and what the worker says of it. `auto` is the first GPU that the worker's torch sees, else
    the CPU. `measure`: what of a GPU is wanted besides, measured before anything of the repository's is loaded and kept
    nowhere, so that no worker can have written it.

    Raises UsageError for a device kgate does not know, HostError for one that is not here.
    """
    kind, _, index = device.partition(":")
    if kind not in ("auto", "cpu", "cuda") or (index and not index.isdecimal()) or (kind != "cuda" and index):
        raise UsageError(f"--device {device}: no such device; one of auto, cpu, cuda, cuda:N")
    gpu = f"cuda:{index or 0}"
    # A look at the driver's file saves a probe of seconds; torch's own answer still decides.
    first = gpu if kind == "cuda" or (kind == "auto" and Path("/dev/nvidiactl").exists()) else "cpu"
    identity = launch.probe(replace(workplace, device=first), measure=measure)
    reason = identity.devices.get(first, "")
    if kind == "cuda" and reason:
        raise HostError(f"--device {device}: {reason}")
    if kind == "auto" and first != "cpu" and reason:
        identity = launch.probe(replace(workplace, device="cpu"))
        first = "cpu"
    elif kind == "auto" and first == "cpu" and not identity.devices.get("cuda", "no word of it"):
        identity = launch.probe(replace(workplace, device=gpu), measure=measure)
        first = gpu
    if first == "cpu":
        return Target(kind="cpu", name="cpu"), identity
    facts = identity.must_match
    arch = "sm_" + facts["capability"].replace(".", "")
    return Target(kind="cuda", name=short_name(facts["device"]), arch=arch, index=int(index or 0)), identity


def short_name(gpu: str) -> str:
    """`NVIDIA H200` is h200, `NVIDIA GeForce RTX 4090` is rtx-4090: what stands in case names and baseline files."""
    words = [w for w in gpu.lower().replace("/", " ").split() if w not in ("nvidia", "geforce", "tesla")]
    return "-".join(words) or "gpu"
