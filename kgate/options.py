"""What the command line chose for a run."""

import shlex
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Options:
    """What the command line chose; "" and () mean that kgate chooses."""

    manifest: Path
    base: str = ""
    device: str = "auto"
    python: str = ""
    kernels: tuple[str, ...] = ()
    workloads: tuple[str, ...] = ()
    launches: int = 0
    gpus: str = ""  # a number, or torch's names joined by commas
    budget_min: float = 0.0  # minutes for the whole run; 0: as long as it takes
    dump: Path | None = None  # where to keep what head and base compiled
    drills: str = "smallest"  # which workloads meet every condition: smallest, all or none
    drills_only: bool = False
    approved_by: tuple[str, ...] = ()  # owners who have said yes to what asks less than base
    plan: Path | None = None  # of `kgate plan`; what it carries is not measured
    shard: int = 0  # of that plan, from 1; 0: all
    sandbox: str = "none"  # or namespaces, container; auto: the strongest that works here

    @property
    def named_manifest(self) -> str:
        """What --manifest has to name; "" where a command finds it without."""
        return "" if self.manifest == Path("kgate.yaml") else str(self.manifest)

    @property
    def command(self) -> str:
        """
        What to type for the same run elsewhere: what was chosen, by flag or variable, but for what belongs to one
        machine (the interpreter, a plan) or to one way of looking at the result.
        """
        words = ["kgate", "drill" if self.drills_only else "check"]
        if self.named_manifest:
            words += ["--manifest", self.named_manifest]
        if self.base:
            words += ["--base", self.base]
        if self.device != "auto":
            words += ["--device", self.device]
        words += [word for name in self.kernels for word in ("--kernel", name)]
        words += [word for name in self.workloads for word in ("--workload", name)]
        if self.launches:
            words += ["--launches", str(self.launches)]
        if self.gpus:
            words += ["--gpus", self.gpus]
        if self.budget_min:
            words += ["--budget", f"{self.budget_min:g}"]
        if self.drills != Options.drills:
            words += ["--drills", self.drills]
        if self.sandbox != Options.sandbox:
            words += ["--sandbox", self.sandbox]
        words += [word for name in self.approved_by for word in ("--approved-by", name)]
        return shlex.join(words)
