"""
The repository's part of `kgate doctor`: its workflows as they are written, who reviews them, and GitHub's settings.

    .github/workflows -> workflows that run the gate -> faults by topic -> lines; settings only with a token
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from kgate.doctor.lines import Line, State
from kgate.doctor.repository import practice, protection, workflows
from kgate.doctor.repository.workflows import FOLDER, Workflow
from kgate.errors import HostError
from kgate.github.settings import settings
from kgate.load import owners, tree
from kgate.load.git import git

REMOTE = re.compile(r"[:/]([\w.-]+/[\w.-]+?)(?:\.git)?/?$")
WHY_WORKFLOW = "without it nothing is checked on GitHub"
WHY_REVIEW = "who may change the gate without review may change its verdict"


def examined(root: Path, manifest: str, environ: Mapping[str, str] = os.environ) -> list[Line]:
    """`manifest` is its path from `root`, "" where there is none. Nothing where `root` is no git repository."""
    if not (root / ".git").exists():
        return []
    found, troubles = workflows.read(root)
    lines = [*unread(troubles), *of_workflows(found)]
    if found:
        files = tree.files(root)
        lines.append(reviewed(owners.read(root, files), [*(w.file for w in found), manifest]))
        lines += protection.lines(settings(environ, repository(root, environ)))
    return lines


def unread(troubles: Sequence[str]) -> Iterator[Line]:
    for trouble in troubles:
        yield Line(topic="workflow", state=State.LOOK, found=trouble, why=WHY_WORKFLOW, fix="mend that line")


def of_workflows(found: Sequence[Workflow]) -> Iterator[Line]:
    """For each topic its faults, or one line that there are none."""
    if not found:
        fix = "`kgate init` proposes one; those that come with kgate are in workflows/"
        missing = f"no file of {FOLDER} runs kgate on changes"
        yield Line(topic="workflow", state=State.MISSING, found=missing, why=WHY_WORKFLOW, fix=fix)
        return
    yield Line(topic="workflow", state=State.OK, found=", ".join(w.file for w in found), why=WHY_WORKFLOW)
    for topic, (look, why) in practice.TOPICS.items():
        faults = [fault for workflow in found for fault in look(workflow)]
        for fault in faults:
            at = f"{fault.at.file}:{fault.at.line}: {fault.text}"
            yield Line(topic=topic, state=State.LOOK, found=at, why=why, fix=fault.fix)
        if not faults:
            yield Line(topic=topic, state=State.OK, found="as it should be", why=why)


def reviewed(asked: owners.CodeOwners, files: Sequence[str]) -> Line:
    bare = [file for file in filter(None, files) if not ((rule := asked.last_match(file)) and rule[2])]
    if not bare:
        return Line(topic="review", state=State.OK, found=f"{asked.place} asks owners for it", why=WHY_REVIEW)
    found = f"CODEOWNERS asks nobody for {', '.join(bare)}"
    fix = f"add a line for each, such as `/{bare[0]} @you`, and require review of code owners on the main branch"
    return Line(topic="review", state=State.LOOK, found=found, why=WHY_REVIEW, fix=fix)


def repository(root: Path, environ: Mapping[str, str]) -> str:
    """As owner/name: of the job, else of the remote `origin`; "" if neither tells."""
    if named := environ.get("GITHUB_REPOSITORY", ""):
        return named
    with suppress(HostError):
        found = REMOTE.search(git(root, "config", "--get", "remote.origin.url", allowed=(0, 1)))
        return found[1] if found else ""
    return ""
