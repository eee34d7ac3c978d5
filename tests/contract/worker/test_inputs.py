"""The worker's inputs are the gate's, bit for bit, for every fill, dtype and stride."""

import numpy as np
import pytest

from kgate import philox
from kgate.protocol import ARRANGED, Fill, Job, TensorArg
from kgate.tensors import DTYPES

pytestmark = pytest.mark.real

FILLS = {
    "normal": Fill(kind="normal", a=0.25, b=1.75, table="normal.bin"),
    "uniform": Fill(kind="uniform", a=-1.1, b=3.3),
    "integers": Fill(kind="integers", a=-100, b=100),
    "widest": Fill(kind="integers", a=-(2**31), b=2**31),
    "mask": Fill(kind="mask", a=0.3),
    "constant": Fill(kind="constant", a=0.1),
    "zipf": Fill(kind="zipf", a=1.2, b=1000, table="zipf.bin"),
}
ROLES = {kind: Fill(kind=kind, a=5.0, b=5000.0 if kind == "pages" else 211.0) for kind in ARRANGED}


def spec(fill: str, **changes: object) -> TensorArg:
    values: dict[str, object] = {
        "shape": (37, 53),
        "dtype": "float32",
        "fill": {**FILLS, **ROLES}[fill],
        "stream": 0xFEDCBA9876543210,
    }
    return TensorArg(**{**values, **changes})  # type: ignore[arg-type]


SPECS = {
    **{f"{fill} {dtype}": spec(fill, dtype=dtype) for fill in FILLS for dtype in DTYPES},
    "scaled with zeros": spec("normal", dtype="bfloat16", scale=1e3, zeros=0.3),
    "past the largest fp8": spec("normal", dtype="float8_e4m3fn", scale=1e3),
    "past the largest half": spec("normal", dtype="float16", scale=1e5),
    "more than a chunk": spec("normal", shape=(3, (1 << 19) - 5), zeros=0.5),
    "one": spec("normal", shape=()),
    "none": spec("normal", shape=(3, 0, 2)),
    "transposed": spec("normal", strides=(1, 37)),
    "sliced": spec("normal", strides=(64, 1), dtype="bfloat16"),
    "sliced bool": spec("mask", strides=(64, 1), dtype="bool"),
    "expanded": spec("normal", strides=(0, 1)),
    "fixed": spec("normal", fixed=True),
    **{kind: spec(kind, dtype="int64", fixed=True) for kind in ARRANGED},
    "no offsets": spec("offsets", dtype="int32", shape=(0,), fixed=True),
}


SEEDS = (*(pytest.param(seed, marks=pytest.mark.nightly) for seed in (0, 1)), 2**63 + 5)


@pytest.fixture(scope="module", params=SEEDS, ids=lambda seed: f"seed {seed}")
def drawn(request, device, bench, case_job):
    """Every spec through a kernel that gives back what it got: name -> (expected, process that answered)."""
    cases = [case_job("kernels:echo", case=name, args={"x": arg}, seed=request.param) for name, arg in SPECS.items()]
    folder = bench.written(Job(mode="outputs", arm="head", tree=str(bench.tree), device=device, cases=(*cases,)))
    tables = philox.write_tables(folder / "tables", SPECS.values())
    ended = bench.run(folder)
    return {name: (expected(arg, tables, request.param), ended) for name, arg in SPECS.items()}


def expected(arg, tables, seed):
    values = philox.draw(arg, tables)
    if not arg.fixed:
        values = philox.refresh(values, seed)
    for dimension, stride in enumerate(arg.strides or ()):
        if stride == 0:
            values = np.broadcast_to(values.take([0], axis=dimension), values.shape)
    return values


@pytest.mark.parametrize("name", SPECS)
def test_values_are_bit_equal_to_the_gates(drawn, name):
    values, ended = drawn[name]

    ((output, data),) = ended.outputs(name)

    assert data == np.ascontiguousarray(values).tobytes()
    assert output.dtype == SPECS[name].dtype
    if SPECS[name].strides:
        assert output.strides == SPECS[name].strides


def test_gaps_between_strides_hold_nan_and_storage_ends_with_the_last_element(bench, case_job):
    arg = TensorArg(shape=(2, 2), dtype="float32", fill=Fill(kind="constant", a=1.0), stream=1, strides=(3, 1))
    job = Job(
        mode="outputs",
        arm="head",
        tree=str(bench.tree),
        device="cpu",
        cases=(case_job("kernels:storage", args={"x": arg}),),
    )

    ((_, data),) = bench.run(bench.written(job)).outputs("kernels:storage")

    np.testing.assert_array_equal(np.frombuffer(data, "<f4"), [1, 1, np.nan, 1, 1])


@pytest.mark.parametrize("name", ["expanded", "sliced", "transposed", "normal float32"])
def test_a_reference_gets_the_same_values_in_dense_float64(bench, case_job, name):
    arg = SPECS[name]
    case = case_job("kernels:echo", args={"x": arg}, seed=7, widen=True)
    folder = bench.written(Job(mode="outputs", arm="reference", tree=str(bench.tree), device="cpu", cases=(case,)))
    tables = philox.write_tables(folder / "tables", [arg])

    ((output, data),) = bench.run(folder).outputs("kernels:echo")

    assert (output.dtype, output.strides) == ("float64", (53, 1))
    assert data == expected(arg, tables, 7).astype("float64").tobytes()
