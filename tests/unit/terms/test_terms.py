"""Base's values against head's: what is found, which way it went, and which of both judge."""

import dataclasses
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kgate.model import Amendment, Gpu, Kernel, Manifest, Owed, Tolerance, Workload
from kgate.terms import Change, Held, kernels, manifests
from tests.unit.terms.changes import HARMLESS, LOOSENINGS, kernel_with, without_kernel, without_workload
from tests.unit.terms.standing import (
    OWED,
    held,
    manifest,
    tensor,
    with_kernel,
    with_manifest,
    with_workload,
    work,
)

places = st.tuples(st.integers(0, 1), st.integers(0, 1))


def found(head: Held, base: Held | None = None) -> list[Amendment]:
    return list(Change(base=base or held(), head=head).amendments)


def judging(head: Held, base: Held, approved_by: tuple[str, ...]) -> tuple[Manifest, Manifest, tuple[Owed, ...]]:
    return Change(base=base, head=head).judging(approved_by)


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
    before = HARMLESS[harmless](held(), *place)
    head = before
    for name in plants:
        # What an earlier one has taken away cannot be changed any more.
        with suppress(IndexError, KeyError):
            head = LOOSENINGS[name][0](head, *place)
    assume(head != before)

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

    approved, _, debt = judging(head, held(), ("@ada",))
    pending, _, _ = judging(head, held(), ("@mallory",))
    left = [a for a in found(replace(head, manifest=pending)) if a.kind in ("loosened", "removed")]

    assert (approved, debt) == (head.manifest, head.debt)
    stored = ("entry", "baseline", "debt", "GPU", "ignore", "waiver", "folder")
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
    judged, _, _ = judging(head, held(), ())
    assert judged.kernels[0].workloads[0].tolerance == work("small", 64).tolerance


def test_base_is_told_in_heads_words_so_that_both_can_be_run_side_by_side():
    _, base, _ = judging(renamed(held()), held(), ())

    assert [k.name for k in base.kernels] == ["better", "norm"]
    assert base.kernels[0].workloads[0].args == renamed(held()).manifest.kernels[0].workloads[0].args


def test_a_workload_that_was_dropped_is_run_all_the_same():
    judged, _, _ = judging(without_workload(held(), 0, 1), held(), ())

    assert [w.name for w in judged.kernels[0].workloads] == ["small", "large"]


def test_with_another_signature_head_is_judged_by_its_own_manifest():
    def change(one: Kernel) -> Kernel:
        again = tuple(
            replace(w, args={**w.args, "b": tensor()}, tolerance={"": Tolerance(rtol=1.0)}) for w in one.workloads
        )
        return replace(one, workloads=again)

    head = with_kernel(held(), change)
    judged, _, _ = judging(head, held(), ())

    assert wanting(head) == [("moved", "signature", "gemm")]
    assert judged.kernels[0] == head.manifest.kernels[0]


def test_dropping_every_workload_is_no_other_signature():
    head = with_kernel(held(), lambda k: replace(k, workloads=()))

    assert wanting(head) == [("removed", "workload", "gemm/small"), ("removed", "workload", "gemm/large")]


def test_the_first_gpu_that_is_named_spares_every_other_device_and_the_last_that_goes_is_gone():
    base, head = with_manifest(held(), gpus={}), with_manifest(held(), gpus={"l4": Gpu(probation="2099-01-31")})

    (amendment,) = found(head, base)

    assert (amendment.kind, amendment.what, amendment.before) == ("loosened", "GPUs", "every kind of device")
    assert amendment.after == "l4: probation until 2099-01-31"
    assert wanting(base, head) == [("removed", "GPU l4", "all kernels")]


def test_where_the_manifest_names_no_owner_whom_codeowners_asks_is_to_approve():
    unnamed = with_kernel(held(), lambda k: replace(k, owners=()))
    base = replace(unnamed, asked={"gemm": ("@acme/gpu",)})
    for plant in ("a tolerance doubled", "a slower baseline", "debt for longer", "an entry deleted"):
        (amendment,) = found(LOOSENINGS[plant][0](unnamed, 0, 0), base)

        assert amendment.owners == ("@acme/gpu",)
        assert not amendment.approved(("@anybody",))
        assert amendment.approved(("@Acme/GPU",))

    (of_all,) = found(LOOSENINGS["a rule lowered"][0](unnamed, 0, 0), base)
    (nobodys,) = found(LOOSENINGS["a tolerance doubled"][0](unnamed, 0, 0), unnamed)

    assert of_all.owners == ("@acme/gpu", "@acme/kernels", "@ada")
    assert nobodys.approved(("@anybody",))


def test_thousands_of_renamed_workloads_are_told_one_from_another():
    grid = tuple(work(f"m{size}", size) for size in range(1, 2001))
    base = with_kernel(held(), lambda k: replace(k, workloads=grid))
    head = with_kernel(held(), lambda k: replace(k, workloads=tuple(replace(w, name=f"n{w.name}") for w in grid)))

    assert {a.kind for a in found(head, base)} == {"renamed"}


def test_a_swapped_owner_is_not_the_one_who_is_told():
    judged, _, _ = judging(kernel_with(owners=("@mallory",))(held(), 0, 0), held(), ("@mallory",))

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
    _, _, found_debt = judging(held(debt=debt), held(), ())

    assert found_debt == counts


def names_of(kind: type) -> set[str]:
    return {field.name for field in dataclasses.fields(kind)}


def test_every_field_that_can_be_declared_is_known_to_judge_or_not_to():
    assert names_of(Kernel) == {*kernels.KERNEL, *kernels.KERNEL_APART, *kernels.KERNEL_SILENT}
    assert names_of(Workload) == {*kernels.WORKLOAD, *kernels.WORKLOAD_APART, *kernels.WORKLOAD_SILENT}
    assert names_of(Tolerance) == {*kernels.LIMITS}
    assert names_of(Manifest) == {*manifests.APART, *manifests.SILENT}
    assert manifest().kernels


def test_six_changes_at_once_are_six_findings_of_the_right_kind_and_base_judges():
    head = held()
    for name in (
        "a tolerance doubled",
        "an owner swapped",
        "the reference edited",
        "a slower baseline",
    ):
        head = LOOSENINGS[name][0](head, 0, 0)
    head = without_kernel(without_workload(head, 0, 1), 1, 0)
    expected = {
        ("loosened", "tolerance float32", "gemm/small"),
        ("removed", "workload", "gemm/large"),
        ("moved", "owners", "gemm"),
        ("removed", "entry", "norm"),
        ("moved", "code of reference", "gemm"),
        ("loosened", "baseline cpu", "gemm"),
    }

    for changed in (head, in_another_file(head), renamed(head)):
        told = {(kind, what, subject.replace("better", "gemm")) for kind, what, subject in wanting(changed)}
        judged, _, _ = judging(changed, held(), ())

        assert told == expected
        assert [w.tolerance for w in judged.kernels[0].workloads] == [work("w", 1).tolerance] * 2
        assert judged.kernels[0].owners == ("@acme/kernels", "@ada")
