"""CODEOWNERS, by the facts of GitHub's documentation."""

from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from kgate.load.owners import SIZE_LIMIT, named, ownership, read
from kgate.model import Kernel, Ownership, Place

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


def owned(root: Path, *files: str, kernel: Kernel = KERNEL) -> Ownership:
    """Of a tree that holds nothing but `files`."""
    return ownership(read(root, files), kernel, files)


def asked(root: Path, text: str, file: str) -> tuple[int, tuple[str, ...]] | None:
    """Line and owners of the rule that matches `file`."""
    (root / "CODEOWNERS").write_text(text, encoding="utf-8")
    rule = owned(root, file).files[file]
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
    # What a pattern of one part means, and where a star ends: facts that parsers in public use (hmarr/codeowners) hold.
    ("foo", "bar/foo/baz", True),
    ("foo", "bar/foo.txt", False),
    ("/*", "a.py", True),
    ("/*", "a/b.py", False),
    ("/*/", "a/b.py", True),
    ("/*/", "a.py", False),
    ("f*", "bar/foo/baz", True),
    ("foo/*.txt", "qux/foo/bar.txt", False),
    ("foo/*/baz", "foo/baz", False),
    ("foo/*/baz", "foo/bar/baz/qux", True),
    ("foo/**/bar/b*", "foo/qux/bar/baz", True),
    ("foo/**/", "foo", False),
    # Lines of public repositories: pytorch/pytorch, python/cpython, vllm-project/vllm.
    ("/aten/src/ATen/native/**/*LinearAlgebra*", "aten/src/ATen/native/LinearAlgebra.cpp", True),
    ("/aten/src/ATen/native/**/*LinearAlgebra*", "aten/src/ATen/native/cuda/linalg/BatchLinearAlgebra.cpp", True),
    ("/aten/src/ATen/native/Foreach*", "aten/src/ATen/native/cuda/ForeachBinaryOp.cu", False),
    ("/torch/_functorch/_aot_autograd/*.py", "torch/_functorch/_aot_autograd/utils.py", True),
    ("/torch/csrc/stable/", "torch/csrc/stable/library.h", True),
    ("**/*import*", "Python/import.c", True),
    ("**/*import*", "Lib/importlib/abc.py", True),
    ("Doc/**/argparse*.rst", "Doc/library/argparse.rst", True),
    ("Doc/**/argparse*.rst", "Doc/argparse.rst", True),
    ("Lib/*time.py", "Lib/test/datetime.py", False),
    ("configure*", "Tools/configure.ac", True),
    ("Tools/wasm/wasi", "Tools/wasm/wasi-env", False),
    ("/vllm/entrypoints/*.py", "vllm/entrypoints/openai/api_server.py", False),
    ("/vllm/**/*rocm*", "vllm/platforms/rocm.py", True),
    ("/vllm/v1/worker/gpu", "vllm/v1/worker/gpu_worker.py", False),
    ("/vllm/models/*/amd", "vllm/models/deepseek_v4/amd/ops/fused.py", True),
    (".readthedocs.yaml", "docs/.readthedocs.yaml", True),
]


def test_at_least_forty_examples_are_held():
    assert len({pattern for pattern, _, _ in MATCHES}) >= 40


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


def test_a_later_line_may_take_an_owner_away_from_a_file_alone(tmp_path: Path) -> None:
    # As vllm-project/vllm does for one file of a folder that is owned.
    text = "/vllm/utils @a\n/vllm/utils/argparse_utils.py\n"

    assert asked(tmp_path, text, "vllm/utils/argparse_utils.py") == (2, ())
    assert asked(tmp_path, text, "vllm/utils/math.py") == (1, ("@a",))


def test_comments_and_blank_lines_count_as_lines_and_say_nothing(tmp_path: Path) -> None:
    text = "# everything\r\n\r\n*.py @a docs@example.com # and @b too\r\n"

    assert asked(tmp_path, text, "x.py") == (3, ("@a", "docs@example.com"))


