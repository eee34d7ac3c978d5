"""The manifest of the design text, without the fields that are not honoured yet; numbers are worked out by hand."""

import hashlib
from pathlib import Path

import pytest

from kgate.load.manifest import load
from kgate.model import Gpu, Kernel, Level, Manifest, Place, Switch, Tolerance, Workload
from kgate.protocol import Fill, ListArg, MapArg, TensorArg, ValueArg

EXAMPLE = """\
version: 1
python: .venv/bin/python
build: python setup.py build_ext --inplace
env: [ACME_MODEL_DIR]
baselines: ci/kgate
gpus: {h100: required}
policy: {slower-than-base: warn, fallback-untested: fail, no-baseline: off}
defaults: {timeout_s: 90}
kernels:
  linear_gelu:
    owners: ["@acme/kernels"]
    dsl: tilelang                             # a comment
    dispatch: acme.ops:linear_gelu
    custom: acme.linear_gelu:fused
    fallback: acme.linear_gelu:eager
    switch: {env: ACME_FUSED, custom: "1", fallback: "0", read: call}
    production_operator: torch.addmm + gelu
    device_kernels: ["*linear_gelu*"]
    targets: [cuda, cpu]
    args:
      x: {shape: [M, 4096], dtype: bfloat16}
      w: {shape: [4096, 14336], dtype: bfloat16, normal: {std: 0.016}}
      b: {shape: [14336], dtype: bfloat16}
    flops: 2 * M * 4096 * 14336
    bytes: 2 * (M * 4096 + 4096 * 14336 + M * 14336)
    workloads:
      decode1:  {M: 1, weight: 6, source: "llama-3-8b up_proj, production trace 2026-10"}
      decode64: {M: 64, weight: 3, source: same}
      prefill:  {M: 2048, weight: 1, source: same}
      ragged:   {M: 333, args: {x: {strides: [8192, 1]}}, source: test}
      sweep:    {grid: {M: [1, 2, 4, 8, 16, 32]}}
    tolerance: {bfloat16: {rtol: 1.6e-2, atol: 1.0e-3}}
    latency: {min_speedup: 1.05}
"""


@pytest.fixture(name="manifest")
def _manifest(tmp_path: Path) -> Manifest:
    (tmp_path / ".git").mkdir()
    (tmp_path / "kgate.yaml").write_text(EXAMPLE)
    return load(tmp_path / "kgate.yaml")


def named(manifest: Manifest, name: str) -> Workload:
    return next(w for w in manifest.kernels[0].workloads if w.name == name)


def tensor(workload: Workload, name: str) -> TensorArg:
    arg = workload.args[name]
    assert isinstance(arg, TensorArg)
    return arg


def test_the_top_of_the_file_becomes_the_manifest(manifest: Manifest, tmp_path: Path) -> None:
    assert (manifest.python, manifest.build) == (".venv/bin/python", "python setup.py build_ext --inplace")
    assert (manifest.env, manifest.baselines, manifest.gpus) == (("ACME_MODEL_DIR",), "ci/kgate", {"h100": Gpu()})
    assert manifest.policy == {
        "slower-than-base": Level.WARN,
        "fallback-untested": Level.FAIL,
        "no-baseline": Level.OFF,
    }
    assert (manifest.path, manifest.folder, manifest.root) == (tmp_path / "kgate.yaml", tmp_path, tmp_path)
    assert manifest.digest == hashlib.sha256(EXAMPLE.encode()).hexdigest()


def test_a_kernel_carries_what_was_written_and_the_line_where_it_stands(manifest: Manifest) -> None:
    (kernel,) = manifest.kernels

    assert kernel == Kernel(
        name="linear_gelu",
        owners=("@acme/kernels",),
        dsl="tilelang",
        dispatch="acme.ops:linear_gelu",
        custom="acme.linear_gelu:fused",
        fallback="acme.linear_gelu:eager",
        workloads=kernel.workloads,
        place=Place(path="kgate.yaml", line=10),
        switch=Switch(env="ACME_FUSED", custom="1", fallback="0", read="call"),
        production_operator="torch.addmm + gelu",
        device_kernels=("*linear_gelu*",),
        min_speedup=1.05,
        timeout_s=90.0,
    )


