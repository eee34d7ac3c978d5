"""The switch: by environment at every call, and by the caller."""

import os
import threading

import pytest
from kgate_dispatch import Switch


def test_a_switch_that_nobody_set_leaves_the_custom_path_on(product):
    triple = product()

    assert triple(2) == ("custom", 2)
    assert triple.last == ("custom", "default")


def test_the_switch_is_read_at_every_call(product, switch, monkeypatch):
    triple = product()

    answers = []
    for value in ("0", "1", "0"):
        monkeypatch.setenv(switch, value)
        answers.append(triple(2)[0])

    assert answers == ["fallback", "custom", "fallback"]
    assert triple.counts() == {("fallback", "switch"): 2, ("custom", "switch"): 1}


def test_a_switch_may_have_other_values_and_be_off_unless_set(product, switch, monkeypatch):
    triple = product(switch=Switch(env=switch, custom="tilelang", fallback="torch", unset="fallback"))

    unset = triple(2)
    monkeypatch.setenv(switch, "tilelang")
    opted_in = triple(2)

    assert (unset[0], opted_in[0]) == ("fallback", "custom")
    assert triple.counts() == {("fallback", "default"): 1, ("custom", "switch"): 1}


def test_an_empty_value_counts_as_not_set(product, switch, monkeypatch):
    triple = product()
    monkeypatch.setenv(switch, "")

    assert triple(2)[0] == "custom"


@pytest.mark.parametrize("value", ["off", "false", "00", " 1"])
def test_a_value_that_nobody_declared_means_off_and_is_quoted_in_the_log(product, switch, monkeypatch, lines, value):
    triple = product()
    monkeypatch.setenv(switch, value)

    answer = triple(2)

    assert answer[0] == "fallback"
    assert f"{switch}={value}, which is neither 1 nor 0" in lines()[0][1]


def test_a_plain_dict_in_place_of_the_environment_is_read_too(product, switch, monkeypatch):
    triple = product()
    monkeypatch.setattr(os, "environ", {switch: "0"})

    assert triple(2)[0] == "fallback"


def test_what_the_caller_asks_for_beats_the_environment(product, switch, monkeypatch):
    triple = product()
    monkeypatch.setenv(switch, "0")

    with triple.using("custom"):
        inside = triple(2)
        with triple.using("fallback"):
            deeper = triple(2)
    outside = triple(2)

    assert [answer[0] for answer in (inside, deeper, outside)] == ["custom", "fallback", "fallback"]
    assert triple.counts() == {("custom", "using"): 1, ("fallback", "using"): 1, ("fallback", "switch"): 1}


def test_asking_ends_with_its_block_also_when_that_raises(product):
    triple = product()

    with pytest.raises(KeyError), triple.using("fallback"):
        raise KeyError

    assert triple(2)[0] == "custom"


def test_asking_binds_this_thread_only(product):
    triple = product()
    seen = []

    with triple.using("fallback"):
        thread = threading.Thread(target=lambda: seen.append(triple(2)))
        thread.start()
        thread.join()

    assert seen == [("custom", 2)]


def test_asking_for_a_path_that_cannot_run_still_falls_back(product):
    triple = product(needs=lambda: "it is Friday")

    with triple.using("custom"):
        answer = triple(2)

    assert answer[0] == "fallback"
    assert triple.last == ("fallback", "unavailable")


def test_asking_for_a_path_that_is_none_is_refused(product):
    with (
        pytest.raises(ValueError, match=r'using\(\'torch\'\): choose "custom" or "fallback"'),
        product().using("torch"),
    ):
        pass


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"env": ""}, "name an environment variable"),
        ({"env": "A=1"}, "name an environment variable"),
        ({"env": "A", "custom": "0"}, "two different values"),
        ({"env": "A", "fallback": ""}, "two different values"),
        ({"env": "A", "unset": "off"}, 'choose "custom" or "fallback"'),
    ],
)
def test_a_switch_that_could_not_work_is_refused_where_it_is_declared(wrong, said):
    with pytest.raises(ValueError, match=said):
        Switch(**wrong)
