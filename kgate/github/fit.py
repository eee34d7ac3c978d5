"""A Markdown text to a size limit, by whole lines, so that no table row, fence or folded section is left half open."""

from collections.abc import Callable

NOTE = "*Shortened to fit; the whole report is in the file `report.json` of this run.*"
SPARE = 4096  # for the note and for closing what is open where the text is cut
DEEPEST = 250  # closing tags that fit into SPARE; no report of ours nests at all


def fit(text: str, limit: int, size: Callable[[str], int] = len) -> str:
    """
    At most `limit` in the unit of `size` (characters, or bytes of UTF-8). Severity comes first in every kgate text, so
    what is lost is the end.
    """
    if size(text) <= limit:
        return text
    kept, spent = list[str](), 0
    for line in text.splitlines(keepends=True):
        spent += size(line)
        if spent > limit - SPARE:
            break
        kept.append(line)
    return "".join(kept).rstrip("\n") + "\n" + closing(kept) + "\n" + NOTE + "\n"


def closing(lines: list[str]) -> str:
    """The lines that close the code fence and the `<details>` that are open after `lines`."""
    fence, depth = "", 0
    for line in lines:
        mark = line.lstrip()[:3]
        if fence:
            fence = "" if mark == fence else fence
        elif mark in ("```", "~~~"):
            fence = mark
        else:
            depth += line.count("<details") - line.count("</details>")
    return (f"{fence}\n" if fence else "") + "\n</details>\n" * min(max(depth, 0), DEEPEST)