def test_workloads_keep_their_order_and_a_grid_its_place(manifest: Manifest) -> None:
    names = [w.name for w in manifest.kernels[0].workloads]

    assert names == [
        *("decode1", "decode64", "prefill", "ragged"),
        *("sweep/M=1", "sweep/M=2", "sweep/M=4", "sweep/M=8", "sweep/M=16", "sweep/M=32"),
    ]


def test_a_workload_binds_symbols_weight_source_and_line(manifest: Manifest) -> None:
    workload = named(manifest, "decode64")

    assert workload.symbols == {"M": 64}
    assert workload.weight == 3.0
    assert workload.source == "llama-3-8b up_proj, production trace 2026-10"
    assert workload.targets == ("cuda", "cpu")
    assert workload.tolerance == {"bfloat16": Tolerance(rtol=0.016, atol=0.001)}
    assert workload.place == Place(path="kgate.yaml", line=28)


def test_shapes_flops_and_bytes_are_numbers(manifest: Manifest) -> None:
    workload = named(manifest, "prefill")

    assert list(workload.args) == ["x", "w", "b"]
    assert tensor(workload, "x").shape == (2048, 4096)
    assert tensor(workload, "w").shape == (4096, 14336)
    assert tensor(workload, "b").shape == (14336,)
    assert workload.flops == 240_518_168_576
    assert workload.moved_bytes == 192_937_984


def test_values_are_normal_where_nothing_else_is_said(manifest: Manifest) -> None:
    workload = named(manifest, "decode1")

    assert tensor(workload, "x").fill == Fill(kind="normal", a=0.0, b=1.0, table="normal.bin")
    assert tensor(workload, "w").fill == Fill(kind="normal", a=0.0, b=0.016, table="normal.bin")
    assert not tensor(workload, "x").fixed


def test_a_workload_changes_one_key_of_an_argument(manifest: Manifest) -> None:
    ragged = tensor(named(manifest, "ragged"), "x")

    assert (ragged.shape, ragged.strides, ragged.dtype) == ((333, 4096), (8192, 1), "bfloat16")
    assert tensor(named(manifest, "decode1"), "x").strides is None


def test_a_stream_is_the_digest_of_kernel_workload_argument_and_seed(manifest: Manifest) -> None:
    stream = tensor(named(manifest, "sweep/M=4"), "w").stream

    # printf 'linear_gelu/sweep/M=4/w/0' | sha256sum | cut -c1-16
    assert stream == 0x80B357403887087C


def test_a_folder_means_the_kgate_yaml_in_it(manifest: Manifest, tmp_path: Path) -> None:
    assert load(tmp_path) == manifest


REST = """\
version: 1
kernels:
  attend:
    unowned: {reason: "trial", expires: 2027-01-31}
    dispatch: acme.attention:attend
    custom: acme.attention:fused
    fallback: acme.attention:eager
    switch: {context: acme.flags:override}
    reference: acme.attention:slow
    setup: acme.attention:plan
    reset: acme.attention:rewind
    steps: 8
    compile: acme.attention:built
    mutates: [cache]
    timeout_s: 30
    kwargs:
      q: {shape: [B, 2 * H, "cdiv(S, 2)"], dtype: T, layout: transposed}
      cache: {shape: [B, S], dtype: float32, layout: expanded, zeros: 0.3, scale: 1e-3}
      where: {shape: [S], dtype: bool, mask: {p: 0.25}}
      index: {shape: [S], dtype: int32, integers: {high: S}}
      tokens: {shape: [S], dtype: int64, zipf: {high: 32000}}
      rows: {shape: [4, 3], dtype: float16, uniform: {low: 0, high: S / 4}, layout: sliced}
      mode: MODE
      eps: 1e-5
      causal: true
      mask: null
      more: [{shape: [S], dtype: float32, constant: 3}, on]
      options: {inner: {shape: [2], dtype: float32}, name: no}
    workloads:
      small: {B: 2, H: 3, S: 7, T: float16, MODE: fast, seed: 5, targets: [sm_90], tolerance: {rtol: 1e-3}}
    tolerance: {cpu: {float32: {psnr: 40}, float16: {cosine: 0.99, psnr: 20}}}
"""


@pytest.fixture(name="attend")
def _attend(tmp_path: Path) -> Kernel:
    (tmp_path / "kgate.yaml").write_text(REST)
    return load(tmp_path / "kgate.yaml").kernels[0]


