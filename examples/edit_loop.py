"""
A loop that mends a kernel without a human: it tries edits until `kgate check` says pass.

    python edit_loop.py FOLDER --python PATH     the interpreter that has torch and TileLang

Stages the gallery in FOLDER, commits a fault on top of it (edits/planted.patch), and mends it with the other patches of
edits/. All that it knows of the kernel are the lines of `kgate check --stream`: a failed rung tells what is wrong and
where, and the first line of a patch says what it is for. Three runs, each dearer than the one before, lie between an
edit and its end: the workload that failed, all workloads, and the full run with base and every launch that kgate wants.

Exit code 0 where an edit led to pass, 1 where none did. Which patch to try next is the one thing that an author, or a
program that writes code, does better; the rest of the loop stays as it is.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import stage

EDITS = Path(__file__).resolve().parent / "edits"
PLANTED = "planted.patch"
KERNEL = "vector_add_tilelang_cpu"
LADDER = ("environment", "import", "compile", "run", "contract", "correctness", "fallback", "path", "latency")
FOR = re.compile(r"For: (?P<rung>\w+) \((?P<words>.+)\)\n")

Event = dict[str, Any]  # a line of the stream
Check = Callable[[Sequence[str]], list[Event]]  # flags of `kgate check` in, its events out


@dataclass(frozen=True)
class Symptom:
    """A failed rung of head, as the stream tells it."""

    case: str  # kernel/workload@device
    rung: str
    reason: str
    said: str  # what happened, and what to do now

    @property
    def workload(self) -> str:
        return self.case.partition("/")[2].partition("@")[0]

    @property
    def height(self) -> int:
        return LADDER.index(self.rung)


@dataclass(frozen=True)
class Edit:
    """A patch, and what it is for: a rung, and words that `said` must have."""

    path: Path
    rung: str
    words: str

    def fits(self, symptom: Symptom) -> bool:
        return self.rung == symptom.rung and self.words in symptom.said


def edits_in(folder: Path) -> list[Edit]:
    """In the order of their names. Raises ValueError where there is none, or one does not say what it is for."""
    found = []
    # Not as it was given: git applies a patch from another folder.
    for path in sorted(folder.resolve().glob("*.patch")):
        if path.name == PLANTED:
            continue
        purpose = FOR.match(path.read_text())
        if purpose is None:
            raise ValueError(f"{path}: begins without `For: RUNG (WORDS)`")
        found.append(Edit(path, **purpose.groupdict()))
    if not found:
        raise ValueError(f"{folder}: holds no patch to try; name a folder with some")
    return found


def symptom_of(events: Iterable[Event]) -> Symptom | None:
    """The lowest failed rung of head, the first of equals; None where there is none."""
    failed = [e for e in events if e["event"] == "rung-ended" and e["arm"] == "head" and not e["ok"]]
    if not failed:
        return None
    lowest = min(failed, key=lambda e: LADDER.index(e["rung"]))
    return Symptom(lowest["case"], lowest["rung"], lowest["reason"], f"{lowest['text']}. {lowest['next']}")


def verdict_of(events: Sequence[Event]) -> str:
    return str(events[-1]["verdict"])


class Loop:
    """`apply` and `undo` change the work tree by one patch; `say` is told each step in a line."""

    def __init__(
        self, check: Check, apply: Callable[[Path], None], undo: Callable[[Path], None], say: Callable[[str], None]
    ) -> None:
        self.check = check
        self.apply = apply
        self.undo = undo
        self.say = say

    def mended(self, edits: Sequence[Edit], cheap: Sequence[str], wide: Sequence[str], full: Sequence[str]) -> bool:
        """Whether an edit led to pass; it stays applied then, and no other does. `cheap` is given a --workload."""
        symptom = self.tried("as it is", (wide,))
        if symptom is None:
            return True
        left = list(edits)
        while (edit := next((e for e in left if e.fits(symptom)), None)) is not None:
            left.remove(edit)
            self.apply(edit.path)
            found = self.tried(edit.path.stem, ((*cheap, "--workload", symptom.workload), wide, full))
            if found is None:
                return True
            self.undo(edit.path)
            # An edit that fails further down has broken something else, and tells nothing of the fault.
            if found.height >= symptom.height:
                symptom = found
        return False

    def tried(self, name: str, runs: Sequence[Sequence[str]]) -> Symptom | None:
        """What the first run that does not pass shows; None where all pass."""
        for flags in runs:
            events = self.check(flags)
            symptom = symptom_of(events)
            self.say(f"{name}: kgate check {shlex.join(flags)}: {verdict_of(events)}")
            if verdict_of(events) == "pass":
                continue
            if symptom is None:
                raise SystemExit(f"{name}: {verdict_of(events)} without a failed rung; see `kgate check`")
            self.say(f"  {symptom.case} fails at {symptom.rung} {symptom.reason}".rstrip() + f": {symptom.said}")
            return symptom
        return None


def checked(folder: Path, python: str, flags: Sequence[str]) -> list[Event]:
    """One `kgate check`. Ends the program where it has no verdict to give."""
    command = [sys.executable, "-m", "kgate", "check", "--stream", "--python", python, *flags]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    if not events or events[-1]["event"] != "run-ended":
        raise SystemExit(f"kgate check ended with exit code {done.returncode} and without a verdict")
    return events


def options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Tries edits on a staged gallery until `kgate check` passes.")
    parser.add_argument("folder", type=Path, help="new or empty; the gallery is staged there")
    parser.add_argument("--python", required=True, help="the interpreter with torch and TileLang")
    parser.add_argument("--edits", type=Path, default=EDITS, help="a folder of patches")
    parser.add_argument("--workload", action="append", default=[], help="only these; may be given again")
    parser.add_argument("--launches", type=int, help="of the full run; as many as kgate wants if left out")
    return parser.parse_args(arguments)


def staged_and_mended(given: argparse.Namespace) -> bool:
    """Raises ValueError, OSError or CalledProcessError where folder or patches are not what they should be."""
    edits = edits_in(given.edits)
    folder = stage.stage("gallery", given.folder).resolve()
    stage.git(folder, "apply", os.fspath(EDITS / PLANTED))
    stage.git(folder, "commit", "--quiet", "--all", "--message=Add whole blocks at a time")
    kernel = ("--kernel", KERNEL)
    wide = (*kernel, *(word for name in given.workload for word in ("--workload", name)))
    quick = ("--base", "none", "--launches", "1")  # whether it is right; a full run asks for the rest
    launches = ("--launches", str(given.launches)) if given.launches else ()
    loop = Loop(
        check=lambda flags: checked(folder, os.path.abspath(given.python), flags),
        apply=lambda patch: stage.git(folder, "apply", os.fspath(patch)),
        undo=lambda patch: stage.git(folder, "apply", "--reverse", os.fspath(patch)),
        say=lambda line: print(line, flush=True),
    )
    return loop.mended(edits, (*kernel, *quick), (*wide, *quick), (*wide, "--base", "HEAD~1", *launches))


def main(arguments: Sequence[str]) -> int:
    given = options(arguments)
    try:
        mended = staged_and_mended(given)
    except (ValueError, OSError, subprocess.CalledProcessError) as error:
        print(f"edit_loop.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print("pass" if mended else "no edit led to pass")
    return 0 if mended else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
