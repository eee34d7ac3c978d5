"""Where a group of findings belongs: in the kernel's own file where that is to be mended, else in the manifest."""

import re

from kgate.model import Place, Run
from kgate.reports._view import Group

# Rules that blame what stands in a file of the kernel's; all others are mended in the manifest or in CODEOWNERS.
OF_CUSTOM = frozenset(
    {
        "does-not-run",
        "contract-broken",
        "wrong-result",
        "nondeterministic",
        "path-not-taken",
        "slower-than-base",
        "slower-than-fallback",
        "slower-than-baseline",
        "less-exact-than-baseline",
        "unsteady",
        "grown",
    }
)
OF_FALLBACK = frozenset({"fallback-missing", "fallback-wrong", "fallback-raises"})
FRAME = re.compile(r'File "(?P<path>[^"]+)", line (?P<line>\d{1,7})')


def place_of(run: Run, group: Group) -> Place | None:
    """The last line of the kernel's own code that a trace names; without one the file's first; None for no place."""
    first = group.first
    kernel = run.kernels.get(first.kernel)
    if kernel is None or first.rule not in OF_CUSTOM | OF_FALLBACK:
        return first.place
    owned = run.ownership.get(kernel.name)
    files = tuple(owned.files) if owned else ()
    traced = [
        Place(path=file, line=int(frame["line"]))
        for finding in group.findings
        for frame in FRAME.finditer(finding.evidence.get("trace", ""))
        for file in files
        if frame["path"] == file or frame["path"].endswith(f"/{file}")
    ]
    if traced:
        return traced[-1]
    file = file_of(kernel.fallback if first.rule in OF_FALLBACK else kernel.custom, files)
    return Place(path=file, line=1) if file else first.place


def file_of(entry: str, files: tuple[str, ...]) -> str:
    """The one file that `module:function` can be in; "" where none is, or several could be."""
    stem = entry.partition(":")[0].replace(".", "/")
    ends = (f"{stem}.py", f"{stem}/__init__.py")
    found = [file for file in files if any(file == end or file.endswith(f"/{end}") for end in ends)]
    return found[0] if len(found) == 1 else ""
