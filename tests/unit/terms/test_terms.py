"""Base's values against head's: what is found, which way it went, and which of both judge."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgate import terms
from kgate.model import Amendment, Ignored, Kernel, Level, Manifest, Owed, Switch, Tolerance, Workload
from kgate.terms import Held, kernels, manifests
from tests.unit.terms.standing import (
    AT,
    OWED,
    declared,
    held,
    manifest,
    on_another_fingerprint,
    tensor,
    with_case,
    with_kernel,
    with_manifest,
    with_workload,
    work,
)

Plant = Callable[[Held, int, int], Held]


def kernel_with(**changes: object) -> Plant:
    return lambda whole, at, which: with_kernel(whole, lambda k: replace(k, **changes), at)


def workload_with(**changes: object) -> Plant:
    return lambda whole, at, which: with_workload(whole, lambda w: replace(w, **changes), at, which)


def tolerant(key: str, **changes: float | None) -> Plant:
    def change(w: Workload) -> Workload:
        return replace(w, tolerance={**w.tolerance, key: replace(w.tolerance[key], **changes)})

    return lambda whole, at, which: with_workload(whole, change, at, which)


def without_workload(whole: Held, at: int, which: int) -> Held:
    return with_kernel(
        whole, lambda k: replace(k, workloads=tuple(w for n, w in enumerate(k.workloads) if n != which)), at
    )


def without_kernel(whole: Held, at: int, which: int) -> Held:
    return with_manifest(whole, kernels=tuple(k for n, k in enumerate(whole.manifest.kernels) if n != at))


def edited(role: str) -> Plant:
    def plant(whole: Held, at: int, which: int) -> Held:
        function = getattr(whole.manifest.kernels[at], role)
        return replace(whole, code={**whole.code, function: "another digest"})

    return plant


def stored_with(**changes: object) -> Plant:
    def plant(whole: Held, at: int, which: int) -> Held:
        kernel = whole.manifest.kernels[at]
        return with_case(whole, f"{kernel.name}/{kernel.workloads[which].name}", **changes)

    return plant


def level(rule: str, of: Level) -> Plant:
    return lambda whole, at, which: with_manifest(whole, policy={**whole.manifest.policy, rule: of})


# Everything that asks less than base did, and what it is called.
LOOSENINGS: Mapping[str, tuple[Plant, str, str]] = {
    "a tolerance doubled": (tolerant("float32", rtol=2e-3), "loosened", "tolerance float32"),
    "a limit taken out": (tolerant("float32", atol=None), "loosened", "tolerance float32"),
    "a psnr lowered": (tolerant("", psnr=40.0), "loosened", "tolerance"),
    "a tolerance for a dtype by hand": (
        workload_with(tolerance={**work("w", 1).tolerance, "cpu/float32": Tolerance(rtol=1.0)}),
        "loosened",
        "tolerance cpu/float32",
    ),
    "a workload dropped": (without_workload, "removed", "workload"),
    "other arguments": (workload_with(args={"x": tensor(1), "w": tensor()}), "removed", "workload"),
    "a weight of nothing": (workload_with(weight=0.0), "loosened", "weight"),
    "another weight": (workload_with(weight=1.0), "moved", "weight"),
    "a target less": (workload_with(targets=("cuda",)), "removed", "targets"),
    "less work told": (workload_with(flops=1.0), "loosened", "flops"),
    "no bytes told": (workload_with(moved_bytes=None), "loosened", "bytes"),
    "an owner swapped": (kernel_with(owners=("@mallory", "@ada")), "moved", "owners"),
    "an owner gone": (kernel_with(owners=("@ada",)), "removed", "owners"),
    "unowned on purpose": (kernel_with(unowned_reason="left", unowned_expires="2030-01-01"), "loosened", "unowned"),
    "an entry deleted": (without_kernel, "removed", "entry"),
    "another reference": (kernel_with(reference="acme.easy:exact"), "moved", "reference"),
    "another fallback": (kernel_with(fallback="acme.easy:eager"), "moved", "fallback"),
    "another dispatch": (kernel_with(dispatch="acme.easy:gemm"), "moved", "dispatch"),
    "the reference edited": (edited("reference"), "moved", "code of reference"),
    "the fallback edited": (edited("fallback"), "moved", "code of fallback"),
    "no switch": (kernel_with(switch=None), "removed", "switch"),
    "another switch": (kernel_with(switch=Switch(env="OTHER")), "moved", "switch"),
    "no proof of path": (kernel_with(device_kernels=()), "removed", "device_kernels"),
    "a package less to do without": (kernel_with(optional=("cuda",)), "removed", "optional"),
    "bits that may differ": (kernel_with(deterministic=False), "loosened", "deterministic"),
    "less to be gained": (kernel_with(min_speedup=1.01), "loosened", "latency.min_speedup"),
    "nothing to be gained": (kernel_with(min_speedup=None), "loosened", "latency.min_speedup"),
    "more time": (kernel_with(timeout_s=240.0), "loosened", "timeout_s"),
    "another DSL": (kernel_with(dsl="torch"), "moved", "dsl"),
    "what is written": (kernel_with(mutates=("x",)), "moved", "mutates"),
    "more calls in a sample": (kernel_with(steps=2), "moved", "steps"),
    "arguments by name": (kernel_with(keywords=True), "moved", "signature"),
    "a rule lowered": (level("slower-than-base", Level.WARN), "loosened", "policy slower-than-base"),
    "a rule off that had its default": (level("wrong-result", Level.OFF), "loosened", "policy wrong-result"),
    "a GPU less": (lambda h, a, w: with_manifest(h, gpus={}), "removed", "GPU h100"),
    "baselines elsewhere": (lambda h, a, w: with_manifest(h, baselines="x"), "moved", "folder of baselines"),
    "more ignored": (
        lambda h, a, w: with_manifest(
            h, ignored=(*h.manifest.ignored, Ignored(pattern="acme/", reason="x", expires="2027-01-01", place=AT))
        ),
        "loosened",
        "ignore acme/",
    ),
    "ignored for longer": (
        lambda h, a, w: with_manifest(h, ignored=(replace(h.manifest.ignored[0], expires="2030-01-01"),)),
        "loosened",
        "ignore examples/",
    ),
    "a slower baseline": (stored_with(custom_ns=20_000.0), "loosened", "baseline cpu"),
    "a less exact baseline": (stored_with(errors=({"relative_l2": 1e-3},)), "loosened", "baseline cpu"),
    "a baseline with more spread": (stored_with(spread_log=0.3), "loosened", "baseline cpu"),
    "a baseline that forgets its noise": (stored_with(noise={}), "loosened", "baseline cpu"),
    "a baseline deleted": (lambda h, a, w: replace(h, baselines={}), "removed", "baseline cpu"),
    "a baseline of another machine": (lambda h, a, w: on_another_fingerprint(h), "moved", "baseline cpu"),
    "new debt": (
        lambda h, a, w: replace(h, debt=(*h.debt, replace(OWED, name="norm/small"))),
        "loosened",
        "debt wrong-result of norm/small",
    ),
    "debt for longer": (
        lambda h, a, w: replace(h, debt=(replace(OWED, expires="2030-01-01"),)),
        "loosened",
        "debt wrong-result of gemm/small",
    ),
    "debt for ever": (
        lambda h, a, w: replace(h, debt=(replace(OWED, expires="never"),)),
        "loosened",
        "debt wrong-result of gemm/small",
    ),
    "debt of another": (
        lambda h, a, w: replace(h, debt=(replace(OWED, owner="@mallory"),)),
        "moved",
        "debt wrong-result of gemm/small",
    ),
}
HARMLESS: Mapping[str, Plant] = {
    "a tolerance halved": tolerant("float32", rtol=5e-4),
    "a limit more": tolerant("float32", psnr=80.0),
    "more to be gained": kernel_with(min_speedup=1.5),
    "less time": kernel_with(timeout_s=60.0),
    "a target more": workload_with(targets=("cuda", "cpu", "sm_90")),
    "more work told": workload_with(flops=1e12),
    "an owner more": kernel_with(owners=("@acme/kernels", "@ada", "@grace")),
    "owners in other letters": kernel_with(owners=("@Acme/Kernels", "@ADA")),
    "another custom path": kernel_with(custom="acme.better:fused"),
    "words for a reader": kernel_with(production_operator="torch.mm", compile="acme.ops:only"),
    "another place": kernel_with(place=replace(AT, line=99)),
    "a source": workload_with(source="a newer trace"),
    "a workload more": lambda h, a, w: with_kernel(
        h, lambda k: replace(k, workloads=(*k.workloads, work("huge", 9999))), a
    ),
    "an entry more": lambda h, a, w: with_manifest(h, kernels=(*h.manifest.kernels, declared("gelu"))),
    "a rule raised": level("unsteady", Level.FAIL),
    "a default written down": level("wrong-result", Level.FAIL),
    "a GPU more": lambda h, a, w: with_manifest(h, gpus={**h.manifest.gpus, "l4": "required"}),
    "nothing ignored": lambda h, a, w: with_manifest(h, ignored=()),
    "a faster baseline": stored_with(custom_ns=5_000.0),
    "debt paid": lambda h, a, w: replace(h, debt=()),
    "debt due earlier": lambda h, a, w: replace(h, debt=(replace(OWED, expires="2026-12-01"),)),
}
places = st.tuples(st.integers(0, 1), st.integers(0, 1))


def found(head: Held, base: Held | None = None) -> list[Amendment]:
    return list(terms.amendments(base or held(), head))


def wanting(head: Held, base: Held | None = None) -> list[tuple[str, str, str]]:
    return [(a.kind, a.what, a.subject) for a in found(head, base) if a.wants_approval]


def test_the_same_on_both_sides_is_no_change_at_all():
    assert found(held()) == []


@pytest.mark.parametrize(("plant", "kind", "what"), LOOSENINGS.values(), ids=LOOSENINGS)
def test_a_loosening_is_found_by_its_kind_and_name_and_is_base_owners_to_approve(plant, kind, what):
    (amendment,) = [a for a in found(plant(held(), 0, 1)) if a.wants_approval]

    assert (amendment.kind, amendment.what) == (kind, what)
    assert amendment.owners == ("@acme/kernels", "@ada")


@given(places, st.lists(st.sampled_from(sorted(LOOSENINGS)), min_size=1, max_size=3), st.sampled_from(sorted(HARMLESS)))
def test_a_loosening_planted_anywhere_is_found_beside_whatever_else_changes(place, plants, harmless):
    head = HARMLESS[harmless](held(), *place)
    for name in plants:
        head = LOOSENINGS[name][0](head, *place)
        if not (len(head.manifest.kernels) > place[0] and len(head.manifest.kernels[place[0]].workloads) > place[1]):
            break

    assert wanting(head)


@given(places, st.lists(st.sampled_from(sorted(HARMLESS)), max_size=4))
def test_what_only_adds_or_tightens_wants_nobodys_approval(place, plants):
    head = held()
    for name in plants:
        head = HARMLESS[name](head, *place)

    assert wanting(head) == []


@given(places, st.sampled_from(sorted({**LOOSENINGS, **HARMLESS})))
def test_with_approval_head_judges_and_without_nothing_of_head_that_asks_less(place, name):
    plant = LOOSENINGS[name][0] if name in LOOSENINGS else HARMLESS[name]
    head = plant(held(), *place)

    approved, _, debt = terms.judging(head, held(), ("@ada",))
    pending, _, _ = terms.judging(head, held(), ("@mallory",))
    left = [a for a in terms.amendments(held(), replace(head, manifest=pending)) if a.kind in ("loosened", "removed")]

    assert (approved, debt) == (head.manifest, head.debt)
    stored = ("entry", "baseline", "debt", "GPU", "ignore", "folder")
    assert [a.what for a in left if not a.what.startswith(stored)] == []


def in_another_file(whole: Held) -> Held:
    """Every module below acme moved below acme.kernels."""

    def moved(function: str) -> str:
        return function.replace("acme.", "acme.kernels.", 1)

    roles = ("dispatch", "custom", "fallback", "reference")
    made = tuple(replace(k, **{r: moved(getattr(k, r)) for r in roles}) for k in whole.manifest.kernels)
    return replace(
        whole,
        manifest=replace(whole.manifest, kernels=made),
        code={moved(function): digest for function, digest in whole.code.items()},
        modules=frozenset(map(moved, whole.modules)),
    )


def renamed(whole: Held, at: int = 0) -> Held:
    """A kernel under another name, with other streams, since these are made of names; stored under the new one."""
    old = whole.manifest.kernels[at].name

    def change(one: Kernel) -> Kernel:
        again = tuple(
            replace(w, args={n: replace(a, stream=a.stream + 999) for n, a in w.args.items()}) for w in one.workloads
        )
        return replace(one, name="better", workloads=again)

    stored = {
        device: replace(b, cases={n.replace(f"{old}/", "better/"): c for n, c in b.cases.items()})
        for device, b in whole.baselines.items()
    }
    debt = tuple(replace(o, name=o.name.replace(f"{old}/", "better/")) for o in whole.debt)
    return replace(with_kernel(whole, change, at), baselines=stored, debt=debt)


@pytest.mark.parametrize("rename", [in_another_file, renamed])
def test_a_rename_alone_is_seen_as_one_and_wants_no_approval(rename):
    kinds = {a.kind for a in found(rename(held()))}

    assert kinds == {"renamed"}


@pytest.mark.parametrize("rename", [in_another_file, renamed], ids=["file", "kernel"])
@given(place=places, name=st.sampled_from(sorted(LOOSENINGS)))
def test_a_rename_hides_no_loosening_and_adds_none(rename, place, name):
    plant, kind, what = LOOSENINGS[name]
    head = rename(plant(held(), *place))

    told = [(k, w.replace("better", "gemm")) for k, w, _ in wanting(head)]

    assert told == [(kind, what)]


def test_a_renamed_workload_is_judged_by_its_old_limits():
    head = with_workload(held(), lambda w: replace(w, name="tiny", tolerance={"": Tolerance(rtol=1.0)}))

    assert [a.kind for a in found(head) if a.what == "workload"] == ["renamed"]
    assert ("loosened", "tolerance float32", "gemm/tiny") in wanting(head)
    judged, _, _ = terms.judging(head, held(), ())
    assert judged.kernels[0].workloads[0].tolerance == work("small", 64).tolerance


def test_base_is_told_in_heads_words_so_that_both_can_be_run_side_by_side():
    _, base, _ = terms.judging(renamed(held()), held(), ())

    assert [k.name for k in base.kernels] == ["better", "norm"]
    assert base.kernels[0].workloads[0].args == renamed(held()).manifest.kernels[0].workloads[0].args


def test_a_workload_that_was_dropped_is_run_all_the_same():
    judged, _, _ = terms.judging(without_workload(held(), 0, 1), held(), ())

    assert [w.name for w in judged.kernels[0].workloads] == ["small", "large"]


def test_with_another_signature_head_is_judged_by_its_own_manifest():
    def change(one: Kernel) -> Kernel:
        again = tuple(
            replace(w, args={**w.args, "b": tensor()}, tolerance={"": Tolerance(rtol=1.0)}) for w in one.workloads
        )
        return replace(one, workloads=again)

    head = with_kernel(held(), change)
    judged, _, _ = terms.judging(head, held(), ())

    assert wanting(head) == [("moved", "signature", "gemm")]
    assert judged.kernels[0] == head.manifest.kernels[0]


def test_dropping_every_workload_is_no_other_signature():
    head = with_kernel(held(), lambda k: replace(k, workloads=()))

    assert wanting(head) == [("removed", "workload", "gemm/small"), ("removed", "workload", "gemm/large")]


def test_a_swapped_owner_is_not_the_one_who_is_told():
    judged, _, _ = terms.judging(kernel_with(owners=("@mallory",))(held(), 0, 0), held(), ("@mallory",))

    assert judged.kernels[0].owners == ("@acme/kernels", "@ada")


@pytest.mark.parametrize(
    ("debt", "counts"),
    [
        ((OWED, replace(OWED, name="norm/small")), (OWED,)),
        ((replace(OWED, expires="2030-01-01"),), (OWED,)),
        ((replace(OWED, owner="@mallory"),), (OWED,)),
        ((replace(OWED, expires="2026-12-01"),), (replace(OWED, expires="2026-12-01"),)),
        ((), ()),
    ],
)
def test_the_debt_of_base_is_the_ceiling(debt: tuple[Owed, ...], counts: tuple[Owed, ...]) -> None:
    _, _, found_debt = terms.judging(held(debt=debt), held(), ())

    assert found_debt == counts


def names_of(kind: type) -> set[str]:
    return {field.name for field in dataclasses.fields(kind)}


def test_every_field_that_can_be_declared_is_known_to_judge_or_not_to():
    assert names_of(Kernel) == {*kernels.KERNEL, *kernels.KERNEL_APART, *kernels.KERNEL_SILENT}
    assert names_of(Workload) == {*kernels.WORKLOAD, *kernels.WORKLOAD_APART, *kernels.WORKLOAD_SILENT}
    assert names_of(Tolerance) == {*kernels.LIMITS}
    assert names_of(Manifest) == {*manifests.APART, *manifests.SILENT}
    assert manifest().kernels
