"""
What may be wrong where a product runs: one file per condition, and the table of them. A condition is added with one
file here and one line in CONDITIONS.

`Condition` states what such a module offers. A process meets one condition and runs one kernel, so that nothing has to
be undone. The gate reads what is declared here, and calls `unfit`; the rest acts in the worker.
"""

import importlib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Literal, Protocol, cast

from kgate.protocol import Job

Around = Callable[[], AbstractContextManager[object]]

# In the order in which a report shows them: the switch, the package, the machine, the call, its backward pass.
CONDITIONS: dict[str, str] = {
    "switch-off-later": "kgate.worker.conditions.switch_off_later",
    "package-absent": "kgate.worker.conditions.package_absent",
    "package-import-error": "kgate.worker.conditions.package_import_error",
    "package-os-error": "kgate.worker.conditions.package_os_error",
    "package-raises": "kgate.worker.conditions.package_raises",
    "package-unused": "kgate.worker.conditions.package_unused",
    "package-too-old": "kgate.worker.conditions.package_too_old",
    "no-gpu": "kgate.worker.conditions.no_gpu",
    "lower-gpu": "kgate.worker.conditions.lower_gpu",
    "unknown-gpu": "kgate.worker.conditions.unknown_gpu",
    "compiler-missing": "kgate.worker.conditions.compiler_missing",
    "compiler-fails": "kgate.worker.conditions.compiler_fails",
    "out-of-shared-memory": "kgate.worker.conditions.out_of_shared_memory",
    "out-of-memory": "kgate.worker.conditions.out_of_memory",
    "call-refused": "kgate.worker.conditions.call_refused",
    "backward-raises": "kgate.worker.conditions.backward_raises",
    "package-breaks-backward": "kgate.worker.conditions.package_breaks_backward",
}
NO_SWITCH = "the manifest declares no switch"  # why there is no condition of the switch
# What a product can lack of a DSL; torch, and what is built into an extension, it cannot.
DSLS = {"tilelang": "tilelang", "triton": "triton", "cutile": "cuda.tile", "cutedsl": "cutlass"}


@dataclass(frozen=True, kw_only=True)
class Declared:
    """What decides over whether a condition can be met: the device's kind, and the manifest's entry."""

    kind: str  # "cpu" or "cuda"
    dsl: str
    packages: tuple[str, ...]  # that can be taken away
    variable: str = ""  # of the switch
    read: str = "import"
    switched: bool = True  # a switch is declared
    backward: bool = False  # the backward direction is


class Play(Protocol):
    """The product's call, made as often as a condition asks for."""

    job: Job
    custom: str  # module:function
    failed: list[str]  # what a condition has made to fail within a backward pass, as it names it
    not_met: str  # why the condition did not come about, as a clause; "" if it did
    not_noticed: str  # the same where there are ways to notice it that nobody sees: another path than usual is one

    def call(self, when: str = "", around: Around = nullcontext) -> int | None:
        """
        One call from the beginning, with fresh inputs. Without `when` it is the one that is judged: its outputs are
        kept, and what it reached is noted as reached-custom and reached-fallback. With it, only the former is, as
        reached-custom-`when`. A backward pass is made within `around`, in this thread, and the forward pass is not.
        Returns how often it reached custom; None where that cannot be told. Raises Fault.
        """

    def other(self) -> "Play | None":
        """Another workload's, of other shapes, which is never judged; None where there is none. Raises Fault."""


class Condition(Protocol):
    NAME: str
    WHERE: str  # ends a sentence about a call: "where the package is absent"
    SWITCH: Literal["custom", "fallback"]  # how the switch stands when the process begins
    BLOCKS: bool  # the product can know of it before it calls the kernel, so that a crash is no answer
    LOGGED: bool  # a fallback for this cause is worth a line in a log
    BARE: bool  # the process must not have imported the DSL
    OWN_CACHES: bool  # what was compiled without the condition must not be found
    BACKWARD: bool  # it is met by the backward direction alone
    ENV: Mapping[str, str]  # set before the process imports anything of the user's

    def unfit(self, declared: Declared) -> str:
        """Why there is no such condition for this kernel here, as a clause; "" if there is. Asked by the gate."""

    def install(self, job: Job) -> None:
        """Bring it about, before the user's module is imported. May raise."""

    def play(self, play: Play) -> None:
        """Make the calls, one of which is judged. Raises Fault."""


def of_name(name: str) -> Condition:
    return cast(Condition, importlib.import_module(CONDITIONS[name]))


def package_of(dsl: str) -> str:
    """What a product can lack of a DSL; "" where it is torch itself."""
    return DSLS.get(dsl, "")


def every() -> tuple[Condition, ...]:
    return tuple(map(of_name, CONDITIONS))
