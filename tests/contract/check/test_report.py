"""`kgate report` beside the `kgate check` whose samples it judges again, and what a second attempt may draw."""

import json
from pathlib import Path

import pytest

from tests.contract.check.shop import GOOD, Shop

pytestmark = pytest.mark.real

NAMES_NOTHING = "DSL = 'none'\nimport nowhere\n\n\ndef kernel(x):\n    return x + x\n"
PASSING = ("wall_s", "cost_s", "attempts", "resumed", "started")


def lines_of(shop: Shop, kind: str) -> list[str]:
    (ledger,) = [p for p in (shop.root / ".kgate").glob("*.jsonl") if "spent" not in p.name]
    return [line for line in ledger.read_text().splitlines() if json.loads(line)["kind"] == kind]


@pytest.mark.nightly
def test_a_report_is_that_of_the_check_in_every_format_and_a_second_attempt_draws_nothing(
    shop: Shop, tmp_path: Path
) -> None:
    first = shop.kgate("check", "--launches", "3", "--results", str(tmp_path / "one"), "--format", "json")
    launches = lines_of(shop, "launch")

    again = shop.kgate("report", "--format", "json")
    from_folder = shop.kgate("report", str(tmp_path / "one"), cwd=tmp_path)
    second = shop.kgate("check", "--launches", "3", "--format", "json")
    pooled = shop.kgate("report", "--format", "json")
    kept = json.loads((tmp_path / "one" / "report.json").read_text())

    assert json.loads(again.out) == json.loads(first.out) == kept
    assert from_folder.out == (tmp_path / "one" / "report.txt").read_text()
    assert lines_of(shop, "launch") == launches
    assert len(launches) == 3
    second_body, pooled_body = json.loads(second.out), json.loads(pooled.out)
    assert [body["attempts"] for body in (kept, second_body, pooled_body)] == [1, 2, 2]
    for name in PASSING:
        for body in (kept, second_body, pooled_body):
            del body[name]
    assert second_body == pooled_body == kept
    assert [run.code for run in (first, again, from_folder, second, pooled)] == [0] * 5


@pytest.mark.nightly
def test_only_a_case_that_the_machine_kept_from_running_is_measured_anew(stocked, tmp_path: Path) -> None:
    shop = stocked(tmp_path / "shop", {"good": GOOD, "missing": GOOD}, {"good": GOOD, "missing": NAMES_NOTHING})
    shop.check()
    before = lines_of(shop, "launch")

    ended = shop.check()

    assert ended.code == 1
    assert [json.loads(line)["name"] for line in before] == ["0|good/small@cpu"]
    assert lines_of(shop, "launch") == before
    assert shop.kgate("report").code == 1
