"""The strict reader, line by line, without a process."""

import json
import os
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgate.model import Failure, Measurement
from kgate.protocol import Begin, Bye, End, Facts, Failed, Hello, Output, RungDone, Times, encode
from kgate.runner.collect import BadReply, Tail, Transcript
from kgate.runner.shelf import Refused

HELLO = Hello(pid=1, version=1)
OUTPUT = Output(case="a", index=0, file="a.bin", dtype="float32", shape=(1,), strides=(1,), device="cpu")


def read(*replies: object, cases: tuple[str, ...] = ("a", "b")) -> Transcript:
    transcript = Transcript(cases, lambda case, outputs: ())
    for reply in replies:
        transcript.read(reply if isinstance(reply, bytes) else encode(reply))
    return transcript


def refusal(*replies: object) -> BadReply:
    with pytest.raises(BadReply) as caught:
        read(*replies)
    return caught.value


def test_a_case_is_measured_when_it_has_ended():
    facts = Facts(case="a", facts={"logged": False})

    transcript = read(HELLO, Begin(case="a"), RungDone(case="a", rung="run", ns=5), facts, OUTPUT, End(case="a"))

    assert transcript.outcomes == {"a": Measurement(outputs=(), facts={"logged": False}, rungs_ns={"run": 5})}
    assert not transcript.finished


def test_a_process_is_finished_after_the_last_case_and_bye():
    transcript = read(HELLO, *(r for c in "ab" for r in (Begin(case=c), End(case=c))), Bye(cases=2))

    assert transcript.finished
    assert list(transcript.outcomes) == ["a", "b"]


def test_a_failure_is_one_line_that_any_terminal_can_print():
    said = Failed(case="a", rung="run", reason="raised", text="one\n\ttwo \udcff", detail="x" * 20_000)

    outcome = read(HELLO, Begin(case="a"), said).outcomes["a"]

    assert isinstance(outcome, Failure)
    assert outcome.text == "one two ?"
    assert len(outcome.detail) == 16_000


def test_a_failure_holds_the_files_that_were_loaded_for_its_case():
    files = {"acme/gemm.py": "a" * 64}
    said = Failed(case="a", rung="compile", reason="compile-failed", text="no")

    outcome = read(HELLO, Begin(case="a"), Facts(case="a", facts={"loaded-files": files}), said).outcomes["a"]

    assert isinstance(outcome, Failure)
    assert outcome.files == files


def test_the_rung_of_a_case_is_the_one_above_the_highest_passed():
    passed = [RungDone(case="a", rung=rung, ns=1) for rung in ("environment", "import", "compile")]

    assert read(HELLO, Begin(case="a")).rung == "environment"
    assert read(HELLO, Begin(case="a"), *passed).rung == "run"


def test_whoever_is_lost_in_the_first_call_is_said_to_run_unless_nothing_but_compiling_was_asked_for():
    said = (HELLO, Begin(case="a"), *(RungDone(case="a", rung=rung, ns=1) for rung in ("environment", "import")))
    compiling = Transcript(["a"], lambda case, outputs: (), compiling=True)
    for reply in said:
        compiling.read(encode(reply))

    assert (read(*said).rung, compiling.rung) == ("run", "compile")


@pytest.mark.parametrize(
    ("replies", "case"),
    [
        ((Begin(case="a"),), ""),
        ((Hello(pid=1, version=2),), ""),
        ((HELLO, HELLO), ""),
        ((HELLO, Begin(case="b")), ""),
        ((HELLO, Begin(case="a"), Begin(case="b")), "a"),
        ((HELLO, Begin(case="a"), Begin(case="a")), "a"),
        ((HELLO, Begin(case="a"), End(case="b")), "a"),
        ((HELLO, Begin(case="a"), RungDone(case="a", rung="run", ns=-1)), "a"),
        ((HELLO, Begin(case="a"), *[RungDone(case="a", rung="run", ns=1)] * 2), "a"),
        ((HELLO, Begin(case="a"), OUTPUT, OUTPUT), "a"),
        ((HELLO, Begin(case="a"), Failed(case="a", rung="run", reason="died", text="")), "a"),
        ((HELLO, Begin(case="a"), End(case="a"), End(case="a")), "a"),
        ((HELLO, Begin(case="a"), End(case="a"), Begin(case="b"), OUTPUT), "a"),
        ((HELLO, Begin(case="a"), End(case="a"), Bye(cases=2)), "b"),
        ((HELLO, Begin(case="a"), Times(case="a", samples_ns=(), call_ns=(), wall_ns=0, method="", notes={})), "a"),
        ((HELLO, Begin(case="a"), b"[]\n"), "a"),
        ((HELLO, Begin(case="a"), b"[" * 100_000 + b"\n"), "a"),
        ((HELLO, Begin(case="a"), b'{"kind": "End", "case": "a", "more": 1}\n'), "a"),
    ],
)
def test_what_is_out_of_its_place_is_refused_and_the_right_case_is_blamed(replies, case):
    assert refusal(*replies).case == case


