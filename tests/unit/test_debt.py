"""Old faults: adopted from a report, written to a file, counted from it, and listed."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from click.testing import CliRunner

from kgate import adoption, indebted
from kgate.cli import cli
from kgate.errors import ManifestError, UsageError
from kgate.load import debt
from kgate.model import HEAD, Run, Terms, Verdict
from kgate.reports import Style, document
from tests.unit.builders import failure, kernel, report_of, run_of, with_outcomes

NAMES = tuple(f"op{n}" for n in range(10))
FAULTY = NAMES[:6]
MANIFEST = "version: 1\nkernels:\n" + "".join(
    f"  {name}:\n    owners: ['@acme/{name}']\n    dispatch: acme.ops:{name}\n    custom: acme.{name}:fused\n"
    f"    fallback: acme.{name}:eager\n    workloads: {{}}\n"
    for name in NAMES
)
TODAY = datetime.now(timezone.utc).date()
Adopting = Callable[..., str]


def ten_kernels(broken: tuple[str, ...] = FAULTY, **terms: object) -> Run:
    """As a change sees them that adds the manifest: base has none."""
    made = run_of(*(kernel(name, owners=(f"@acme/{name}",)) for name in NAMES), base_kernels={}, base_ran=False)
    ruined = with_outcomes(replace(made, cases=tuple(c for c in made.cases if c.kernel in broken)), (HEAD, failure()))
    return replace(ruined, cases=made.cases, terms=Terms(**terms))


@pytest.fixture
def adopt(tmp_path: Path) -> Adopting:
    """`adopt(run)` writes the run's report and takes it up; the text is what a user sees."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "kgate.yaml").write_text(MANIFEST)

    def adopting(run: Run, *, owner: str = "", expires: str = "", **changes: object) -> str:
        text = document.render(report_of(run, **changes), Style())
        (tmp_path / "report.json").write_text(text)
        return adoption.adopt(tmp_path / "kgate.yaml", tmp_path / "report.json", owner, expires)

    return adopting


def owed(folder: Path) -> tuple[debt.Owed, ...]:
    return debt.read(folder / "kgate.yaml", folder)


def test_ten_kernels_with_six_old_faults_are_green_once_they_are_adopted(adopt: Adopting, tmp_path: Path) -> None:
    before = report_of(ten_kernels(unheld=True))

    said = adopt(ten_kernels(unheld=True))
    after = report_of(ten_kernels(unheld=True, debt=owed(tmp_path)))

    assert (before.verdict, after.verdict) == (Verdict.FAIL, Verdict.WARN)
    assert said.startswith("kgate-debt.yaml: 6 old faults, 6 of them new, 0 taken out")
    assert [(o.rule, o.name, o.owner) for o in owed(tmp_path)] == [
        ("does-not-run", f"{name}/small", f"@acme/{name}") for name in FAULTY
    ]


def test_a_seventh_fault_fails_the_change_that_adds_it_and_for_it_alone(adopt: Adopting, tmp_path: Path) -> None:
    adopt(ten_kernels())

    report = report_of(ten_kernels((*FAULTY, "op7"), debt=owed(tmp_path)))

    assert report.verdict is Verdict.FAIL
    assert [(f.rule, f.name) for f in report.findings if f.blocks] == [("does-not-run", "op7/small")]


def test_what_is_mended_goes_and_what_stays_keeps_its_owner_and_day(adopt: Adopting, tmp_path: Path) -> None:
    adopt(ten_kernels(), expires=(TODAY + timedelta(days=7)).isoformat())
    first = owed(tmp_path)

    said = adopt(ten_kernels(("op0", "op7"), debt=first))

    kept, new = owed(tmp_path)
    assert "2 old faults, 1 of them new, 5 taken out" in said
    assert (kept.name, kept.expires) == ("op0/small", first[0].expires)
    assert (new.name, new.expires) == ("op7/small", (TODAY + timedelta(days=90)).isoformat())


SMALL = "{small: {args: {}, targets: [cpu, cuda]}}"


def test_what_the_run_did_not_see_stays(adopt: Adopting, tmp_path: Path) -> None:
    adopt(ten_kernels(("op0", "op1")))
    first = owed(tmp_path)
    (tmp_path / "kgate.yaml").write_text(MANIFEST.replace("workloads: {}", f"workloads: {SMALL}"))
    clean = ten_kernels(())

    adopt(clean)
    on_cpu = owed(tmp_path)
    adopt(replace(clean, cases=clean.cases[1:], device="h200", on_gpu=True))
    one_left = owed(tmp_path)

    assert [o.identity for o in on_cpu] == [o.identity for o in first]
    assert [o.name for o in one_left] == ["op0/small"]


def test_a_question_left_open_keeps_its_entry(adopt: Adopting, tmp_path: Path) -> None:
    adopt(ten_kernels(("op0", "op1")))
    lost = with_outcomes(ten_kernels(()), (HEAD, None))

    adopt(lost)

    assert {"op0/small", "op1/small"} <= {o.name for o in owed(tmp_path)}


