"""Whatever stands in a manifest, the answer is a Manifest or a ManifestError with a line."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgate.errors import ManifestError
from kgate.load.manifest import load

GOOD: dict[str, Any] = {
    "version": 1,
    "policy": {"not-measured": "warn"},
    "defaults": {"timeout_s": 9},
    "gpus": {"h100": "required"},
    "kernels": {
        "gelu": {
            "owners": ["@acme/kernels"],
            "dispatch": "a:d",
            "custom": "a:c",
            "fallback": "a:f",
            "switch": {"env": "A"},
            "mutates": ["x"],
            "flops": "2 * M",
            "tolerance": {"cpu": {"float32": {"rtol": 1}}},
            "latency": {"min_speedup": 1},
            "args": {
                "x": {"shape": ["M", 8], "dtype": "T", "normal": {"std": 2}, "strides": [8, 1]},
                "i": {"shape": ["M"], "dtype": "int32", "integers": {"low": 0, "high": "M"}},
                "o": {"inner": [1, {"shape": [2], "dtype": "bool", "mask": {"p": 0.5}}]},
            },
            "workloads": {
                "a": {"M": 2, "T": "float32", "weight": 2, "source": "s", "args": {"x": {"zeros": 0.5}}},
                "g": {"T": "float16", "source": "same", "grid": {"M": [1, 2]}, "targets": ["cpu"]},
            },
        }
    },
}

names = st.sampled_from(
    [
        "M",
        "x",
        "shape",
        "dtype",
        "args",
        "grid",
        "normal",
        "mask",
        "std",
        "high",
        "layout",
        "same",
        "cpu",
        "sm_90",
        "<<",
    ]
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 10)
    | st.sampled_from([10**20, 10**400, -(10**400)])
    | st.floats(allow_nan=False)
    | names
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=5,
)


def paths(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    below = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [path, *(p for key, inner in below for p in paths(inner, (*path, key)))]


def replaced(node: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copy = dict(node) if isinstance(node, dict) else list(node)
    copy[path[0]] = replaced(node[path[0]], path[1:], value)
    return copy


def refusal(path: Path) -> str | None:
    try:
        load(path)
    except ManifestError as error:
        return str(error)
    return None


@pytest.fixture(name="path", scope="module")
def _path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("repository") / "kgate.yaml"


def test_the_manifest_that_the_others_are_made_from_is_good(path: Path) -> None:
    path.write_text(json.dumps(GOOD))

    assert [w.name for w in load(path).kernels[0].workloads] == ["a", "g/M=1", "g/M=2"]


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(paths(GOOD)[1:]), values)
def test_any_value_anywhere_is_taken_or_refused_with_its_line(path: Path, place: tuple[Any, ...], value: Any) -> None:
    path.write_text(json.dumps(replaced(GOOD, place, value)), encoding="utf-8")

    said = refusal(path)
    lines = () if said is None else said.split("\n")
    assert len(lines) <= 3
    assert all(re.fullmatch(r"kgate\.yaml:\d+: .+", line) for line in lines)
