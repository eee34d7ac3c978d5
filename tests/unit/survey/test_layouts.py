"""
Three repositories as others keep theirs, re-created in small: what `kgate init` proposes loads after at most three
edits, and names the functions that a person would name.
"""

from dataclasses import dataclass
from pathlib import Path

import pytest

from kgate import listing
from kgate.errors import ManifestError
from kgate.load import manifest as manifests
from kgate.load import owners
from kgate.load.inventory import inventory
from kgate.load.placeholders import WORD
from kgate.model import Kernel, Manifest
from tests.unit.survey.trees import copied, names, proposed

MOST_EDITS = 3


@dataclass(frozen=True, kw_only=True)
class Layout:
    """`edits`: what a person replaces in the proposal. `manifest`: where it lies."""

    name: str
    manifest: str
    edits: tuple[tuple[str, str], ...]


FLAT = Layout(
    name="flat",
    manifest="kgate.yaml",
    edits=((f"@{WORD}", "@ada"), (f"{WORD}:softmax", "reference:softmax_torch")),
)
REGISTRY = Layout(name="registry", manifest="src/kgate.yaml", edits=())
OPERATORS = Layout(name="operators", manifest="kgate.yaml", edits=())
LAYOUTS = [FLAT, REGISTRY, OPERATORS]


def accepted(layout: Layout, folder: Path) -> Manifest:
    """The proposal, edited, and loaded as `kgate check` loads it."""
    root = copied(layout.name, folder)
    page = proposed(root).manifest
    text = page.text
    for old, new in layout.edits:
        assert text.count(old) >= 1
        text = text.replace(old, new)
    page.path.write_text(text, encoding="utf-8")
    return manifests.load(page.path)


def paths(kernel: Kernel) -> tuple[str, str, str, str]:
    return kernel.dsl, kernel.dispatch, kernel.custom, kernel.fallback


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_the_proposal_is_accepted_after_at_most_three_edits(layout: Layout, tmp_path: Path) -> None:
    assert len(layout.edits) <= MOST_EDITS

    manifest = accepted(layout, tmp_path)

    assert manifest.path.relative_to(manifest.root).as_posix() == layout.manifest
    assert all(kernel.workloads and kernel.owners for kernel in manifest.kernels)
    assert listing.kernels(manifest)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_no_kernel_of_the_code_is_without_an_entry(layout: Layout, tmp_path: Path) -> None:
    manifest = accepted(layout, tmp_path)
    files = names(manifest.root)

    found = inventory(manifest, files, owners.read(manifest.root, files))

    assert {str(f.place): f.name for f in found.found if not (f.listed or f.ignored)} == {}
    assert found.gone == {} or layout is FLAT  # there the function that the edit names is still to be written


def test_of_a_flat_repository_what_tests_compare_with_is_the_fallback(tmp_path: Path) -> None:
    manifest = accepted(FLAT, tmp_path)

    assert {k.name: paths(k) for k in manifest.kernels} == {
        "softmax": ("triton", "softmax:softmax", "softmax:softmax", "reference:softmax_torch"),
        "swiglu": ("tilelang", "swiglu:swiglu", "swiglu:swiglu", "reference:swiglu_torch"),
        "vector_add": ("cuda", "vector_add:vector_add", "vector_add:vector_add", "torch:add"),
    }
    assert {k.name: k.device_kernels for k in manifest.kernels} == {
        "softmax": ("softmax_kernel*",),
        "swiglu": ("swiglu_forward_kernel*",),
        "vector_add": ("add_kernel*",),
    }


def test_a_registry_tells_the_paths_and_its_look_up_the_switch(tmp_path: Path) -> None:
    manifest = accepted(REGISTRY, tmp_path)

    assert {k.name: paths(k) for k in manifest.kernels} == {
        name: ("triton", f"acme_norms.ops:{name}", f"acme_norms.kernels.{name}:{name}", f"acme_norms.reference:{name}")
        for name in ("rms_norm", "layer_norm")
    }
    switches = {(s.env, s.custom, s.fallback, s.read) for k in manifest.kernels if (s := k.switch) is not None}
    assert switches == {("ACME_NORMS_BACKEND", "triton", "torch", "call")}
    assert {k.owners for k in manifest.kernels} == {("@acme/norms",)}
    assert [line.pattern for line in manifest.ignored] == []  # the benchmarks lie outside the manifest's folder


def test_torch_library_tells_the_paths_by_its_dispatch_keys(tmp_path: Path) -> None:
    manifest = accepted(OPERATORS, tmp_path)

    assert {k.name: paths(k) for k in manifest.kernels} == {
        "gelu_mul": ("cutile", "acme_ops.gelu:gelu_mul", "acme_ops.gelu:gelu_mul_op", "acme_ops.gelu:gelu_mul_eager"),
        "rotate": ("cutile", "acme_ops.rope:rotate", "acme_ops.rope:rotate_cutile", "acme_ops.rope:rotate_torch"),
    }
    (switch,) = (k.switch for k in manifest.kernels if k.switch is not None)
    assert (switch.env, switch.custom, switch.fallback, switch.read) == ("ACME_FUSED_GELU", "1", "0", "import")
    assert {k.owners for k in manifest.kernels} == {("@acme/ops", "@acme/compilers")}


def test_workloads_are_the_sizes_of_the_tests(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    norms = {k.name: k for k in accepted(REGISTRY, tmp_path).kernels}
    flat = {k.name: k for k in accepted(FLAT, tmp_path / "a").kernels}

    shapes = {name: [list(w.args["x"].shape) for w in kernel.workloads] for name, kernel in norms.items()}
    assert shapes["layer_norm"] == [[8, 768], [512, 1024]]
    assert shapes["rms_norm"] == [shape for shape in ([1, 4096], [128, 4096], [33, 1001]) for _ in range(2)]
    assert {w.args["x"].dtype for w in norms["rms_norm"].workloads} == {"float16", "bfloat16"}
    assert [list(w.args["gate"].shape) for w in flat["swiglu"].workloads] == [[1, 14336], [512, 14336]] * 2
    assert [w.source for w in flat["softmax"].workloads] == ["test: test_softmax, test_kernels.py"] * 4


@pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if layout.edits], ids=lambda layout: layout.name)
def test_what_is_to_be_filled_in_is_named_in_a_sentence_each(layout: Layout, tmp_path: Path) -> None:
    page = proposed(copied(layout.name, tmp_path)).manifest
    page.path.write_text(page.text, encoding="utf-8")

    with pytest.raises(ManifestError) as error:
        manifests.load(page.path)

    said = str(error.value).splitlines()
    assert len(said) == len(layout.edits)
    for (old, _), sentence in zip(layout.edits, said, strict=True):
        assert f"{old!r} is still the placeholder of `kgate init`; " in sentence
    lines = page.text.splitlines()
    numbers = [int(sentence.split(":")[1]) for sentence in said]
    assert all(WORD in lines[number - 1] for number in numbers)