def test_every_other_field_of_a_kernel_arrives(attend: Kernel) -> None:
    assert (attend.owners, attend.unowned_reason, attend.unowned_expires) == ((), "trial", "2027-01-31")
    assert attend.switch == Switch(context="acme.flags:override", custom="1", fallback="0", read="import")
    assert (attend.reference, attend.setup, attend.reset) == (
        "acme.attention:slow",
        "acme.attention:plan",
        "acme.attention:rewind",
    )
    assert attend.compile == "acme.attention:built"
    assert (attend.steps, attend.mutates, attend.timeout_s, attend.keywords) == (8, ("cache",), 30.0, True)
    assert attend.dsl == "torch"


def test_a_workload_has_targets_and_tolerance_of_its_own(attend: Kernel) -> None:
    (small,) = attend.workloads

    assert small.targets == ("sm_90",)
    assert small.tolerance == {"": Tolerance(rtol=1e-3)}
    assert small.symbols == {"B": 2, "H": 3, "S": 7, "T": "float16", "MODE": "fast"}


def test_layouts_become_strides(attend: Kernel) -> None:
    (small,) = attend.workloads

    # [2, 6, 4] whose last two dimensions lie swapped in memory; one row of 7 for both; rows of 3 out of 6.
    assert (tensor(small, "q").shape, tensor(small, "q").strides) == ((2, 6, 4), (24, 1, 6))
    assert (tensor(small, "cache").shape, tensor(small, "cache").strides) == ((2, 7), (0, 1))
    assert (tensor(small, "rows").shape, tensor(small, "rows").strides) == ((4, 3), (6, 1))


def test_distributions_become_fills(attend: Kernel) -> None:
    (small,) = attend.workloads

    assert tensor(small, "where").fill == Fill(kind="mask", a=0.25)
    assert tensor(small, "index").fill == Fill(kind="integers", a=0.0, b=7.0)
    assert tensor(small, "tokens").fill == Fill(kind="zipf", a=1.2, b=32000.0, table="zipf-1.2-32000.bin")
    assert tensor(small, "rows").fill == Fill(kind="uniform", a=0.0, b=1.75)
    assert [tensor(small, n).fixed for n in ("where", "index", "tokens", "rows")] == [True, True, True, False]
    assert (tensor(small, "cache").zeros, tensor(small, "cache").scale) == (0.3, 0.001)


def test_what_is_no_tensor_is_a_value_a_list_or_a_mapping(attend: Kernel) -> None:
    args = attend.workloads[0].args

    assert tensor(attend.workloads[0], "q").dtype == "float16"
    assert [args[n] for n in ("mode", "eps", "causal", "mask")] == [
        ValueArg(value="fast"),
        ValueArg(value=1e-5),
        ValueArg(value=True),
        ValueArg(value=None),
    ]
    assert isinstance(args["more"], ListArg)
    assert args["more"].items[1] == ValueArg(value="on")
    assert isinstance(args["options"], MapArg)
    assert args["options"].items["name"] == ValueArg(value="no")


def test_tensors_inside_lists_and_mappings_have_streams_of_their_own(attend: Kernel) -> None:
    args = attend.workloads[0].args
    assert isinstance(args["more"], ListArg)
    assert isinstance(args["options"], MapArg)

    inner = [args["more"].items[0], args["options"].items["inner"]]

    # printf 'attend/small/more.0/5' and 'attend/small/options.inner/5', as above
    assert [t.stream for t in inner if isinstance(t, TensorArg)] == [0x196BC3AE4BA2C647, 0xD5CCD2F9B83AF47D]


def test_a_tolerance_of_a_target_goes_before_one_of_a_dtype_and_that_before_one_of_all() -> None:
    workload = Workload(
        name="w",
        args={},
        symbols={},
        targets=("cpu",),
        tolerance={
            "": Tolerance(rtol=1),
            "float32": Tolerance(rtol=2),
            "cpu/": Tolerance(rtol=3),
            "cpu/float16": Tolerance(rtol=4),
        },
        place=Place(path="kgate.yaml", line=1),
    )
    asked = [("cpu", "float16"), ("cpu", "float32"), ("cuda", "float32"), ("cuda", "int8")]

    found = [workload.tolerance_of(dtype, (target,)) for target, dtype in asked]

    assert found == [Tolerance(rtol=4), Tolerance(rtol=3), Tolerance(rtol=2), Tolerance(rtol=1)]
