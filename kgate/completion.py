"""
Entries of the manifest that leave paths to `dispatch`, a kgate_dispatch function: the worker is asked for them.

What the manifest says itself counts; only what it leaves out is filled in.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from kgate.errors import ManifestError
from kgate.load import schemas
from kgate.model import Arm, Kernel, Manifest, Switch
from kgate.protocol import Described
from kgate.runner import enquiry
from kgate.runner.place import Workplace

PATHS = ("custom", "fallback")
SWITCH = ("env", "custom", "fallback", "read")


def completed(manifest: Manifest, workplace: Workplace, arm: Arm) -> Manifest:
    """
    The manifest with both paths of every kernel, as this arm's tree has them.

    Raises ManifestError where a function does not tell, WorkerError where no worker can be started to ask it.
    """
    wanted = [kernel.dispatch for kernel in manifest.kernels if not kernel.complete]
    if not wanted:
        return manifest
    said = enquiry.described(workplace, arm, wanted)
    kernels = (k if k.complete else filled(k, said.get(k.dispatch)) for k in manifest.kernels)
    return replace(manifest, kernels=tuple(kernels))


def filled(kernel: Kernel, said: Described | None) -> Kernel:
    if said is None:
        # Nothing is known but what any kgate_dispatch function has. What keeps it from being loaded is then every
        # case's failure, with its reason; and without a switch it cannot pass, should it be loaded after all.
        return replace(
            kernel,
            custom=kernel.custom or f"{kernel.dispatch}.custom",
            fallback=kernel.fallback or f"{kernel.dispatch}.fallback",
        )
    return replace(
        kernel,
        custom=kernel.custom or path(kernel, said, "custom"),
        fallback=kernel.fallback or path(kernel, said, "fallback"),
        switch=kernel.switch or switch(kernel, said.switch),
        optional=kernel.optional or said.packages,
    )


def path(kernel: Kernel, said: Described, name: str) -> str:
    told: str = getattr(said, name)
    if not told:
        raise refusal(
            kernel,
            f"{name!r} is missing, and {kernel.dispatch}, of type {said.type_name}, does not tell it as a "
            "kgate_dispatch function does; add it",
        )
    if not re.fullmatch(pattern("function"), told):
        raise refusal(
            kernel,
            f"{kernel.dispatch} says that its {name} path is {told!r}, which cannot be imported by that name; give "
            f"the function a name in its module, or add {name!r}",
        )
    return told


def switch(kernel: Kernel, told: Mapping[str, str]) -> Switch | None:
    known = {name: told[name] for name in SWITCH if name in told}
    if not known:
        return None
    if not known.get("env") or known.get("read", "call") not in ("import", "call"):
        raise refusal(kernel, f"{kernel.dispatch} tells a switch that kgate cannot read; add 'switch'")
    return Switch(**known)


def pattern(definition: str) -> str:
    return str(schemas.parsed("manifest")["$defs"][definition]["pattern"])


def refusal(kernel: Kernel, sentence: str) -> ManifestError:
    return ManifestError(f"{kernel.place}: kernels.{kernel.name}: {sentence}")
