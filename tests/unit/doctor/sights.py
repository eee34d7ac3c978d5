"""What could be seen of machines: a good one, and changes to it."""

from dataclasses import replace
from typing import Any

from kgate.doctor import Seen
from kgate.doctor.machine import Folder
from kgate.protocol import Identity
from kgate.runner.sandbox import Sandbox
from kgate.worker.nvml import Card, State

FOLDER = Folder(path="/home/a/shop/.kgate", free_bytes=100 << 30)
CARD = Card(
    name="NVIDIA H200",
    uuid="GPU-1",
    capability="9.0",
    persistence=True,
    most_sm_mhz=1980,
    processes=(),
    state=State(driver="580.95.05", readings={"sm-clock-mhz": 345.0, "temperature-c": 31.0}),
)
MUST_MATCH = {
    "device": "NVIDIA H200",
    "capability": "9.0",
    "torch": "2.11.0",
    "tilelang": "0.1.15",
    "triton": "3.6.0",
    "triton-ptxas": "12.9.86",
    "cutile": "1.7.0",
    "tileiras": "13.4.92",
    "nvidia-cutlass-dsl": "4.8.1",
}
INFORMATION = {
    "python": "3.12.3",
    "interpreter": "/venv/bin/python",
    "nvcc": "13.0.88",
    "uuid": "1",
    "torch-cuda": "13.0",
    "torch-architectures": "sm_80 sm_90 sm_100 compute_120",
}
GOOD = Seen(
    gate="Python 3.11.7, /gate/bin/python",
    worker="/venv/bin/python",
    identity=Identity(
        must_match=MUST_MATCH,
        may_drift={},
        information=INFORMATION,
        adapters=dict.fromkeys(("torch", "tilelang", "triton", "cutile", "cutedsl", "cuda"), ""),
        devices={"cpu": "", "cuda": "", "cuda:0": ""},
    ),
    driver="580.95.05",
    card=CARD,
    tools={"git": "2.39.5", "gcc": "12.2.0", "ncu": "2025.3.1", "compute-sanitizer": "2025.3.1", "nvdisasm": "13.0.85"},
    sandbox=Sandbox(mode="namespaces"),
    state=FOLDER,
    scratch=FOLDER,
)


def told(seen: Seen, **facts: str) -> Seen:
    """The same with other facts of the worker, named with `_` for `-`; "" takes one away."""
    assert seen.identity is not None
    changes = {name.replace("_", "-"): text for name, text in facts.items()}
    classes = {
        kind: {name: text for name, text in {**had, **{n: t for n, t in changes.items() if n in had}}.items() if text}
        for kind, had in (("must_match", seen.identity.must_match), ("information", seen.identity.information))
    }
    return replace(seen, identity=replace(seen.identity, **classes))


def reported(seen: Seen, **changes: Any) -> Seen:
    """The same with other fields of the worker's identity."""
    assert seen.identity is not None
    return replace(seen, identity=replace(seen.identity, **changes))


def without_gpu(seen: Seen = GOOD) -> Seen:
    """A machine without a GPU, and a torch for CPUs."""
    bare = told(seen, device="", capability="", uuid="", torch_cuda="", torch_architectures="")
    missing = "cuda: torch 2.13.0+cpu is built without CUDA"
    return replace(reported(bare, devices={"cpu": "", "cuda": missing}), driver="", card=None)
