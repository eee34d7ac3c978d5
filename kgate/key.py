"""The name of a run's content: what two runs must have in common for one to go on with the other."""

import hashlib
import os
import shutil
from collections.abc import Collection, Mapping, Sequence

from kgate import __version__
from kgate.base import Base
from kgate.load.tree import Head
from kgate.model import HEAD, Fingerprint, Manifest
from kgate.plan import Target
from kgate.runner.environment import CACHES, matches, worker_environment
from kgate.runner.place import Workplace
from kgate.worker.faults import COMPILERS

# Who runs it, in which language and from which shell: no answer and no time depends on that. Of PATH there counts
# which compilers it leads to.
INDIFFERENT = ("PATH", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ", "TMPDIR", "VIRTUAL_ENV")


def run_key(
    manifest: Manifest,
    head: Head,
    base: Base,
    fingerprint: Fingerprint,
    workplace: Workplace,
    target: Target,
    approved_by: Sequence[str] = (),
    carried: Collection[str] = (),
) -> str:
    """
    What must be equal for a second run to go on with the first: trees, manifest and choice, fingerprint, what of the
    environment can count, what stands around a worker, who has approved that less is asked, version.
    """
    chosen = [(k.name, [w.name for w in k.workloads]) for k in manifest.kernels]
    parts: Mapping[str, object] = {
        "head": head.tree,
        "base": base.tree_hash,
        "manifest": (str(manifest.path.relative_to(manifest.root)), manifest.digest),
        "chosen": chosen,
        "fingerprint": sorted(fingerprint.must_match.items()),
        "environment": sorted(environment(workplace).items()),
        "target": target.torch_name,
        "version": __version__,
        **({"approved": sorted(approved_by)} if approved_by else {}),
        **({"carried": sorted(carried)} if carried else {}),
        **({"sandbox": workplace.sandbox.mode} if workplace.sandbox.confines else {}),
    }
    return hashlib.sha256(repr(sorted(parts.items())).encode()).hexdigest()[:16]


def environment(workplace: Workplace, surroundings: Mapping[str, str] = os.environ) -> dict[str, str]:
    """
    What of a worker's environment is in the key: its variables, by name, but for those of INDIFFERENT that the manifest
    does not name, and in place of PATH the compilers that it leads to.
    """
    seen = worker_environment(workplace, HEAD, surroundings)
    found = {name: shutil.which(name, path=seen.get("PATH", "")) for name in COMPILERS}
    named = {name for name in seen if matches(name, workplace.pass_env) or not matches(name, INDIFFERENT)}
    return {
        **{name: value for name, value in seen.items() if name in named and name not in CACHES},
        **{f"{name} on PATH": os.path.realpath(path) for name, path in found.items() if path},
    }
