"""The log of a job on GitHub: annotations where they belong, and no command but kgate's own."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kgate.escape import command, plain, quoted
from kgate.model import BASE, FALLBACK, HEAD, Finding, Ownership, Report
from kgate.reports import Style, github
from tests.unit.builders import failure, kernel, report_of, run_of, with_comparisons, with_outcomes, wrong
from tests.unit.github.runner import Command, command_of, weightless
from tests.unit.reports.hostile import hostile
from tests.unit.reports.sample import sample

OURS = {"group", "endgroup", "error", "warning", "notice"}
COMMANDS = (
    "::set-output name=verdict::pass",
    "  \u3000::add-mask::a",
    "##[set-output name=verdict;]pass",
    "text ##[add-mask]a",
    "#\ufe00#[error]x",
    "\ufe0f::error::x",
    ":\u200b:error::x",
    "::stop-commands::word",
    "%0A::error::x",
    "a\r\n::error::x",
)
text = st.one_of(st.sampled_from(COMMANDS), hostile, st.text(max_size=40))


def log(report: Report) -> list[str]:
    return github.render(report, Style()).splitlines()


def annotations(report: Report) -> list[Command]:
    found = [command_of(line) for line in log(report)]
    return [c for c in found if c is not None and c.name in ("error", "warning", "notice")]


@given(text)
@example("#\ufe00#[error]x")
def test_no_quoted_line_is_a_command(said):
    line = quoted(said)

    assert command_of(line) is None
    assert command_of(weightless(line)) is None
    assert "\n" not in line


@given(text)
def test_a_quoted_line_keeps_what_it_says(said):
    assert quoted(said).removeprefix("| ").replace("# ", "#") == plain(said, 10_000).replace("# ", "#")


@given(message=text, path=text, title=text)
def test_an_annotation_reads_back_as_one_command_with_the_words_it_was_given(message, path, title):
    line = command("warning", message, file=path, title=title)

    read = command_of(line)

    assert "\n" not in line
    assert read is not None
    assert read.name == "warning"
    assert read.data == "\n".join(plain(part, 10_000) for part in message.split("\n"))
    assert set(read.properties) <= {"file", "title"}
    assert read.properties.get("file", "").strip() == plain(path, 10_000).strip()


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=40)
@given(text)
def test_a_report_that_quotes_anything_gives_the_runner_kgates_commands_alone(said):
    def spoil(found: Finding) -> Finding:
        return replace(found, sentence=said, advice=said, owners=(said,), name=said, evidence={said: said})

    report = report_of(with_outcomes(run_of(kernel("a")), (HEAD, failure())))
    spoiled = replace(report, findings=tuple(map(spoil, report.findings)), manifest=said, command=said, sandbox=said)

    lines = log(spoiled)

    read = [command_of(line) for line in lines]
    assert [c.name for c in read if c] == ["group", "endgroup", *["error"] * sum(f.blocks for f in spoiled.findings)]
    assert {c.name for line in lines if (c := command_of(weightless(line)))} <= OURS


def test_a_wrong_result_is_annotated_in_the_file_of_the_kernel():
    run = with_comparisons(run_of(kernel("a")), (HEAD, wrong()))
    files = {"src/acme/a.py": None, "src/acme/tiles.py": None}

    owned = replace(run, ownership={"a": Ownership(owners=("@acme/kernels",), files=files)})

    (seen,) = annotations(report_of(owned))
    assert seen.name == "error"
    assert (seen.properties["file"], seen.properties["line"]) == ("src/acme/a.py", "1")
    assert seen.properties["title"] == "kgate: wrong-result a/small"
    assert "What to do: Compare acme.a:fused" in seen.data
    assert seen.data.endswith("Owner: @acme/kernels (entry: kgate.yaml:20)")


@pytest.mark.parametrize("arm", [HEAD, FALLBACK])
def test_what_raised_is_annotated_at_the_last_line_of_the_kernels_own_files(arm):
    trace = (
        'File "/home/me/repo/acme/a.py", line 12, in fused\n  return tiles.run(x)\n'
        'File "/home/me/repo/acme/tiles.py", line 34, in run\n  raise ValueError\n'
        'File "/usr/lib/python3/site-packages/torch/x.py", line 5, in y\nValueError: K is odd'
    )
    run = with_outcomes(run_of(kernel("a")), (arm, replace(failure(), detail=trace)))
    files = {"acme/a.py": None, "acme/tiles.py": None}

    owned = replace(run, ownership={"a": Ownership(owners=("@acme/kernels",), files=files)})

    seen = annotations(report_of(owned))[0]
    assert (seen.properties["file"], seen.properties["line"]) == ("acme/tiles.py", "34")


def test_a_file_that_could_be_either_of_two_is_not_guessed():
    run = with_comparisons(run_of(kernel("a")), (HEAD, wrong()))
    files = {"one/acme/a.py": None, "two/acme/a.py": None}

    owned = replace(run, ownership={"a": Ownership(owners=("@acme/kernels",), files=files)})

    (seen,) = annotations(report_of(owned))
    assert (seen.properties["file"], seen.properties["line"]) == ("kgate.yaml", "20")


def test_a_missing_owner_is_annotated_on_the_line_of_the_manifest():
    report = report_of(run_of(kernel("a", owners=())))

    seen = next(c for c in annotations(report) if "owner-missing" in c.properties["title"])

    assert (seen.properties["file"], seen.properties["line"]) == ("kgate.yaml", "8")


def test_nine_annotations_at_most_the_worst_first_and_the_rest_counted():
    report = sample()

    seen = annotations(report)

    assert len(seen) == 9
    assert [c.name for c in seen[:8]] == ["error"] * 8
    shown = sum(f.rule in " ".join(c.properties["title"] for c in seen[:8]) for f in report.findings if f.blocks)
    assert shown
    assert "more findings in the step summary: " in seen[8].data
    assert seen[8].name == "error"


def test_nine_groups_are_all_shown():
    kernels = [kernel(f"k{n}", owners=("@acme/kernels",)) for n in range(9)]

    seen = annotations(report_of(with_outcomes(run_of(*kernels), (HEAD, failure()))))

    assert len(seen) == 9
    assert all("step summary" not in c.data for c in seen)


def test_a_warning_is_a_warning_and_a_green_run_has_no_annotation():
    warned = annotations(report_of(with_comparisons(run_of(kernel("a")), (HEAD, wrong()), (BASE, wrong()))))

    assert {c.name for c in warned} <= {"warning"}
    assert annotations(report_of(run_of())) == []


def test_the_last_line_is_the_verdict():
    assert log(report_of(run_of()))[-1] == "kgate: pass: nothing to mend; 1 case of 1 kernel on cpu"
