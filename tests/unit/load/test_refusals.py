"""What is wrong with a manifest is said in one sentence: file, line, path, value, the nearest valid one."""

from pathlib import Path

import pytest

from kgate.errors import ExitCode, ManifestError
from kgate.load.manifest import load
from tests.unit.load.conftest import Loading

# Line 4 on; {kernel} goes below the kernel, {workload} is a whole entry, {args} the first argument's tensor.
HEAD = """\
version: 1
{top}
kernels:
  gelu:
    owners: ["@acme/kernels"]
    dispatch: acme.ops:gelu
    custom: acme.gelu:fused
    fallback: acme.gelu:eager
"""
BODY = """\
    args:
      x: {x}
    workloads:
      small: {workload}
"""
X = "{shape: [M, 8], dtype: float32}"


def manifest(*, top: str = "", kernel: str = "", x: str = X, workload: str = "{M: 2}") -> str:
    """`top` is line 2; `kernel` begins at line 9 where it is given; the argument follows two lines later."""
    lines = f"    {kernel}\n" if kernel else ""
    return HEAD.replace("{top}", top) + lines + BODY.replace("{x}", x).replace("{workload}", workload)


def rows(table: str) -> list[tuple[str, str]]:
    """What is written, and, indented below it, what is said of it."""
    found: list[list[str]] = []
    for line in table.splitlines():
        if line.startswith("    "):
            found[-1].append(line.strip())
        else:
            found.append([line])
    return [(given, " ".join(said)) for given, *said in found]


FILE = [
    pytest.param("", "kgate.yaml: the file is empty; it needs at least `version: 1` and `kernels`", id="empty"),
    pytest.param(
        "# later\n", "kgate.yaml: the file is empty; it needs at least `version: 1` and `kernels`", id="comment"
    ),
    pytest.param(
        "- 1\n", "kgate.yaml:1: not a mapping at the top; it needs at least `version: 1` and `kernels`", id="list"
    ),
    pytest.param(
        "version: 1\nkernels: {a: [}\n",
        "kgate.yaml:2: not valid YAML: expected the node content, but found '}'; mend this line or the one above",
        id="yaml",
    ),
    pytest.param(
        "version: 1\nversion: 1\n",
        "kgate.yaml:2: version: 'version' stands here a second time, first in line 1; keep one",
        id="twice",
    ),
    pytest.param(
        "version: !int 1\n",
        "kgate.yaml:1: version: the tag !int is not supported; write the value without a tag",
        id="tag",
    ),
    pytest.param(
        "version: &a [*a]\n",
        "kgate.yaml:1: version[0]: contains itself through an alias; write the value out",
        id="alias of itself",
    ),
    pytest.param(
        "version: 1\n? [a]\n: b\n",
        "kgate.yaml:2: a key is no text; write a name before the colon",
        id="key",
    ),
    pytest.param(
        "version: 2\nkernels: {}\n",
        "kgate.yaml:1: version: this kgate reads version 1, not 2; write 1",
        id="newer",
    ),
    pytest.param(
        "version: 1\nkernels: {}\n",
        "kgate.yaml:2: kernels: names no kernel; add one",
        id="no kernel",
    ),
    pytest.param(
        "version: 1\n",
        "kgate.yaml:1: 'kernels' is missing; add it: the kernels by name",
        id="no kernels",
    ),
    pytest.param(
        "kernels: {}\n",
        "kgate.yaml:1: 'version' is missing; add it: the format of this file",
        id="no version",
    ),
    pytest.param(
        "version: 1\nkernel: {}\n",
        "kgate.yaml:2: kernel: 'kernel' is not a field; did you mean 'kernels'?",
        id="unknown at the top",
    ),
]


@pytest.mark.parametrize(("text", "sentence"), FILE)
def test_a_file_that_is_no_manifest_is_refused(loaded: Loading, text: str, sentence: str) -> None:
    with pytest.raises(ManifestError) as caught:
        loaded(text)

    assert str(caught.value) == sentence


