"""
Commands in the documentation are commands: every line of a block and every `kgate …` within a text is held against the
parser of the command line, every target against the Makefile, every link against the tree.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from kgate.cli import cli

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(?<!`)`(kgate [^`]+)`(?!`)")
HELP = re.compile(r"<!-- help:begin -->.*?<!-- help:end -->", re.DOTALL)  # held against the program by test_readme
SHELLS = ("", "sh", "bash", "console")
# What begins a command in a block, besides kgate; other lines of a block are output, or another language's.
PROGRAMS = ("python3", "python", "make", "pip", "pytest", "git", "bash", "act", "gh")
FIRST_PAGES = ("start", "verdict", "accepting", "forks", "many-gpus", "faq")


@dataclass(frozen=True, kw_only=True)
class Command:
    """`whole`: whether it is to be typed as it stands, and not only named, so that its arguments have to be there."""

    where: str
    text: str
    whole: bool


def commands(page: Path) -> Iterator[Command]:
    text = HELP.sub("", page.read_text())
    for match in BLOCK.finditer(text):
        if match[1] in SHELLS:
            for line in match[2].splitlines():
                for typed in re.split(r"\s(?:&&|\|\||\|)\s", line.removeprefix("$ ")):
                    bare = re.sub(r"(\s#.*|\s>.*|\s*\\)$", "", typed).strip()
                    if bare.partition(" ")[0].rpartition("/")[2] in ("kgate", *PROGRAMS):
                        yield Command(where=page.name, text=bare, whole=True)
    for span in SPAN.findall(" ".join(BLOCK.sub("", text).split())):
        yield Command(where=page.name, text=span, whole=False)


ALL = [command for page in PAGES for command in commands(page)]
OURS = [c for c in ALL if c.text.partition(" ")[0].rpartition("/")[2] == "kgate"]
MADE = [c for c in ALL if c.text.startswith("make ") and c.whole]


def meant(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that is named, and what is left for it."""
    command: click.Command = cli
    context = click.Context(cli, **cli.context_settings)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        inner = command.get_command(context, words[0])
        assert inner is not None, f"no command {words[0]!r}"
        command, words = inner, words[1:]
    return command, words


def refused(text: str, *, whole: bool) -> str:
    """What the parser has against a command; "" for nothing. Files need not be there."""
    command, words = meant([word for word in shlex.split(text)[1:] if word != "…"])
    if not whole and words and words[-1].startswith("--") and takes_a_value(command, words[-1]):
        words.append("X")  # an option that is only named
    # click keeps what the first context makes of `--help`: it has to be the program's own.
    top = click.Context(cli, **cli.context_settings)
    context = click.Context(command, parent=top, **command.context_settings)
    try:
        given, left, _ = command.make_parser(context).parse_args(words)
    except click.UsageError as error:
        return error.message
    for option in command.params:
        chosen = given.get(option.name or "")
        values = [v for v in (chosen if isinstance(chosen, list) else [chosen]) if isinstance(v, str)]
        known = {*map(str, option.type.choices)} if isinstance(option.type, click.Choice) else set(values)
        if any(value not in known and value.islower() for value in values):  # NAME stands for one of them
            return f"{values} is none of {sorted(known)}"
        absent = not isinstance(chosen, str | list | tuple) or not chosen
        if whole and isinstance(option, click.Argument) and option.required and absent:
            return f"{option.name} is missing"
    return f"{left} is too much" if left and not any(p.nargs == -1 for p in command.params) else ""


def takes_a_value(command: click.Command, name: str) -> bool:
    options = (p for p in command.params if isinstance(p, click.Option) and name in p.opts)
    return any(not option.is_flag for option in options)


@pytest.mark.parametrize("command", OURS, ids=[f"{c.where}-{n}" for n, c in enumerate(OURS)])
def test_a_command_is_one_that_the_program_takes(command: Command) -> None:
    assert refused(command.text, whole=command.whole) == "", command.text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("kgate check --lunches 3", "No such option"),
        ("kgate check --format xml", "is none of"),
        ("kgate repro", "case is missing"),
        ("kgate check more", "is too much"),
        ("kgate check --base", "requires an argument"),
    ],
)
def test_a_wrong_command_would_be_found(text: str, says: str) -> None:
    assert says in refused(text, whole=True)


def test_a_command_that_does_not_exist_would_be_found() -> None:
    with pytest.raises(AssertionError, match="no command 'chek'"):
        refused("kgate chek", whole=False)


def test_every_target_that_is_named_is_in_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text()

    targets = {word for c in MADE for word in shlex.split(c.text)[1:] if re.fullmatch(r"[a-z]+", word)}

    assert targets
    assert {t for t in targets if not re.search(rf"^{t}:", makefile, re.MULTILINE)} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_within_the_repository_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text())

    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("name", FIRST_PAGES)
def test_readme_leads_to_the_first_pages(name: str) -> None:
    assert f"](docs/{name}.md)" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("name", FIRST_PAGES)
def test_the_first_pages_hold_commands_that_were_looked_at(name: str) -> None:
    assert [c for c in OURS if c.where == f"{name}.md"]
