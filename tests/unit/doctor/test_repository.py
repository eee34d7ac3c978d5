"""A workflow that keeps what it promises, and one change to it for each thing that can be wrong."""

from pathlib import Path

import pytest

from kgate.doctor import State
from kgate.doctor.repository import of_workflows, practice, reviewed, unread
from kgate.doctor.repository.workflows import parsed, read
from kgate.errors import ManifestError
from kgate.load import owners

ROOT = Path(__file__).resolve().parents[3]
COMMIT = "a" * 40
GOOD = f"""\
name: kgate
on:
  pull_request:
  merge_group:
permissions: {{}}
jobs:
  measure:
    name: kgate
    runs-on: [self-hosted, gpu]
    timeout-minutes: 60
    permissions: {{contents: read}}
    steps:
      - uses: actions/checkout@{COMMIT}
        with:
          fetch-depth: 0
          persist-credentials: false
      - uses: acme/kgate@{COMMIT}
        with: {{manifest: kgate.yaml}}
"""
JOINED = """\
  join:
    name: kgate
    needs: [measure]
    if: always()
    runs-on: ubuntu-24.04
    permissions: {contents: read, pull-requests: write}
    steps:
      - run: echo joined
"""
# Topic, what is changed, and what is said of it.
BAD = [
    ("triggers", "  pull_request:\n", "", "does not start on pull requests"),
    ("triggers", "  pull_request:\n", "  pull_request:\n  pull_request_target:\n", "`pull_request_target` gives code"),
    ("triggers", "  pull_request:\n", "  pull_request:\n  issue_comment:\n", "`issue_comment` gives code"),
    ("triggers", "  pull_request:\n", "  pull_request: {paths: [kernels/**]}\n", "`paths` skips it"),
    ("triggers", "  pull_request:\n", "  pull_request: {paths-ignore: [docs/**]}\n", "`paths-ignore` skips it"),
    ("triggers", "  pull_request:\n", "  pull_request: {types: [opened]}\n", "when commits are pushed"),
    ("merge queue", "  merge_group:\n", "", "does not start in a merge queue"),
    (
        "permissions",
        "    permissions: {contents: read}\n",
        "    permissions: {pull-requests: write}\n",
        "`pull-requests: write`",
    ),
    ("permissions", "    permissions: {contents: read}\n", "    permissions: write-all\n", "`write-all`"),
    ("secrets", "with: {manifest: kgate.yaml}", "with: {token: '${{ secrets.PAT }}'}", "secrets.PAT is in reach"),
    ("credentials", "          persist-credentials: false\n", "", "keeps its token"),
    ("fetch depth", "          fetch-depth: 0\n", "", "the base commit is not fetched"),
    ("fetch depth", "fetch-depth: 0", "fetch-depth: 1", "the base commit is not fetched"),
    (
        "pins",
        f"actions/checkout@{COMMIT}",
        "actions/checkout@v7",
        "actions/checkout@v7 is a name that its owner can move",
    ),
    ("pins", f"acme/kgate@{COMMIT}", f"OWNER/kgate@{'0' * 40}", "is a placeholder"),
    ("required job", "    name: kgate\n", "    name: gate\n", "no job is called `kgate`"),
    ("required job", "    name: kgate\n", "    name: kgate\n    if: github.actor != 'bot'\n", "its `if` may skip it"),
    ("required job", "    name: kgate\n", "    name: kgate\n    continue-on-error: true\n", "turns a verdict of fail"),
    (
        "required job",
        "    name: kgate\n",
        "    name: kgate\n    needs: [plan]\n",
        "is skipped where a job that it needs fails",
    ),
    ("timeout", "    timeout-minutes: 60\n", "", "may hold its GPU"),
]


def found(text: str) -> dict[str, list[str]]:
    """What is wrong, by topic; those without a fault are left out."""
    lines = of_workflows([parsed(text.encode(), ".github/workflows/kgate.yml")])
    wrong: dict[str, list[str]] = {}
    for line in lines:
        if line.state is not State.OK:
            assert line.fix
            wrong.setdefault(line.topic, []).append(line.found)
    return wrong


@pytest.mark.parametrize("more", ["", JOINED.replace("name: kgate", "name: joined")], ids=["one job", "two jobs"])
def test_nothing_is_said_against_a_good_workflow(more: str) -> None:
    assert found(GOOD + more) == {}


def test_the_job_that_joins_others_is_good_where_it_always_runs() -> None:
    assert found(GOOD.replace("    name: kgate\n", "    name: measure\n") + JOINED) == {}


