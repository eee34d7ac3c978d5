"""Cases shared over several GPUs, which are names here."""

from hypothesis import given
from hypothesis import strategies as st

from kgate.lanes import by_device, dealt, elsewhere

GPUS = ("cuda:0", "cuda:1", "cuda:2")
names = st.lists(st.text(min_size=1, max_size=3), unique=True, max_size=20)


@given(names)
def test_every_case_has_one_gpu_and_the_shares_differ_by_one_at_most(cases):
    shares = by_device(dealt(cases, GPUS), cases)

    assert sorted(case for share in shares.values() for case in share) == sorted(cases)
    sizes = [len(shares.get(gpu, ())) for gpu in GPUS]
    assert max(sizes) - min(sizes) <= 1


@given(names)
def test_a_confirmation_is_on_another_gpu_than_the_claim(cases):
    homes = dealt(cases, GPUS)

    moved = elsewhere(homes, cases[::-1], GPUS)

    assert all(moved[case] != homes[case] for case in cases)


def test_one_gpu_confirms_its_own_claims():
    assert elsewhere({"a": "cuda:1"}, ["a"], ("cuda:1",)) == {"a": "cuda:1"}


def test_a_run_that_goes_on_puts_what_is_left_of_a_look_where_it_was():
    cases = ["a", "b", "c", "d", "e"]

    again = by_device(dealt(cases, GPUS[:2]), ["b", "d", "e"])

    assert again == {"cuda:1": ["b", "d"], "cuda:0": ["e"]}