SKIPPED = [
    ("!kernels/ @me", "which knows no negation"),
    # GitHub said of this line of python/cpython that the file contains errors.
    ("Python/ceval*.[ch] @markshannon", "which knows no ranges of characters"),
    ("[Section] @me", "which knows no ranges of characters"),
    (r"\#x @me", "for which a backslash makes no pattern of a leading #"),
    ("*.py me", "since me is no @user, @org/team or e-mail address"),
    ("* user", "since user is no @user, @org/team or e-mail address"),
    ("/ @me", "since the pattern matches nothing"),
    ("*.py @a b@", "since b@ is no @user, @org/team or e-mail address"),
]


@pytest.mark.parametrize(("line", "reason"), SKIPPED, ids=[line for line, _ in SKIPPED])
def test_a_line_that_github_does_not_take_is_skipped_and_told_with_its_number(
    tmp_path: Path, line: str, reason: str
) -> None:
    text = f"* @everyone\n{line}\n"

    assert asked(tmp_path, text, "kernels/a.py") == (1, ("@everyone",))
    assert asked(tmp_path, text, "#x") == (1, ("@everyone",))
    assert owned(tmp_path, "a.py", kernel=replace(KERNEL, owners=())).without_effect == (
        (Place(path="CODEOWNERS", line=2), f"{line}: skipped by GitHub, {reason}"),
    )


def test_a_folder_spelt_wrong_is_told_with_its_line_to_those_it_names(tmp_path: Path) -> None:
    (tmp_path / "CODEOWNERS").write_text("* @everyone\n/kernls/ @acme/kernels\n/dosc/ @writers\n")

    found = owned(tmp_path, "kernels/gelu.py")

    assert found.without_effect == (
        (Place(path="CODEOWNERS", line=2), "/kernls/ @acme/kernels: matches no file of the repository"),
    )


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

    found = owned(tmp_path, "a.py")

    assert found.codeowners == expected
    assert found.files["a.py"] == (Place(path=expected, line=1), "*", (f"@{places[0].strip('.') or 'root'}",))


def test_without_codeowners_every_file_is_without_a_rule(tmp_path: Path) -> None:
    found = owned(tmp_path, "a.py", "b.py")

    assert (found.codeowners, found.problem) == ("", "")
    assert found.files == {"a.py": None, "b.py": None}
    assert found.owners == ("@acme/kernels",)


def test_a_file_that_github_does_not_load_is_a_problem_and_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "CODEOWNERS").write_text("* @me\n" + "#" * SIZE_LIMIT)

    found = owned(tmp_path, "a.py")

    assert found.files == {"a.py": None}
    assert found.problem == (
        "CODEOWNERS: cannot be read (3000006 bytes, more than the 3 MB that GitHub loads); "
        "GitHub asks nobody for review until it is mended"
    )


def test_bytes_that_are_no_text_are_a_problem_and_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "CODEOWNERS").write_bytes(b"* @m\xff\n")

    assert "cannot be read" in owned(tmp_path, "a.py").problem


def test_files_of_an_entry_are_those_that_the_tree_holds_below_the_manifests_folder(tmp_path: Path) -> None:
    (tmp_path / "CODEOWNERS").write_text("/libs/ @acme/gpu\n")
    files = ("libs/norm/acme/ops.py", "libs/norm/acme/gemm/__init__.py", "acme/ops.py", "CODEOWNERS")
    made = replace(KERNEL, owners=(), dispatch="acme.ops:gemm", custom="acme.gemm:fused", fallback="torch:add")

    found = tuple(named(made, PurePosixPath("libs/norm"), files))

    assert set(found) == {"libs/norm/acme/ops.py", "libs/norm/acme/gemm/__init__.py"}
    assert ownership(read(tmp_path, files), made, found).asked == ("@acme/gpu",)


def test_a_line_without_effect_is_told_to_its_owner_in_whatever_letters(tmp_path: Path) -> None:
    (tmp_path / "CODEOWNERS").write_text("/kernls/ @Acme/Kernels\n/elsewhere/ @others\n")

    found = owned(tmp_path, "kernels/a.py").without_effect

    assert [place.line for place, _ in found] == [1]
