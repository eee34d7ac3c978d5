"""What was put in and what the rule said, printed."""

import json
from dataclasses import replace

from kgate.injection import Injected, table
from kgate.injection.variants import Shown, Variant
from kgate.model import Confirmation, Decision
from kgate.protocol import Dose
from tests.unit.builders import ratio

SLOWER = replace(
    ratio(median=1.051, decision=Decision.SLOWER), confirmation=Confirmation(holds=True, median=1.05, launches=8)
)
LOADED = Shown(
    variant=Variant(way="extra-load", wanted=5.0, dose=Dose(way="extra-load", amount=4096)),
    measured=1.049,
    call=1.04,
    ratio=SLOWER,
)
OPEN = replace(ratio(median=1.04, decision=Decision.INCONCLUSIVE), reason="launches differ by 3 %")
SHOWN = (
    LOADED,
    Shown(variant=Variant(way="misaligned", dose=Dose(way="misaligned", amount=1)), measured=1.04, ratio=OPEN),
    Shown(variant=Variant(way="fewer-warps"), why="it has no autotuner"),
)
FOUND = Injected(case="gemm/small", device="h200", method="cuda-events-flush", plain_ns=2e5, shown=SHOWN, tests=2)


def test_each_form_has_its_dose_and_what_the_rule_said():
    lines = table.text(FOUND).splitlines()

    loaded = next(line for line in lines if line.startswith("extra-load"))
    assert loaded.split() == [
        "extra-load",
        "+5",
        "%",
        "+4.9",
        "%",
        "+4.0",
        "%",
        "+5.1",
        "%",
        "8",
        "slower,",
        "confirmed",
    ]
    assert any("inconclusive: launches differ by 3 %" in line for line in lines)
    assert "not put in: fewer-warps: it has no autotuner" in lines


def test_where_nothing_could_be_put_in_the_reasons_stand_alone():
    shown = table.text(replace(FOUND, shown=SHOWN[2:], tests=0))

    assert "not put in: fewer-warps" in shown


def test_the_json_has_amounts_decisions_and_reasons():
    loaded, odd, none = json.loads(table.document(FOUND))["doses"]

    assert (loaded["amount"], loaded["decision"], loaded["confirmed"]) == (4096, "slower", True)
    assert (odd["decision"], odd["confirmed"]) == ("inconclusive", False)
    assert (none["decision"], none["why_not"]) == (None, "it has no autotuner")