TOP = rows(
    """\
policy: {slower-then-base: fail}
    policy.slower-then-base: 'slower-then-base' is not a rule; did you mean 'slower-than-base'?
policy: {unsteady: error}
    policy.unsteady: 'error' is not a level; known: off, note, warn, fail
env: [1A]
    env[0]: '1A' is not a variable name; write a variable's name, like 'ACME_MODEL_DIR'
env: A
    env: 'A' is not a list; write names of environment variables that a worker may see besides kgate's own
    allow-list
defaults: {timeout_s: 0}
    defaults.timeout_s: 0 is not above 0; write seconds that one case may take in one launch
defaults: {timeout_s: .inf}
    defaults.timeout_s: .inf is not a finite number; write a finite one
gpus: {h100: needed}
    gpus.h100: 'needed' is not a form of a GPU; known: required
gpus: {l4: {probation: 2027-01-31}}
    gpus.l4.probation: not supported by this version; remove it, or write `l4: required`
waivers: []
    waivers: not supported by this version; remove it
accepted: []
    accepted: not supported by this version; remove it
ignore: []
    ignore: not supported by this version; remove it
include: [other.yaml]
    include[0]: 'other.yaml' does not exist; name a file relative to kgate.yaml
include: [../other.yaml]
    include[0]: '../other.yaml' lies outside the repository; include a file below the git root
"""
)


@pytest.mark.parametrize(("top", "sentence"), TOP)
def test_a_wrong_field_at_the_top_is_refused(loaded: Loading, top: str, sentence: str) -> None:
    with pytest.raises(ManifestError) as caught:
        loaded(manifest(top=top))

    assert str(caught.value) == f"kgate.yaml:2: {sentence}"


KERNEL = rows(
    """\
dls: triton
    dls: 'dls' is not a field of a kernel; did you mean 'dsl'?
dsl: tritn
    dsl: 'tritn' is not a DSL; did you mean 'triton'?
reference: acme.gelu.slow
    reference: 'acme.gelu.slow' is not a module:function; write a function by its module and name, like
    'acme.ops:linear_gelu'
targets: [gpu]
    targets[0]: 'gpu' is not a target; write cuda, cpu, or an architecture, like 'cuda'
targets: []
    targets: is empty; write where a workload runs: cuda (every CUDA GPU), one architecture such as sm_90, or
    cpu
targets: [cpu, cpu]
    targets: 'cpu' stands here twice; keep one
steps: 0
    steps: 0 is less than 1; write calls in a row that make one sample
steps: many
    steps: 'many' is not a whole number; write calls in a row that make one sample
production_operator: 7
    production_operator: 7 is not text; write it in quotes
switch: {env: A, custom: 1}
    switch.custom: 1 is not text; write it in quotes
switch: {env: A, custom: true}
    switch.custom: true is not text; write it in quotes
switch: {env: A, read: once}
    switch.read: 'once' is not a moment; known: import, call
switch: {env: A, context: a:b}
    switch.context: 'env' and 'context' are two ways to switch; keep one
switch: {read: call}
    switch: neither 'env' nor 'context'; name the variable, or the context manager, that switches
mutates: [y]
    mutates[0]: 'y' is not an argument of gelu; known: x
reset: a:b
    reset: is called with the state that 'setup' makes, and there is none; add 'setup'
unowned: {reason: r, expires: 2027-01-31}
    unowned: 'owners' and 'unowned' contradict each other; keep one
unowned: {reason: r}
    unowned: 'expires' is missing; add it: the day on which this ends
unowned: {reason: r, expires: soon}
    unowned.expires: 'soon' is not a date; write a day, like '2027-01-31'
kwargs: {}
    kwargs: 'args' and 'kwargs' stand side by side; keep one, all arguments go one way
flops: 2 * K
    flops: in workload 'small', 'K' is not a symbol; known: M
flops: 2 - M * 8
    flops: in workload 'small', '2 - M * 8' is -14, less than 0; mend it
bytes: M / (M - 2)
    bytes: in workload 'small', 'M / (M - 2)' divides by zero; mend it, or the workload's symbols
latency: {min_speedup: 0}
    latency.min_speedup: 0 is not above 0; write time of the fallback over time of the custom path, at the least
tolerance: {bflot16: {rtol: 1}}
    tolerance.bflot16: 'bflot16' is not a dtype or a target; did you mean 'bfloat16'?
tolerance: {float32: {rtoll: 1}}
    tolerance.float32.rtoll: 'rtoll' is not a field of a tolerance; did you mean 'rtol'?
tolerance: {rtoll: 1}
    tolerance.rtoll: 'rtoll' is not a limit; did you mean 'rtol'?
tolerance: {cpu: {int3: {rtol: 1}}}
    tolerance.cpu.int3: 'int3' is not a dtype; did you mean 'int32'?
tolerance: {rtol: -1}
    tolerance.rtol: -1 is less than 0; write relative to |expected|, per element
tune: {space: {t: [1]}, config: a:b}
    tune: not supported by this version; remove it
refuses: [{when: K % 8 != 0, with: ValueError}]
    refuses: not supported by this version; remove it
compile: a:b
    compile: not supported by this version; remove it
unfused: a:b
    unfused: not supported by this version; remove it
evidence: {profile: p}
    evidence: not supported by this version; remove it
compare: topk
    compare: not supported by this version; remove it
compare: topp
    compare: 'topp' is not a comparison; did you mean 'topk'?
inputs: a:b
    inputs: not supported by this version; remove it
deterministic: true
    deterministic: not supported by this version; remove it
subnormals: flush
    subnormals: not supported by this version; remove it
optional: [triton]
    optional: not supported by this version; remove it
direction: both
    direction: 'both' is not supported by this version; write 'forward'
ranks: 2
    ranks: 2 ranks are not supported by this version; write 1, or remove it
"""
)


