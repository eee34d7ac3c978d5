"""Digests of what a manifest says: of one kernel, and of all alike. Where a line stands makes no difference."""

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from kgate.model import Kernel, Manifest

ELSEWHERE = ("place", "resized", "refused")  # lines of the file; what a workload could also be, and what it would fit


def digest(kernel: Kernel) -> str:
    """As the manifest has it: before a worker was asked what `dispatch` knows, and with all its workloads."""
    return hashed(dataclasses.asdict(kernel))


def terms(manifest: Manifest) -> str:
    """What runs and judges every kernel: interpreter, build, variables, levels."""
    levels = {rule: level.name for rule, level in manifest.policy.items()}
    return hashed([manifest.python, manifest.build, manifest.env, levels])


def hashed(value: object) -> str:
    return hashlib.sha256(json.dumps(bare(value), sort_keys=True).encode()).hexdigest()


def bare(value: Any) -> Any:
    match value:
        case Mapping():
            return {str(key): bare(item) for key, item in value.items() if key not in ELSEWHERE}
        case list() | tuple():
            return [bare(item) for item in value]
        case Enum():
            return value.value
        case Path():
            return value.as_posix()
    return value
