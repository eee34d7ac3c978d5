"""Grids and merging, and the properties that hold for all of them."""

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kgate.load.document import Fields, Mark
from kgate.load.workloads import bindings, merge
from tests.unit.load.conftest import Loading

HERE = Mark(file="kgate.yaml", line=1)
DISTRIBUTIONS = ("normal", "uniform", "integers", "mask", "constant", "zipf")


def fields(value: Any) -> Any:
    """Plain mappings as a document has them."""
    if not isinstance(value, dict):
        return value
    made = Fields(HERE)
    for key, inner in value.items():
        made.put(key, fields(inner), HERE.child(key, 1))
    return made


keys = st.sampled_from("abc")
inner = st.integers(0, 9) | st.dictionaries(keys, st.integers(0, 9), max_size=3)
mappings = st.dictionaries(keys, inner | st.dictionaries(keys, inner, max_size=3), max_size=3)
parameters = st.dictionaries(st.sampled_from(["low", "high", "std"]), st.integers(0, 9))
drawn = {name: st.integers(0, 9) if name == "constant" else parameters for name in DISTRIBUTIONS}
tensors = st.sampled_from(DISTRIBUTIONS).flatmap(
    lambda name: st.fixed_dictionaries({"shape": st.just(0), "dtype": st.just("float32"), name: drawn[name]})
)
grids = st.dictionaries(
    st.sampled_from(["M", "N", "K"]), st.lists(st.integers(1, 99), min_size=1, max_size=4, unique=True), min_size=1
)


@given(mappings)
def test_no_change_changes_nothing(base: dict[str, Any]) -> None:
    assert merge(fields(base), fields({})) == fields(base)


@given(mappings, mappings)
def test_a_change_is_found_where_it_was_made_and_the_rest_is_as_it_was(
    base: dict[str, Any], change: dict[str, Any]
) -> None:
    merged = merge(fields(base), fields(change))

    assert set(merged) == {*base, *change}
    assert list(merged)[: len(base)] == list(base)
    for key in merged:
        if key not in change:
            assert merged[key] == fields(base[key])
        elif not isinstance(change[key], dict) or not isinstance(base.get(key), dict):
            assert merged[key] == fields(change[key])


@given(mappings, mappings)
def test_the_same_change_twice_is_that_change_once(base: dict[str, Any], change: dict[str, Any]) -> None:
    once = merge(fields(base), fields(change))

    assert merge(once, fields(change)) == once


@given(tensors, st.sampled_from(DISTRIBUTIONS).flatmap(lambda n: st.fixed_dictionaries({n: drawn[n]})))
def test_a_tensor_never_ends_up_with_two_distributions(base: dict[str, Any], change: dict[str, Any]) -> None:
    merged = merge(fields(base), fields(change))

    assert [name for name in DISTRIBUTIONS if name in merged] == list(change)


@given(grids)
def test_a_grid_is_the_product_of_its_lists_in_the_order_written(grid: dict[str, list[int]]) -> None:
    made = list(bindings("sweep", fields({"grid": grid, "H": 8})))

    assert len(made) == math.prod(len(values) for values in grid.values())
    assert len({symbols.workload for symbols in made}) == len(made)
    assert {key: values[0] for key, values in grid.items()} | {"H": 8} == made[0]
    assert made == sorted(made, key=lambda s: [values.index(s[key]) for key, values in grid.items()])


def test_a_point_of_a_grid_is_named_by_its_symbols() -> None:
    made = list(bindings("sweep", fields({"grid": {"M": [1, 2], "T": ["float16"]}, "K": 512})))

    assert [symbols.workload for symbols in made] == ["sweep/M=1,T=float16", "sweep/M=2,T=float16"]
    assert dict(made[1]) == {"M": 2, "T": "float16", "K": 512}


def test_a_workload_replaces_a_distribution_a_layout_or_the_whole_argument(loaded: Loading) -> None:
    manifest = loaded("""\
version: 1
kernels:
  f:
    owners: []
    dispatch: a:d
    custom: a:c
    fallback: a:f
    args:
      x: {shape: [4, 4], dtype: float32, normal: {mean: 1, std: 2}, layout: transposed}
      k: 3
    workloads:
      same: {}
      deeper: {args: {x: {normal: {std: 5}}}}
      other: {args: {x: {uniform: {}, strides: [8, 1]}}}
      whole: {args: {x: null, k: {shape: [2], dtype: int8, integers: {high: 2}}}}
""")

    args = {w.name: w.args for w in manifest.kernels[0].workloads}

    fills = {name: (a["x"].fill.kind, a["x"].fill.a, a["x"].fill.b) for name, a in args.items() if name != "whole"}
    assert fills == {"same": ("normal", 1, 2), "deeper": ("normal", 1, 5), "other": ("uniform", -1, 1)}
    assert [args[n]["x"].strides for n in ("same", "deeper", "other")] == [(1, 4), (1, 4), (8, 1)]
    assert args["whole"]["x"].value is None
    assert args["whole"]["k"].shape == (2,)
    assert list(args["whole"]) == ["x", "k"]


def test_workloads_may_bring_all_arguments_where_the_kernel_names_none(loaded: Loading) -> None:
    manifest = loaded("""\
version: 1
kernels:
  f:
    owners: []
    dispatch: a:d
    custom: a:c
    fallback: a:f
    workloads:
      own: {args: {n: 3}}
""")

    assert manifest.kernels[0].workloads[0].args["n"].value == 3


def test_a_kernel_without_workloads_loads_since_a_rule_speaks_of_it(loaded: Loading) -> None:
    kernel = "owners: [], dispatch: 'a:d', custom: 'a:c', fallback: 'a:f'"

    manifest = loaded(f"version: 1\nkernels: {{f: {{{kernel}, workloads: {{}}}}}}\n")

    assert manifest.kernels[0].workloads == ()


def test_included_files_bring_their_kernels_after_the_main_ones(loaded: Loading) -> None:
    kernel = "owners: [], dispatch: 'a:d', custom: 'a:c', fallback: 'a:f', workloads: {w: {}}"
    main = f"version: 1\ninclude: [more.yaml]\ndefaults: {{timeout_s: 9}}\nkernels: {{f: {{{kernel}}}}}\n"
    more = f"version: 1\nkernels: {{g: {{{kernel}}}}}\n"

    manifest = loaded(main, **{"more.yaml": more})

    assert [(k.name, k.place.path, k.timeout_s) for k in manifest.kernels] == [
        ("f", "kgate.yaml", 9),
        ("g", "more.yaml", 9),
    ]
    assert manifest.digest != loaded(main, **{"more.yaml": more + "# changed\n"}).digest