@pytest.mark.parametrize(("kernel", "sentence"), KERNEL)
def test_a_wrong_field_of_a_kernel_is_refused(loaded: Loading, kernel: str, sentence: str) -> None:
    with pytest.raises(ManifestError) as caught:
        loaded(manifest(kernel=kernel))

    assert str(caught.value) == f"kgate.yaml:9: kernels.gelu.{sentence}"


TENSOR = rows(
    """\
{shape: [M], dtype: bflot16}
    .dtype: 'bflot16' is not a dtype; did you mean 'bfloat16'?
{shape: [M], dtyp: float32}
    .dtyp: 'dtyp' is not a field of a tensor; did you mean 'dtype'?
{shap: [M], dtype: float32}
    .shap: 'shap' is not a field of a tensor; did you mean 'shape'?
{shape: [M]}
    : 'dtype' is missing; add it: torch's name of its dtype, or a symbol that stands for one
{shape: M, dtype: float32}
    .shape: 'M' is not a list; write its sizes: numbers, symbols, arithmetic of them
{shape: [K], dtype: float32}
    .shape[0]: in workload 'small', 'K' is not a symbol; known: M
{shape: [M - 3], dtype: float32}
    .shape[0]: in workload 'small', 'M - 3' is -1, less than 0; mend it, or the workload's symbols
{shape: [M / 4], dtype: float32}
    .shape[0]: in workload 'small', 'M / 4' is 0.5, not a whole number; use // or cdiv
{shape: [-1], dtype: float32}
    .shape[0]: -1 is less than 0; write a whole number from 0 up, or arithmetic of symbols, like 'M'
{shape: [cdiv(M, 2)], dtype: float32}
    .shape[0]: in workload 'small', 'cdiv(M' ends early; in a YAML list put what has a comma in quotes
{shape: [M ** 999], dtype: float32}
    .shape[0]: in workload 'small', the power 2 ** 999 is too large; write a smaller one
{shape: [M * 10 ** 12], dtype: float32}
    .shape: a storage of 2000000000000 elements fits no device; write smaller sizes
{shape: [M, 8], dtype: float32, strides: [8]}
    .strides: 1 strides for 2 dimensions; write one per dimension
{shape: [M, 8], dtype: float32, strides: [-8, 1]}
    .strides[0]: -8 is less than 0; write a whole number from 0 up, or arithmetic of symbols, like 'M'
{shape: [M, 8], dtype: float32, strides: [4, 1]}
    .strides: a stride of 4 makes elements overlap; write 8 or more there, or 0
{shape: [M], dtype: float32, layout: sliced}
    .layout: 'sliced' needs at least 2 dimensions, the shape has 1; leave it out
{shape: [M], dtype: float32, layout: slices}
    .layout: 'slices' is not a layout; did you mean 'sliced'?
{shape: [M], dtype: float32, strides: [1], layout: expanded}
    .layout: 'layout' and 'strides' say the same thing; keep one
{shape: [M], dtype: int32}
    .dtype: a tensor of int32 needs a distribution; add `integers: {high: N}`
{shape: [M], dtype: bool}
    .dtype: a tensor of bool needs a distribution; add `mask: {p: 0.5}`
{shape: [M], dtype: int8, normal: {}}
    .normal: 'normal' does not fit int8; write `integers: {high: N}`
{shape: [M], dtype: int8, integers: {high: 300}}
    .integers: 0 to 299 does not fit int8, which holds -128 to 127; change the values or the dtype
{shape: [M], dtype: int8, constant: 1.5}
    .constant: 1.5 does not fit int8, which holds -128 to 127; change the values or the dtype
{shape: [M], dtype: uint8, integers: {low: -1, high: 3}}
    .integers: -1 to 2 does not fit uint8, which holds 0 to 255; change the values or the dtype
{shape: [M], dtype: int32, integers: {low: 3, high: 3}}
    .integers.high: no integer is from 3 up to but without 3; write a larger high
{shape: [M], dtype: int64, integers: {high: 2 ** 33}}
    .integers.high: 0 to 8589934592 spans more than 2**32; write closer bounds
{shape: [M], dtype: int64, integers: {low: 2 ** 60, high: 2 ** 60 + 1}}
    .integers.low: 1152921504606846976 is beyond 2**53; write a smaller bound
{shape: [M], dtype: int32, integers: {}}
    .integers: 'high' is missing; add it: one above the highest value
{shape: [M], dtype: float32, normal: {std: -1}}
    .normal.std: a standard deviation of -1.0 is less than 0; write 0 or more
{shape: [M], dtype: float32, uniform: {low: 2}}
    .uniform.low: low is 2.0 and high is 1.0; write the lower one as low
{shape: [M], dtype: bool, mask: {p: 1.5}}
    .mask.p: a share of 1.5 is not from 0 to 1; write one that is
{shape: [M], dtype: int64, zipf: {a: 0, high: 9}}
    .zipf.a: an exponent of 0.0 is not above 0; write one that is, like 1.2
{shape: [M], dtype: int64, zipf: {high: 10 ** 9}}
    .zipf.high: high is 1000000000, not from 1 to 2**24; write one that is
{shape: [M], dtype: float32, normal: {}, constant: 1}
    .constant: 'normal' and 'constant' are two distributions; keep one
{shape: [M], dtype: float32, zeros: 2}
    .zeros: 2 is more than 1; write a share from 0 to 1
{shape: [M], dtype: int32, integers: {high: 4}, role: {index: {size: 4}}}
    .role: not supported by this version; remove it
"""
)


