"""What is wrong with a field is said in one sentence: file, line, path, value, the nearest valid one."""

import pytest

from kgate.errors import ManifestError
from tests.unit.load.conftest import Loading
from tests.unit.load.wrong import manifest, rows

TOP = rows(
    """\
policy: {slower-then-base: fail}
    policy.slower-then-base: 'slower-then-base' is not a rule; did you mean 'slower-than-base'?
policy: {not-measured: error}
    policy.not-measured: 'error' is not a level; known: off, note, warn, fail
policy: {not-tuned-here: warn}
    policy.not-tuned-here: not supported by this version; remove it
policy: {slower-than-base: warn, not-tuned-here: off}
    policy.not-tuned-here: not supported by this version; remove it
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
gpus: {"H100 PCIe": required}
    gpus.H100 PCIe: 'H100 PCIe' is not a name of a GPU kind; write the name that a run's report gives it, like 'h100'
gpus: {h100: {probation: soon}}
    gpus.h100.probation: 'soon' is not a date; write a day, like '2027-01-31'
waivers: [{gpu: l4, reason: away, expires: 2027-01-31}]
    waivers[0].gpu: 'l4' is not among `gpus`; there is none
accepted: [{case: gelu, rule: slower-than-base, bound: 0.1, reason: x, until: 2027-01-31}]
    accepted[0].case: 'gelu' is not a case; write a kernel and a workload of it, like 'linear_gelu/decode1'
accepted: [{case: gelu/a, rule: wrong-result, bound: 0.1, reason: x, until: 2027-01-31}]
    accepted[0].rule: 'wrong-result' is not a rule whose findings can be accepted; known: slower-than-base,
    slower-than-fallback
accepted: [{case: gelu/a, rule: slower-than-base, bound: 0, reason: x, until: 2027-01-31}]
    accepted[0].bound: 0 is not above 0; write how much slower it may be, as a share: 0.08 is 8 %
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
targets: [cuda, sm_91]
    targets[1]: 'sm_91' is not a target; did you mean 'sm_90'?
targets: [sm_900a]
    targets[0]: 'sm_900a' is not a target; did you mean 'sm_90a'?
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
optional: [torch]
    optional[0]: torch makes the tensors of every path, so no drill can take it away; remove it
optional: [fastops, acme]
    optional[1]: 'acme' is where 'dispatch' itself is (acme.ops:gelu), so nothing is left to call; name what the kernel
    imports and the fallback does not
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
flops: 2 - M * 8
    flops: in workload 'small', '2 - M * 8' is -14, less than 0; mend it
bytes: M / (M - 2)
    bytes: in workload 'small', 'M / (M - 2)' divides by zero; mend it, or the workload's symbols
latency: {min_speedup: 0}
    latency.min_speedup: 0 is not above 0; write time of the fallback over time of the custom path, at the least
tolerance: {bflot16: {rtol: 1}}
    tolerance.bflot16: 'bflot16' is not a dtype or a target; did you mean 'bfloat16'?
tolerance: {half: {rtol: 1}}
    tolerance.half: 'half' is not a dtype or a target; did you mean 'float16'?
tolerance: {float32: {rtoll: 1}}
    tolerance.float32.rtoll: 'rtoll' is not a field of a tolerance; did you mean 'rtol'?
tolerance: {rtoll: 1}
    tolerance.rtoll: 'rtoll' is not a limit; did you mean 'rtol'?
tolerance: {cpu: {int3: {rtol: 1}}}
    tolerance.cpu.int3: 'int3' is not a dtype; did you mean 'int32'?
tolerance: {cosine: 0.99}
    tolerance.cosine: accepts by itself an answer 1000 times too large; add 'rtol', 'atol' or 'psnr'
tolerance: {cpu: {float16: {cosine: 0.99}}}
    tolerance.cpu.float16.cosine: accepts by itself an answer 1000 times too large; add 'rtol', 'atol' or 'psnr'
tolerance: {rtol: -1}
    tolerance.rtol: -1 is less than 0; write relative to |expected|, per element
tune: {space: {t: []}, config: a:b}
    tune.space.t: is empty; write the values of one choice
unfused: a:b
    unfused: not supported by this version; remove it
evidence: {profil: p}
    evidence.profil: 'profil' is not a field; did you mean 'profile'?
compare: topp
    compare: 'topp' is not a comparison; did you mean 'topk'?
inputs: a:b
    inputs: not supported by this version; remove it
subnormals: flushed
    subnormals: 'flushed' is not a treatment; did you mean 'flush'?
ranks: 2
    ranks: 2 ranks are not supported by this version; write 1, or remove it
"""
)


@pytest.mark.parametrize(("kernel", "sentence"), KERNEL)
def test_a_wrong_field_of_a_kernel_is_refused(loaded: Loading, kernel: str, sentence: str) -> None:
    with pytest.raises(ManifestError) as caught:
        loaded(manifest(kernel=kernel))

    assert str(caught.value) == f"kgate.yaml:9: kernels.gelu.{sentence}"


