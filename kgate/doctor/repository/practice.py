"""
What is wrong with a workflow that runs the gate: what would let a change through, hang the merge, or put a token beside
code that nobody has reviewed. One function for each topic, from a workflow to findings.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kgate.doctor.repository.workflows import Job, Step, Workflow
from kgate.load.document import Fields, Mark

PINNED = re.compile(r"@[0-9a-f]{40}$|@sha256:[0-9a-f]{64}$")
PLACEHOLDER = re.compile(r"^OWNER/|@0{40}$")
SECRET = re.compile(r"\bsecrets\.(?!GITHUB_TOKEN\b)\w+")
PUSHES = "synchronize"
CHECK = "kgate"


@dataclass(frozen=True, kw_only=True)
class Fault:
    at: Mark
    text: str
    fix: str


def triggers(workflow: Workflow) -> Iterator[Fault]:
    for event in ("pull_request_target", "issue_comment"):
        if event in workflow.triggers:
            text = f"`{event}` gives code of a pull request the rights of this repository"
            yield fault(workflow, text, "start on `pull_request` and `merge_group` alone")
    if "pull_request" not in workflow.triggers:
        if "workflow_call" not in workflow.triggers:  # then the caller starts it
            yield fault(workflow, "does not start on pull requests", "add `pull_request:` under `on:`")
        return
    given = workflow.triggers["pull_request"]
    for key in ("paths", "paths-ignore"):
        if isinstance(given, Fields) and key in given:
            text = f"`{key}` skips it, and a required check of a workflow that is skipped is waited for for ever"
            yield Fault(at=given.marks[key], text=text, fix=f"take `{key}` out; a run that measures nothing is short")
    types = given.get("types") if isinstance(given, Fields) else None
    if isinstance(given, Fields) and types is not None and PUSHES not in types:
        yield Fault(at=given.marks["types"], text="does not start when commits are pushed", fix=f"add `{PUSHES}`")


def merge_queue(workflow: Workflow) -> Iterator[Fault]:
    if "pull_request" in workflow.triggers and "merge_group" not in workflow.triggers:
        text = "does not start in a merge queue, which would wait for its check for ever"
        yield fault(workflow, text, "add `merge_group:` under `on:`")


def permissions(workflow: Workflow) -> Iterator[Fault]:
    for job in workflow.jobs:
        given = workflow.permissions if job.permissions is None else job.permissions
        if given is None:
            yield of_job(job, "nothing limits its token", "write `permissions: {}` at the top, `contents: read` here")
        # What a job grants to a workflow that it calls is a ceiling; each job there has its own.
        elif job.gate and not job.uses and (wide := writes(given)):
            text = f"runs code of the change with {wide}"
            yield of_job(job, text, "give it `contents: read` alone; a job of its own may post the comment")


def writes(given: Any) -> str:
    if isinstance(given, Mapping):
        return ", ".join(f"`{name}: write`" for name, level in given.items() if level == "write")
    return f"`{given}`" if given == "write-all" else ""


def secrets(workflow: Workflow) -> Iterator[Fault]:
    for job in workflow.jobs:
        named = next((found for text in texts(job.fields) if (found := SECRET.search(text))), None)
        if job.gate and (named or job.fields.get("secrets") == "inherit"):
            text = f"{named[0] if named else 'every secret'} is in reach of code of the change"
            yield of_job(job, text, "take it out of this job; what needs a secret belongs on another machine")


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for each in value.values() for text in texts(each))
    elif isinstance(value, list):
        yield from (text for each in value for text in texts(each))


def credentials(workflow: Workflow) -> Iterator[Fault]:
    for step in checkouts(workflow):
        if step.given.get("persist-credentials") is not False:
            text = "the checkout keeps its token in the work tree, where kernels can read it"
            yield Fault(at=step.mark, text=text, fix="add `persist-credentials: false` under its `with:`")


def fetch_depth(workflow: Workflow) -> Iterator[Fault]:
    for job in workflow.jobs:
        steps = [step for step in job.steps if step.is_checkout]
        if job.gate and not job.uses and not steps:
            yield of_job(job, "checks nothing out", "add actions/checkout with `fetch-depth: 0` before the gate")
    for step in checkouts(workflow):
        if step.given.get("fetch-depth") != 0:
            text = "the base commit is not fetched, and without it nothing is compared"
            yield Fault(at=step.mark, text=text, fix="add `fetch-depth: 0` under its `with:`")


def checkouts(workflow: Workflow) -> Iterator[Step]:
    """Of jobs that run the gate."""
    return (step for job in workflow.jobs if job.gate for step in job.steps if step.is_checkout)


def pins(workflow: Workflow) -> Iterator[Fault]:
    for job in workflow.jobs:
        named = [(step.uses, step.mark) for step in job.steps] + [(job.uses, job.fields.marks.get("uses", job.mark))]
        for uses, mark in named:
            if PLACEHOLDER.search(uses):
                yield Fault(at=mark, text=f"{uses} is a placeholder", fix="write your release of kgate, by its commit")
            elif uses and not uses.startswith(("./", "$/")) and not PINNED.search(uses):
                text = f"{uses} is a name that its owner can move to other code"
                yield Fault(at=mark, text=text, fix="write the full commit, and the version in a comment behind it")


def required(workflow: Workflow) -> Iterator[Fault]:
    """The job whose check is required has to fail wherever it does not pass: what is skipped counts as passed."""
    if "pull_request" not in workflow.triggers:
        return
    named = [job for job in workflow.jobs if job.check == CHECK]
    if not named and not any(job.uses for job in workflow.jobs):
        yield fault(workflow, f"no job is called `{CHECK}`", f"give the job to require `name: {CHECK}`, and no other")
    for job in named:
        if job.condition and "always()" not in job.condition:
            yield of_job(job, "its `if` may skip it, and a required check that is skipped has passed", "`if: always()`")
        elif job.needs and not job.condition:
            yield of_job(job, "is skipped where a job that it needs fails, and has passed then", "add `if: always()`")
    for job in workflow.jobs:
        for holder in (job.fields, *(s for s in job.fields.get("steps", ()) if isinstance(s, Fields))):
            if holder.get("continue-on-error") is True and job.gate:
                text = "`continue-on-error` turns a verdict of fail into a success"
                yield Fault(at=holder.marks["continue-on-error"], text=text, fix="take it out")


def timeouts(workflow: Workflow) -> Iterator[Fault]:
    for job in workflow.jobs:
        if job.own_machine and "timeout-minutes" not in job.fields:
            yield of_job(job, "may hold its GPU for six hours", "add `timeout-minutes:`")


def fault(workflow: Workflow, text: str, fix: str) -> Fault:
    return Fault(at=workflow.fields.marks.get("on", workflow.fields.at), text=text, fix=fix)


def of_job(job: Job, text: str, fix: str) -> Fault:
    return Fault(at=job.mark, text=f"job {job.check}: {text}", fix=fix)


# Topic -> what finds its faults, and why it matters.
TOPICS: Mapping[str, tuple[Callable[[Workflow], Iterator[Fault]], str]] = {
    "triggers": (triggers, "the gate has to see every state of a pull request, and with no more rights than that"),
    "merge queue": (merge_queue, "what a queue merges is another commit than the pull request's"),
    "permissions": (permissions, "code that nobody has reviewed runs beside the token"),
    "secrets": (secrets, "code that nobody has reviewed can read what its job can"),
    "credentials": (credentials, "code that nobody has reviewed can read the work tree"),
    "pins": (pins, "an action that is named by tag is whatever that tag points to on the day"),
    "fetch depth": (fetch_depth, "head is measured against base"),
    "required job": (required, "GitHub counts what is skipped as passed"),
    "timeout": (timeouts, "a kernel that hangs keeps everybody else from the GPU"),
}
