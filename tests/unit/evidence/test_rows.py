"""Own and total times by hand, on host and device."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from kgate.evidence.rows import device_rows, host_rows, own_ns
from kgate.evidence.spans import Kind, Span
from kgate.evidence.timeline import timeline
from tests.contract.evidence.agreement import POINTS, differences
from tests.unit.evidence.traces import host, kernel, lined, operator


def test_an_operator_has_its_own_time_and_that_of_all_within(tmp_path: Path) -> None:
    line = lined(
        tmp_path,
        operator("aten::linear", 0, 100),
        operator("aten::t", 10, 5),
        operator("aten::addmm", 20, 70),
        host("aten::addmm", 20, 70, tid=2),
    )

    rows = host_rows(line)

    assert (rows["aten::linear"].self_ns, rows["aten::linear"].total_ns) == (25_000, 100_000)
    assert (rows["aten::addmm"].calls, rows["aten::addmm"].self_ns) == (2, 140_000)


def test_a_call_alone_within_one_of_its_own_name_is_no_second_call(tmp_path: Path) -> None:
    line = lined(tmp_path, operator("aten::to", 0, 10), operator("aten::to", 1, 8), operator("aten::copy_", 2, 3))

    rows = host_rows(line)

    assert (rows["aten::to"].calls, rows["aten::to"].self_ns, rows["aten::to"].total_ns) == (1, 7_000, 10_000)


def test_what_the_profiler_itself_took_is_no_time_of_the_operator_that_it_held_up(tmp_path: Path) -> None:
    overhead = {**host("Lazy Function Loading", 20, 5, cat="overhead", tid=0), "pid": -1}
    line = lined(
        tmp_path,
        operator("aten::linear", 0, 100),
        operator("aten::addmm", 10, 40),
        host("aten::relu", 15, 3, tid=2),
        host("backward", 2, 90, tid=2),
        overhead,
    )

    rows = host_rows(line)

    assert (rows["aten::addmm"].self_ns, rows["backward"].self_ns) == (35_000, 87_000)
    assert rows["Lazy Function Loading"].self_ns == 5_000


def test_what_the_profiler_took_between_all_spans_is_its_own(tmp_path: Path) -> None:
    line = lined(tmp_path, operator("a", 0, 10), {**host("Resource", 20, 5, cat="overhead", tid=0), "pid": -1})

    rows = host_rows(line)

    assert (rows["a"].self_ns, rows["Resource"].self_ns) == (10_000, 5_000)


def test_a_trace_of_an_h200_reads_as_in_torchs_own_table() -> None:
    """Of tests/gpu/trace.py: three prefills and nine decodes of a small transformer, with torch 2.11."""
    found = differences(Path(__file__).parents[1] / "data" / "h200-trace")

    assert len(found) == 93
    assert max(row.points for row in found) < POINTS
    assert [row.name for row in found if row.calls[0] != row.calls[1]] == []


def test_a_span_that_only_overlaps_another_is_not_within_it(tmp_path: Path) -> None:
    line = lined(tmp_path, operator("a", 0, 10), operator("b", 5, 10), operator("c", 10, 2))

    rows = host_rows(line)

    assert {name: row.self_ns for name, row in rows.items()} == {"a": 10_000, "b": 8_000, "c": 2_000}


def test_the_device_s_time_belongs_to_the_operator_that_started_it_and_to_all_around(tmp_path: Path) -> None:
    line = lined(
        tmp_path,
        operator("aten::linear", 0, 100, external=1),
        operator("aten::addmm", 20, 70, external=2),
        host("cudaLaunchKernel", 30, 5, cat="cuda_runtime", **{"External id": 2, "correlation": 50}),
        kernel("sgemm", 200, 40, external=2, correlation=50),
        kernel("sgemm", 240, 40, external=2, correlation=51),
    )

    rows, device = host_rows(line), device_rows(line)

    assert (rows["aten::addmm"].device_self_ns, rows["aten::linear"].device_self_ns) == (80_000, 0)
    assert rows["aten::linear"].device_total_ns == 80_000
    assert (device["sgemm"].calls, device["sgemm"].self_ns) == (2, 80_000)


def test_what_a_graph_replays_belongs_to_what_is_around_the_runtime_s_call(tmp_path: Path) -> None:
    line = lined(
        tmp_path,
        host("decode", 0, 100, cat="user_annotation", **{"External id": 1}),
        host("cudaGraphLaunch", 10, 5, cat="cuda_runtime", correlation=50),
        kernel("fused", 200, 40, correlation=50),
    )

    rows = host_rows(line)

    assert rows["decode"].device_self_ns == 40_000


STARTS = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50), st.sampled_from("ab")), min_size=1, max_size=30)


@given(STARTS)
def test_own_times_never_add_up_to_less_than_what_any_span_covers(drawn: list[tuple[int, int, str]]) -> None:
    """Of spans on one thread; equal where none overlaps another in part."""
    line = timeline(
        Span(kind=Kind.OPERATOR, name=n, thread=n, start_ns=start, end_ns=start + length) for start, length, n in drawn
    )
    covered = sum(
        len({t for start, length, n in drawn if n == thread for t in range(start, start + length)}) for thread in "ab"
    )

    assert sum(own_ns(line)) >= covered
