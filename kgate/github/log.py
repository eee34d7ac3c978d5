"""
What a program prints, made harmless for the runner that reads it: `python -m kgate.github.log` copies its input.

The runner finds commands in every line of a step's output: `::name::` behind blanks at the start, and the older
`##[name]` anywhere. It ends a line at each line feed and carriage return.
"""

import io
import re
import sys
from collections.abc import Iterable, Iterator

from kgate.escape import UNSEEN

ENDS = re.compile(r"\r\n|\r|\n")
# All that one reader or another takes for a blank, more than the runner does.
MARK = re.compile(r"^([\s\x1c-\x1f\x85\ufeff]*):(?=:)")


def inert(line: str) -> str:
    """The same to a reader's eye, and no command of either kind. `line` holds no line's end."""
    return MARK.sub(rf"\1{UNSEEN}:", line).replace("##[", f"##{UNSEEN}[")


def lines(pieces: Iterable[str]) -> Iterator[str]:
    """Of text as it comes, each with its end; a last line gets one."""
    for piece in pieces:
        for line in ENDS.split(piece.rstrip("\r\n")):
            yield inert(line) + "\n"


def main() -> None:
    """Whatever the bytes are: none is lost, and none ends the copy."""
    for line in lines(io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace", newline="\n")):
        sys.stdout.buffer.write(line.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
