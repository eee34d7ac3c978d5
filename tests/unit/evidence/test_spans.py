"""Traces as files: both of Chrome's forms, compressed, cut short, and no trace at all."""

import gzip
import json
from pathlib import Path

import pytest

from kgate.errors import UsageError
from kgate.evidence.spans import Kind, sizes_in, spans
from tests.unit.evidence.traces import host, kernel, lined, operator, written

EVENTS = [
    {"ph": "M", "name": "process_name", "pid": 7, "tid": 0, "args": {"name": "python"}},
    host("ProfilerStep#3", 5163610183000.0, 900.0, cat="user_annotation"),
    operator("aten::addmm", 5163610183680.473, 20.001, [[512], [64, 128], [128, 512], [], []], external=3),
    operator("[memory]", 5163610183680.473, 0),
    {"ph": "f", "cat": "ac2g", "name": "ac2g", "id": 3, "pid": 0, "tid": 7, "ts": 5163610183690.0, "bp": "e"},
    kernel("sgemm", 5163610183690.5, 11.25, external=3, correlation=9),
]


def test_what_takes_time_is_read_with_its_numbers_exact_to_the_nanosecond(tmp_path: Path) -> None:
    path = written(tmp_path, EVENTS)

    step, operator, device = spans(path)

    assert (step.kind, step.name) == (Kind.RANGE, "ProfilerStep*")
    assert (operator.start_ns, operator.end_ns) == (5163610183680473, 5163610183700474)
    assert (operator.external, operator.sizes) == (3, ((512,), (64, 128), (128, 512)))
    assert (device.kind, device.end_ns - device.start_ns, device.correlation) == (Kind.DEVICE, 11250, 9)


@pytest.mark.parametrize("shape", ["list", "gzip", "gzip under another name"])
def test_every_form_of_the_same_events_reads_the_same(tmp_path: Path, shape: str) -> None:
    path = written(tmp_path, EVENTS)
    text = json.dumps(EVENTS).encode() if shape == "list" else gzip.compress(path.read_bytes())
    other = tmp_path / ("other.json.gz" if shape == "gzip" else "other.json")
    other.write_bytes(text)

    found = list(spans(other))

    assert found == list(spans(path))


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b'{"traceEvents": [{"ph": "X", "cat": "cpu_op"', "not a whole trace in Chrome's JSON"),
        (b"", "not a whole trace in Chrome's JSON"),
        (b"<html>", "not a whole trace in Chrome's JSON"),
        (gzip.compress(b'{"traceEvents": []}', mtime=0)[:-9], "cannot be read"),
        (gzip.compress(b'{"traceEvents": []}', mtime=0)[:10] + bytes(range(7, 47)), "cannot be read"),
    ],
)
def test_a_file_that_is_no_whole_trace_is_refused_in_one_sentence(tmp_path: Path, data: bytes, sentence: str) -> None:
    path = tmp_path / "trace.json"
    path.write_bytes(data)

    with pytest.raises(UsageError, match=sentence):
        list(spans(path))


def test_events_of_odd_forms_are_passed_over(tmp_path: Path) -> None:
    odd = [
        1,
        None,
        {"ph": "X", "cat": "cpu_op", "name": None, "ts": "soon", "args": []},
        {"ph": "X", "cat": ["kernel"]},
    ]
    path = written(tmp_path, odd)  # type: ignore[arg-type]

    (found,) = spans(path)

    assert (found.start_ns, found.end_ns, found.sizes) == (0, 0, ())


def test_numbers_of_64_bits_tie_host_and_device_and_times_beyond_any_clock_are_passed_over(tmp_path: Path) -> None:
    last = 2**64 - 1
    events = [
        operator("aten::addmm", 0, 20, external=last),
        kernel("sgemm", 30, 10, external=last),
        kernel("soon", 1e300, 10),
        kernel("long", 0, 2**70),
        operator("odd", 0, 1, external=2**64),
    ]

    line = lined(tmp_path, *events)

    assert [line.names[name] for name in line.device_name] == ["sgemm"]
    assert [line.names[line.name[n]] for n in line.starter] == ["aten::addmm"]


def test_a_list_of_tensors_has_a_shape_for_each() -> None:
    dims = [[[2, 3], [4, 3]], [], [5]]

    assert list(sizes_in(dims)) == [(2, 3), (4, 3), (5,)]
