"""What calls become in a manifest: symbols, distributions, workloads; and that the manifest then loads."""

from dataclasses import replace
from pathlib import Path

import pytest

from kgate import captured, init
from kgate.captured import Bounds, Captured, ListSeen, OtherSeen, ScalarSeen
from kgate.drafting import draft
from kgate.errors import UsageError
from kgate.load import manifest as manifests
from tests.unit.drafting.calls import call, entry, index, tensor

SOURCE = "captured 2026-11-30 from python serve.py"
LINEAR = entry(
    call(18, x=tensor(1, 128), w=tensor(128, 512), eps=1e-5),
    call(2, x=tensor(33, 128), w=tensor(128, 512), eps=1e-5),
    call(1, x=tensor(5, 128), w=tensor(128, 512), eps=1e-5),
)
DECLARED = """\
version: 1
kernels:
  f:  # by hand
    owners: ["@acme/kernels"]
    dispatch: acme.ops:f
    args:
      x: {shape: [TOKENS, WIDTH], dtype: float32}
      w: {shape: [WIDTH, 4 * WIDTH], dtype: float32, normal: {std: 0.02}}
      eps: 1.0e-5
    flops: 8 * TOKENS * WIDTH
    workloads:
      hand: {TOKENS: 7, WIDTH: 128, source: test}
"""


def test_what_varies_is_a_symbol_and_what_does_not_is_itself() -> None:
    made = draft(LINEAR, SOURCE)

    assert made.args["x"] == {"shape": ["N", 128], "dtype": "float32"}
    assert made.args["eps"] == 1e-5
    assert made.workloads == {
        "N1": {"N": 1, "weight": 18, "source": SOURCE},
        "N33": {"N": 33, "weight": 2, "source": "same"},
        "N5": {"N": 5, "weight": 1, "source": "same"},
    }


def test_dimensions_that_vary_alike_have_one_symbol() -> None:
    made = draft(entry(call(2, x=tensor(4, 8), y=tensor(8, 4)), call(1, x=tensor(6, 9), y=tensor(9, 6))), SOURCE)

    assert (made.args["x"]["shape"], made.args["y"]["shape"]) == (["N", "M"], ["M", "N"])


def test_an_index_goes_as_far_as_each_call_went() -> None:
    calls = entry(call(2, table=tensor(512, 64), ids=index(9, 411)), call(1, table=tensor(512, 64), ids=index(2, 60)))

    made = draft(calls, SOURCE)

    assert made.args["ids"] == {"shape": ["N"], "dtype": "int64", "integers": {"high": "ids_high"}}
    assert [w["ids_high"] for w in made.workloads.values()] == [412, 61]


@pytest.mark.parametrize(
    ("dtype", "bounds", "drawn"),
    [
        ("float32", Bounds(low=-3, high=3, mean=0.01, std=1.02), {}),
        ("bfloat16", Bounds(low=-0.1, high=0.09, mean=0.0, std=0.0203), {"normal": {"std": 0.02}}),
        ("float32", Bounds(low=0, high=1, mean=0.5, std=0.288), {"uniform": {"low": 0.0, "high": 1.0}}),
        ("float32", Bounds(low=5, high=9, mean=7, std=0.5), {"normal": {"mean": 7.0, "std": 0.5}}),
        ("float32", Bounds(low=1, high=1, mean=1, std=0), {"normal": {"mean": 1.0, "std": 0.1}}),
        ("float32", None, {}),
        ("bool", Bounds(low=0, high=1, mean=0.24, std=0.4), {"mask": {"p": 0.24}}),
        ("int32", Bounds(low=-1, high=6, mean=2, std=2), {"integers": {"low": -1, "high": 7}}),
        ("int64", None, {"integers": {"high": 1}}),
    ],
)
def test_bounds_become_a_distribution(dtype: str, bounds: Bounds | None, drawn: dict[str, object]) -> None:
    made = draft(entry(call(x=tensor(4, dtype=dtype, bounds=bounds))), SOURCE)

    assert made.args["x"] == {"shape": [4], "dtype": dtype, **drawn}


def test_strides_are_kept_where_any_call_had_some() -> None:
    made = draft(entry(call(2, x=tensor(4, 8, strides=(16, 1))), call(1, x=tensor(6, 8))), SOURCE)

    assert made.args["x"]["strides"] == ["M", 1]
    assert [w["M"] for w in made.workloads.values()] == [16, 8]


def test_a_call_of_another_form_is_spelt_out() -> None:
    made = draft(entry(call(5, x=tensor(4, 8), causal=True), call(1, x=tensor(2, 4, 8), causal=False)), SOURCE)

    assert list(made.workloads.values())[1]["args"] == {
        "x": {"shape": [2, 4, 8], "dtype": "float32", "strides": [32, 8, 1], "normal": {}},
        "causal": False,
    }


def test_what_is_left_out_is_said() -> None:
    odd = call(3, config=1)
    odd = captured.CallSeen(weight=3, args={**odd.args, "config": OtherSeen(type="acme.Config")})

    made = draft(entry(*LINEAR.workloads, odd, folded=6), SOURCE, most=2)

    assert list(made.workloads) == ["N1", "N33"]
    assert made.notes == (
        "cannot be written down, give them by `setup`: config of type acme.Config",
        "10 of 30 calls had other signatures than the 2 that are kept",
    )


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    """A file of two kernels, one of them with every form there is."""
    other = entry(
        call(5, x=tensor(4, 8, strides=(1, 4)), mode="N", causal=True, scale=0.5),
        call(2, x=tensor(2, 8, strides=(1, 2)), mode="M", causal=True, scale=2),
        call(1, x=tensor(3), mode="", causal=False, scale=2),
    )
    path = tmp_path / "capture.yaml"
    path.write_text(captured.text(Captured(version=1, source=SOURCE, kernels={"f": LINEAR, "g": other})))
    return path


