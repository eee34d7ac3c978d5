"""One log line at the first fallback of each reason; a call of the custom path says nothing."""

import pytest


class Busy(Exception):
    pass


class Full(Exception):
    pass


def test_the_custom_path_logs_nothing(product, lines):
    product()(2)

    assert lines() == []


@pytest.mark.parametrize(
    ("declaration", "text"),
    [
        ({"needs": lambda: "it is Friday"}, "runs its fallback (unavailable): it is Friday. Said once;"),
        ({"when": lambda x: False}, "runs its fallback (refused): when= said no to (2). Said once;"),
    ],
)
def test_a_fallback_that_nobody_asked_for_is_one_warning(product, lines, declaration, text):
    triple = product(**declaration)

    for _ in range(3):
        triple(2)

    assert [level for level, _ in lines()] == ["WARNING"]
    assert text in lines()[0][1]
    assert lines()[0][1].startswith(triple.name)


def test_a_fallback_that_somebody_asked_for_is_for_information(product, lines, switch, monkeypatch):
    triple = product()
    monkeypatch.setenv(switch, "0")

    for _ in range(3):
        triple(2)

    assert [level for level, _ in lines()] == ["INFO"]
    assert f"(switch): {switch}=0." in lines()[0][1]


def test_each_kind_of_failure_is_said_once(product, lines):
    def kernel(x):
        raise (Busy if x % 2 else Full)(f"at {x}\nwith details")

    triple = product(kernel, fallback_on=(Busy, Full))

    for x in range(4):
        triple(x)

    assert [text.partition("(failed): ")[2] for _, text in lines()] == [
        "Full: at 0. Said once; counts() goes on.",
        "Busy: at 1. Said once; counts() goes on.",
    ]


def test_each_reason_has_its_own_line(product, lines, switch, monkeypatch):
    triple = product(when=lambda x: x > 0)

    triple(0)
    monkeypatch.setenv(switch, "0")
    triple(0)
    with triple.using("fallback"):
        triple(0)

    assert [level for level, _ in lines()] == ["WARNING", "INFO", "INFO"]


def test_the_log_speaks_again_after_reset(product, lines):
    triple = product(when=lambda x: False)

    triple(2)
    triple.reset()
    triple(2)

    assert len(lines()) == 2
    assert triple.counts() == {("fallback", "refused"): 2}


def test_a_refusal_shows_what_was_refused_without_its_contents(product, lines):
    class Tensor:
        shape, dtype, device = (3, 257), "torch.bfloat16", "cuda:0"

    triple = product(when=lambda x: False)

    triple({"weights": "secret"})
    triple.reset()
    triple(Tensor())
    triple.reset()
    triple("x" * 100)

    said = [text.partition("said no to ")[2].partition(". Said once")[0] for _, text in lines()]
    assert said == ["(dict)", "(bfloat16[3, 257] on cuda:0)", f"('{'x' * 39}…)"]