WRONG_FACTS = {
    "loaded-files": [5, "a.py", ["a.py"], {"a.py": "0"}, {"../a.py": "0" * 64}, {"/a.py": "0" * 64}, {"": "0" * 64}],
    "input-digests": [1, {"x": "no digest"}],
    "inputs-changed": ["x", True, ["x" * 2000], ["x"] * 6000],
    "reached-custom": [-1, True, 1.5, "1"],
    "compiles": [[], 0.5],
    "workspace-bytes": [-1, "1", 10**400],
    "kernel-launches": [1.0, True],
    "tuned": [["x"], {"x": "y" * 501}, dict.fromkeys(map(str, range(257)), "y")],
    "logged": [1, "yes"],
    "note": [1, ["text"]],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in WRONG_FACTS.items() for value in values])
def test_a_fact_of_another_shape_is_refused_and_its_case_is_blamed(key, value):
    refused = refusal(HELLO, Begin(case="a"), Facts(case="a", facts={key: value}))

    assert refused.case == "a"
    assert f"as the fact {key!r}, which is " in str(refused)


def test_facts_of_the_right_shapes_are_kept_and_unknown_ones_as_well():
    facts = {
        "loaded-files": {"acme/..a.py": "0a" * 32},
        "input-digests": {"x.key": "0a" * 32},
        "inputs-changed": [],
        "device-kernels": ["k"],
        "reached-custom": 0,
        "kernel-launches": 2,
        "tuned": {"matmul (64, 64)": "BLOCK 128"},
        "logged": True,
        "note": "",
        "of-a-later-worker": 1.5,
    }

    outcome = read(HELLO, Begin(case="a"), Facts(case="a", facts=facts), End(case="a")).outcomes["a"]

    assert outcome == Measurement(outputs=(), facts=facts, rungs_ns={})


def test_nothing_may_follow_the_last_reply():
    whole = [r for c in "ab" for r in (Begin(case=c), End(case=c))]

    assert "after its last reply" in str(refusal(HELLO, *whole, Bye(cases=2), Bye(cases=2)))


def test_a_refused_output_leaves_its_case_unanswered():
    def take(case, outputs):
        raise Refused("wrote nothing")

    transcript = Transcript(["a"], take)
    for reply in (HELLO, Begin(case="a"), OUTPUT):
        transcript.read(encode(reply))

    with pytest.raises(BadReply, match="wrote nothing"):
        transcript.read(encode(End(case="a")))

    assert transcript.outcomes == {}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
KINDS = st.sampled_from(
    ["Hello", "Begin", "RungDone", "Facts", "Artifact", "Output", "Failed", "End", "Bye", "Times", "Fork", 1]
)
LINES = st.binary() | st.builds(
    lambda kind, body: json.dumps({**body, "kind": kind}).encode(),
    KINDS,
    st.dictionaries(st.sampled_from(["case", "index", "facts", "rung", "ns", "shape", "pid", "version"]), JSON),
)


@settings(max_examples=40)
@given(st.lists(LINES, max_size=6))
def test_whatever_is_written_is_read_or_refused_and_never_raises_anything_else(lines):
    transcript = Transcript(["a", "b"], lambda case, outputs: ())
    transcript.read(encode(HELLO))

    with suppress(BadReply):
        for line in lines:
            transcript.read(line)

    assert set(transcript.outcomes) <= {"a", "b"}


@settings(max_examples=30)
@given(st.lists(st.binary(max_size=20).filter(lambda b: b"\n" not in b), max_size=8), st.data())
def test_a_tail_gives_every_whole_line_once_however_the_file_grows(tmp_path_factory, lines, data):
    path = tmp_path_factory.mktemp("tail") / "replies"
    whole = b"".join(line + b"\n" for line in lines) + b"torn"
    tail = Tail(path, 1 << 20)
    seen = list(tail.lines())

    while whole:
        cut = data.draw(st.integers(1, len(whole)))
        with path.open("ab") as file:
            file.write(whole[:cut])
        whole = whole[cut:]
        seen += tail.lines()

    assert seen == lines


def test_a_tail_refuses_a_file_that_became_shorter(tmp_path):
    path = tmp_path / "replies"
    path.write_bytes(b"one\ntwo\n")
    tail = Tail(path, 1 << 20)
    list(tail.lines())

    path.write_bytes(b"one\n")

    with pytest.raises(Refused, match="took back"):
        list(tail.lines())


@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_a_tail_refuses_what_is_no_plain_file(tmp_path, kind):
    path = tmp_path / "replies"
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "link":
            path.symlink_to("/dev/null")
        case _:
            path.mkdir()

    with pytest.raises(Refused, match="no plain file"):
        list(Tail(path, 1 << 20).lines())
