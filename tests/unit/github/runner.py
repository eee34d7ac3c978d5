"""
What the runner of GitHub Actions makes of a line of a job's log and of a file of outputs, written anew for tests.

Its two grammars of commands are `::name key=value,key=value::data` at the start of a line, behind blanks, and the older
`##[name key=value;key=value]data` anywhere in one. Both markers are looked for by culture, where characters without a
weight of their own count for nothing: `weightless` takes them away, so that a test can look at both readings.
"""

import re
import unicodedata
from dataclasses import dataclass, field

REGISTERED = frozenset(
    {
        "add-mask",
        "add-matcher",
        "add-path",
        "debug",
        "echo",
        "endgroup",
        "error",
        "group",
        "internal-set-repo-path",
        "notice",
        "remove-matcher",
        "save-state",
        "set-env",
        "set-output",
        "stop-commands",
        "warning",
    }
)
FILLERS = "\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # letters that are ignored all the same


@dataclass(frozen=True, kw_only=True)
class Command:
    name: str
    data: str
    properties: dict[str, str] = field(default_factory=dict)


def command_of(line: str) -> Command | None:
    return new_form(line) or old_form(line)


def new_form(line: str) -> Command | None:
    line = line.lstrip()
    end = line.find("::", 2)
    if not line.startswith("::") or end < 0:
        return None
    name, _, told = line[2:end].partition(" ")
    if name not in REGISTERED:
        return None
    pairs = [pair.split("=", 1) for pair in told.strip().split(",") if pair]
    properties = {pair[0]: unescaped(pair[1], ":,") for pair in pairs if len(pair) == 2 and all(pair)}
    return Command(name=name, properties=properties, data=unescaped(line[end + 2 :], ""))


def old_form(line: str) -> Command | None:
    start = line.find("##[")
    end = line.find("]", start)
    if start < 0 or end < 0:
        return None
    name, _, _ = line[start + 3 : end].partition(" ")
    return Command(name=name, data=line[end + 1 :]) if name in REGISTERED else None


def unescaped(text: str, more: str) -> str:
    for character in f"\r\n{more}%":
        text = text.replace(f"%{ord(character):02X}", character)
    return text


def weightless(line: str) -> str:
    return "".join(c for c in line if unicodedata.category(c) not in ("Mn", "Me", "Cf") and c not in FILLERS)


def outputs_of(text: str) -> dict[str, str]:
    """Of a file of outputs: `name=value` if `=` comes before `<<`, else a heredoc up to the line of its delimiter."""
    found, lines = {}, iter(re.split(r"\r\n|\n|\r", text))
    for line in lines:
        equals, heredoc = line.find("="), line.find("<<")
        if equals >= 0 and (heredoc < 0 or equals < heredoc):
            found[line[:equals]] = line[equals + 1 :]
        elif heredoc >= 0:
            body = []
            for inner in lines:
                if inner == line[heredoc + 2 :]:
                    break
                body.append(inner)
            found[line[:heredoc]] = "\n".join(body)
    return found
