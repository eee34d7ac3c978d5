"""What tells a wrong workload from the right ones of the same kernel."""

from dataclasses import replace

import pytest

from kgate import rules
from kgate.model import HEAD, Run
from kgate.protocol import Fill, TensorArg
from kgate.rules._sizes import beyond, told_apart
from tests.unit.builders import case, kernel, run_of, workload, wrong


def run_with(bad: dict[str, int], good: dict[str, int], **args: TensorArg) -> Run:
    """A kernel with a workload per name, of this K; those of `bad` are wrong. `args` by workload."""
    made = kernel(workloads=(*bad, *good))
    known = {
        name: workload(name, symbols={"K": size}, args={"x": args[name]} if name in args else {})
        for name, size in (bad | good).items()
    }
    run = run_of(replace(made, workloads=tuple(known.values())))
    comparisons = {(HEAD, case(workload=name)): wrong() for name in bad}
    return replace(run, comparisons={**run.comparisons, **comparisons})


def evidence(run: Run, name: str) -> dict[str, str]:
    (found,) = [f for f in rules.judge(run, {}) if f.rule == "wrong-result" and f.name == f"gemm/{name}"]
    return dict(found.evidence)


def tensor(*strides: int) -> TensorArg:
    fill = Fill(kind="constant", a=1.0)
    return TensorArg(shape=(64, 96), dtype="float32", fill=fill, stream=len(strides), strides=strides or None)


def test_sizes_that_no_tile_divides_are_said_to_be_so() -> None:
    told = evidence(run_with({"short": 24, "long": 40}, {"even": 64}), "short")

    assert told["pattern"] == "every K tried that is no multiple of 16, all with K mod 16 = 8"
    assert told["right on"] == "even"


def test_a_limit_is_named_by_the_smallest_size_beyond_it() -> None:
    assert evidence(run_with({"wide": 4096}, {"narrow": 2048}), "wide")["pattern"] == "every K tried from 4096 on"


def test_a_layout_is_named_with_its_twin_without_gaps() -> None:
    run = run_with({"sliced": 96}, {"dense": 96}, sliced=tensor(128, 1), dense=tensor())

    told = evidence(run, "sliced")

    assert told["layout"] == "x [64, 96] has strides [128, 1]; workload dense, the same without gaps, is right"
    assert "pattern" not in told


def test_strides_that_leave_no_gap_are_no_layout() -> None:
    assert "layout" not in evidence(run_with({"a": 96}, {"b": 96}, a=tensor(96, 1), b=tensor()), "a")


@pytest.mark.parametrize(
    ("bad", "good", "words"),
    [
        ([65, 72], [64, 48], "every K tried that is no multiple of 16"),
        ([24, 40], [17, 64], "K mod 16 = 8"),
        ([7], [9], ""),
        ([], [8], ""),
    ],
)
def test_residues(bad: list[int], good: list[int], words: str) -> None:
    assert told_apart("K", bad, good) == words


@pytest.mark.parametrize(("bad", "good"), [([5], []), ([5, 100], [50]), ([], [1])])
def test_no_limit_where_sizes_are_mixed_or_one_side_is_missing(bad: list[int], good: list[int]) -> None:
    assert beyond("K", bad, good) == ""