@pytest.mark.parametrize(
    ("field", "sentence"),
    [
        ("dispatch", "'dispatch' is missing; add it: the public function that the product calls; it chooses the path"),
        ("workloads", "'workloads' is missing; add it: the sets of arguments that production sees, by name"),
        (
            "owners",
            "'owners' is missing; add it: who answers for the kernel: @user, @org/team or an e-mail address; "
            "`owners: []` where CODEOWNERS alone names them; or 'unowned'",
        ),
    ],
)
def test_a_kernel_without_a_required_field_is_refused(loaded: Loading, field: str, sentence: str) -> None:
    lines = manifest().splitlines(keepends=True)
    last = "      small:" if field == "workloads" else "\0"
    text = "".join(line for line in lines if not line.startswith((f"    {field}:", last)))

    with pytest.raises(ManifestError) as caught:
        loaded(text)

    assert str(caught.value) == f"kgate.yaml:4: kernels.gelu: {sentence}"


def test_a_mistyped_field_is_told_in_place_of_the_one_that_is_missing_for_it(loaded: Loading) -> None:
    with pytest.raises(ManifestError) as caught:
        loaded(manifest().replace("owners:", "owner:"))

    assert (
        str(caught.value)
        == "kgate.yaml:5: kernels.gelu.owner: 'owner' is not a field of a kernel; did you mean 'owners'?"
    )


def test_several_errors_are_told_on_lines_of_their_own_the_unknown_before_the_missing(loaded: Loading) -> None:
    text = manifest(top="polcy: {}", kernel="steps: 0").replace("    dispatch: acme.ops:gelu\n", "")

    with pytest.raises(ManifestError) as caught:
        loaded(text)

    assert str(caught.value).split("\n") == [
        "kgate.yaml:2: polcy: 'polcy' is not a field; did you mean 'policy'?",
        "kgate.yaml:8: kernels.gelu.steps: 0 is less than 1; write calls in a row that make one sample",
        "kgate.yaml:4: kernels.gelu: 'dispatch' is missing; add it: the public function that the product calls; it "
        "chooses the path",
    ]


def test_of_many_errors_the_first_three_are_told(loaded: Loading) -> None:
    with pytest.raises(ManifestError) as caught:
        loaded("version: 1\nkernels:\n  gelu: {a1: 1, b1: 2}\n  silu: {c1: 3, d1: 4}\n")

    assert [line.partition(": ")[0] for line in str(caught.value).split("\n")] == [
        "kgate.yaml:3",
        "kgate.yaml:3",
        "kgate.yaml:4",
    ]


def test_a_dispatch_that_is_the_custom_path_leaves_a_switch_nothing_to_choose(loaded: Loading) -> None:
    same = manifest(kernel="switch: {env: A}").replace("dispatch: acme.ops:gelu", "dispatch: acme.gelu:fused")

    with pytest.raises(ManifestError) as caught:
        loaded(same)

    assert str(caught.value) == (
        "kgate.yaml:7: kernels.gelu.custom: 'custom' and 'dispatch' are both 'acme.gelu:fused', so the switch has "
        "nothing to choose between; name in 'custom' the kernel that 'dispatch' calls when the switch is on"
    )


def test_a_dispatch_that_is_the_custom_path_is_taken_where_there_is_no_switch(loaded: Loading) -> None:
    text = manifest().replace("dispatch: acme.ops:gelu", "dispatch: acme.gelu:fused")

    assert loaded(text).kernels[0].dispatch == "acme.gelu:fused"


def test_a_fallback_that_is_the_custom_path_is_no_error_of_form(loaded: Loading) -> None:
    text = manifest(kernel="switch: {env: A}").replace("fallback: acme.gelu:eager", "fallback: acme.gelu:fused")

    assert loaded(text).kernels[0].fallback == "acme.gelu:fused"


def test_an_empty_list_of_owners_leaves_them_to_codeowners(loaded: Loading) -> None:
    text = manifest().replace('owners: ["@acme/kernels"]', "owners: []")

    assert loaded(text).kernels[0].owners == ()


def test_paths_may_be_left_to_dispatch(loaded: Loading) -> None:
    lines = manifest().splitlines(keepends=True)

    kernel = loaded("".join(line for line in lines if not line.startswith(("    custom:", "    fallback:")))).kernels[0]

    assert (kernel.dispatch, kernel.custom, kernel.fallback) == ("acme.ops:gelu", "", "")
    assert not kernel.complete


@pytest.mark.parametrize("target", ["sm_70", "sm_90a", "sm_103", "sm_120f"])
def test_every_architecture_that_there_is_can_be_a_target(loaded: Loading, target: str) -> None:
    kernel = loaded(manifest(kernel=f"targets: [{target}]")).kernels[0]

    assert kernel.workloads[0].targets == (target,)
