"""Several manifests in one repository share one state folder, and each finds its own last run there."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.contract.check.shop import GOOD, Shop

pytestmark = pytest.mark.real

OTHERS = "{}"  # what another manifest's run left


@pytest.mark.nightly
def test_a_manifest_below_the_root_keeps_its_last_run_at_the_root_apart_from_others(
    stocked: Callable[..., Shop], tmp_path: Path
) -> None:
    shop = stocked(tmp_path / "repo", {"good": GOOD}, {"good": GOOD}, inner="libs/norm")
    at_root = shop.root / ".kgate" / "last"
    at_root.mkdir(parents=True)
    (at_root / "report.json").write_text(OTHERS)

    checked = shop.check("--manifest", "libs/norm/kgate.yaml", cwd=shop.root)
    recorded = shop.kgate("baseline", "record", "--manifest", "libs/norm/kgate.yaml", cwd=shop.root)

    assert checked.code == 0, checked.out + checked.err
    own = shop.root / ".kgate" / "last-libs-norm"
    assert sorted(p.name for p in own.iterdir()) == ["comment.md", "report.json", "report.txt"]
    assert (at_root / "report.json").read_text() == OTHERS
    assert list(shop.root.rglob(".kgate")) == [shop.root / ".kgate"]
    # One launch was asked for, which is refused: the report that it names is the right one.
    assert f"{own}/report.json: good/small was timed in 1 launch" in recorded.err
