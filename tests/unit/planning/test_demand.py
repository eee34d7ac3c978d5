"""What is demanded of each GPU kind is base's word, up to its day, and a matrix is made of it."""

import json
from dataclasses import replace
from datetime import date

import pytest

from kgate.model import Gpu, Manifest, Place, Waiver
from kgate.planning import OnDevice, Planned, table
from kgate.planning.choice import Choice, Status
from kgate.planning.demand import Demand, demands
from tests.unit.terms.standing import manifest

TODAY = date(2026, 11, 30)


def base(*waivers: Waiver, **gpus: Gpu) -> Manifest:
    return replace(manifest(), gpus=gpus, waivers=waivers)


def waived(gpu: str, expires: str) -> Waiver:
    return Waiver(gpu=gpu, reason="its runner is being mended", expires=expires, place=Place(path="kgate.yaml", line=3))


def asked(before: Manifest | None, *devices: str) -> dict[str, Demand]:
    return {found.device: found for found in demands(before, devices, TODAY)}


def test_what_base_names_is_required_and_what_head_alone_names_is_not() -> None:
    found = asked(base(h100=Gpu()), "h100", "b200")

    assert found["h100"] == Demand(device="h100", required=True)
    assert found["b200"] == Demand(device="b200", required=False, why="base's manifest does not name it")


@pytest.mark.parametrize("before", [None, base()], ids=["no manifest", "no gpus"])
def test_where_base_names_none_all_is_required(before: Manifest | None) -> None:
    assert asked(before, "cpu", "h100") == {d: Demand(device=d, required=True) for d in ("cpu", "h100")}


@pytest.mark.parametrize(("until", "required"), [("2026-11-30", False), ("2026-11-29", True), ("soon", True)])
def test_probation_ends_with_its_day_and_a_day_that_is_none_has_ended(until: str, required: bool) -> None:
    found = asked(base(l4=Gpu(probation=until)), "l4")["l4"]

    assert found.required is required
    assert found.why == ("" if required else f"on probation until {until}")


def test_a_waiver_spares_a_gpu_up_to_its_day() -> None:
    gpus = {"h100": Gpu(), "l4": Gpu()}
    found = asked(base(waived("h100", "2026-11-30"), waived("l4", "2026-11-29"), **gpus), "h100", "l4")

    assert found["h100"].waived
    assert not found["h100"].required
    assert found["h100"].why == "waived until 2026-11-30: its runner is being mended"
    assert found["l4"] == Demand(device="l4", required=True)


def choice(name: str) -> Choice:
    return Choice(kernel=name, status=Status.CHANGED, why="acme/a.py", cases=(f"{name}/small",), minutes=1.0)


def planned(*on: Demand, shards: int = 1, kernels: int = 2) -> Planned:
    choices = tuple(choice(f"k{n}") for n in range(kernels))
    shared = {c.kernel: n % shards + 1 for n, c in enumerate(choices)}
    return Planned(
        manifest="kgate.yaml",
        manifest_sha256="d" * 64,
        head="c" * 40,
        head_tree="t" * 40,
        base="b" * 40,
        why_base="asked for",
        shards=shards,
        devices=tuple(OnDevice(demand=demand, choices=choices, shards=shared) for demand in on),
        remarks=(),
    )


def test_a_matrix_has_a_leg_for_each_kind_and_shard_and_none_for_a_runner_that_is_away() -> None:
    away = Demand(device="l4", required=False, waived=True, why="waived until 2026-12-31: away")
    found = planned(Demand(device="h100", required=True), away, Demand(device="b200", required=False), shards=2)

    legs = json.loads(table.matrix(found))["include"]

    assert [(leg["name"], leg["gpu"], leg["shard"], leg["shards"], leg["required"]) for leg in legs] == [
        ("h100-1of2", "h100", 1, 2, True),
        ("h100-2of2", "h100", 2, 2, True),
        ("b200-1of2", "b200", 1, 2, False),
        ("b200-2of2", "b200", 2, 2, False),
    ]


def test_a_shard_with_nothing_to_do_is_no_job_but_the_first_is_one_always() -> None:
    found = planned(Demand(device="h100", required=True), shards=4, kernels=0)

    assert [leg["name"] for leg in json.loads(table.matrix(found))["include"]] == ["h100-1of4"]


def test_a_plan_says_why_a_kind_is_not_required() -> None:
    found = planned(Demand(device="l4", required=False, why="on probation until 2027-01-31"))

    assert "l4 (not required: on probation until 2027-01-31): 2 cases of 2 kernels to measure" in table.text(found)
