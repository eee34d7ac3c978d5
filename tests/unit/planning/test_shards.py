"""Kernels over runners: each once, none with much more to do than another, always alike."""

from hypothesis import given
from hypothesis import strategies as st

from kgate.planning.choice import Choice, Status
from kgate.planning.shards import shared


def choices(minutes: list[float | None], status: Status = Status.CHANGED) -> list[Choice]:
    return [
        Choice(kernel=f"k{n}", status=status, why="", cases=("small",), minutes=each) for n, each in enumerate(minutes)
    ]


def test_the_longest_kernels_are_shared_out_first() -> None:
    found = shared(choices([1.0, 2.0, 3.0, 6.0]), 2)

    assert found == {"k3": 1, "k2": 2, "k1": 2, "k0": 2}


def test_a_kernel_of_unknown_cost_counts_as_the_mean_of_the_others() -> None:
    found = shared(choices([4.0, None, 2.0, 3.0]), 2)

    assert found == {"k0": 1, "k1": 2, "k3": 2, "k2": 1}


def test_what_is_carried_is_shared_out_by_itself() -> None:
    carried = [Choice(kernel=f"c{n}", status=Status.CARRIED, why="", cases=("small",)) for n in range(4)]

    found = shared([*choices([9.0]), *carried], 2)

    assert [found[f"c{n}"] for n in range(4)] == [1, 2, 1, 2]


@given(st.lists(st.one_of(st.none(), st.floats(0, 100)), max_size=30), st.integers(1, 8))
def test_no_shard_has_more_than_its_part_and_one_kernel(minutes: list[float | None], shards: int) -> None:
    made = choices(minutes)
    known = [m for m in minutes if m is not None]
    each = sum(known) / len(known) if known else 1.0
    weights = {c.kernel: each if c.minutes is None else c.minutes for c in made}

    found = shared(made, shards)

    loads = [sum(weights[name] for name, at in found.items() if at == shard + 1) for shard in range(shards)]
    assert set(found) == set(weights)
    assert max(loads) <= sum(loads) / shards + max(weights.values(), default=0) + 1e-9
    assert found == shared(made[::-1], shards)
