"""What a worker may tell of compiled kernels, and when."""

from dataclasses import replace

import pytest

from kgate.model import CompiledKernel, Measurement
from kgate.protocol import Artifact, ArtifactFile, Begin, End, Facts, Hello, Output, encode
from kgate.runner.collect import BadReply, Transcript

OPENED = (Hello(pid=1, version=1), Begin(case="a"))
FACTS = Facts(case="a", facts={})
OUTPUT = Output(case="a", index=0, file="a.bin", dtype="float32", shape=(1,), strides=(1,), device="cpu")
FILE = ArtifactFile(kind="ptx", file="a.ptx", size_bytes=1)


def artifact(**changes: object) -> Artifact:
    return Artifact(**{"case": "a", "index": 0, "kernel": "gemm", "dsl": "triton", "arch": "sm_90a", **changes})


def read(*replies: object) -> Transcript:
    transcript = Transcript(("a", "b"), lambda case, outputs: ())
    for reply in (*OPENED, *replies):
        transcript.read(encode(reply))
    return transcript


def refusal(*replies: object) -> BadReply:
    with pytest.raises(BadReply) as caught:
        read(*replies)
    return caught.value


@pytest.mark.parametrize(
    "replies",
    [
        (artifact(), FACTS),
        (FACTS, artifact(index=1)),
        (FACTS, artifact(), artifact()),
        (FACTS, OUTPUT, artifact()),
        (FACTS, artifact(case="b")),
    ],
)
def test_a_compiled_kernel_out_of_its_place_is_refused_and_the_open_case_is_blamed(replies):
    assert refusal(*replies).case == "a"


def test_compiled_kernels_are_told_between_facts_and_outputs_and_belong_to_their_case():
    told = artifact(registers=64, local_bytes=0, code_sha256="0a" * 32, config={"BLOCK": "128"}, note="one\n\ud800")

    outcome = read(FACTS, told, artifact(index=1), OUTPUT, End(case="a")).outcomes["a"]

    plain = CompiledKernel(kernel="gemm", dsl="triton", arch="sm_90a")
    first = replace(plain, registers=64, local_bytes=0, code_sha256="0a" * 32, config={"BLOCK": "128"}, note="one ?")
    assert outcome == Measurement(outputs=(), facts={}, rungs_ns={}, compiled=(first, plain))


@pytest.mark.parametrize(
    "changes",
    [
        {"kernel": ""},
        {"kernel": " \n"},
        {"kernel": "k" * 501},
        {"dsl": "d" * 41},
        {"arch": "a" * 41},
        {"note": "n" * 1001},
        {"code_sha256": "no hash"},
        {"registers": -1},
        {"shared_bytes": 1 << 63},
        {"compile_ns": -5},
        {"config": {str(n): "" for n in range(65)}},
        {"config": {"k": "v" * 201}},
        {"config": {"k" * 201: ""}},
        {"files": (FILE, FILE)},
        {"files": (replace(FILE, size_bytes=-1),)},
    ],
)
def test_a_compiled_kernel_that_no_compiler_makes_is_refused_and_its_case_is_blamed(changes):
    refused = refusal(FACTS, artifact(**changes))

    assert refused.case == "a"
    assert "compiled kernel 0" in str(refused)


def test_a_case_tells_of_no_more_kernels_than_a_reader_can_stand():
    whole = [artifact(index=n) for n in range(64)]

    compiled = read(FACTS, *whole, End(case="a")).outcomes["a"].compiled

    assert len(compiled) == 64
    assert "more than 64" in str(refusal(FACTS, *whole, artifact(index=64)))


def test_a_process_that_only_compiles_tells_of_no_facts():
    assert len(read(artifact(), End(case="a")).outcomes["a"].compiled) == 1


def test_files_that_nobody_asked_for_are_refused():
    refused = refusal(FACTS, artifact(files=(FILE,)), End(case="a"))

    assert str(refused) == "promised files of compiled kernels, for which nobody asked"
