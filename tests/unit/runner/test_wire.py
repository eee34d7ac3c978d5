"""Numbers that JSON can write and nobody wants."""

import pytest

from kgate.protocol import Failed, RungDone, Times, decode, encode
from kgate.wire import ProtocolError

TIMES = b'{"kind": "Times", "case": "a", "samples_ns": [%s], "call_ns": [], "wall_ns": 1, "method": "m", "notes": {}}'


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-1e999", b"1" + b"0" * 400])
def test_a_number_that_is_not_finite_as_a_float_is_refused(number):
    with pytest.raises(ProtocolError):
        decode(TIMES % number)


def test_the_largest_float_and_a_whole_number_are_taken():
    times = decode(TIMES % b"1.7976931348623157e308, 3")

    assert isinstance(times, Times)
    assert times.samples_ns == (1.7976931348623157e308, 3.0)


def test_true_is_no_number():
    with pytest.raises(ProtocolError, match="is not int"):
        decode(b'{"kind": "RungDone", "case": "a", "rung": "run", "ns": true}')


@pytest.mark.parametrize(
    "message", [RungDone(case="a", rung="run", ns=1), Failed(case="b", rung="run", reason="raised", text="é")]
)
def test_a_message_is_the_same_after_a_line(message):
    assert decode(encode(message)) == message
