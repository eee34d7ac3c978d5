"""Calls that the custom path does not take or does not survive: that call falls back, and the next one tries again."""

import gc
import weakref

import pytest
from kgate_dispatch import NoCustomPath


class OutOfResources(Exception):
    pass


def kernel_failing_on(*bad, error=OutOfResources):
    def kernel(x):
        if x in bad:
            raise error(f"shared memory for {x}")
        return ("custom", x)

    return kernel


def test_one_refused_call_turns_nothing_off(product):
    triple = product(when=lambda x: x != 327)

    answers = [triple(x)[0] for x in (256, 327, 256, 512)]

    assert answers == ["custom", "fallback", "custom", "custom"]
    assert triple.counts() == {("custom", "default"): 3, ("fallback", "refused"): 1}


def test_one_failed_call_turns_nothing_off(product):
    triple = product(kernel_failing_on(327), fallback_on=OutOfResources)

    answers = [triple(x)[0] for x in (256, 327, 256, 512)]

    assert answers == ["custom", "fallback", "custom", "custom"]
    assert triple.counts() == {("custom", "default"): 3, ("fallback", "failed"): 1}


def test_a_refused_call_never_reaches_the_kernel(product):
    reached = []
    triple = product(reached.append, when=lambda x: False)

    triple(2)

    assert reached == []


def test_an_error_that_nobody_declared_goes_to_the_caller_and_is_counted(product):
    triple = product(kernel_failing_on(327))

    with pytest.raises(OutOfResources, match="shared memory for 327"):
        triple(327)

    assert triple.counts() == {("custom", "raised"): 1}
    assert triple(256)[0] == "custom"


@pytest.mark.parametrize("bug", [TypeError, AttributeError, NameError, AssertionError, ZeroDivisionError])
def test_a_bug_in_the_custom_path_is_never_swallowed(product, bug):
    triple = product(kernel_failing_on(2, error=bug), fallback_on=(OutOfResources, RuntimeError, OSError))

    with pytest.raises(bug):
        triple(2)


def test_a_wrong_call_is_an_error_and_no_fallback(product):
    triple = product(fallback_on=OutOfResources)

    with pytest.raises(TypeError):
        triple(2, 3)


@pytest.mark.parametrize("kind", [Exception, TypeError, AttributeError, BaseException, KeyboardInterrupt])
def test_kinds_that_would_hide_a_bug_or_an_interrupt_are_refused(product, kind):
    with pytest.raises(ValueError, match="name the errors that the kernel is known to raise"):
        product(fallback_on=(OutOfResources, kind))


@pytest.mark.parametrize(("kind", "error"), [("OutOfResources", ValueError), (42, TypeError), (int, TypeError)])
def test_what_is_no_kind_of_error_is_refused(product, kind, error):
    with pytest.raises(error, match="fallback_on"):
        product(fallback_on=[kind])


def test_a_kind_may_be_named_by_text_before_its_module_exists(product, module):
    name = module("class LaunchError(Exception): pass")

    def kernel(x):
        raise __import__(name).LaunchError("too many registers")

    triple = product(kernel, fallback_on=f"{name}:LaunchError")

    assert triple(2) == ("fallback", 2)


def test_a_kind_named_by_text_catches_nothing_else(product):
    triple = product(kernel_failing_on(2), fallback_on="acme_never_imported:LaunchError")

    with pytest.raises(OutOfResources):
        triple(2)


def test_an_interrupt_goes_through(product):
    triple = product(kernel_failing_on(2, error=KeyboardInterrupt), fallback_on=RuntimeError)

    with pytest.raises(KeyboardInterrupt):
        triple(2)


def test_the_memory_of_a_failed_custom_path_is_free_before_the_fallback_runs(product):
    class Workspace:
        pass

    alive = []

    def kernel(x):
        workspace = Workspace()
        alive.append(weakref.ref(workspace))
        raise OutOfResources

    triple = product(kernel, fallback_on=OutOfResources)
    seen = []
    triple.fallback = lambda x: seen.append(alive[0]())
    gc.disable()  # freed by counting references, at once, and not some day
    try:
        triple(2)
    finally:
        gc.enable()

    assert seen == [None]


def test_what_the_predicate_raises_goes_to_the_caller(product):
    triple = product(when=lambda x: x.shape)

    with pytest.raises(AttributeError):
        triple(2)


def test_an_error_of_the_fallback_is_the_callers(product):
    triple = product(kernel_failing_on(2), fallback_on=OutOfResources)

    def fallback(x):
        raise ArithmeticError

    triple.fallback = fallback

    with pytest.raises(ArithmeticError):
        triple(2)


STRICT_CASES = {
    "unavailable": {"needs": lambda: "it is Friday"},
    "refused": {"when": lambda x: False},
}


@pytest.mark.parametrize("by_environment", [True, False])
@pytest.mark.parametrize(("reason", "declaration"), STRICT_CASES.items())
def test_strict_mode_raises_instead_of_falling_back(product, monkeypatch, reason, declaration, by_environment):
    triple = product(strict=not by_environment, **declaration)
    if by_environment:
        monkeypatch.setenv("KGATE_DISPATCH_STRICT", "1")

    with pytest.raises(NoCustomPath, match=f"triple: {reason}: .*strict mode forbids the fallback"):
        triple(2)

    assert triple.counts() == {}


def test_strict_mode_lets_the_error_of_the_custom_path_through(product):
    triple = product(kernel_failing_on(2), fallback_on=OutOfResources, strict=True)

    with pytest.raises(OutOfResources):
        triple(2)

    assert triple.counts() == {("custom", "raised"): 1}


def test_strict_mode_leaves_the_switch_alone(product, switch, monkeypatch):
    triple = product(strict=True)
    monkeypatch.setenv(switch, "0")

    assert triple(2)[0] == "fallback"
