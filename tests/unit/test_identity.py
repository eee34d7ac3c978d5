"""Which cases pass because they run base's code; and what keeps a change from claiming that."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from kgate.identity import Change, identical, told
from kgate.model import BASE, HEAD, Arm, Case, Failure, Measurement, Outcome
from kgate.plan import Plan, plan
from kgate.worker.devices._trace import launches
from tests.unit import builders
from tests.unit.test_plan import CPU, kernel, manifest, workload

LOADED = {"ops/add.py": "a" * 64, "ops/__init__.py": "b" * 64}
TRACE = ["add_kernel [[1, 1, 1], [128, 1, 1], 0, 16]"]
OWN = ("shop/kgate.yaml", "shop/ci/kgate")


def facts(**changes: object) -> Measurement:
    made = builders.with_compiled(builders.answer(), builders.compiled(code_sha256="c" * 64))
    assert isinstance(made, Measurement)
    return replace(made, facts={"loaded-files": LOADED, "device-trace": TRACE, **changes})


def planned(**changes: object) -> Plan:
    old = kernel("add", workload("w", "cpu"))
    return plan(manifest(replace(old, **changes)), manifest(old), CPU)


def found(head: Outcome, base: Outcome, *changed: Change, asked: Plan | None = None) -> frozenset[Case]:
    chosen = asked or planned()
    outcomes: Mapping[tuple[Arm, Case], Outcome] = {(HEAD, chosen.cases[0]): head, (BASE, chosen.cases[0]): base}
    return identical(chosen, outcomes, changed, "shop", OWN)


def test_a_change_of_a_page_a_baseline_and_a_module_that_nothing_loads_leaves_every_case_as_it_was() -> None:
    changed = [
        Change(path="README.md", edited=True),
        Change(path="docs/new.md", edited=False),
        Change(path="shop/ci/kgate/h200.json", edited=True),
        Change(path="tests/test_add.py", edited=True),
    ]

    assert found(facts(), facts(), *changed) == frozenset(planned().cases)


@pytest.mark.parametrize(
    ("path", "edited"),
    [
        ("shop/ops/add.py", True),  # what the case loads
        ("shop/torch.py", False),  # stands in the way of an installed package
        ("shop/ops/plans.json", True),  # may choose what runs
        ("shop/ops/add.cu", True),
        ("shop/ops/__pycache__/add.cpython-312.pyc", False),
        ("shop/ops/old.py", False),  # taken away: an import finds another
    ],
)
def test_a_change_that_could_run_or_choose_what_runs_leaves_no_shortcut_whatever_the_worker_tells(
    path: str, edited: bool
) -> None:
    assert found(facts(), facts(), Change(path=path, edited=edited)) == frozenset()


def test_one_kernel_that_was_changed_leaves_no_shortcut_to_the_others_of_its_process() -> None:
    old = [kernel("add", workload("w", "cpu")), kernel("mul", workload("w", "cpu"))]
    both = plan(manifest(*old), manifest(*old), CPU)
    other = facts(**{"loaded-files": {"ops/mul.py": "d" * 64}})
    outcomes = {(arm, case): facts() if case.kernel == "add" else other for arm in (HEAD, BASE) for case in both.cases}

    assert identical(both, outcomes, [Change(path="shop/ops/mul.py", edited=True)], "shop", OWN) == frozenset()
    assert identical(both, outcomes, [], "shop", OWN) == frozenset(both.cases)


@pytest.mark.parametrize(
    "head",
    [
        facts(**{"device-trace": ["add_kernel [[2, 1, 1], [128, 1, 1], 0, 16]"]}),
        facts(**{"device-trace": TRACE * 2}),
        facts(**{"loaded-files": {**LOADED, "ops/more.py": "e" * 64}}),
        replace(facts(), compiled=(builders.compiled(code_sha256="f" * 64),)),
        Failure(rung="run", reason="raised", text="no"),
    ],
)
def test_a_case_that_was_seen_to_do_something_else_is_measured(head: Outcome) -> None:
    assert found(head, facts()) == frozenset()


def test_what_cannot_be_seen_is_measured() -> None:
    blind = facts(**{"device-trace": []})
    nameless = replace(facts(), compiled=(builders.compiled(code_sha256=""),))

    assert found(blind, blind) == found(nameless, nameless) == frozenset()
    assert found(facts(), facts()) != frozenset()


def test_another_entry_or_a_new_kernel_is_no_case_of_bases() -> None:
    assert found(facts(), facts(), asked=planned(custom="ops.add:other")) == frozenset()
    assert found(facts(), facts(), asked=plan(manifest(kernel("add", workload("w", "cpu"))), None, CPU)) == frozenset()


def test_the_report_says_how_many_passed_by_identity_and_how_far_the_control_was_off() -> None:
    (said,) = told(planned().cases, 0.0031)

    assert said.startswith(
        "1 case runs the same code as base, by sources, machine code and device trace, and passed by"
    )
    assert said.endswith("their times differ by 0.31% at most")


def event(name: str, ts: float, **changes: object) -> dict[str, object]:
    sizes = {"grid": [4, 1, 1], "block": [128, 1, 1], "shared memory": 1024, "registers per thread": 32, "stream": 7}
    return {"cat": "kernel", "name": name, "ts": ts, "args": {**sizes, **changes}}


def test_launches_are_told_in_the_order_of_the_device_with_their_sizes() -> None:
    copied = {"cat": "gpu_memcpy", "name": "Memcpy DtoD", "ts": 2.0, "args": {"bytes": 64}}
    trace = {"traceEvents": [event("late", 3.0), copied, event("early", 1.0), {"cat": "cpu_op", "name": "aten::add"}]}

    assert launches(trace) == [
        "early [[4, 1, 1], [128, 1, 1], 1024, 32]",
        "Memcpy DtoD [64]",
        "late [[4, 1, 1], [128, 1, 1], 1024, 32]",
    ]


def test_a_trace_that_lacks_a_size_or_is_too_long_is_told_as_none() -> None:
    partial = event("early", 1.0)
    partial["args"] = {"grid": [1, 1, 1]}

    assert launches({"traceEvents": [partial]}) == []
    assert launches({"traceEvents": [event("k", float(n)) for n in range(1001)]}) == []
    assert launches({}) == []
