"""What `kgate init` writes, where, and what it leaves as it is."""

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from kgate import proposal
from kgate.errors import UsageError
from kgate.load import manifest as manifests
from tests.unit.survey.trees import copied, names, proposed, written

WORKFLOW = ".github/workflows/kgate.yml"
DEVICE = "import triton\n\n@triton.jit\ndef _k(x):\n    pass\n\n"
KERNEL = f"{DEVICE}def op(x):\n    _k[(1,)](x)\n\ndef op_ref(x):\n    return x\n"


def test_every_line_of_an_entry_says_what_it_rests_on(tmp_path: Path) -> None:
    text = proposed(copied("operators", tmp_path)).manifest.text

    entry = text[text.index("  gelu_mul:") : text.index("    args:")].splitlines()[1:]
    lines = [line for line in entry if not line.lstrip().startswith("#")]
    above = dict(zip(lines, entry, strict=False))
    assert all("  # " in line or entry[entry.index(line) - 1].lstrip().startswith("# ") for line in lines), above
    assert ".github/CODEOWNERS:1 asks them for acme_ops/gelu.py" in text
    assert "until" in text.lower()
    assert "kgate calibrate" in text


def test_a_manifest_and_a_workflow_are_written_and_the_next_command_is_named(tmp_path: Path) -> None:
    root = copied("flat", tmp_path)
    made = proposed(root)

    said = [*proposal.write(made, force=False), *proposal.told(made)]

    assert (root / "kgate.yaml").read_text() == made.manifest.text
    assert YAML(typ="safe").load((root / WORKFLOW).read_text())["name"] == "kgate"
    assert said[0].startswith("kgate.yaml: written, 3 kernels; to fill in: line ")
    assert "your pinned release" in said[1]
    assert said[-1].startswith("next: fill in what is marked, then `kgate check --list`")


def test_nothing_that_is_there_is_changed_without_force(tmp_path: Path) -> None:
    root = copied("flat", tmp_path)
    (root / "kgate.yaml").write_text("version: 1\n")
    made = proposed(root)

    said = list(proposal.write(made, force=False))

    assert (root / "kgate.yaml").read_text() == "version: 1\n"
    assert said[0] == "kgate.yaml: is there, and is not changed; --force puts the proposal in its place"
    assert "-version: 1" not in made.manifest.difference.splitlines()
    assert made.manifest.difference.startswith("--- a/kgate.yaml\n+++ b/kgate.yaml\n")
    assert next(proposal.write(made, force=True)).startswith("kgate.yaml: written")
    assert (root / "kgate.yaml").read_text() == made.manifest.text


def test_a_second_proposal_of_the_same_repository_is_the_same(tmp_path: Path) -> None:
    root = copied("registry", tmp_path)
    list(proposal.write(proposed(root), force=False))

    again = proposed(root)

    assert proposal.shown(again) == ""
    assert [line.rpartition(": ")[2] for line in proposal.write(again, force=False)] == ["is as proposed already"] * 2


def test_where_modules_are_imported_from_src_the_manifest_lies_there_and_the_workflow_names_it(tmp_path: Path) -> None:
    root = copied("registry", tmp_path)
    (root / ".venv/bin").mkdir(parents=True)
    (root / ".venv/bin/python").touch()

    made = proposed(root)

    (job,) = YAML(typ="safe").load(made.workflow.text)["jobs"].values()
    given = next(step["with"] for step in job["steps"] if "manifest" in step.get("with", {}))
    assert (given["manifest"], given["python"]) == ("src/kgate.yaml", ".venv/bin/python")
    assert "python: ../.venv/bin/python" in made.manifest.text
    assert any("imported from src/" in line for line in proposal.told(made))


def test_several_kinds_of_gpu_take_the_workflow_that_joins_their_jobs(tmp_path: Path) -> None:
    root = written(tmp_path, {"ops.py": KERNEL, "CODEOWNERS": "* @ada\n"})
    text = proposed(root).manifest.text
    (root / "kgate.yaml").write_text(f"{text}gpus: {{h100: required, l4: required}}\n")

    made = proposed(root)

    assert len(YAML(typ="safe").load(made.workflow.text)["jobs"]) > 1
    assert list(proposal.write(made, force=False))[1].startswith(f"{WORKFLOW}: written, from workflows/gpus.yml; ")


