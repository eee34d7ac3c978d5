"""`--dump DIR`: which files appear under which names, and what is said of those that do not."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgate import dump
from kgate.errors import HostError
from kgate.model import BASE, HEAD
from kgate.protocol import Fill, ListArg, TensorArg
from tests.unit.builders import answer, compiled, failure, kernel, run_of, with_compiled, with_outcomes


def file(folder: Path, name: str, content: str = "code") -> Path:
    (folder / name).write_text(content)
    return folder / name


def below(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_each_arm_has_a_file_per_form_of_each_kernel_and_an_index_of_all_that_is_told(tmp_path):
    made = compiled(registers=168, files={"ptx": file(tmp_path, "1", "ptx"), "source": file(tmp_path, "2", "source")})
    run = with_outcomes(run_of(), (HEAD, with_compiled(answer(), made)), (BASE, with_compiled(answer(), compiled())))

    remarks = dump.write(tmp_path / "out", run)

    found = below(tmp_path / "out")
    index = json.loads(found.pop("gemm/small/head/kernels.json"))
    assert found.pop("gemm/small/base/kernels.json")
    assert found == {"gemm/small/head/gemm_kernel.ptx": "ptx", "gemm/small/head/gemm_kernel.py": "source"}
    assert [(k["kernel"], k["registers"], k["local_bytes"], k["config"]) for k in index] == [
        ("gemm_kernel", 168, 0, {"M": "64"})
    ]
    assert index[0]["files"] == {"ptx": "gemm_kernel.ptx", "source": "gemm_kernel.py"}
    assert remarks == ()


def test_names_from_a_worker_and_a_manifest_stay_below_the_folder(tmp_path):
    odd = [compiled("../../k<float>", files={"ptx": file(tmp_path, str(n))}, arch="cpu") for n in range(2)]
    made = run_of(kernel(workloads=("sweep/M=1,K=2",)))
    run = with_outcomes(made, (HEAD, with_compiled(answer(), *odd)), (BASE, None))

    dump.write(tmp_path / "out", run)

    assert set(below(tmp_path / "out")) == {
        f"gemm/sweep/M=1,K=2/head/{name}" for name in ("kernels.json", "_.._k_float_.ptx", "_.._k_float_-2.ptx")
    }


@pytest.mark.parametrize(
    ("dsl", "arch", "end"),
    [
        ("triton", "sm_90a", "py"),
        ("cutile", "sm_90", "py"),
        ("tilelang", "sm_90a", "cu"),
        ("tilelang", "cpu", "cpp"),
        ("cuda", "sm_80", "cu"),
    ],
)
def test_source_has_the_end_of_the_language_it_is_in(tmp_path, dsl, arch, end):
    made = compiled(dsl=dsl, arch=arch, files={"source": file(tmp_path, "1")})

    dump.write(tmp_path / "out", with_outcomes(run_of(), (HEAD, with_compiled(answer(), made)), (BASE, None)))

    assert (tmp_path / f"out/gemm/small/head/gemm_kernel.{end}").is_file()


def test_what_is_not_dumped_is_said_once_with_its_reason(tmp_path):
    run = run_of(kernel(workloads=("a", "b", "c", "d")))

    remarks = dump.write(tmp_path, with_outcomes(run, (HEAD, failure()), (BASE, None)))

    assert remarks == ("not dumped: gemm/a head, gemm/b head, gemm/c head and 1 other: it gave no answer",)
    assert dump.write(tmp_path, run)[0].endswith(": tilelang told of no compiled kernel")
    assert below(tmp_path) == {}


def test_an_arm_that_had_nothing_to_compute_is_not_missed(tmp_path):
    nothing = replace(answer(), outputs=tuple(replace(tensor, shape=(0, 128)) for tensor in answer().outputs))
    none = TensorArg(shape=(0, 64), dtype="float32", fill=Fill(kind="normal", b=1.0), stream=1)
    given_none = kernel()
    given_none = replace(given_none, workloads=(replace(given_none.workloads[0], args={"xs": ListArg(items=(none,))}),))

    assert dump.write(tmp_path, with_outcomes(run_of(), (HEAD, nothing), (BASE, nothing))) == ()
    assert dump.write(tmp_path, run_of(given_none)) == ()
    assert below(tmp_path) == {}


def test_kernels_of_one_file_name_each_keep_their_own_file(tmp_path):
    names = ("k", "k", "k-2", "ä", "ö")
    made = [compiled(name, files={"ptx": file(tmp_path, str(n), str(n))}) for n, name in enumerate(names)]

    dump.write(tmp_path / "out", with_outcomes(run_of(), (HEAD, with_compiled(answer(), *made)), (BASE, None)))

    kept = below(tmp_path / "out/gemm/small/head")
    index = json.loads(kept.pop("kernels.json"))
    assert sorted(kept.values()) == ["0", "1", "2", "3", "4"]
    assert [kept[kernel["files"]["ptx"]] for kernel in index] == ["0", "1", "2", "3", "4"]
    assert all(name.isascii() for name in kept)


@given(st.lists(st.text(), min_size=1))
def test_no_name_leads_out_of_the_folder(names):
    path = Path(os.path.normpath(dump.below(Path("/dump"), *names)))

    assert path.is_relative_to("/dump")
    assert path != Path("/dump")


def test_a_grid_of_very_many_symbols_has_a_folder_for_each_workload(tmp_path):
    folders = {dump.below(tmp_path, f"sweep/{'SYMBOL=1,' * 40}LAST={last}") for last in range(3)}

    for folder in folders:
        folder.mkdir(parents=True)
    assert len(folders) == 3


def test_names_that_a_manifest_allows_have_a_folder_each():
    names = ("a+b", "a_b", "a-b", "a.b", "sweep/M=1,K=2", "sweep/M=1/K=2")

    assert len({dump.below(Path("/dump"), name) for name in names}) == len(names)


@pytest.mark.parametrize("kind", ["gone", "a link"])
def test_a_file_that_is_not_what_was_taken_any_more_is_left_out(tmp_path, kind):
    path = tmp_path / "1"
    if kind == "a link":
        path.symlink_to(file(tmp_path, "secret"))
    run = with_outcomes(run_of(), (HEAD, with_compiled(answer(), compiled(files={"ptx": path}))), (BASE, None))

    dump.write(tmp_path / "out", run)

    (index,) = below(tmp_path / "out").values()
    assert json.loads(index)[0]["files"] == {}


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "out").write_text("")
    run = with_outcomes(run_of(), (HEAD, with_compiled(answer(), compiled())))

    with pytest.raises(HostError, match=r"--dump: .* cannot be written .*; choose another folder"):
        dump.write(tmp_path / "out", run)
