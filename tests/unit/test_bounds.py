"""What an output may differ from its reference."""

from dataclasses import replace

from kgate.bounds import bounds_of, held_to, longest_dimension
from kgate.model import BASE, FALLBACK, HEAD, Tolerance, Variant
from kgate.plan import plan
from kgate.protocol import Fill, ListArg, TensorArg, ValueArg
from kgate.varying import with_variants
from tests.unit import builders
from tests.unit.test_plan import CPU, kernel, manifest, workload


def test_a_bound_by_hand_comes_first_then_what_the_fallbacks_error_allows_then_the_cap() -> None:
    outputs = builders.answer().outputs
    plain = workload("w", "cpu")
    by_hand = replace(plain, tolerance={"float32": Tolerance(rtol=0.5)})
    sound = builders.right()

    sources = [
        bounds_of(declared, CPU, arm, outputs, errors)[0].source
        for declared, arm, errors in (
            (by_hand, HEAD, sound),
            (plain, HEAD, sound),
            (plain, HEAD, builders.wrong()),
            (plain, HEAD, ()),
            (plain, FALLBACK, sound),
        )
    ]

    assert sources == ["manifest", "derived", "cap", "cap", "cap"]


def test_a_variant_of_base_is_held_to_the_tolerance_of_base_s_own_workload() -> None:
    wide = {"float32": Tolerance(rtol=0.5)}
    before = manifest(kernel("add", replace(workload("w", "cpu"), tolerance=wide)))
    of, asked = builders.case("add", "w"), builders.case("add", "w~K = 129")
    variant = Variant(of=of, kind="K", change="K = 129", workload=workload("w~K = 129", "cpu"))
    mine = with_variants(plan(manifest(kernel("add", workload("w", "cpu"))), before, CPU), [variant])

    assert (held_to(mine, HEAD, asked).tolerance, held_to(mine, BASE, asked).tolerance) == ({}, wide)


def test_the_longest_dimension_is_looked_for_in_lists_as_well() -> None:
    def of(*shape: int) -> TensorArg:
        return TensorArg(shape=shape, dtype="float32", fill=Fill(kind="normal", b=1.0), stream=0)

    assert longest_dimension([of(2, 3), ListArg(items=(of(7), ValueArg(value=99)))]) == 7
    assert longest_dimension([ValueArg(value=3), of()]) == 1
