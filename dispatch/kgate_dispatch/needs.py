"""
Needs: what must be there for the custom path to be available at all. They are asked at the first call that wants the
custom path, never before (with the switch off, a DSL is not even imported), and the answer is kept until `reset()`.
"""

import importlib
import importlib.metadata
import re
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

# Why the need is not met, as a sentence without a full stop; None where it is. What a need raises goes to the caller.
Need = Callable[[], str | None]


@dataclass(frozen=True, kw_only=True)
class Package:
    """What `package` asks for; a value, so that whoever tests a product can learn what to take away from it."""

    name: str
    at_least: str | None
    below: str | None
    distribution: str

    def __call__(self) -> str | None:
        _, why = imported(self.name)
        if why or (self.at_least is None and self.below is None):
            return why
        return version_misfit(self.distribution, self.at_least, self.below)


def package(
    name: str, *, at_least: str | None = None, below: str | None = None, distribution: str | None = None
) -> Need:
    """
    A package that can be imported; optionally of a version, from `at_least` to before `below`.

    Importing is the only proof that it works: a package may be installed and its shared library not load. The version
    is that of the distribution, which is called like the package unless `distribution` says otherwise; a pre-release
    counts as its release.
    """
    return Package(name=name, at_least=at_least, below=below, distribution=distribution or name)


def imported(name: str) -> tuple[ModuleType | None, str | None]:
    """The module, or why it cannot be imported."""
    try:
        return importlib.import_module(name), None
    except Exception as error:  # noqa: BLE001  # DSLs have been seen to raise OSError, RuntimeError and errors of their own
        return None, f"{name} cannot be imported ({one_line(error)})"


def version_misfit(distribution: str, at_least: str | None, below: str | None) -> str | None:
    try:
        version = importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return f"the version of {distribution} is not known: no distribution of that name is installed"
    if at_least is not None and release(version) < release(at_least):
        return f"{distribution} {version} is older than {at_least}"
    if below is not None and release(version) >= release(below):
        return f"{distribution} {version} is not older than {below}"
    return None


def release(version: str) -> tuple[int, ...]:
    """The leading numbers, without zeros at the end: "2.10.0rc1+cu130" is (2, 10)."""
    leading = re.match(r"v?(\d+(?:\.\d+)*)", version)
    if leading is None:
        raise ValueError(f"{version!r} is no version: it has to begin with numbers, as in 3.7.1")
    numbers = [int(part) for part in leading[1].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def cuda() -> Need:
    """A CUDA GPU that torch can see. Asking starts CUDA in this process, which a child forked later cannot use."""

    def missing() -> str | None:
        torch, why = imported("torch")
        if torch is None:
            return why
        return None if visible_gpus(torch) else "no CUDA GPU is visible"

    return missing


def capability(*, at_least: str | None = None, below: str | None = None) -> Need:
    """
    GPUs of a compute capability, written as in "9.0", from `at_least` to before `below`; none at all is not enough.

    Every visible GPU has to fit, since a call may use any of them; a mixed machine that means only some of them sets
    CUDA_VISIBLE_DEVICES, or asks for the device of the arguments in `when`.
    """
    if at_least is None and below is None:
        raise ValueError("capability(): give at_least, below or both")
    low, high = (release(text) if text is not None else None for text in (at_least, below))

    def missing() -> str | None:
        torch, why = imported("torch")
        if torch is None:
            return why
        count = visible_gpus(torch)
        for index in range(count):
            major, minor = torch.cuda.get_device_capability(index)
            found = release(f"{major}.{minor}")
            if (low is not None and found < low) or (high is not None and found >= high):
                wanted = " and ".join(filter(None, (at_least and f"at least {at_least}", below and f"below {below}")))
                return f"GPU {index} is of compute capability {major}.{minor}; wanted is {wanted}"
        return None if count else "no CUDA GPU is visible"

    return missing


def visible_gpus(torch: Any) -> int:
    return int(torch.cuda.device_count()) if torch.cuda.is_available() else 0


def condition(test: Callable[[], object], otherwise: str) -> Need:
    """Anything else, such as a tuned configuration for this GPU: `test` is true, or the reason is `otherwise`."""
    return lambda: None if test() else otherwise


def one_line(error: BaseException) -> str:
    """An error as a log line can carry it: kind and first line, cut at 300 characters."""
    text = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {text}"[:300] if text else type(error).__name__
