"""
Text from a repository or a worker, made harmless where it is shown.

`plain` is for a terminal, `markdown` for a comment on GitHub, `command` and `quoted` for the log of a job there.
Nothing here knows what is shown; every renderer passes all that it did not write itself through one of them.
"""

import re
import unicodedata

LONGEST = 400  # characters of one piece; the whole text is in the JSON report
UNSEEN = "\u200b"  # zero-width space: breaks a mention, a reference or a link without being seen
# What CommonMark or GitHub gives a meaning to anywhere in a line. An underscore within a word has none.
ACTIVE = re.compile(r"[\\`*\[\]<>|~$&#]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
# What opens a list, a rule or an underlined heading, in a list item or a cell as well: "- ", "+ ", "12. ", "===".
LEADING = re.compile(r"^(?:(?=[-+=])|\d+(?=[.)](?!\S)))")
# A pair of single backticks on one line; a longer run is not kgate's way to write code.
CODE = re.compile(r"(?<!`)`(?!`)([^`]+)`(?!`)")
HASH = re.compile(r"#(?![A-Za-z0-9 ]|$)")  # in a job's log; an issue's number and a comment stay as they are
# What GitHub turns into a link by itself: @name, #12, GH-12, scheme://, www. An e-mail address has its @.
LINKING = re.compile(r"@|#|\bgh(?=-\d)|\bwww(?=\.)|(?<=:)(?=//)", re.IGNORECASE)


def plain(text: object, longest: int = LONGEST) -> str:
    """
    One line without control characters, escape sequences, direction overrides or invisible characters.

    A control character is shown as its picture (ESC is `␛`), a line break as a space, all else as `\ufffd`.
    """
    cut = str(text)
    if len(cut) > longest:
        cut = cut[: longest - 1] + "…"
    return "".join(visible(character) for character in cut)


def visible(character: str) -> str:
    code = ord(character)
    if character in "\t\n\r\x0b\x0c\x85\u2028\u2029":
        return " "
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    # Cc: C1 controls, which some terminals obey. Cf: bidi overrides, zero-width. Cs, Co, Cn: no agreed glyph.
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return "\ufffd"
    return character


def markdown(text: object, longest: int = LONGEST) -> str:
    """Text for the middle of a line or a table cell: it shows as it is, and links, mentions and formats nothing."""
    return quiet(plain(text, longest).strip())


def quiet(line: str) -> str:
    escaped = LEADING.sub(r"\g<0>\\", ACTIVE.sub(r"\\\g<0>", line))
    return LINKING.sub(lambda match: match.group(0) + UNSEEN, escaped)


def marked(text: object, longest: int = LONGEST) -> str:
    """As `markdown`, but what stands between two single backticks is code: there nothing links or formats either."""
    pieces = CODE.split(plain(text, longest).strip())
    return "".join(f"`{piece}`" if odd % 2 else quiet(piece) for odd, piece in enumerate(pieces))


def fenced(*texts: object, longest: int = 4000, language: str = "console") -> str:
    """A code block of one line for each text, whose fence is longer than any run of backticks within."""
    lines = [plain(text, longest) for text in texts]
    runs = [len(run) for line in lines for run in re.findall(r"`+", line)]
    fence = "`" * max(3, *(n + 1 for n in runs), 3)
    return "\n".join((f"{fence}{language}", *lines, fence))


def quoted(line: object, lead: str = "| ") -> str:
    """
    One line of a job's log, behind a `lead` of kgate's own, in which the runner finds no command.

    It looks for `::` at the start and for `##[` anywhere, and compares by culture: what weighs nothing there, such as a
    variation selector, does not stand between. So the lead is visible, and so is the blank that breaks up the other.
    """
    shown = str(line)
    return lead + HASH.sub("# ", plain(shown, longest=max(LONGEST, len(shown))))


def command(name: str, message: str, **properties: str) -> str:
    """`::name file=…,line=…,title=…::message` for the runner, escaped as its own toolkit does; lines are kept."""
    lines = "\n".join(plain(line, longest=max(LONGEST, len(line))) for line in message.split("\n"))
    values = {key: data(plain(value)).replace(":", "%3A").replace(",", "%2C") for key, value in properties.items()}
    told = ",".join(f"{key}={value}" for key, value in values.items())
    return f"::{name} {told}::{data(lines)}" if told else f"::{name}::{data(lines)}"


def data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
