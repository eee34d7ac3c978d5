"""What is made of GitHub's answers; their form is that of its REST API's description."""

from typing import Any

import pytest

from kgate.doctor import State
from kgate.doctor.repository.protection import lines
from kgate.github.answers import BranchRule
from kgate.github.settings import Settings, settings


def requiring(*checks: dict[str, Any]) -> BranchRule:
    return BranchRule(kind="required_status_checks", parameters={"required_status_checks": list(checks)})


def told(*rules: BranchRule, approval: str = "all_external_contributors") -> dict[str, tuple[State, str]]:
    found = Settings(branch="main", rules=rules, approval=approval)
    return {line.topic: (line.state, line.found) for line in lines(found)}


def test_a_check_of_an_app_of_ones_own_is_good() -> None:
    found = told(requiring({"context": "kgate", "integration_id": 4711}))

    assert {state for state, _ in found.values()} == {State.OK}
    assert found["check source"][1] == "only the App 4711 can set it"


def test_a_workflow_that_a_ruleset_requires_is_good() -> None:
    assert {state for state, _ in told(BranchRule(kind="workflows")).values()} == {State.OK}


@pytest.mark.parametrize(
    ("check", "whose"),
    [
        ({"context": "kgate"}, "anybody who may write"),
        ({"context": "kgate", "integration_id": 15368}, "any workflow of GitHub Actions"),
        ({"context": "kgate / kgate", "integration_id": 15368}, "any workflow of GitHub Actions"),
    ],
)
def test_a_check_that_others_can_set_is_looked_at(check: dict[str, Any], whose: str) -> None:
    found = told(requiring({"context": "ci"}, check))

    assert found["required check"][0] is State.OK
    assert found["check source"] == (State.LOOK, f"{whose} can set it")


def test_a_check_that_nothing_requires_stops_no_merge() -> None:
    found = told(requiring({"context": "ci"}), BranchRule(kind="pull_request"))

    assert found["required check"][0] is State.LOOK
    assert "no ruleset requires `kgate` on main" in found["required check"][1]
    assert "check source" not in found


@pytest.mark.parametrize("policy", ["first_time_contributors", "first_time_contributors_new_to_github"])
def test_outside_contributors_whose_code_runs_unasked_are_looked_at(policy: str) -> None:
    assert told(approval=policy)["fork approval"][0] is State.LOOK


@pytest.mark.parametrize("environ", [{}, {"GITHUB_API_URL": "https://api.example.com"}], ids=["no address", "no token"])
def test_without_a_token_or_an_address_nothing_is_asked_and_that_is_said(environ: dict[str, str]) -> None:
    found = list(lines(settings(environ, "acme/ops")))

    assert [(line.topic, line.state) for line in found] == [
        ("required check", State.NOT_RUN),
        ("check source", State.NOT_RUN),
        ("fork approval", State.NOT_RUN),
    ]
    assert all(line.fix.startswith("set GITHUB_API_URL") for line in found)


def test_a_repository_whose_name_is_not_known_is_asked_nothing() -> None:
    found = settings({"GITHUB_API_URL": "https://api.example.com", "KGATE_TOKEN": "t"}, "")

    assert "owner/name" in found.reasons["rules"]
