"""What is printed of a compilation: what is wrong first, and never green where something is not known."""

import json

import pytest
from jsonschema import Draft202012Validator

from kgate.compilation import Compilation
from kgate.compilation.rows import rows
from kgate.compilation.table import document, text
from kgate.load import schemas
from kgate.model import Outcome
from tests.unit.compilation.samples import item, made, refused, variant


def compilation(*outcomes: Outcome, left_out: dict[str, str] | None = None) -> Compilation:
    items = [item(f"w{index}") for index in range(len(outcomes))]
    return Compilation(
        manifest="kgate.yaml",
        architectures=("sm_90",),
        rows=rows(items, {i.case: outcome for i, outcome in zip(items, outcomes, strict=True)}, frozenset()),
        left_out=left_out or {},
        wall_s=12.34,
    )


def test_a_green_table_has_a_line_for_each_variant_below_its_kernel() -> None:
    said = text(compilation(made(variant()), made(variant(compile_ns=None, local_bytes=8, code="b" * 64))))

    assert said.splitlines()[:8] == [
        "kgate: pass: 2 variants of 1 kernel compiled for sm_90",
        "kgate.yaml",
        "",
        "  arch    device kernel      workloads    compile    registers    shared    spills",
        "  ------  ---------------  -----------  ---------  -----------  --------  --------  --",
        "gemm",
        "  sm_90   gemm_triton                1     2.00 s          168    98,304         0",
        "  sm_90   gemm_triton                1          ?          168    98,304         8",
    ]
    assert said.endswith("cost: 12.3 s\n")


def test_what_does_not_compile_stands_first_with_its_reason() -> None:
    said = text(compilation(made(variant()), refused("RuntimeError: nvcc: k.cu(3): error: expected an expression")))

    assert said.splitlines()[:6] == [
        "kgate: fail: 1 variant of 1 kernel compiled for sm_90, does not compile: 1 kernel × architecture",
        "kgate.yaml",
        "",
        "DOES NOT COMPILE",
        "  gemm sm_90 (w1)",
        "      nvcc: line 3: expected an expression",
    ]


def test_what_could_not_be_compiled_here_says_not_run() -> None:
    said = text(compilation(refused("nvcc is not here: install it", "unavailable", "environment")))

    assert said.startswith("kgate: no-verdict: ")
    assert "      not run: nvcc is not here: install it" in said.splitlines()


def test_kernels_that_were_left_out_are_named() -> None:
    said = text(compilation(made(variant()), left_out={"softmax": "its targets are cpu alone"}))

    assert "left out: softmax, its targets are cpu alone" in said.splitlines()


def test_what_a_compiler_wrote_cannot_steer_the_terminal() -> None:
    said = text(compilation(refused("\x1b[2Jerror: \x1b]0;mine\x07"), made(variant("\x1b[31mred"))))

    assert "\x1b" not in said
    assert "\x07" not in said


@pytest.mark.parametrize(
    "found",
    [
        compilation(made(variant(config={"num_warps": "8"})), made(variant(registers=None, compile_ns=None))),
        compilation(refused("ptxas error   : no"), left_out={"softmax": "its targets are cpu alone"}),
        compilation(refused("nvcc is not here: install it", "unavailable", "environment")),
    ],
    ids=["compiled", "refused", "not run"],
)
def test_the_document_is_what_its_published_schema_says(found: Compilation) -> None:
    Draft202012Validator(schemas.parsed("compile")).validate(json.loads(document(found)))


def test_the_document_holds_every_row_and_the_exit_code() -> None:
    told = json.loads(document(compilation(made(variant(config={"num_warps": "8"})), refused("ptxas error   : no"))))

    assert (told["verdict"], told["exit_code"], told["architectures"]) == ("fail", 1, ["sm_90"])
    assert [(row["status"], row["workloads"], row["registers"]) for row in told["rows"]] == [
        ("compiled", ["w0"], 168),
        ("failed", ["w1"], None),
    ]
    assert told["rows"][0]["config"] == {"num_warps": "8"}