def test_a_manifest_that_is_named_says_where_imports_start(tmp_path: Path) -> None:
    root = written(tmp_path, {"libs/gelu/ops.py": KERNEL, "libs/other/ops.py": KERNEL})

    made = proposed(root, wanted=root / "libs/gelu/kgate.yaml")

    assert made.manifest.shown == "libs/gelu/kgate.yaml"
    assert [s.entry.dispatch.text for s in made.found.subjects] == ["ops:op"]


def test_packages_that_are_imported_from_elsewhere_are_told_of(tmp_path: Path) -> None:
    packages = {"libs/a/one/k.py": KERNEL, "libs/a/one/l.py": KERNEL, "libs/b/two/k.py": KERNEL}
    root = written(tmp_path, {**packages, "libs/a/one/__init__.py": "", "libs/b/two/__init__.py": ""})

    made = proposed(root)

    assert made.manifest.shown == "libs/a/kgate.yaml"
    assert any("`kgate init --manifest libs/b/kgate.yaml`" in line for line in proposal.told(made))


@pytest.mark.parametrize(
    ("files", "owner", "owners"),
    [
        ({}, "@ada", "@ada"),
        ({"CODEOWNERS": "*.py @acme/kernels\n"}, "", "@acme/kernels"),
        (
            {"pyproject.toml": '[project]\nauthors = [{name = "Ada", email = "ada@acme.example"}]\n'},
            "",
            "ada@acme.example",
        ),
        ({}, "", ""),
    ],
)
def test_owners_are_those_who_are_named_somewhere(
    tmp_path: Path, files: dict[str, str], owner: str, owners: str
) -> None:
    root = written(tmp_path, {"ops.py": KERNEL, **files})

    (subject,) = proposed(root, owner=owner).found.subjects

    assert subject.owners.text == owners


def test_kernels_of_benchmarks_are_ignored_for_a_while(tmp_path: Path) -> None:
    root = written(tmp_path, {"ops.py": KERNEL, "benchmarks/other.py": KERNEL, "CODEOWNERS": "* @ada\n"})
    page = proposed(root).manifest

    page.path.write_text(page.text)

    assert [line.pattern for line in manifests.load(page.path).ignored] == ["benchmarks/"]


def test_without_calls_there_are_no_workloads_and_how_to_get_some_is_said(tmp_path: Path) -> None:
    root = written(tmp_path, {"ops.py": KERNEL, "CODEOWNERS": "* @ada\n"})
    page = proposed(root).manifest

    page.path.write_text(page.text)

    (kernel,) = manifests.load(page.path).kernels
    assert kernel.workloads == ()
    assert "`kgate capture`" in page.text


def test_a_repository_without_a_kernel_is_told_so(tmp_path: Path) -> None:
    root = written(tmp_path, {"ops.py": "def op(x):\n    return x\n", "README": ""})

    with pytest.raises(UsageError, match="no kernel was found in 1 Python or CUDA file of "):
        proposed(root)


def test_device_code_that_nothing_launches_is_named(tmp_path: Path) -> None:
    root = written(tmp_path, {"ops.py": DEVICE})

    with pytest.raises(UsageError, match=r"ops\.py:3: _k is device code, and no function that launches it was found"):
        proposed(root)


def test_what_makes_no_valid_arguments_is_left_out_with_the_reason(tmp_path: Path) -> None:
    test = "import torch\nfrom ops import op\n\ndef test_op():\n    op(torch.randint(0, 0, (4,), dtype=torch.int8))\n"
    root = written(tmp_path, {"ops.py": KERNEL, "tests/test_ops.py": test, "CODEOWNERS": "* @ada\n"})

    made = proposed(root)

    made.manifest.path.write_text(made.manifest.text)
    assert manifests.load(made.manifest.path).kernels[0].workloads == ()
    assert made.doubts[0].startswith("op: what was read of it makes no valid entry (")


def test_files_that_are_no_python_stop_nothing(tmp_path: Path) -> None:
    root = written(tmp_path, {"ops.py": KERNEL, "triton_broken.py": "def triton(:\n", "odd name.py": KERNEL})

    made = proposed(root)

    assert [s.entry.dispatch.text for s in made.found.subjects] == ["ops:op"]


def test_a_folder_without_git_is_walked_without_environments(tmp_path: Path) -> None:
    root = written(
        tmp_path, {"ops.py": KERNEL, "myenv/pyvenv.cfg": "", "myenv/lib/k.py": KERNEL, ".hidden/k.py": KERNEL}
    )

    assert proposal.walked(root) == ("ops.py",)
    assert "ops.py" in names(root)
