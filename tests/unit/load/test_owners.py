"""CODEOWNERS, by the facts of GitHub's documentation."""

from pathlib import Path

import pytest

from kgate.load.owners import SIZE_LIMIT, ownership
from kgate.model import Kernel, Place

KERNEL = Kernel(
    name="gelu",
    owners=("@acme/kernels",),
    dsl="torch",
    dispatch="a:d",
    custom="a:c",
    fallback="a:f",
    workloads=(),
    place=Place(path="kgate.yaml", line=3),
)


def asked(root: Path, text: str, file: str) -> tuple[int, tuple[str, ...]] | None:
    """Line and owners of the rule that matches `file`."""
    (root / "CODEOWNERS").write_text(text, encoding="utf-8")
    rule = ownership(root, KERNEL, [file]).files[file]
    return rule and (rule[0].line, rule[2])


def matches(root: Path, pattern: str, file: str) -> bool:
    return asked(root, f"{pattern} @me\n", file) is not None


MATCHES = [
    # The examples of the documentation.
    ("*", "a/b/c.py", True),
    ("*.js", "web/app.js", True),
    ("*.js", "web/app.jsx", False),
    ("/build/logs/", "build/logs/2026/a.log", True),
    ("/build/logs/", "src/build/logs/a.log", False),
    ("docs/*", "docs/getting-started.md", True),
    ("docs/*", "docs/build-app/troubleshooting.md", False),
    ("apps/", "apps/a.py", True),
    ("apps/", "src/apps/b/a.py", True),
    ("apps/", "apps", False),
    ("/docs/", "docs/a/b.md", True),
    ("/docs/", "src/docs/a.md", False),
    ("**/logs", "build/logs/a.log", True),
    ("**/logs", "logs", True),
    ("**/logs", "build/mylogs", False),
    ("/apps/github", "apps/github", True),
    ("/apps/github", "apps/github/x.py", True),
    ("/apps/github", "apps/githubber", False),
    # What gitignore's rules add.
    ("/scripts/**", "scripts/a/b.sh", True),
    ("/scripts/**", "scripts", False),
    ("a/**/b", "a/b", True),
    ("a/**/b", "a/x/y/b", True),
    ("a/**/b", "ab", False),
    ("foo**/bar", "foobar", False),
    ("foo**/bar", "foo1/bar", True),
    ("kernels/gelu.py", "kernels/gelu.py", True),
    ("kernels/gelu.py", "acme/kernels/gelu.py", False),
    ("gelu.py", "acme/kernels/gelu.py", True),
    ("gel?.py", "gelu.py", True),
    ("gel?.py", "gel/.py", False),
    ("Gelu.py", "gelu.py", False),
    (r"my\ kernels/", "my kernels/a.py", True),
    (r"a\*b", "a*b", True),
    (r"a\*b", "axb", False),
    ("a.b", "axb", False),
    ("ünder/", "ünder/a.py", True),
    ("**", "a/b", True),
]


@pytest.mark.parametrize(("pattern", "file", "expected"), MATCHES, ids=[f"{p} {f}" for p, f, _ in MATCHES])
def test_a_pattern_matches_as_github_says(tmp_path: Path, pattern: str, file: str, expected: bool) -> None:
    assert matches(tmp_path, pattern, file) == expected


def test_the_last_rule_that_matches_wins(tmp_path: Path) -> None:
    text = "* @everyone\n/kernels/ @acme/kernels\n*.md @writers\n"

    assert asked(tmp_path, text, "kernels/gelu.py") == (2, ("@acme/kernels",))
    assert asked(tmp_path, text, "kernels/README.md") == (3, ("@writers",))
    assert asked(tmp_path, text, "setup.py") == (1, ("@everyone",))


def test_a_rule_without_owners_makes_its_files_nobodys(tmp_path: Path) -> None:
    text = "/apps/ @octocat\n/apps/github\n"

    assert asked(tmp_path, text, "apps/github/a.py") == (2, ())


def test_comments_and_blank_lines_count_as_lines_and_say_nothing(tmp_path: Path) -> None:
    text = "# everything\r\n\r\n*.py @a docs@example.com # and @b too\r\n"

    assert asked(tmp_path, text, "x.py") == (3, ("@a", "docs@example.com"))


@pytest.mark.parametrize("line", ["!kernels/ @me", "[ab].py @me", r"\#x @me", "*.py me", "/ @me", "*.py @a b@"])
def test_a_line_that_github_does_not_take_is_skipped(tmp_path: Path, line: str) -> None:
    text = f"* @everyone\n{line}\n"

    assert asked(tmp_path, text, "kernels/a.py") == (1, ("@everyone",))
    assert asked(tmp_path, text, "#x") == (1, ("@everyone",))


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ((".github", ".", "docs"), ".github/CODEOWNERS"),
        ((".", "docs"), "CODEOWNERS"),
        (("docs",), "docs/CODEOWNERS"),
    ],
)
def test_the_first_place_that_has_the_file_counts(tmp_path: Path, places: tuple[str, ...], expected: str) -> None:
    for place in places:
        (tmp_path / place).mkdir(exist_ok=True)
        (tmp_path / place / "CODEOWNERS").write_text(f"* @{place.strip('.') or 'root'}\n")

    found = ownership(tmp_path, KERNEL, ["a.py"])

    assert found.codeowners == expected
    assert found.files["a.py"] == (Place(path=expected, line=1), "*", (f"@{places[0].strip('.') or 'root'}",))


def test_without_codeowners_every_file_is_without_a_rule(tmp_path: Path) -> None:
    found = ownership(tmp_path, KERNEL, ["a.py", "b.py"])

    assert (found.codeowners, found.problem) == ("", "")
    assert found.files == {"a.py": None, "b.py": None}
    assert found.owners == ("@acme/kernels",)


def test_a_file_that_github_does_not_load_is_a_problem_and_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "CODEOWNERS").write_text("* @me\n" + "#" * SIZE_LIMIT)

    found = ownership(tmp_path, KERNEL, ["a.py"])

    assert found.files == {"a.py": None}
    assert found.problem == (
        "CODEOWNERS: cannot be read (3000006 bytes, more than the 3 MB that GitHub loads); "
        "GitHub asks nobody for review until it is mended"
    )


def test_bytes_that_are_no_text_are_a_problem_and_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "CODEOWNERS").write_bytes(b"* @m\xff\n")

    assert "cannot be read" in ownership(tmp_path, KERNEL, ["a.py"]).problem