def test_a_fault_that_nobody_owns_wants_somebody(adopt: Adopting, tmp_path: Path) -> None:
    nobody = run_of(kernel("op0", owners=()), base_kernels={}, base_ran=False)

    with pytest.raises(UsageError, match="owner-missing of op0 has nobody to mend it; name somebody with --owner"):
        adopt(nobody)
    adopt(nobody, owner="@ada")

    assert [o.owner for o in owed(tmp_path)] == ["@ada"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"manifest": "other.yaml"}, "a run of other.yaml, not of kgate.yaml"),
        ({"command": "kgate check --kernel op1"}, "a run with --kernel knows of some faults alone"),
        ({"command": "kgate check --plan p.json --shard 2"}, "a run with --shard knows of some faults alone"),
        ({"command": "kgate check --drills none"}, "a run with --drills none knows of some faults alone"),
    ],
)
def test_a_run_of_something_else_is_no_ground_for_debt(adopt: Adopting, changes: dict[str, str], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        adopt(ten_kernels(), **changes)


@pytest.mark.parametrize(("day", "says"), [("soon", "not a day"), (TODAY.isoformat(), "not after today")])
def test_a_day_that_is_none_or_past_is_refused(adopt: Adopting, day: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        adopt(ten_kernels(), expires=day)


def test_debt_and_workloads_are_not_written_at_once(tmp_path: Path) -> None:
    (tmp_path / "kgate.yaml").write_text(MANIFEST)

    result = CliRunner().invoke(cli, ["init", "--adopt", "--from-capture", str(tmp_path / "kgate.yaml")])

    assert result.exit_code == 2
    assert "--from-capture FILE and --adopt write different things" in result.output


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{rule: wrong-result, scope: case, name: a/b, owner: '@a', expires: tomorrow}", "expires"),
        ("{rule: x, scope: all, name: a/b, owner: '@a', expires: 2027-01-31}", "scope"),
        ("{rule: x, scope: case, name: a/b, owner: ada, expires: 2027-01-31}", "owner"),
        ("{rule: gate-loosened, scope: kernel, name: a (owners), owner: '@a', expires: 2027-01-31}", "is owed"),
        ("{rule: debt-expired, scope: case, name: a/b, owner: '@a', expires: 2027-01-31}", "is owed"),
        ("{rule: wrong-reslut, scope: case, name: a/b, owner: '@a', expires: 2027-01-31}", "mean 'wrong-result'"),
        ("{rule: grown, scope: case, name: a/b, expires: 2027-01-31}", "owner"),
    ],
)
def test_an_entry_that_is_not_whole_is_refused_with_its_line(tmp_path: Path, line: str, says: str) -> None:
    (tmp_path / "kgate-debt.yaml").write_text(f"version: 1\ndebt:\n  - {line}\n")

    with pytest.raises(ManifestError, match=f"kgate-debt.yaml:3: .*{says}"):
        owed(tmp_path)


def test_a_fault_that_stands_twice_is_refused(tmp_path: Path) -> None:
    line = "  - {rule: wrong-result, scope: case, name: a/b, owner: '@a', expires: 2027-01-31}\n"
    (tmp_path / "kgate-debt.yaml").write_text(f"version: 1\ndebt:\n{line}{line}")

    with pytest.raises(ManifestError, match=r"kgate-debt\.yaml:4: .*stands in line 3 already"):
        owed(tmp_path)


def test_what_is_written_is_read_again_whatever_a_name_holds(tmp_path: Path) -> None:
    place = debt.Place(path="kgate-debt.yaml", line=5)
    name = 'sweep/M=1,s="a: {b}" # ü (switch-off)'
    entry = debt.Owed(rule="wrong-result", scope="case", name=name, owner="@a", expires="2027-01-31", place=place)

    debt.write(tmp_path / "kgate-debt.yaml", [entry])

    assert owed(tmp_path) == (entry,)
    debt.write(tmp_path / "kgate-debt.yaml", [])
    assert owed(tmp_path) == ()


def test_debt_is_listed_by_day_with_what_is_left(adopt: Adopting, tmp_path: Path) -> None:
    adopt(ten_kernels(("op0",)), expires=(TODAY + timedelta(days=7)).isoformat())

    text = indebted.listed(tmp_path / "kgate.yaml", "text")
    (entry,) = json.loads(indebted.listed(tmp_path / "kgate.yaml", "json"))["debt"]

    assert "7 days left" in text
    assert text.endswith("1 old fault, 0 past its day")
    assert (entry["name"], entry["expired"], entry["place"]["line"]) == ("op0/small", False, 5)


def test_without_a_debt_file_nothing_is_owed_and_that_is_said(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "kgate.yaml").write_text(MANIFEST)

    with pytest.raises(UsageError, match=r"kgate-debt\.yaml: not there, so nothing is owed"):
        indebted.listed(tmp_path / "kgate.yaml", "text")