@pytest.mark.parametrize(("x", "sentence"), TENSOR)
def test_a_wrong_tensor_is_refused(loaded: Loading, x: str, sentence: str) -> None:
    with pytest.raises(ManifestError) as caught:
        loaded(manifest(x=x))

    assert str(caught.value) == f"kgate.yaml:10: kernels.gelu.args.x{sentence}"


WORKLOAD = rows(
    """\
{M: 2, args: {y: 1}}
    .args.y: 'y' is not an argument of gelu; known: x
{M: 2, args: {x: {dtype: int8}}}
    .args.x.dtype: a tensor of int8 needs a distribution; add `integers: {high: N}`
{M: 2, args: {x: {stride: [8, 1]}}}
    .args.x.stride: 'stride' is not a field of a tensor; did you mean 'strides'?
{M: 2, args: {x: {strides: [1, 1]}}}
    .args.x.strides: a stride of 1 makes elements overlap; write 2 or more there, or 0
{M: 2, source: same}
    .source: 'same' repeats the workload before; name the source of this first one
{M: 2, wieght: 3}
    .wieght: 'wieght' is not a field, and nothing uses it as a symbol; did you mean 'weight'?
{M: 2, weight: 0}
    .weight: 0 is not above 0; write how often production sees it, against the others
{M: [2]}
    .M: a list is not a number or text; write the value of a symbol: a number, a dtype's name or text
{M: true}
    .M: true is not a number or text; write the value of a symbol: a number, a dtype's name or text
{M-1: 2}
    .M-1: 'M-1' is not a symbol; write letters, digits and _, not starting with a digit, like 'M'
{M: 2, grid: {M: [1]}}
    .grid.M: 'M' is a symbol of the workload too; keep one, or rename it
{M: 2, grid: {seed: [1]}}
    .grid.seed: 'seed' is a field of a workload; keep one, or rename it
{grid: {M: []}}
    .grid.M: is empty; write the values of one symbol
{grid: {M: [1, 1]}}
    .grid.M: 1 stands here twice; keep one
{grid: {}}
    .grid: is empty; write lists of values by symbol
{grid: {M: [a/b]}}
    .grid.M[0]: 'a/b' is not a value of a grid; write a number or a word, like 'bfloat16'
3
    : 3 is not a mapping; write one set of arguments
"""
)


