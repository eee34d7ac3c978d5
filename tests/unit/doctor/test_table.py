"""An examination on one screen and as JSON."""

import json
from dataclasses import replace

from kgate.doctor import Examination, Prospect, Seen, State, table
from kgate.doctor.lines import lines
from kgate.doctor.machine import version_in
from kgate.doctor.prospects import prospects
from kgate.runner.sandbox import Sandbox
from tests.unit.doctor.sights import GOOD, without_gpu

RUNS = Prospect(dsl="tilelang", target="cpu", kernels=("a", "b"), reason="")
NOT = Prospect(dsl="tilelang", target="cuda", kernels=("a", "c"), reason="no GPU is seen here")
ALSO = Prospect(dsl="tilelang", target="sm_90", kernels=("c",), reason="no GPU is seen here")


def examined(seen: Seen, *found: Prospect) -> Examination:
    return Examination(manifest="kgate.yaml" if found else "", lines=lines(seen, None), prospects=found)


def test_the_first_line_sums_up() -> None:
    said = table.text(examined(without_gpu(), RUNS, NOT))

    assert said.splitlines()[0] == "kgate doctor: 18 ok, 1 missing; 2 of 3 kernels can run here"


def test_kernels_that_share_a_reason_stand_below_it_once_a_dsl() -> None:
    said = table.text(examined(without_gpu(), RUNS, NOT, ALSO))

    assert said.splitlines()[-7:] == [
        "",
        "Kernels of kgate.yaml:",
        "run here:",
        "          tilelang on cpu: a, b",
        "not here  no GPU is seen here:",
        "          tilelang on cuda, sm_90: a, c",
        table.COMPILE,
    ]


def test_a_line_that_is_not_ok_says_why_it_matters_and_what_to_do_and_the_others_stay_short() -> None:
    seen = replace(GOOD, tools={**GOOD.tools, "ncu": ""})

    said = table.text(examined(seen)).splitlines()

    at = next(number for number, line in enumerate(said) if line.startswith("missing"))
    assert said[at].split() == ["missing", "ncu", "not", "on", "PATH"]
    assert (
        said[at + 1].strip() == "`kgate repro --with ncu` profiles a kernel → put the CUDA toolkit's bin folder on PATH"
    )
    assert said[at + 2].startswith("ok ")


def test_every_machine_fits_on_a_screen() -> None:
    for seen in (GOOD, without_gpu(), replace(GOOD, driver="450.80.02", tools={})):
        found = Examination(manifest="", lines=lines(seen, None), prospects=prospects(seen, None))

        said = table.text(found).splitlines()

        assert len(said) <= 60
        assert max(map(len, said)) <= table.WIDTH


def test_what_a_machine_says_cannot_steer_a_terminal() -> None:
    seen = replace(GOOD, sandbox=Sandbox(gaps=("unshare\x1b[2J failed",)))

    assert "\x1b" not in table.text(examined(seen))


def test_json_has_every_field_of_every_line_and_every_kernel() -> None:
    found = examined(without_gpu(), RUNS, NOT)

    said = json.loads(table.document(found))

    assert said["manifest"] == "kgate.yaml"
    assert {line["state"] for line in said["lines"]} == {State.OK.value, State.MISSING.value}
    assert all(set(line) == {"topic", "state", "found", "why", "fix"} for line in said["lines"])
    assert said["kernels"][1] == {
        "dsl": "tilelang",
        "target": "cuda",
        "kernels": ["a", "c"],
        "reason": "no GPU is seen here",
        "runs": False,
    }


def test_the_exact_version_is_read_from_what_tools_print() -> None:
    nvdisasm = (
        "Copyright (c) 2005-2025\nCuda compilation tools, release 13.0, V13.0.85\nBuild cuda_13.0.r13.0/compiler.1_0"
    )

    assert version_in(nvdisasm) == "13.0.85"
    assert version_in("NVIDIA (R) Nsight Compute\nVersion 2025.3.1.0 (build 36398880) (public-release)") == "2025.3.1.0"
    assert version_in("git version 2.39.5 (Apple Git-154)") == "2.39.5"
    assert version_in("nothing of the kind") == "?"
