"""Values of the model through JSON and back."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgate.model import Bound, Comparison, CompiledKernel, Direction, Failure, LaunchTiming, Measurement, Metric, Tensor
from kgate.runner import records
from kgate.wire import ProtocolError

NUMBERS = st.floats(allow_nan=False)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
WORDS = st.text(max_size=8)
TENSORS = st.builds(
    Tensor,
    path=st.just(Path("/run/outputs/head/0.bin")),
    dtype=WORDS,
    shape=st.tuples(st.integers(0, 9)),
    strides=st.tuples(st.integers(0, 9)),
    device=WORDS,
)
FACTS = st.dictionaries(WORDS, WORDS | st.integers() | FINITE | st.booleans() | st.lists(WORDS, max_size=2))
COUNTS = st.none() | st.integers(0, 1 << 40)
COMPILED = st.builds(
    CompiledKernel,
    kernel=WORDS,
    dsl=WORDS,
    arch=WORDS,
    code_sha256=WORDS,
    registers=COUNTS,
    shared_bytes=COUNTS,
    local_bytes=COUNTS,
    config=st.dictionaries(WORDS, WORDS, max_size=2),
    compile_ns=COUNTS,
    files=st.dictionaries(st.sampled_from(["ptx", "cubin"]), st.just(Path("/run/compiled/head/0.ptx"))),
    note=WORDS,
)
MEASUREMENTS = st.builds(
    Measurement,
    outputs=st.lists(TENSORS, max_size=2).map(tuple),
    facts=FACTS,
    rungs_ns=st.dictionaries(WORDS, st.integers()),
    compiled=st.lists(COMPILED, max_size=2).map(tuple),
)
FAILURES = st.builds(Failure, rung=st.just("run"), reason=st.just("died"), text=WORDS, detail=WORDS)
METRICS = st.builds(Metric, name=WORDS, value=NUMBERS, unit=WORDS, direction=st.sampled_from(Direction), where=WORDS)
COMPARISONS = st.builds(
    Comparison,
    output=st.integers(),
    dtype=WORDS,
    shape=st.tuples(st.integers()),
    metrics=st.dictionaries(WORDS, METRICS, max_size=2),
    bound=st.builds(Bound, source=WORDS, row_error=st.none() | NUMBERS, psnr=st.none() | NUMBERS),
    mismatch=WORDS,
    broken=st.lists(WORDS, max_size=2).map(tuple),
    accepts_zeros=st.booleans(),
)
SAMPLES = st.dictionaries(WORDS, st.lists(FINITE, max_size=3).map(tuple), max_size=2)
TIMINGS = st.builds(
    LaunchTiming,
    launch=st.integers(),
    samples_ns=SAMPLES,
    call_ns=SAMPLES,
    method=WORDS,
    notes=st.dictionaries(WORDS, WORDS | st.integers() | FINITE, max_size=2),
)


def through_json(value):
    return json.loads(json.dumps(value, allow_nan=False))


@settings(max_examples=40)
@given(MEASUREMENTS | FAILURES)
def test_an_outcome_is_the_same_after_json(outcome):
    assert records.outcome_from_json(through_json(records.outcome_to_json(outcome))) == outcome


@settings(max_examples=40)
@given(st.lists(COMPARISONS, max_size=2).map(tuple))
def test_comparisons_are_the_same_after_json_infinities_too(comparisons):
    assert records.comparisons_from_json(through_json(records.comparisons_to_json(comparisons))) == comparisons


@settings(max_examples=40)
@given(TIMINGS)
def test_a_launch_is_the_same_after_json(timing):
    assert records.timing_from_json(through_json(records.timing_to_json(timing))) == timing


@pytest.mark.parametrize("value", [None, 1, {}, {"Failure": {}}, {"Measurement": []}, {"Guess": {}}])
def test_what_was_never_an_outcome_is_refused(value):
    with pytest.raises(ProtocolError):
        records.outcome_from_json(value)
