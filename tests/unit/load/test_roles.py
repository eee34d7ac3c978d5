"""Roles of whole numbers: what is drawn for them, and what is said of one that cannot be."""

import pytest

from kgate.errors import ManifestError
from kgate.protocol import Fill, TensorArg
from tests.unit.load.conftest import Loading
from tests.unit.load.wrong import manifest

KNOWN = [
    ("index: {size: M * 4}", "[M, 3]", Fill(kind="integers", b=8.0)),
    ("index: {size: 8, sorted: true}", "[M, 3]", Fill(kind="sorted", b=8.0)),
    ("index: {size: 8, unique: true}", "[M, 3]", Fill(kind="distinct", b=8.0)),
    ("index: {size: 8, unique: true, sorted: true}", "[M, 3]", Fill(kind="rising", b=8.0)),
    ("offsets: {total: M * 10}", "[M + 1]", Fill(kind="offsets", b=20.0)),
    ("offsets: {total: 0}", "[M - 1]", Fill(kind="offsets", b=0.0)),
    ("page_table: {pages: 64}", "[M, 3]", Fill(kind="pages", b=64.0)),
]


@pytest.mark.parametrize(("role", "shape", "fill"), KNOWN)
def test_a_role_says_how_values_are_drawn_and_that_they_stay(
    loaded: Loading, role: str, shape: str, fill: Fill
) -> None:
    text = manifest(x=f"{{shape: {shape}, dtype: int32, role: {{{role}}}}}", workload="{M: 2}")

    arg = loaded(text).kernels[0].workloads[0].args["x"]

    assert isinstance(arg, TensorArg)
    assert (arg.fill, arg.fixed, arg.role) == (fill, True, role.partition(":")[0])


def test_a_workload_may_take_a_distribution_in_place_of_the_role(loaded: Loading) -> None:
    x = "{shape: [M], dtype: int64, role: {index: {size: 9}}}"

    arg = loaded(manifest(x=x, workload="{M: 2, args: {x: {integers: {high: 3}}}}")).kernels[0].workloads[0].args["x"]

    assert isinstance(arg, TensorArg)
    assert (arg.fill, arg.role) == (Fill(kind="integers", b=3.0), "")


WRONG = [
    ("int64, role: {index: {size: 0}}", "x.role.index.size: 0 is less than 1; write 1 or more"),
    (
        "int64, role: {index: {size: 2, unique: true}}",
        "x.role.index.size: 3 distinct numbers cannot be chosen from 2; write a larger number",
    ),
    (
        "int64, role: {page_table: {pages: 5}}",
        "x.role.page_table.pages: 6 distinct numbers cannot be chosen from 5; write a larger number",
    ),
    (
        "int64, role: {page_table: {pages: 2 ** 25}}",
        "x.role.page_table.pages: distinct numbers are chosen from 33554432 in all rows, at most 2**24; write a "
        "smaller number",
    ),
    ("int64, role: {offsets: {total: -1}}", "x.role.offsets.total: -1 is not from 0 to 2**32 - 1; write one that is"),
    (
        "float32, role: {index: {size: 9}}",
        "x.role.index: 'index' is a role of whole numbers, and the tensor is float32; write int64 or int32",
    ),
    (
        "int64, zipf: {high: 9}, role: {index: {size: 9}}",
        "x.zipf: 'zipf' and the role 'index' both say which values there are; keep one",
    ),
    (
        "int64, zeros: 0.5, role: {index: {size: 9}}",
        "x.zeros: 'zeros' and the role 'index' both say which values there are; keep one",
    ),
    ("uint8, role: {index: {size: 300}}", "x.role.index: 299 does not fit uint8, which holds 0 to 255"),
    ("int64, role: {indices: {size: 9}}", "x.role.indices: 'indices' is not a field; did you mean 'index'?"),
]


@pytest.mark.parametrize(("given", "sentence"), WRONG)
def test_a_role_that_cannot_be_is_refused(loaded: Loading, given: str, sentence: str) -> None:
    with pytest.raises(ManifestError) as caught:
        loaded(manifest(x=f"{{shape: [M, 3], dtype: {given}}}"))

    assert sentence in str(caught.value)