@pytest.mark.parametrize(("workload", "sentence"), WORKLOAD)
def test_a_wrong_workload_is_refused(loaded: Loading, workload: str, sentence: str) -> None:
    with pytest.raises(ManifestError) as caught:
        loaded(manifest(workload=workload))

    assert str(caught.value) == f"kgate.yaml:12: kernels.gelu.workloads.small{sentence}"


def test_a_symbol_of_text_is_no_size(loaded: Loading) -> None:
    with pytest.raises(ManifestError) as caught:
        loaded(manifest(workload="{M: float32}"))

    assert str(caught.value) == (
        "kgate.yaml:10: kernels.gelu.args.x.shape[0]: in workload 'small', the symbol 'M' is 'float32', not a number; "
        "give it a number"
    )


def test_a_grid_too_large_is_refused_before_it_is_made(loaded: Loading) -> None:
    values = list(range(100))

    with pytest.raises(ManifestError) as caught:
        loaded(manifest(workload=f"{{grid: {{M: {values}, N: {values}, K: {values}}}}}"))

    assert str(caught.value) == (
        "kgate.yaml:12: kernels.gelu.workloads.small.grid: makes 1000000 workloads, more than 4096; shorten its lists"
    )


@pytest.mark.parametrize(
    ("field", "sentence"),
    [
        ("dispatch", "'dispatch' is missing; add it: the public function that the product calls; it chooses the path"),
        ("custom", "'custom' is missing; add it: the kernel under test"),
        ("fallback", "'fallback' is missing; add it: what the product runs when the kernel is off"),
        (
            "owners",
            "'owners' is missing; add it: who answers for the kernel: @user, @org/team or an e-mail address; "
            "or 'unowned'",
        ),
    ],
)
def test_a_kernel_without_a_required_field_is_refused(loaded: Loading, field: str, sentence: str) -> None:
    lines = manifest().splitlines(keepends=True)
    text = "".join(line for line in lines if not line.startswith(f"    {field}:"))

    with pytest.raises(ManifestError) as caught:
        loaded(text)

    assert str(caught.value) == f"kgate.yaml:4: kernels.gelu: {sentence}"


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()

    with pytest.raises(ManifestError) as caught:
        load(tmp_path / "ci" / "kgate.yaml")

    assert str(caught.value) == "ci/kgate.yaml: no such file; write one, or name another"
    assert caught.value.exit_code is ExitCode.NO_RUN


def test_bytes_that_are_no_text_are_refused_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "kgate.yaml").write_bytes(b"version: 1\nkernels: \xff\n")

    with pytest.raises(ManifestError) as caught:
        load(tmp_path / "kgate.yaml")

    assert str(caught.value) == "kgate.yaml:2: not UTF-8 text; save it as UTF-8"


def test_nesting_without_end_is_refused_and_not_a_crash(loaded: Loading) -> None:
    with pytest.raises(ManifestError, match="nested too deeply"):
        loaded("a: " + "[" * 700)


def test_aliases_of_aliases_are_refused_before_they_fill_the_memory(loaded: Loading) -> None:
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]

    with pytest.raises(ManifestError, match="more than 100000 values; write fewer, or use a grid"):
        loaded("\n".join(lines))


def test_two_files_may_not_have_a_kernel_of_one_name(loaded: Loading) -> None:
    with pytest.raises(ManifestError) as caught:
        loaded(manifest(top="include: [more.yaml]"), **{"more.yaml": manifest()})

    assert str(caught.value) == (
        "more.yaml:4: kernels.gelu: there is a kernel 'gelu' in kgate.yaml:4 already; rename one"
    )


def test_an_included_file_holds_only_version_and_kernels(loaded: Loading) -> None:
    with pytest.raises(ManifestError) as caught:
        loaded(manifest(top="include: [more.yaml]"), **{"more.yaml": manifest(top="policy: {}")})

    assert str(caught.value) == (
        "more.yaml:2: policy: an included file holds only 'version' and 'kernels'; move this to kgate.yaml"
    )
