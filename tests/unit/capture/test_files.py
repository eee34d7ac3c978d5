"""Bounds of one signature that several processes saw, by hand."""

import json
from pathlib import Path

import pytest

from kgate.capture.files import FOLDER, seen
from kgate.captured import TensorSeen


def left(folder: Path, process: int, calls: int, mean: float, std: float = 0.0) -> None:
    tensor = {"shape": [4], "dtype": "float32", "device": "cpu", "strides": None}
    bounds = {"x": {"low": mean, "high": mean, "mean": mean, "std": std}}
    signature = {"calls": calls, "args": {"x": tensor}, "bounds": bounds}
    entry = {"entry": "acme.ops:f", "folded": 0, "note": "", "signatures": [signature]}
    (folder / FOLDER).mkdir(exist_ok=True)
    (folder / FOLDER / f"{process}.json").write_text(json.dumps({"entries": [entry]}))


def found(folder: Path) -> tuple[float, float, float, float]:
    tensor = seen(folder)["acme.ops:f"].signatures[0].args["x"]
    assert isinstance(tensor, TensorSeen)
    assert tensor.bounds is not None
    return (tensor.bounds.low, tensor.bounds.high, tensor.bounds.mean, tensor.bounds.std)


def test_what_differs_between_processes_is_deviation(tmp_path: Path) -> None:
    left(tmp_path, 1, 1, 0.0)
    left(tmp_path, 2, 1, 10.0)

    assert found(tmp_path) == (0.0, 10.0, 5.0, 5.0)


def test_every_process_counts_by_its_calls(tmp_path: Path) -> None:
    for process, mean in enumerate((0.0, 0.0, 9.0)):
        left(tmp_path, process, 1, mean)
    left(tmp_path, 9, 3, 3.0)

    low, high, mean, std = found(tmp_path)

    assert (low, high, mean) == (0.0, 9.0, pytest.approx(3.0))
    assert std == pytest.approx(3.0)  # of 0, 0, 9, 3, 3, 3: sqrt((9 + 9 + 36) / 6)
