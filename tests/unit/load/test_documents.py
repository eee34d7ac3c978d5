"""Files that are no manifest, and files that are joined: each refusal is one sentence."""

from pathlib import Path

import pytest

from kgate.errors import ExitCode, ManifestError
from kgate.load.manifest import load
from tests.unit.load.conftest import Loading
from tests.unit.load.wrong import manifest

FILE = [
    pytest.param("", "kgate.yaml: the file is empty; it needs at least `version: 1` and `kernels`", id="empty"),
    pytest.param(
        "# later\n", "kgate.yaml: the file is empty; it needs at least `version: 1` and `kernels`", id="comment"
    ),
    pytest.param(
        "- 1\n", "kgate.yaml:1: not a mapping at the top; it needs at least `version: 1` and `kernels`", id="list"
    ),
    pytest.param(
        "version: 1\nkernels: {a: [}\n",
        "kgate.yaml:2: not valid YAML: expected the node content, but found '}'; mend this line or the one above",
        id="yaml",
    ),
    pytest.param(
        "version: 1\nversion: 1\n",
        "kgate.yaml:2: version: 'version' stands here a second time, first in line 1; keep one",
        id="twice",
    ),
    pytest.param(
        "version: !int 1\n",
        "kgate.yaml:1: version: the tag !int is not supported; write the value without a tag",
        id="tag",
    ),
    pytest.param(
        "version: &a [*a]\n",
        "kgate.yaml:1: version[0]: contains itself through an alias; write the value out",
        id="alias of itself",
    ),
    pytest.param(
        "version: 1\n? [a]\n: b\n",
        "kgate.yaml:2: a key is no text; write a name before the colon",
        id="key",
    ),
    pytest.param(
        "version: 2\nkernels: {}\n",
        "kgate.yaml:1: version: this kgate reads version 1, not 2; write 1",
        id="newer",
    ),
    pytest.param(
        "version: 1\nkernels: {}\n",
        "kgate.yaml:2: kernels: names no kernel; add one",
        id="no kernel",
    ),
    pytest.param(
        "version: 1\n",
        "kgate.yaml:1: 'kernels' is missing; add it: the kernels by name",
        id="no kernels",
    ),
    pytest.param(
        "kernels: {}\n",
        "kgate.yaml:1: 'version' is missing; add it: the format of this file",
        id="no version",
    ),
    pytest.param(
        "version: 1\nkernel: {}\n",
        "kgate.yaml:2: kernel: 'kernel' is not a field; did you mean 'kernels'?",
        id="unknown at the top",
    ),
]


@pytest.mark.parametrize(("text", "sentence"), FILE)
def test_a_file_that_is_no_manifest_is_refused(loaded: Loading, text: str, sentence: str) -> None:
    with pytest.raises(ManifestError) as caught:
        loaded(text)

    assert str(caught.value) == sentence


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()

    with pytest.raises(ManifestError) as caught:
        load(tmp_path / "ci" / "kgate.yaml")

    assert str(caught.value) == "ci/kgate.yaml: no such file; write one, or name another with --manifest"
    assert caught.value.exit_code is ExitCode.NO_RUN


def test_bytes_that_are_no_text_are_refused_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "kgate.yaml").write_bytes(b"version: 1\nkernels: \xff\n")

    with pytest.raises(ManifestError) as caught:
        load(tmp_path / "kgate.yaml")

    assert str(caught.value) == "kgate.yaml:2: not UTF-8 text; save it as UTF-8"


def test_nesting_without_end_is_refused_and_not_a_crash(loaded: Loading) -> None:
    with pytest.raises(ManifestError, match="nested too deeply"):
        loaded("a: " + "[" * 700)


def test_aliases_of_aliases_are_refused_before_they_fill_the_memory(loaded: Loading) -> None:
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]

    with pytest.raises(ManifestError, match="more than 100000 values; write fewer, or use a grid"):
        loaded("\n".join(lines))


def test_two_files_may_not_have_a_kernel_of_one_name(loaded: Loading) -> None:
    with pytest.raises(ManifestError) as caught:
        loaded(manifest(top="include: [more.yaml]"), **{"more.yaml": manifest()})

    assert str(caught.value) == (
        "more.yaml:4: kernels.gelu: there is a kernel 'gelu' in kgate.yaml:4 already; rename one"
    )


def test_an_included_file_holds_only_version_and_kernels(loaded: Loading) -> None:
    with pytest.raises(ManifestError) as caught:
        loaded(manifest(top="include: [more.yaml]"), **{"more.yaml": manifest(top="policy: {}")})

    assert str(caught.value) == (
        "more.yaml:2: policy: an included file holds only 'version' and 'kernels'; move this to kgate.yaml"
    )
