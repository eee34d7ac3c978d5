"""Workflow files as values: triggers, jobs, steps, each with the line that it stands in."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgate.errors import ManifestError
from kgate.load.document import Fields, Items, Mark, Reading, composed

FOLDER = ".github/workflows"
# GitHub's own machines; every other label, also one that an expression makes, may be the repository's own.
HOSTED = re.compile(r"(ubuntu|windows|macos)-[\w.-]+")
GATE_ACTION = re.compile(r"(^|/)kgate(/\.github/workflows/\w+\.ya?ml)?@")
OF_CHANGES = ("pull_request", "pull_request_target", "merge_group", "issue_comment")
GATE_COMMAND = re.compile(r"\bkgate\s+(check|drill)\b")


@dataclass(frozen=True, kw_only=True)
class Step:
    uses: str
    given: Mapping[str, Any]  # its `with`
    run: str
    mark: Mark

    @property
    def is_checkout(self) -> bool:
        return self.uses.startswith("actions/checkout@")


@dataclass(frozen=True, kw_only=True)
class Job:
    """`check` is the name under which GitHub shows it; `permissions` is None where the job says nothing of them."""

    check: str
    uses: str
    labels: tuple[str, ...]
    permissions: Any
    condition: str
    needs: bool
    steps: tuple[Step, ...]
    fields: Fields

    @property
    def mark(self) -> Mark:
        return self.fields.at

    @property
    def own_machine(self) -> bool:
        """Whether it may run on a machine that is not GitHub's."""
        return bool(self.labels) and not all(HOSTED.fullmatch(label) for label in self.labels)

    @property
    def gate(self) -> bool:
        """Whether it runs kernels of the change."""
        steps = any(
            (GATE_ACTION.search(s.uses) and s.given.get("mode", "measure") != "report") or GATE_COMMAND.search(s.run)
            for s in self.steps
        )
        return steps or bool(GATE_ACTION.search(self.uses))


@dataclass(frozen=True, kw_only=True)
class Workflow:
    """`triggers`: by event, what stands below it."""

    file: str
    triggers: Mapping[str, Any]
    permissions: Any
    jobs: tuple[Job, ...]
    fields: Fields

    @property
    def gate(self) -> bool:
        """Whether it runs kernels of changes; one that runs on the main branch alone runs nobody else's code."""
        called = "workflow_call" in self.triggers and "schedule" not in self.triggers
        return any(job.gate for job in self.jobs) and (called or bool(set(self.triggers) & set(OF_CHANGES)))


def read(root: Path) -> tuple[list[Workflow], list[str]]:
    """Those that run the gate, and a sentence for each file that cannot be read."""
    found, troubles = [], []
    for path in sorted((root / FOLDER).glob("*.y*ml")):
        try:
            workflow = parsed(path.read_bytes(), path.relative_to(root).as_posix())
        except (ManifestError, OSError) as error:
            troubles.append(str(error).partition("\n")[0])
            continue
        if workflow.gate:
            found.append(workflow)
    return found, troubles


def parsed(data: bytes, file: str) -> Workflow:
    """Raises ManifestError for what is no workflow."""
    top = Mark(file=file, line=1)
    node, yaml = composed(data, top)
    fields = Reading(yaml=yaml).value(node, top) if node is not None else None
    if not isinstance(fields, Fields):
        raise top.error("is no workflow; GitHub passes it over")
    return Workflow(
        file=file,
        triggers=triggers(fields.get("on")),
        permissions=fields.get("permissions"),
        jobs=tuple(job(name, each) for name, each in fields.fields("jobs").items() if isinstance(each, Fields)),
        fields=fields,
    )


def triggers(given: Any) -> Mapping[str, Any]:
    if isinstance(given, Fields):
        return given
    return {str(name): None for name in (given if isinstance(given, Items) else [given] if given else [])}


def job(name: str, fields: Fields) -> Job:
    steps = fields.get("steps")
    return Job(
        check=str(fields.get("name", name)),
        uses=str(fields.get("uses", "")),
        labels=tuple(labels(fields.get("runs-on"))),
        permissions=fields.get("permissions"),
        condition=str(fields.get("if", "")),
        needs="needs" in fields,
        steps=tuple(step(each) for each in steps if isinstance(each, Fields)) if isinstance(steps, Items) else (),
        fields=fields,
    )


def labels(given: Any) -> Iterator[str]:
    """A group of runners counts as a label: only the organisation has groups."""
    if isinstance(given, Fields):
        for value in given.values():
            yield from labels(value)
    elif isinstance(given, Sequence) and not isinstance(given, str):
        yield from map(str, given)
    elif given:
        yield str(given)


def step(fields: Fields) -> Step:
    uses, run = str(fields.get("uses", "")), str(fields.get("run", ""))
    return Step(uses=uses, given=fields.fields("with"), run=run, mark=fields.marks.get("uses", fields.at))
