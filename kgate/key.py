"""The name of a run's content: what two runs must have in common for one to go on with the other."""

import hashlib
from collections.abc import Collection, Mapping, Sequence

from kgate import __version__
from kgate.base import Base
from kgate.load.tree import Head
from kgate.model import HEAD, Fingerprint, Manifest
from kgate.plan import Target
from kgate.runner.environment import CACHES, worker_environment
from kgate.runner.place import Workplace


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
    What must be equal for a second run to go on with the first: trees, manifest and choice, fingerprint, the variables
    that a worker sees, who has approved that less is asked, version.
    """
    chosen = [(k.name, [w.name for w in k.workloads]) for k in manifest.kernels]
    seen = worker_environment(workplace, HEAD)
    parts: Mapping[str, object] = {
        "head": head.tree,
        "base": base.tree_hash,
        "manifest": (str(manifest.path.relative_to(manifest.root)), manifest.digest),
        "chosen": chosen,
        "fingerprint": sorted(fingerprint.must_match.items()),
        "environment": sorted((n, v) for n, v in seen.items() if n not in CACHES),
        "target": target.torch_name,
        "version": __version__,
        **({"approved": sorted(approved_by)} if approved_by else {}),
        **({"carried": sorted(carried)} if carried else {}),
    }
    return hashlib.sha256(repr(sorted(parts.items())).encode()).hexdigest()[:16]