@pytest.mark.parametrize(("topic", "old", "new", "says"), BAD, ids=[f"{b[0]}-{n}" for n, b in enumerate(BAD)])
def test_each_fault_is_found_alone_with_its_line_and_what_to_do(topic: str, old: str, new: str, says: str) -> None:
    assert GOOD.count(old) == 1

    wrong = found(GOOD.replace(old, new))

    assert list(wrong) == [topic]
    (sentence,) = wrong[topic]
    assert says in sentence
    assert sentence.startswith(".github/workflows/kgate.yml:")


def test_a_workflow_that_says_nothing_of_permissions_has_what_the_repository_gives() -> None:
    text = GOOD.replace("permissions: {}\n", "").replace("    permissions: {contents: read}\n", "")

    assert found(text) == {"permissions": [".github/workflows/kgate.yml:6: job kgate: nothing limits its token"]}


def test_the_line_is_that_of_the_step() -> None:
    (sentence,) = found(GOOD.replace(f"actions/checkout@{COMMIT}", "actions/checkout@v7"))["pins"]

    number = int(sentence.split(":")[1])
    assert "checkout" in GOOD.splitlines()[number - 1]


@pytest.mark.parametrize("labels", ["ubuntu-24.04", "[ubuntu-latest]", "macos-15"])
def test_a_machine_of_github_needs_no_limit_of_time(labels: str) -> None:
    text = GOOD.replace("[self-hosted, gpu]", labels).replace("    timeout-minutes: 60\n", "")

    assert found(text) == {}


@pytest.mark.parametrize("labels", ["{group: gpus}", "h100", "'${{ matrix.runner }}'"])
def test_any_other_label_may_be_the_repositorys_own_machine(labels: str) -> None:
    text = GOOD.replace("[self-hosted, gpu]", labels).replace("    timeout-minutes: 60\n", "")

    assert list(found(text)) == ["timeout"]


def test_the_gate_is_known_as_an_action_as_a_command_and_as_a_called_workflow(tmp_path: Path) -> None:
    folder = tmp_path / ".github/workflows"
    folder.mkdir(parents=True)
    (folder / "action.yml").write_text(GOOD)
    (folder / "command.yaml").write_text("on: merge_group\njobs: {a: {runs-on: x, steps: [{run: kgate check}]}}\n")
    called = f"acme/kgate/.github/workflows/check.yml@{COMMIT}"
    (folder / "called.yml").write_text(f"on: [pull_request]\njobs: {{a: {{uses: {called}}}}}\n")
    (folder / "other.yml").write_text("on: push\njobs: {a: {runs-on: x, steps: [{run: make kgate}]}}\n")
    (folder / "nightly.yml").write_text(f"on: {{schedule: []}}\n{GOOD[GOOD.index('permissions') :]}")
    (folder / "broken.yml").write_text("on: [push\n")

    seen, troubles = read(tmp_path)

    assert sorted(workflow.file.rpartition("/")[2] for workflow in seen) == ["action.yml", "called.yml", "command.yaml"]
    assert [line.found.partition(" not valid")[0] for line in unread(troubles)] == [".github/workflows/broken.yml:2:"]


@pytest.mark.parametrize("text", ["", "just text\n", "[]\n"])
def test_what_is_no_workflow_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(ManifestError, match=r"x\.yml:1: is no workflow"):
        parsed(text.encode(), "x.yml")


def test_a_repository_without_a_workflow_is_told_how_to_get_one() -> None:
    (line,) = of_workflows([])

    assert line.state is State.MISSING
    assert "`kgate init`" in line.fix


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "workflows").glob("*.yml")))
def test_the_workflows_that_come_with_kgate_lack_the_pinned_release_alone(name: str) -> None:
    workflow = parsed((ROOT / "workflows" / name).read_bytes(), name)

    wrong = {topic: list(look(workflow)) for topic, (look, _) in practice.TOPICS.items()}

    told = {topic: [f.text for f in faults] for topic, faults in wrong.items() if faults and topic != "pins"}
    assert told == {} or not workflow.gate
    assert all("is a placeholder" in fault.text for fault in wrong["pins"])


def test_who_reviews_the_gate_is_asked_of_codeowners(tmp_path: Path) -> None:
    (tmp_path / "CODEOWNERS").write_text("/.github/ @acme/platform\n")
    asked = owners.read(tmp_path, ["kgate.yaml", ".github/workflows/kgate.yml"])

    good = reviewed(asked, [".github/workflows/kgate.yml", ""])
    bad = reviewed(asked, [".github/workflows/kgate.yml", "kgate.yaml"])

    assert good.state is State.OK
    assert bad.found == "CODEOWNERS asks nobody for kgate.yaml"
    assert "`/kgate.yaml @you`" in bad.fix
