"""Where a run's processes live: interpreters, trees, folder, device, and what stands around them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from kgate.model import AFRESH, HEAD, SWITCH_ON, Arm, Tree
from kgate.runner.sandbox import Sandbox


@dataclass(frozen=True, kw_only=True)
class Workplace:
    """
    `python` and `trees` by tree: the interpreter, and the folder that goes first on `sys.path`.

    `folder` is private to the run. It should lie on the file system that keeps the ledger, so that a kept output is
    renamed and not copied. `pass_env` are the manifest's `env` names.
    """

    python: Mapping[Tree, str]
    trees: Mapping[Tree, Path]
    folder: Path
    device: str  # "cpu" or "cuda:N"
    pass_env: tuple[str, ...] = ()
    manifest: str = ""  # what --manifest has to name, so that a command finds it again; "" for nothing
    sandbox: Sandbox = field(default_factory=Sandbox)

    def outputs(self, arm: Arm, case: str) -> Path:
        """Where the accepted outputs of a case are kept; case names hold slashes, so the folder is named by a hash."""
        return self.folder / "outputs" / slug(arm) / digest(case)

    def compiled(self, arm: Arm, case: str) -> Path:
        """Where the files of what a case compiled are kept."""
        return self.folder / "compiled" / slug(arm) / digest(case)

    def caches(self, arm: Arm) -> Path:
        """
        One arm's compile caches. A drill that ends in the custom path runs head's code again, and shares head's; so
        does the same call in another process.
        """
        owner = HEAD if arm == SWITCH_ON else replace(arm, condition="") if arm.condition == AFRESH.condition else arm
        return self.folder / "caches" / slug(owner)

    @property
    def logs(self) -> Path:
        return self.folder / "logs"


def digest(case: str) -> str:
    return sha256(case.encode()).hexdigest()[:16]


def slug(arm: Arm) -> str:
    """An arm's name as a folder's: `drill switch-off` is drill-switch-off."""
    return arm.name.replace(" ", "-")
