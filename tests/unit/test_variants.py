"""What kgate asks besides the manifest's workloads, and what it leaves alone."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgate.errors import ManifestError
from kgate.model import Kernel, Place, Refusal, Tolerance, Tuning, Workload
from kgate.protocol import Fill, TensorArg, ValueArg
from kgate.variants import MOST_BYTES, size_bytes, variants
from tests.unit.builders import kernel

NORMAL = Fill(kind="normal", a=0.0, b=1.0, table="normal.bin")


def matmul(symbols: Mapping[str, Any], name: str = "usual", **changes: Any) -> Workload:
    """x [M, K] by w [K, N], with M as a scalar beside them; K has to be positive."""
    if symbols["K"] == 1:
        raise ManifestError("K must be 2 at least")
    sizes = {"x": (symbols["M"], symbols["K"]), "w": (symbols["K"], symbols["N"])}
    tensors = {n: TensorArg(shape=s, dtype="float32", fill=NORMAL, stream=i) for i, (n, s) in enumerate(sizes.items())}
    made = Workload(
        name=name,
        args={**tensors, "rows": ValueArg(value=symbols["M"])},
        symbols=dict(symbols),
        targets=("cpu",),
        tolerance={},
        place=Place(path="kgate.yaml", line=1),
        resized=lambda other: matmul(other, name),
    )
    return replace(made, **changes)


def asked(*workloads: Workload) -> dict[str, Workload]:
    return {v.change: v.workload for v in variants(kernel(), "cpu", workloads)}


def refusing(when: Callable[[Mapping[str, Any]], bool], *names: str) -> Kernel:
    """A kernel that refuses what `when` holds of, under each of these expressions."""
    lines = tuple(Refusal(when=name, ending="ValueError") for name in names)
    return kernel(refuses=lines, refused=lambda symbols, args: lines[0] if when(symbols) else None)


def plain(fill: Fill, dtype: str, shape: tuple[int, ...] = (8, 16)) -> Workload:
    tensor = TensorArg(shape=shape, dtype=dtype, fill=fill, stream=1)
    return replace(matmul({"M": 4, "K": 4, "N": 4}), args={"x": tensor}, symbols={}, resized=None)


def test_every_size_is_tried_beside_its_tile_and_the_others_stay() -> None:
    found = asked(matmul({"M": 32, "K": 64, "N": 48}))

    assert {"K = 65", "K = 72", "K = 0", "K = 63", "N = 49", "M = 33"} <= found.keys()
    assert [t.shape for t in found["K = 72"].args.values() if isinstance(t, TensorArg)] == [(32, 72), (72, 48)]
    assert found["M = 33"].args["rows"] == ValueArg(value=33)


def test_sizes_that_the_manifest_makes_no_sense_of_are_left_out() -> None:
    assert "K = 1" not in asked(matmul({"M": 32, "K": 64, "N": 48}))


def test_a_size_written_as_a_number_is_tried_wherever_it_stands() -> None:
    symbolless = replace(matmul({"M": 32, "K": 64, "N": 48}), symbols={}, resized=None)

    found = asked(symbolless)["size 64 = 65"]

    assert [t.shape for t in found.args.values() if isinstance(t, TensorArg)] == [(32, 65), (65, 48)]


def test_layouts_keep_the_values_and_change_the_strides() -> None:
    found = asked(matmul({"M": 32, "K": 64, "N": 48}))

    strides = {change: found[change].args["x"].strides for change in ("x sliced", "x transposed", "x expanded")}  # type: ignore[union-attr]

    assert strides == {"x sliced": (72, 1), "x transposed": (1, 32), "x expanded": (0, 1)}


def test_layouts_of_three_dimensions_reach_each_element_once() -> None:
    found = asked(plain(NORMAL, "float32", (2, 3, 5)))

    assert found["x sliced"].args["x"].strides == (39, 13, 1)  # type: ignore[union-attr]
    assert found["x transposed"].args["x"].strides == (15, 1, 3)  # type: ignore[union-attr]


def test_integers_are_drawn_as_the_manifest_says_and_no_otherwise() -> None:
    integers = Fill(kind="integers", a=0.0, b=1000.0)

    found = asked(plain(integers, "int64"))

    assert {w.args["x"].fill for w in found.values()} == {integers}  # type: ignore[union-attr]


def test_a_bound_of_integers_that_is_a_size_moves_with_it() -> None:
    found = asked(plain(Fill(kind="integers", a=0.0, b=16.0), "int64"))

    assert found["size 16 = 17"].args["x"].fill.b == 17.0  # type: ignore[union-attr]


def test_a_mask_hides_all_and_nothing() -> None:
    found = asked(plain(Fill(kind="mask", a=0.5), "bool"))

    assert [found[f"x all {word}"].args["x"].fill.a for word in ("true", "false")] == [1.0, 0.0]  # type: ignore[union-attr]


def test_scales_are_left_out_where_the_manifest_sets_an_absolute_tolerance() -> None:
    set_by_hand = matmul({"M": 32, "K": 64, "N": 48}, tolerance={"": Tolerance(atol=1e-3)})

    assert not [change for change in asked(set_by_hand) if "floats x" in change or "near" in change]


def test_what_float16_cannot_hold_is_not_asked_of_it() -> None:
    large = replace(NORMAL, b=100.0)

    found = asked(plain(large, "float16"))

    assert "floats x 0.001" in found
    assert "floats x 1000" not in found


@pytest.mark.parametrize("symbols", [{"M": 2048, "K": 6144, "N": 24576}, {"M": 1, "K": 50257, "N": 2}])
def test_large_workloads_are_asked_about_in_small_copies(symbols: dict[str, int]) -> None:
    sizes = [size_bytes(w) for w in asked(matmul(symbols)).values()]

    assert max(sizes) <= MOST_BYTES
    assert sum(sizes) < 64 << 20


def test_equal_variants_of_two_workloads_are_asked_once() -> None:
    first, second = (matmul({"M": 32, "K": 64, "N": 48}, name) for name in ("one", "two"))

    names = [v.workload.name for v in variants(kernel(), "cpu", (first, second))]

    assert all(name.startswith("one~") for name in names)


@given(st.integers(1, 300), st.integers(2, 300), st.integers(1, 300))
def test_names_are_unique_and_shapes_have_no_negative_size(m: int, k: int, n: int) -> None:
    found = list(variants(kernel(), "cpu", [matmul({"M": m, "K": k, "N": n})]))

    assert len({v.workload.name for v in found}) == len(found)
    assert all(
        size >= 0 for v in found for t in v.workload.args.values() if isinstance(t, TensorArg) for size in t.shape
    )


def test_what_fits_a_refusal_is_marked_and_the_usual_call_is_made_behind_two_of_it() -> None:
    odd = refusing(lambda symbols: symbols["K"] % 8 != 0, "K % 8 != 0")

    found = variants(odd, "cpu", [matmul({"M": 32, "K": 64, "N": 48})])

    refused = [v for v in found if v.workload.refusal]
    behind = [v for v in found if v.behind]
    assert {"K = 65", "K = 63"} <= {v.change for v in refused}
    assert {v.kind for v in refused} == {"refusal: K % 8 != 0"}
    assert [v.behind for v in behind] == [v.change for v in refused][:2]
    assert {(v.kind, *map(str, v.workload.symbols.values())) for v in behind} == {("after a refusal", "32", "64", "48")}


def test_a_size_that_a_line_names_is_looked_for_where_no_other_fits() -> None:
    odd = refusing(lambda symbols: symbols["M"] == 327, "M == 327")

    found = variants(odd, "cpu", [matmul({"M": 32, "K": 64, "N": 48})])

    assert [v.change for v in found if v.workload.refusal] == ["M = 327"]
    assert [v.behind for v in found if v.behind] == ["M = 327"]


def test_a_declared_workload_that_is_refused_is_asked_as_it_is() -> None:
    odd = refusing(lambda symbols: symbols["M"] == 5000, "M == 5000")
    refused = matmul({"M": 5000, "K": 64, "N": 48}, "late", refusal=odd.refuses[0])

    found = variants(odd, "cpu", [matmul({"M": 32, "K": 64, "N": 48})], [refused])

    assert [(v.change, v.of.workload) for v in found if v.workload.refusal] == [("workload late", "usual")]


def test_a_small_copy_is_none_that_is_refused() -> None:
    large_only = refusing(lambda symbols: symbols["M"] < 1024, "M < 1024")

    found = variants(large_only, "cpu", [matmul({"M": 4096, "K": 64, "N": 48})])

    assert next(v for v in found if v.kind == "small").workload.symbols["M"] >= 1024


@pytest.mark.parametrize(("dtype", "tiny"), [("float32", 2.0**-126), ("float16", 2.0**-14), ("bfloat16", 2.0**-126)])
def test_values_below_the_smallest_normal_number_are_asked_for_where_they_are_to_be_kept(
    dtype: str, tiny: float
) -> None:
    large = replace(plain(replace(NORMAL, b=100.0), dtype), name="large")

    found = {v.change: v.workload for v in variants(kernel(subnormals="keep"), "cpu", [large])}

    made = found["floats below the smallest normal number"].args["x"]
    assert isinstance(made, TensorArg)
    assert tiny / 2**7 < made.scale * 100.0 < tiny / 4
    assert "floats below the smallest normal number" not in asked(large)


def with_role(role: str, fill: Fill, shape: tuple[int, ...] = (9,)) -> Workload:
    return replace(
        plain(fill, "int64", shape),
        args={"x": TensorArg(shape=shape, dtype="int64", fill=fill, stream=1, fixed=True, role=role)},
    )


def test_an_index_is_asked_at_both_ends_and_no_integers_without_a_role_are() -> None:
    indices = with_role("index", Fill(kind="integers", b=100.0))

    found = asked(indices)

    assert [found[f"x all {value}"].args["x"].fill for value in (0, 99)] == [  # type: ignore[union-attr]
        Fill(kind="constant", a=0.0),
        Fill(kind="constant", a=99.0),
    ]
    assert "x all 99" not in asked(with_role("", Fill(kind="integers", b=100.0)))


def test_offsets_are_asked_with_all_in_one_group_and_none_in_the_others() -> None:
    found = asked(with_role("offsets", Fill(kind="offsets", b=40.0)))

    assert [found[f"x all in the {word}"].args["x"].fill for word in ("first", "last")] == [  # type: ignore[union-attr]
        Fill(kind="step", a=1.0, b=40.0),
        Fill(kind="step", a=8.0, b=40.0),
    ]


def test_each_configuration_is_asked_of_the_call_that_is_asked_first() -> None:
    tuned = kernel(tune=Tuning(config="acme.tuning:fixed", space={"tile": (64, 128), "split": (1, 2)}))

    found = [v for v in variants(tuned, "cpu", [matmul({"M": 32, "K": 64, "N": 48})]) if v.kind == "configuration"]

    assert [v.change for v in found] == [f"tile = {t}, split = {s}" for t in (64, 128) for s in (1, 2)]
    assert [v.choice for v in found] == [{"tile": t, "split": s} for t in (64, 128) for s in (1, 2)]
    assert len({v.workload.name for v in found}) == 4
    assert {v.workload.symbols["K"] for v in found} == {64}


def test_backward_few_sizes_and_layouts_are_asked_and_no_values() -> None:
    found = variants(kernel(), "cpu", [matmul({"M": 32, "K": 64, "N": 48})], direction="backward")

    assert len(found) == 12
    assert {v.of.direction for v in found} == {"backward"}
    assert {v.kind for v in found} <= {"small", "K", "M", "N", "layout of x", "layout of w"}
