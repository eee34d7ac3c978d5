"""Workflows to copy and to call: the same jobs, nothing of use to a pull request, and one job that fails closed."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
COPIES = {path.stem: path for path in sorted((ROOT / "workflows").glob("*.yml"))}
CALLABLE = {path.stem: path for path in sorted((ROOT / ".github" / "workflows").glob("*.yml")) if path.stem != "ci"}
SHIPPED = [*COPIES.values(), *CALLABLE.values()]
ALL = [*SHIPPED, ROOT / ".github" / "workflows" / "ci.yml"]
JOINING = ("gpus", "queue")


def document(path: Path) -> dict[str, Any]:
    """YAML 1.2, so that `on` is a word."""
    found: dict[str, Any] = YAML(typ="safe").load(path)
    return found


def by_name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in document(path)["jobs"].values() for step in job.get("steps", ())]


@pytest.mark.parametrize("name", CALLABLE)
def test_what_is_called_is_what_is_copied_but_for_when_it_starts(name: str) -> None:
    called, copied = document(CALLABLE[name]), document(COPIES[name])

    assert set(called["on"]) == {"workflow_call"}
    assert called["on"]["workflow_call"] == copied["on"]["workflow_call"]
    assert set(copied["on"]) > {"workflow_call"}
    assert {key: called[key] for key in called if key != "on"} == {
        key: copied[key] for key in copied if key not in ("on", "concurrency")
    }


def test_every_workflow_that_others_may_call_is_there_to_be_copied_too() -> None:
    assert set(COPIES) - set(CALLABLE) == {"check", "compile", "required"}
    assert set(CALLABLE) <= set(COPIES)


@pytest.mark.parametrize("path", SHIPPED, ids=by_name)
def test_nothing_starts_by_what_a_stranger_writes_with_rights_of_the_repository(path: Path) -> None:
    assert not {"pull_request_target", "issue_comment", "issues", "discussion"} & set(document(path)["on"])


@pytest.mark.parametrize("path", SHIPPED, ids=by_name)
def test_no_expression_is_part_of_a_script_and_no_step_sets_another_ones_variables(path: Path) -> None:
    scripts = [step["run"] for step in steps(path) if "run" in step]

    assert not any("${{" in script or "GITHUB_ENV" in script or "GITHUB_PATH" in script for script in scripts)


@pytest.mark.parametrize("path", SHIPPED, ids=by_name)
def test_a_machine_of_ones_own_can_write_nothing_and_sees_no_secret(path: Path) -> None:
    workflow = document(path)
    own = [job for job in workflow["jobs"].values() if "self-hosted" in job.get("runs-on", "")]

    assert "secrets" not in (workflow["on"].get("workflow_call") or {})
    assert "inherit" not in [job.get("secrets") for job in workflow["jobs"].values()]
    for job in own:
        assert set(job["permissions"].values()) == {"read"}
        assert not re.search(r"secrets\.|github\.token|\"token\"", json.dumps(job))
        assert "environment" not in job
        assert all(
            step["with"]["persist-credentials"] is False for step in job["steps"] if "checkout@" in step.get("uses", "")
        )


@pytest.mark.parametrize("path", ALL, ids=by_name)
def test_every_job_ends_in_time_and_has_no_right_that_is_not_written_down(path: Path) -> None:
    workflow = document(path)

    assert workflow["permissions"] == {}
    assert all("permissions" in job for job in workflow["jobs"].values())
    assert all("timeout-minutes" in job for job in workflow["jobs"].values() if "uses" not in job)


@pytest.mark.parametrize("path", ALL, ids=by_name)
def test_every_action_is_named_by_its_commit(path: Path) -> None:
    jobs = document(path)["jobs"].values()

    used = [step["uses"] for job in jobs for step in (*job.get("steps", ()), job) if "uses" in step]

    assert all(re.fullmatch(r"[\w.-]+(?:/[\w.-]+)+@[0-9a-f]{40}", name) for name in used), used


@pytest.mark.parametrize("path", [which[name] for name in JOINING for which in (COPIES, CALLABLE)], ids=by_name)
def test_one_job_waits_for_all_others_and_runs_whatever_became_of_them(path: Path) -> None:
    """A job that is skipped counts as a success, so that the one that is required must never be."""
    jobs = document(path)["jobs"]
    report = jobs["report"]

    assert report["name"] == "kgate"
    assert set(report["needs"]) == set(jobs) - {"report"}
    assert report["if"] == "${{ always() }}"
    assert "self-hosted" not in report["runs-on"]
    joined = report["steps"][-1]["with"]
    assert (joined["mode"], joined["needs"]) == ("report", "${{ toJSON(needs) }}")
    assert joined["base"]
    assert joined["legs"]


@pytest.mark.parametrize("path", [which[name] for name in JOINING for which in (COPIES, CALLABLE)], ids=by_name)
def test_legs_wait_for_one_gpu_in_a_row_and_none_is_dropped(path: Path) -> None:
    measure = document(path)["jobs"]["measure"]

    assert measure["concurrency"]["queue"] == "max"
    assert "cancel-in-progress" not in measure["concurrency"]
    assert measure["strategy"]["fail-fast"] is False
    assert measure["continue-on-error"] == "${{ !matrix.required }}"
    assert "self-hosted" in measure["runs-on"]


def test_a_job_that_is_named_in_a_rule_starts_for_a_pull_request_and_for_the_queue() -> None:
    for name in ("check", "gpus", "queue", "required"):
        assert {"pull_request", "merge_group"} <= set(document(COPIES[name])["on"])


def test_a_review_starts_no_gpu_and_runs_nothing_of_the_repository() -> None:
    workflow = document(COPIES["reviews"])
    (job,) = workflow["jobs"].values()

    assert set(workflow["on"]) == {"pull_request_review", "workflow_call"}
    assert job["permissions"] == {"actions": "write"}
    assert "self-hosted" not in job["runs-on"]
    assert not any("uses" in step for step in job["steps"])


def test_what_comments_for_a_fork_checks_nothing_of_it_out() -> None:
    (job,) = document(COPIES["forks"])["jobs"].values()
    (checkout,) = [step for step in job["steps"] if "checkout@" in step.get("uses", "")]

    assert "ref" not in checkout["with"]  # so that it is the default branch
    assert job["permissions"] == {"actions": "read", "contents": "read", "pull-requests": "write"}
    assert all(
        step["with"]["path"].startswith("${{ runner.temp }}")
        for step in job["steps"]
        if "download-artifact@" in step.get("uses", "")
    )


def test_of_a_night_only_the_job_that_proposes_writes_and_it_pushes_no_branch_that_is_merged_from() -> None:
    jobs = document(COPIES["nightly"])["jobs"]
    pushes = [word for step in jobs["propose"]["steps"] for word in re.findall(r"git push .*", step.get("run", ""))]

    assert {name for name, job in jobs.items() if "write" in job["permissions"].values()} == {"propose"}
    assert pushes == ["git push --quiet --force origin kgate/nightly"]