def test_a_capture_reads_as_it_was_written(capture: Path) -> None:
    assert captured.read(capture).kernels["f"] == LINEAR


@pytest.mark.parametrize("text", ["", "version: 1\n", "version: 2\nsource: s\nkernels: {}\n", "a: [", "- 1\n"])
def test_a_file_that_is_no_capture_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "c.yaml").write_text(text)

    with pytest.raises(UsageError, match=r"not a capture|of format 2"):
        captured.read(tmp_path / "c.yaml")


def test_without_a_manifest_one_is_written_that_loads(capture: Path, tmp_path: Path) -> None:
    made = init.from_captures([capture], tmp_path)

    kernels = {kernel.name: kernel for kernel in manifests.load(tmp_path).kernels}
    assert made.path == tmp_path / "kgate.yaml"
    assert [(w.name, w.weight, w.source) for w in kernels["f"].workloads][:2] == [
        ("N1", 18.0, SOURCE),
        ("N33", 2.0, SOURCE),
    ]
    assert len(kernels["g"].workloads) == 3


def test_symbols_that_a_manifest_has_are_given_their_values_and_nothing_else_changes(
    capture: Path, tmp_path: Path
) -> None:
    (tmp_path / "kgate.yaml").write_text(DECLARED)

    made = init.from_captures([capture], tmp_path)

    assert made.path is None
    assert (tmp_path / "kgate.yaml").read_text() == DECLARED
    (tmp_path / "kgate.yaml").write_text(made.text)
    (f, _) = manifests.load(tmp_path).kernels
    assert [(w.name, w.symbols, w.weight) for w in f.workloads] == [
        ("hand", {"TOKENS": 7, "WIDTH": 128}, 1.0),
        ("TOKENS1", {"TOKENS": 1, "WIDTH": 128}, 18.0),
        ("TOKENS33", {"TOKENS": 33, "WIDTH": 128}, 2.0),
        ("TOKENS5", {"TOKENS": 5, "WIDTH": 128}, 1.0),
    ]
    assert "# by hand" in made.text
    assert "normal: {std: 0.02}" in made.text


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("4 * WIDTH]", "3 * WIDTH]", "w has 512 where 3 * WIDTH is 384"),
        ("[WIDTH, 4 * WIDTH]", "[TOKENS, 512]", "w asks for another TOKENS"),
        ("[TOKENS, WIDTH], dtype: float32", "[TOKENS, WIDTH], dtype: float16", "x is float32"),
        ("[TOKENS, WIDTH]", "[TOKENS, 2, WIDTH]", "x has 2 dimensions"),
        ("eps: 1.0e-5", "eps: 1.0e-6", "eps is not of the declared form"),
        ("8 * TOKENS * WIDTH", "S * TOKENS", "no call tells S"),
    ],
)
def test_arguments_that_do_not_fit_are_replaced_and_that_is_said(
    capture: Path, tmp_path: Path, old: str, new: str, why: str
) -> None:
    (tmp_path / "kgate.yaml").write_text(
        DECLARED.replace(old, new)
        .replace("      hand:", "      # hand:")
        .replace("    workloads:\n", "    workloads: {}\n")
    )

    made = init.from_captures([capture], tmp_path)

    assert made.notes == (f"f: args and workloads are replaced, since {why}, and flops taken out",)
    (tmp_path / "kgate.yaml").write_text(made.text)
    assert [w.name for w in manifests.load(tmp_path).kernels[0].workloads] == ["N1", "N33", "N5"]


def test_two_captures_of_a_kernel_are_one(tmp_path: Path) -> None:
    morning = entry(call(2, x=tensor(1, 8)), call(1, x=tensor(7, 8)), folded=1)
    evening = entry(call(4, x=tensor(1, 8, bounds=Bounds(low=-5, high=1, mean=0, std=1))), call(9, x=tensor(3, 8)))
    files = [tmp_path / "a.yaml", tmp_path / "b.yaml"]
    for file, seen in zip(files, (morning, evening), strict=True):
        file.write_text(captured.text(Captured(version=1, source=f"captured as {file.stem}", kernels={"f": seen})))

    init.from_captures(files, tmp_path)

    found = manifests.load(tmp_path).kernels[0].workloads
    assert {w.name: w.weight for w in found} == {"N3": 9, "N1": 6, "N7": 1}
    assert {w.source for w in found} == {"captured as a; captured as b"}


def test_captures_of_different_functions_of_a_kernel_are_refused(tmp_path: Path) -> None:
    files = [tmp_path / "a.yaml", tmp_path / "b.yaml"]
    for file, name in zip(files, ("acme.ops:f", "acme.k:fused"), strict=True):
        seen = replace(LINEAR, entry=name)
        file.write_text(captured.text(Captured(version=1, source="s", kernels={"f": seen})))

    with pytest.raises(UsageError, match=r"f: captured as acme\.k:fused and as acme\.ops:f"):
        init.from_captures(files, tmp_path)


def test_text_inside_a_list_names_no_symbol() -> None:
    listed = ListSeen(items=(ScalarSeen(value="N"),))
    calls = (replace(c, args={**c.args, "axes": listed}) for c in LINEAR.workloads)

    made = draft(entry(*calls), SOURCE)

    assert made.args["axes"] == ["N"]
    assert "N" not in next(iter(made.workloads.values()))
