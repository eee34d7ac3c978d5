"""A run proves its kernel, a plan carries it, and `kgate check --plan` measures nothing of it: as it is typed."""

import json

import pytest

from tests.contract.check.shop import GOOD, Shop

pytestmark = [pytest.mark.real, pytest.mark.nightly]

TOP = "policy: {fallback-raises: note}\n"
WITH_DRILLS = {"KGATE_DRILLS": "smallest"}


def test_what_a_run_of_main_has_proved_is_carried_by_the_next_change_and_by_no_other(shop: Shop) -> None:
    # The shop's own call has no way out where a kernel fails; times are none of this test.
    shop.stock({"good": GOOD}, top=TOP, workload="{N: 64, source: test, weight: 0}")
    shop.commit("As it is proved, but for base's policy")
    proved_at = shop.commit("As it is proved")
    proving = shop.check(env=WITH_DRILLS)
    shop.git("switch", "--quiet", "--create", "change")
    shop.write({"notes.txt": "Nothing that a kernel rests on.\n"})
    shop.commit("Notes")

    planned = shop.kgate("plan", "--device", "cpu")
    run = shop.check("--plan", ".kgate/plan.json", env=WITH_DRILLS)
    again = shop.kgate("report", "--format", "json")
    shop.write({"customs/good.py": f"{GOOD}# other\n"})
    stale = shop.check("--plan", ".kgate/plan.json")
    changed = shop.kgate("plan", "--device", "cpu")

    assert proving.code == planned.code == run.code == again.code == changed.code == 0, (proving, planned, run, again)
    assert f"carried   1 case of 1 kernel from run {proving.report['key']}" in planned.out
    assert run.report["cases"] == []
    (carried,) = run.report["carried"]
    assert (carried["kernel"], carried["run"], carried["commit"]) == ("good", proving.report["key"], proved_at)
    assert run.report["kernels"][0]["ownership"]["files"] == proving.report["kernels"][0]["ownership"]["files"] != []
    assert "0 cases of 0 kernels on cpu, 1 case carried" in run.out
    assert json.loads(again.out)["carried"] == run.report["carried"]
    assert (stale.code, stale.err) == (
        2,
        "kgate: .kgate/plan.json: is of another head tree than this run; run `kgate plan` again\n",
    )
    assert "changed   good" in changed.out
    assert "customs/good.py" in changed.out
