"""Share, calls, shapes, modules and phases of an operator, each by hand."""

from pathlib import Path

import pytest

from kgate.evidence.calls import by_rows
from kgate.evidence.usage import Group, Shapes, names_of
from tests.unit.evidence.traces import Event, host, kernel, operator, used

ADDMM = [[512], [64, 128], [128, 512]]
ONE = [[512], [1, 128], [128, 512]]


def named(name: str, ts: float, dur: float) -> Event:
    return host(name, ts, dur, cat="user_annotation")


def test_the_share_is_of_all_own_times_and_a_call_within_a_call_counts_once(tmp_path: Path) -> None:
    events = [operator("aten::linear", 0, 60), operator("aten::addmm", 10, 40), operator("aten::gelu", 100, 40)]

    found = used(tmp_path, events, "aten::linear", "aten::addmm")

    assert (found.calls, found.used_ns, found.whole_ns, found.share) == (1, 60_000, 100_000, 0.6)


def test_phases_are_those_of_the_ranges_where_the_trace_has_any(tmp_path: Path) -> None:
    events = [
        named("Prefill step", 0, 50),
        operator("aten::addmm", 0, 30, ONE),
        named("decode", 60, 30),
        operator("aten::addmm", 60, 20, ADDMM),
        operator("aten::addmm", 90, 10, ADDMM),
    ]

    found = used(tmp_path, events, "aten::addmm")

    assert found.phases_by == "range"
    assert [(g.name, g.ns) for g in found.by_phase] == [("prefill", 30_000), ("decode", 20_000), ("other", 10_000)]


def test_phases_are_told_by_rows_where_no_range_names_them(tmp_path: Path) -> None:
    events = [operator("aten::addmm", 0, 30, ADDMM), operator("aten::addmm", 40, 20, ONE)]

    found = used(tmp_path, events, "aten::addmm", decode_rows=1)

    assert found.phases_by == "rows"
    assert [(g.name, g.ns) for g in found.by_phase] == [("prefill", 30_000), ("decode", 20_000)]


@pytest.mark.parametrize(
    ("sizes", "phase"),
    [
        (((64, 4096),), "decode"),
        (((65, 4096),), "prefill"),
        (((8, 1, 4096), (4096, 4096)), "decode"),
        (((2, 512, 4096),), "prefill"),
        (((4, 32, 1, 128),), "decode"),
        (((4096,), (2048, 4096)), "prefill"),
        (((4096,),), "other"),
    ],
)
def test_rows_are_tokens_times_sequences(sizes: tuple[tuple[int, ...], ...], phase: str) -> None:
    assert by_rows(sizes, 64) == phase


def test_shapes_and_modules_are_told_apart(tmp_path: Path) -> None:
    events = [
        host("nn.Module: MLP_0", 0, 50, cat="python_function"),
        operator("aten::addmm", 0, 30, ADDMM),
        host("nn.Module: Head_0", 60, 30, cat="python_function"),
        operator("aten::addmm", 60, 20, ONE),
    ]

    found = used(tmp_path, events, "aten::addmm")

    assert found.by_shape[0] == Group(name="aten::addmm 512, 64×128, 128×512", calls=1, ns=30_000)
    assert [(g.name, g.ns) for g in found.by_module] == [("MLP_0", 30_000), ("Head_0", 20_000)]
    assert found.shapes is not None
    assert (found.shapes.distinct, found.shapes.few_ns) == (2, 50_000)


def test_only_what_lies_within_is_counted_where_that_is_asked(tmp_path: Path) -> None:
    events = [
        host("nn.Module: MLP_0", 0, 50, cat="python_function"),
        operator("aten::addmm", 0, 30),
        operator("aten::addmm", 60, 20),
    ]

    assert used(tmp_path, events, "aten::addmm", within="MLP_*").calls == 1
    assert used(tmp_path, events, "aten::addmm", within="Head_*").calls == 0


CUDA = [
    named("decode", 0, 100) | {"args": {"External id": 1}},
    operator("aten::addmm", 10, 20, ONE, external=2),
    operator("acme::fused", 40, 20, ONE, external=3),
    kernel("sgemm_64", 100, 30, external=2, correlation=1),
    kernel("fused_gelu_kernel", 150, 20, external=3, correlation=2),
    kernel("fused_gelu_kernel", 170, 10, external=1, correlation=3),
    kernel("softmax", 190, 40, external=1, correlation=4),
]


def test_on_a_device_times_are_the_device_s_and_kernels_count_with_the_operator_that_started_them(
    tmp_path: Path,
) -> None:
    found = used(tmp_path, CUDA, "acme::*", "fused_gelu*")

    assert found.on_device
    assert (found.calls, found.used_ns, found.whole_ns) == (2, 30_000, 100_000)
    assert [(g.name, g.ns) for g in found.by_operator] == [("acme::fused", 20_000), ("fused_gelu_kernel", 10_000)]
    assert [g.name for g in found.by_phase] == ["decode"]


def test_the_device_s_idle_time_is_elapsed_and_not_busy(tmp_path: Path) -> None:
    found = used(tmp_path, CUDA, "acme::*")

    assert (found.elapsed_ns, found.busy_ns) == (130_000, 100_000)


def test_of_spans_side_by_side_the_time_in_which_any_of_the_operator_ran_is_its(tmp_path: Path) -> None:
    events = [
        operator("aten::addmm", 0, 5, ONE, external=1),
        kernel("a", 0, 100, external=1),
        *(kernel(name, 100, 100) | {"tid": tid} for tid, name in enumerate("bcd")),
        kernel("a", 150, 20, external=1),
    ]

    found = used(tmp_path, events, "aten::addmm")

    assert (found.elapsed_ns, found.busy_ns, found.used_busy_ns) == (200_000, 200_000, 120_000)
    assert found.share == pytest.approx(120 / 420)
    assert used(tmp_path, events, "b", "c").used_busy_ns == 100_000


def test_calls_without_shapes_are_no_shape(tmp_path: Path) -> None:
    bare = [operator("aten::addmm", 10 * n, 10) for n in range(39)]

    found = used(tmp_path, [*bare, operator("aten::addmm", 400, 10, ADDMM)], "aten::addmm")

    assert found.shapes == Shapes(distinct=1, few_ns=10_000, unknown_ns=390_000)


@pytest.mark.parametrize(
    ("operator", "names"),
    [
        ("torch.addmm + torch.nn.functional.gelu", ("aten::addmm", "aten::gelu")),
        ("aten::softmax", ("aten::softmax",)),
        ("cuBLAS, then a copy", ("aten::cuBLAS",)),
        ("", ()),
    ],
)
def test_a_production_operator_names_operators_of_aten(operator: str, names: tuple[str, ...]) -> None:
    assert names_of(operator) == names
