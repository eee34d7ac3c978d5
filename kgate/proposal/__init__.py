"""
`kgate init` in a repository that has nothing of the gate yet: a manifest and a workflow to review.

    files -> survey -> text of manifest and workflow -> held against the loader -> difference, and written
"""

import difflib
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path

from kgate.errors import ManifestError, UsageError
from kgate.escape import plain
from kgate.figures import count
from kgate.load import manifest as manifests
from kgate.load import tree
from kgate.load.placeholders import WORD
from kgate.proposal import page, workflow
from kgate.survey import Subject, Survey, survey

DAYS = 90  # until code that is no product's has to be decided about
HIDDEN = ("node_modules", "__pycache__", "build", "dist")


@dataclass(frozen=True, kw_only=True)
class Page:
    """One file of the proposal. `had` is what is there already, None where nothing is."""

    path: Path
    shown: str
    text: str
    had: str | None

    @property
    def difference(self) -> str:
        old = (self.had or "").splitlines(keepends=True)
        before = "/dev/null" if self.had is None else f"a/{self.shown}"
        lines = difflib.unified_diff(old, self.text.splitlines(keepends=True), before, f"b/{self.shown}")
        return "".join(lines)


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """`source` is the workflow's among those of kgate; `doubts` are sentences about what was left out, and why."""

    found: Survey
    manifest: Page
    workflow: Page
    source: str
    doubts: tuple[str, ...]


def propose(manifest: Path, owner: str = "") -> Proposal:
    """Writes nothing. Raises UsageError where there is no kernel to propose an entry for."""
    wanted = manifests.located(manifest)
    root = manifests.root_of(wanted.parent)
    files = tree.files(root) if (root / ".git").exists() else walked(root)
    # The plain name at the root leaves it open where imports start; any other path says so.
    return proposed(root, files, None if wanted == root / manifests.NAME else wanted, owner)


def proposed(root: Path, files: Sequence[str], wanted: Path | None, owner: str) -> Proposal:
    found = survey(root, files, wanted.parent if wanted else None, owner)
    if not found.subjects:
        raise UsageError(nothing(found, files))
    found, doubts = sound(found)
    path = wanted or found.folder / manifests.NAME
    source = workflow.fitting(path)
    expires = (date.today() + timedelta(days=DAYS)).isoformat()
    return Proposal(
        found=found,
        manifest=paged(root, path, page.text(found, expires)),
        workflow=paged(root, root / workflow.PLACE, workflow.text(found, path, source)),
        source=source,
        doubts=(*doubts, *(f"{name}, {at.place}: nothing that launches it was found" for name, at in found.left)),
    )


def walked(root: Path) -> tuple[str, ...]:
    """All files of a folder that is no git repository yet, but for environments and what is hidden."""
    found: list[str] = []
    for folder, inner, names in os.walk(root):
        inner[:] = [
            n for n in inner if n == ".github" or not (n.startswith(".") or n in HIDDEN or is_environment(folder, n))
        ]
        found += [(Path(folder) / name).relative_to(root).as_posix() for name in names]
    return tuple(sorted(found))


def is_environment(folder: str, name: str) -> bool:
    return Path(folder, name, "pyvenv.cfg").is_file()


def nothing(found: Survey, files: Sequence[str]) -> str:
    read = sum(file.endswith((".py", ".cu", ".cuh")) for file in files)
    if found.left:
        name, native = found.left[0]
        return (
            f"{native.place}: {name} is device code, and no function that launches it was found; "
            "write kgate.yaml by hand, as docs/manifest.md shows"
        )
    return (
        f"no kernel was found in {count(read, 'Python or CUDA file')} of {found.root}; run it in the repository that "
        "has them, or write kgate.yaml by hand, as docs/manifest.md shows"
    )


def paged(root: Path, path: Path, text: str) -> Page:
    had = path.read_text("utf-8", "replace") if path.is_file() else None
    return Page(path=path, shown=path.relative_to(root).as_posix(), text=text, had=had)


def sound(found: Survey) -> tuple[Survey, tuple[str, ...]]:
    """The survey without what makes no valid entry, calls first, and a sentence about each."""
    kept: list[Subject] = []
    doubts: list[str] = []
    for subject in found.subjects:
        if trouble := refused(found, subject):
            doubts.append(f"{subject.entry.name}: what was read of it makes no valid entry ({trouble})")
            subject = replace(subject, use=None)
        if not trouble or not refused(found, subject):
            kept.append(subject)
    return replace(found, subjects=tuple(kept)), tuple(doubts)


def refused(found: Survey, subject: Subject) -> str:
    """What the loader has against this entry alone, its placeholders aside; "" for nothing."""
    text = page.text(replace(found, subjects=(subject,)), date.today().isoformat())
    with tempfile.TemporaryDirectory(prefix="kgate-init-") as folder:
        path = Path(folder).resolve() / manifests.NAME
        path.write_text(text.replace(WORD, "somebody"), encoding="utf-8")
        try:
            manifests.load(path)
        except ManifestError as error:
            return str(error).partition("\n")[0]
    return ""


def write(proposal: Proposal, *, force: bool) -> Iterator[str]:
    """A sentence for each file. Raises UsageError where one cannot be written."""
    for made in (proposal.manifest, proposal.workflow):
        if made.had == made.text:
            yield f"{made.shown}: is as proposed already"
        elif made.had is not None and not force:
            yield f"{made.shown}: is there, and is not changed; --force puts the proposal in its place"
        else:
            try:
                made.path.parent.mkdir(parents=True, exist_ok=True)
                made.path.write_text(made.text, encoding="utf-8")
            except OSError as error:
                raise UsageError(f"{made.path}: cannot be written ({error.strerror}); make room for it") from error
            yield f"{made.shown}: written, {described(proposal, made)}"


def described(proposal: Proposal, made: Page) -> str:
    if made is proposal.workflow:
        return f"from workflows/{proposal.source}; {workflow.FOLLOWS[proposal.source]}"
    gaps = [str(n) for n, text in enumerate(made.text.splitlines(), 1) if WORD in text and not text.startswith("#")]
    wanting = f"; to fill in: line {', '.join(gaps)}" if gaps else ""
    return count(len(proposal.found.subjects), "kernel") + wanting


def shown(proposal: Proposal) -> str:
    """What the proposal changes, as `git diff` has it."""
    return proposal.manifest.difference + proposal.workflow.difference


def told(proposal: Proposal) -> Iterator[str]:
    """What was left out, and the next command."""
    yield from map(plain, proposal.doubts)
    folder = proposal.found.folder
    if folder != proposal.found.root:
        start = folder.relative_to(proposal.found.root).as_posix()
        yield f"modules are imported from {start}/ here, so the manifest lies there"
    for other in filter(None, proposal.found.elsewhere):
        own = f"`kgate init --manifest {other}/{manifests.NAME}`"
        yield plain(f"{other}: kernels are imported from there as well; {own} proposes their manifest")
    named = "" if proposal.manifest.shown == manifests.NAME else f" --manifest {proposal.manifest.shown}"
    first = "fill in what is marked, then " if WORD in "\n".join(entries(proposal.manifest.text)) else ""
    yield f"next: {first}`kgate check --list{named}`, and `kgate doctor{named}` for this machine and the workflow"


def entries(text: str) -> Iterator[str]:
    return (line for line in text.splitlines() if not line.startswith("#"))
