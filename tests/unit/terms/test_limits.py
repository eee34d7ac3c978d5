"""Tolerances by dtype and target: what is weighed is what holds for an output, wherever it is written."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from kgate.model import Tolerance
from kgate.terms import Change, Held
from tests.unit.terms.standing import held, with_workload, work


def held_to(tolerance: dict[str, Tolerance]) -> Held:
    return with_workload(held(), lambda w: replace(w, tolerance=tolerance))


def wanting(head: Held, base: Held) -> list[tuple[str, str, str]]:
    return [(a.kind, a.what, a.subject) for a in Change(base=base, head=head).amendments if a.wants_approval]


def test_a_limit_of_a_target_that_takes_a_tighter_ones_place_for_a_dtype_is_looser_there():
    base = held_to({"": Tolerance(rtol=1e-2), "bfloat16": Tolerance(rtol=1e-3)})
    head = held_to({"": Tolerance(rtol=1e-2), "bfloat16": Tolerance(rtol=1e-3), "cuda/": Tolerance(rtol=9e-3)})

    assert wanting(head, base) == [("loosened", "tolerance cuda/bfloat16", "gemm/small")]


def test_a_limit_of_an_architecture_is_weighed_against_its_kinds_and_not_against_all_devices():
    base = held_to({"": Tolerance(rtol=1e-1), "cuda/bfloat16": Tolerance(rtol=1e-3)})
    head = held_to({"": Tolerance(rtol=1e-1), "cuda/bfloat16": Tolerance(rtol=1e-3), "sm_90/": Tolerance(rtol=9e-2)})

    assert wanting(head, base) == [("loosened", "tolerance sm_90/bfloat16", "gemm/small")]


def test_a_limit_that_is_written_elsewhere_and_holds_for_the_same_is_no_change():
    base = held_to({"": Tolerance(rtol=1e-2), "bfloat16": Tolerance(rtol=1e-3)})
    head = held_to({"cuda/": Tolerance(rtol=1e-2), "cpu/": Tolerance(rtol=1e-2), "bfloat16": Tolerance(rtol=1e-3)})
    spelt = held_to({**head.manifest.kernels[0].workloads[0].tolerance, "cuda/bfloat16": Tolerance(rtol=1e-3)})
    spelt = with_workload(spelt, lambda w: replace(w, tolerance={**w.tolerance, "cpu/bfloat16": Tolerance(rtol=1e-3)}))

    assert Change(base=base, head=spelt).amendments == ()
    assert wanting(head, base) == [("loosened", "tolerance bfloat16", "gemm/small")]


LIMITS = st.builds(Tolerance, rtol=st.sampled_from([None, 1e-3, 1e-2]), atol=st.sampled_from([None, 1e-4, 1e-3]))
DECLARED = st.dictionaries(
    st.sampled_from(["", "bfloat16", "cuda/", "cuda/bfloat16", "sm_90/", "sm_90/bfloat16", "cpu/"]), LIMITS
)


@given(DECLARED, DECLARED)
def test_wherever_limits_are_written_whatever_holds_for_an_output_and_lets_more_through_is_found(old, new):
    """What passes: atol + rtol * |expected|, with small and large values expected; no limit by hand is derived."""
    before, after = work("w", 1), work("w", 1)
    before, after = replace(before, tolerance=old), replace(after, tolerance=new)
    looser = False
    for dtype in ("bfloat16", "float16"):
        for on in (("cpu",), ("cuda",), ("sm_90", "cuda"), ("sm_80", "cuda")):
            one, other = before.tolerance_of(dtype, on), after.tolerance_of(dtype, on)
            allowed = [[(t.atol or 0.0) + (t.rtol or 0.0) * size for size in (0.0, 1e6)] for t in (one, other) if t]
            both = len(allowed) == 2 and Tolerance() not in (one, other)
            looser |= both and any(b > a for a, b in zip(*allowed, strict=True))

    told = {kind for kind, _, _ in wanting(held_to(new), held_to(old))}

    assert not looser or "loosened" in told
