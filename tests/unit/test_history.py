"""Live clean runs: which they are, and that each content counts once."""

import pytest

from kgate import history
from kgate.model import BASE, HEAD
from tests.unit.builders import answer, run_of, with_outcomes

FILES = {"acme/gemm.py": "0" * 64}


def same_code(base=FILES, **changes):
    heads = answer(loaded_files=FILES), answer(loaded_files=base)
    made = run_of(**changes)
    return with_outcomes(made, *((arm, found) for arm, found in zip((HEAD, BASE), heads, strict=True)))


def test_a_run_in_which_both_commits_load_the_same_files_is_clean():
    made = same_code()

    assert made.kernels == made.base_kernels
    assert history.is_clean(made)


@pytest.mark.parametrize("run", [same_code({"acme/gemm.py": "1" * 64}), run_of(), same_code(base_kernels={})])
def test_other_files_no_word_of_files_or_another_manifest_are_no_clean_run(run):
    assert not history.is_clean(run)


def test_a_content_counts_once_whatever_it_came_to_before(tmp_path):
    history.counted(tmp_path, "h200", "a", True)
    history.counted(tmp_path, "h200", "b", False)
    history.counted(tmp_path, "cpu", "c", False)

    found = history.counted(tmp_path, "h200", "b", True)

    assert found is not None
    assert (found.hits, found.of) == (0, 2)


def test_a_run_that_is_not_clean_is_told_of_those_that_were_and_adds_nothing(tmp_path):
    history.counted(tmp_path, "h200", "a", True)

    found = history.counted(tmp_path, "h200", "other", None)

    assert found is not None
    assert (found.hits, found.of) == (0, 1)
    assert history.counted(tmp_path, "cpu", "other", None) is None


@pytest.mark.parametrize("text", ["", "[]", '{"h200": 3}'])
def test_a_file_that_is_not_whole_knows_nothing(tmp_path, text):
    (tmp_path / history.FILE).write_text(text)

    assert history.counted(tmp_path, "h200", "a", None) is None
