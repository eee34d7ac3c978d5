"""What a function rests on by its sources, against the graph that the sources were written from."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.planned.repository import LOCK, Drawn, drawn
from kgate.load.imports import Imports
from kgate.load.past import Blobs
from kgate.model import Proof, ProvenKernel
from kgate.planning.choice import Choice, Grounds, Status, chosen


def sources(files: Mapping[str, str]) -> Imports:
    return Imports(files, lambda name: files[name].encode())


def closure(files: Mapping[str, str], *entries: str) -> set[str]:
    return set(sources(files).closure(entries))


def functions(kernel: str) -> list[str]:
    return [f"acme.kernels.{kernel}:{name}" for name in ("call", "fused", "eager")]


def grounds(known: Drawn, changed: set[str], **changes: Any) -> Grounds:
    read = sources(known.files)
    made: dict[str, Any] = {
        "version": "1",
        "base": "b" * 40,
        "changed": frozenset(changed),
        "blobs": Blobs(dict.fromkeys(known.files, "content")),
        "entries": dict.fromkeys(known.closures, "entry"),
        "base_entries": dict.fromkeys(known.closures, "entry"),
        "terms": "terms",
        "base_terms": "terms",
        "locks": (LOCK,),
        "closures": {name: read.closure(functions(name)) for name in known.closures},
    }
    return Grounds(**{**made, **changes})


def proof(known: Drawn, **changes: Any) -> Proof:
    kernels = (
        ProvenKernel(name=n, entry="entry", files=dict.fromkeys(files, "content"), product=(), cases=("small",))
        for n, files in known.closures.items()
    )
    made: dict[str, Any] = {
        "run": "0123456789abcdef",
        "version": "1",
        "commit": "a" * 40,
        "started": "2026-10-07T08:00:00+00:00",
        "manifest": "kgate.yaml",
        "device": "cpu",
        "kind": "cpu",
        "arch": "",
        "must_match": {},
        "terms": "terms",
        "locks": {LOCK: "content"},
        "kernels": tuple(kernels),
    }
    return Proof(**{**made, **changes})


def choices(known: Drawn, found: Grounds, *proofs: Proof) -> tuple[Choice, ...]:
    return chosen(found, proofs, proofs, dict.fromkeys(known.closures, ("small",)))


def with_status(found: tuple[Choice, ...], status: Status) -> set[str]:
    return {choice.kernel for choice in found if choice.status is status}


@given(st.integers(1, 40), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_for_any_graph_of_imports_the_closure_is_what_the_graph_leads_to(kernels: int, seed: int) -> None:
    known = drawn(kernels, seed)

    read = sources(known.files)

    assert {name: read.closure(functions(name)) for name in known.closures} == known.closures


@given(st.integers(1, 30), st.integers(0, 2**32), st.data())
@settings(max_examples=60, deadline=None)
def test_whatever_files_change_the_plan_names_those_that_rest_on_one_and_carries_all_others(
    kernels: int, seed: int, data: st.DataObject
) -> None:
    known = drawn(kernels, seed)
    paths = sorted(set(known.files) - {LOCK})
    changed = data.draw(st.sets(st.sampled_from(paths), max_size=3))

    found = choices(known, grounds(known, changed), proof(known))

    named = set[str]().union(*(known.resting_on(path) for path in changed))
    assert with_status(found, Status.CHANGED) == named
    assert with_status(found, Status.CARRIED) == set(known.closures) - named


Case = Callable[[Drawn], tuple[Grounds, Proof]]
LESS: dict[str, tuple[Case, str]] = {
    "another kgate": (lambda d: (grounds(d, set()), proof(d, version="0")), "kgate was 0 then"),
    "another policy": (
        lambda d: (grounds(d, set()), proof(d, terms="others")),
        "python, build, env or policy of the manifest were others",
    ),
    "another entry": (
        lambda d: (
            grounds(d, set(), entries=dict.fromkeys(d.closures, "e"), base_entries=dict.fromkeys(d.closures, "e")),
            proof(d),
        ),
        "its entry in the manifest was another",
    ),
    "another lock file": (lambda d: (grounds(d, set()), proof(d, locks={LOCK: "old"})), "another lock file uv.lock"),
    "a lock file that is gone": (
        lambda d: (grounds(d, set()), proof(d, locks={LOCK: "content", "poetry.lock": "content"})),
        "another lock file poetry.lock",
    ),
    "a file more": (
        lambda d: (grounds(d, set(), closures=dict.fromkeys(d.closures, frozenset(d.files))), proof(d)),
        "it did not rest on ",
    ),
}


@pytest.mark.parametrize("name", LESS)
def test_a_proof_of_something_else_carries_nothing_and_the_plan_says_why(name: str) -> None:
    known = drawn(3, 0)
    make, why = LESS[name]
    found, stored = make(known)

    planned = choices(known, found, stored)

    assert with_status(planned, Status.UNPROVEN) == set(known.closures)
    assert planned[0].why.startswith(f"run 0123456789abcdef proved it before: {why}")


def test_an_older_proof_carries_nothing_where_the_change_touches_a_file_that_it_alone_rests_on() -> None:
    known = drawn(1, 0)
    (kernel,) = proof(known).kernels
    table = "acme/table.bin"
    newest = proof(known, run="f" * 16, version="0")
    older = proof(known, kernels=(replace(kernel, files={**kernel.files, table: "content"}),))
    blobs = Blobs(dict.fromkeys({*known.files, table}, "content"))

    (touched,) = choices(known, grounds(known, {table}, blobs=blobs), newest, older)
    (untouched,) = choices(known, grounds(known, set(), blobs=blobs), newest, older)

    assert touched.status is Status.UNPROVEN
    assert untouched.status is Status.CARRIED


def test_a_new_file_that_may_stand_before_any_module_opens_every_kernel_and_is_named() -> None:
    known = drawn(2, 0)

    planned = choices(known, grounds(known, {"numpy.py"}, intruders=("numpy.py",)), proof(known))

    assert with_status(planned, Status.CHANGED) == set(known.closures)
    assert all(choice.why.startswith("numpy.py, new, ") for choice in planned)


def test_without_a_proof_nothing_is_carried_and_a_run_that_failed_says_what_of() -> None:
    known = drawn(2, 0)
    failed = proof(known, kernels=(), unproven={"k000": "wrong-result: half of it"})

    planned = choices(known, grounds(known, set()), failed)

    assert [choice.why for choice in planned] == [
        "run 0123456789abcdef did not prove it: wrong-result: half of it",
        "no run of base's history has proved it",
    ]


FORMS = {
    "a package passes it on": (
        {"a/__init__.py": "from .b import f\nfrom .c import g", "a/b.py": "", "a/c.py": ""},
        "a:f",
    ),
    "under another name": ({"a/__init__.py": "from .b import h as f", "a/b.py": ""}, "a:f"),
    "through a star": ({"a/__init__.py": "from .b import *", "a/b.py": "def f(): 0"}, "a:f"),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_name_that_is_passed_on_leads_to_where_it_is_made_and_to_who_passes_it_on(form: str) -> None:
    files, entry = FORMS[form]

    assert closure(files, entry) == {"a/__init__.py", "a/b.py"}


def test_imports_that_only_a_type_checker_reads_do_not_count() -> None:
    text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import b\nelse:\n    import c\n"

    assert closure({"a.py": text, "b.py": "", "c.py": ""}, "a:f") == {"a.py", "c.py"}


def test_names_in_text_count_where_a_module_or_a_source_is_meant() -> None:
    text = (
        "import importlib\n"
        "importlib.import_module('.late', __package__)\n"
        "CUSTOM = 'acme.fast:fused'\n"
        "load(sources=[str(HERE / 'csrc' / 'norm.cu')])\n"
    )
    files = {
        "acme/ops.py": text,
        "acme/late.py": "",
        "acme/fast.py": "",
        "acme/slow.py": "'''acme.ops:f'''",
        "acme/csrc/norm.cu": '#include <cuda.h>\n# include "reduce/warp.cuh"\n',
        "include/reduce/warp.cuh": "",
        "include/warp.cuh": "",
    }

    assert closure(files, "acme.ops:f") == set(files) - {"acme/slow.py", "include/warp.cuh"}


@pytest.mark.parametrize("terms", [2500, 50_000], ids=["parsed", "too deep to be parsed"])
def test_what_a_file_imports_is_followed_however_deep_its_code_is_nested(terms: int) -> None:
    chain = "if x:\n    pass\n" + "".join(f"elif x == {n}:\n    pass\n" for n in range(250))
    text = f"import b\nfrom c import (\n    g,  # said\n    h as i,\n)\n{chain}x = 0{' + 0' * terms}\n"
    files = {"a.py": text, "b.py": "", "c/__init__.py": "", "c/g.py": "", "c/h.py": "", "c/other.py": ""}

    assert closure(files, "a:f") == set(files) - {"c/other.py"}


def test_a_file_that_is_no_python_counts_itself_and_leads_nowhere() -> None:
    assert closure({"a.py": "import b\ndef (", "b.py": ""}, "a:f") == {"a.py"}


def test_imports_in_a_circle_end() -> None:
    files = {"a.py": "from b import *\n", "b.py": "from a import *\nfrom a import f\n"}

    assert closure(files, "a:f") == {"a.py", "b.py"}
