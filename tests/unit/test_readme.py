"""README says what the program says; KGATE_REFRESH_GOLDEN=1 rewrites its block of help."""

import os
import re
from pathlib import Path

from click.testing import CliRunner

from kgate.cli import cli

README = Path(__file__).resolve().parents[2] / "README.md"
BLOCK = re.compile(r"(?<=<!-- help:begin -->\n).*?(?=<!-- help:end -->)", re.DOTALL)


def helps() -> str:
    shown = []
    for words in (
        [],
        ["check"],
        ["drill"],
        ["plan"],
        ["compile"],
        ["report"],
        ["repro"],
        ["doctor"],
        ["decide"],
        ["capture"],
        ["init"],
    ):
        result = CliRunner().invoke(cli, [*words, "--help"], prog_name="kgate", terminal_width=100)
        assert result.exit_code == 0
        shown.append(f"```\n$ {' '.join(['kgate', *words, '--help'])}\n{result.output.strip()}\n```\n")
    return "\n".join(shown)


def test_the_help_in_readme_is_what_the_program_prints() -> None:
    text = README.read_text()
    if os.environ.get("KGATE_REFRESH_GOLDEN"):
        README.write_text(BLOCK.sub(lambda _: helps(), text))

    (block,) = BLOCK.findall(README.read_text())

    assert block == helps()


def test_every_make_target_that_readme_names_exists() -> None:
    makefile = (README.parent / "Makefile").read_text()

    named = set(re.findall(r"(?:^|`)make ([a-z]+)(?:`|$)", README.read_text(), re.MULTILINE))

    assert named
    assert {name for name in named if not re.search(rf"^{name}:", makefile, re.MULTILINE)} == set()


def test_every_file_that_readme_links_to_exists() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README.read_text())

    assert links
    assert [link for link in links if not (README.parent / link).exists()] == []
