"""What an output file must be before it is believed."""

import os
from pathlib import Path

import pytest

from kgate.errors import HostError
from kgate.protocol import Artifact, ArtifactFile, Output
from kgate.runner.shelf import NO_ROOM, Refused, Shelf, changed, unwritable


@pytest.fixture
def out(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "a.bin").write_bytes(bytes(8))
    return folder


def output(**changes: object) -> Output:
    fields = {"index": 0, "file": "a.bin", "dtype": "bfloat16", "shape": (2, 2), "strides": (2, 1), "device": "cpu"}
    return Output(case="a", **{**fields, **changes})


def test_an_accepted_output_is_taken_out_of_the_workers_reach(out, tmp_path):
    (tensor,) = Shelf(out, 100).take([output()], tmp_path / "kept")

    assert tensor.path == tmp_path / "kept" / "0.bin"
    assert tensor.path.read_bytes() == bytes(8)
    assert not (out / "a.bin").exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"file": "../a.bin"},
        {"file": "/etc/passwd"},
        {"file": ".."},
        {"file": ""},
        {"file": "a.bin\n"},
        {"file": "b.bin"},
        {"dtype": "float1024"},
        {"shape": (2, 3), "strides": (3, 1)},
        {"shape": (-2, -2)},
        {"shape": (2, 2), "strides": (1,)},
        {"shape": (1,) * 65, "strides": (1,) * 65},
        {"shape": (1 << 60, 0)},
    ],
)
def test_an_output_that_is_not_as_promised_is_refused(out, tmp_path, changes):
    with pytest.raises(Refused):
        Shelf(out, 100).take([output(**changes)], tmp_path / "kept")


def test_a_folder_that_cannot_be_made_is_the_machine_s_fault_and_one_sentence(out, tmp_path):
    (tmp_path / "kept").write_text("")

    with pytest.raises(HostError, match="cannot be written"):
        Shelf(out, 100).take([output()], tmp_path / "kept" / "a")


def test_a_disk_without_room_is_not_blamed_on_the_process():
    full, gone = OSError(28, "No space left on device"), OSError(2, "No such file or directory")

    assert full.errno in NO_ROOM
    assert gone.errno not in NO_ROOM
    assert str(unwritable(Path("run"), full)) == "run: cannot be written (No space left on device); is the disk full?"
    assert str(unwritable(Path("run"), gone)).endswith("(No such file or directory); may this user write there?")


def test_two_outputs_in_one_file_are_refused(out, tmp_path):
    with pytest.raises(Refused, match="two outputs in one file"):
        Shelf(out, 100).take([output(), output(index=1)], tmp_path / "kept")


def test_the_limit_is_of_all_outputs_together(out, tmp_path):
    (out / "b.bin").write_bytes(bytes(8))
    shelf = Shelf(out, 15)
    shelf.take([output()], tmp_path / "kept")

    with pytest.raises(Refused, match="where 7 are left"):
        shelf.take([output(file="b.bin")], tmp_path / "more")


def test_a_folder_behind_a_link_is_refused(out, tmp_path):
    (tmp_path / "link").symlink_to(out)

    with pytest.raises(Refused, match="folder that is none"):
        Shelf(tmp_path / "link", 100).take([output()], tmp_path / "kept")


def compiled(*files: ArtifactFile, index: int = 0) -> Artifact:
    return Artifact(case="a", index=index, kernel="gemm", dsl="triton", arch="sm_90a", files=files)


PTX = ArtifactFile(kind="ptx", file="a.bin", size_bytes=8)


def test_files_of_a_compiled_kernel_are_taken_out_of_the_workers_reach(out, tmp_path):
    (out / "b.bin").write_bytes(b"code")
    cubin = ArtifactFile(kind="cubin", file="b.bin", size_bytes=4)

    none, both = Shelf(out, 12).keep([compiled(), compiled(PTX, cubin, index=1)], tmp_path / "kept")

    assert none.files == {}
    assert both.files == {"ptx": tmp_path / "kept" / "1.ptx", "cubin": tmp_path / "kept" / "1.cubin"}
    assert both.files["cubin"].read_bytes() == b"code"
    assert list(out.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "size"), [("../a.bin", 8), ("/etc/passwd", 8), ("", 8), ("b.bin", 8), ("a.bin", 7), ("a.bin", 101)]
)
def test_a_file_of_a_compiled_kernel_that_is_not_as_promised_is_refused(out, tmp_path, name, size):
    with pytest.raises(Refused, match="ptx of compiled kernel 0"):
        Shelf(out, 100).keep([compiled(ArtifactFile(kind="ptx", file=name, size_bytes=size))], tmp_path / "kept")


@pytest.mark.parametrize("kind", ["link", "pipe", "second name"])
def test_a_file_of_a_compiled_kernel_is_a_plain_file(out, tmp_path, kind):
    (out / "a.bin").rename(tmp_path / "elsewhere")
    match kind:
        case "link":
            (out / "a.bin").symlink_to(tmp_path / "elsewhere")
        case "pipe":
            os.mkfifo(out / "a.bin")
        case _:
            (out / "a.bin").hardlink_to(tmp_path / "elsewhere")

    with pytest.raises(Refused):
        Shelf(out, 100).keep([compiled(PTX)], tmp_path / "kept")


def test_two_compiled_kernels_in_one_file_are_refused(out, tmp_path):
    with pytest.raises(Refused, match="two compiled kernels in one file"):
        Shelf(out, 100).keep([compiled(PTX), compiled(PTX, index=1)], tmp_path / "kept")


def test_outputs_and_compiled_kernels_have_one_limit_together(out, tmp_path):
    (out / "b.bin").write_bytes(bytes(8))
    shelf = Shelf(out, 15)
    shelf.take([output(file="b.bin")], tmp_path / "outputs")

    with pytest.raises(Refused, match="where 7 are left"):
        shelf.keep([compiled(PTX)], tmp_path / "compiled")


def test_the_device_of_an_output_is_bounded_text(out, tmp_path):
    (tensor,) = Shelf(out, 100).take([output(device="\ud800\n" + "x" * 100)], tmp_path / "kept")

    assert tensor.device == "? " + "x" * 38


def test_an_empty_tensor_is_an_empty_file(out, tmp_path):
    (out / "a.bin").write_bytes(b"")

    (tensor,) = Shelf(out, 0).take([output(shape=(0, 4), strides=(4, 1))], tmp_path / "kept")

    assert tensor.shape == (0, 4)


def test_a_file_that_was_cut_short_after_it_was_accepted_is_noticed(out, tmp_path):
    tensors = Shelf(out, 100).take([output()], tmp_path / "kept")
    assert changed(tensors) == ""

    os.truncate(tensors[0].path, 0)

    assert "0 bytes and not 8" in changed(tensors)
