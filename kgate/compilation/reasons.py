"""What a compiler has against a kernel, as one sentence, out of all that it wrote."""

import re

# nvcc, ptxas, tileiras, MLIR and LLVM: `file(12): error: …`, `ptxas /tmp/x, line 55; error   : …`, `loc(…): error: …`.
SAID = re.compile(r"(?P<where>.*?)\b(?:fatal\s+)?(?:error|fatal)\s*:\s*(?P<what>\S.*)", re.IGNORECASE)
TOOL = re.compile(r"^(nvcc|ptxas|tileiras|nvlink|cicc)\b")
LINE = re.compile(r"\((\d+)\)\s*:?$|line (\d+)\b|:(\d+)(?::\d+)?\)?:?$")
# Of an exception, before its message.
TYPE = re.compile(r"^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Failure)?:\s*")
# Lines that say that something was said, or where, and not what.
EMPTY = re.compile(r"^$|^at \d+:\d+:|^\d+ errors? |aborted due to errors|^compilation (?:error|failed)", re.IGNORECASE)
PATH = re.compile(r"(?:/[\w.+-]+){2,}/([\w.+-]+)")
FRAME = re.compile(r'^[ \t]*File "(?:.*/)?([^"/]+)", line (\d+), in (\S+)', re.MULTILINE)
LETTERS = 300
LINE_LETTERS = 2000  # of one line that are read; a template's instantiation may have thousands


def reason(text: str, detail: str) -> str:
    """
    `text`: type and first line of what was raised, where adapters put the reason if they know it; `detail`: the end of
    its traceback, with the whole message.
    """
    first = TYPE.sub("", " ".join(text.split()))
    lines = [line.strip() for line in detail.splitlines()]
    found = spoken(first) or cleaned(first) or next(filter(None, map(spoken, reversed(lines))), "") or text
    return found[:LETTERS]


def raised(text: str, detail: str) -> str:
    """Of what the call itself raised: type and message, and the last place that its traceback names."""
    frames = FRAME.findall(detail)
    place = " ({}, line {}, in {})".format(*frames[-1]) if frames else ""
    return f"the call raised {cleaned(text)[: LETTERS - len(place)]}{place}"


def spoken(line: str) -> str:
    """Tool, line of its source and what it says, where this is a line about an error; else ""."""
    matches = []
    left = line[:LINE_LETTERS]
    while (match := SAID.match(left)) and not TYPE.match(left) and not EMPTY.search(match["what"]):
        matches.append(match)
        left = match["what"]  # one tool may quote another, whose words say more
    return next(filter(None, map(told, reversed(matches))), "")


def told(match: re.Match[str]) -> str:
    where = match["where"].rstrip("; ")
    tool, number = TOOL.match(where), LINE.search(where)
    at = [tool[1]] if tool else []
    at += [f"line {next(filter(None, number.groups()))}"] if number else []
    return ": ".join([*at, cleaned(match["what"])])


def cleaned(text: str) -> str:
    """Without folders that mean nothing elsewhere, and without a full stop, since more may follow; "" for a header."""
    short = PATH.sub(r"\1", " ".join(text.split())).rstrip(". ")
    return "" if EMPTY.search(short) else short
