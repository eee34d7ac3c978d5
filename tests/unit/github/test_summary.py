"""The step summary and the step's outputs, read back by the grammar of the runner's file commands."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgate.errors import DeliveryError
from kgate.github import summary
from tests.unit.github.runner import outputs_of

ONE_LINE = st.text(max_size=200).filter(str.isprintable)


@given(st.dictionaries(st.from_regex(r"[a-z][a-z0-9-]{0,20}", fullmatch=True), ONE_LINE, max_size=5))
def test_the_runner_reads_exactly_what_was_written(tmp_path_factory, outputs):
    path = tmp_path_factory.mktemp("outputs") / "file"

    summary.write_outputs(path, outputs)

    assert outputs_of(path.read_text(encoding="utf-8")) == outputs


@pytest.mark.parametrize("value", ["pass\nverdict=fail", "a\rb", "a\x85b", "a\u2028b", "a\0b", "\ud800", "x" * 5000])
def test_a_value_that_is_not_one_short_line_is_refused(tmp_path, value):
    with pytest.raises(DeliveryError, match="output verdict"):
        summary.write_outputs(tmp_path / "file", {"verdict": value})

    assert not (tmp_path / "file").exists()


@pytest.mark.parametrize("name", ["", "a=b", "a<<b", "PATH", "a\nb", "-a", "ä"])
def test_a_name_outside_the_grammar_is_refused(tmp_path, name):
    with pytest.raises(DeliveryError, match="output"):
        summary.write_outputs(tmp_path / "file", {name: "x"})


def test_two_runs_never_use_the_same_delimiter(tmp_path):
    for name in ("one", "two"):
        summary.write_outputs(tmp_path / name, {"verdict": "pass"})

    assert (tmp_path / "one").read_text() != (tmp_path / "two").read_text()


@pytest.mark.parametrize(
    ("code", "said", "verdict"),
    [(0, "pass", "pass"), (0, "warn", "warn"), (1, "pass", "fail"), (2, "pass", "no-run"), (3, "pass", "no-verdict")],
)
def test_the_exit_code_is_believed_before_the_report(tmp_path, code, said, verdict):
    (tmp_path / "report.json").write_text(json.dumps({"verdict": said, "manifest": "kgate.yaml"}))

    assert summary.outputs_of(tmp_path, code)["verdict"] == verdict


@pytest.mark.parametrize("code", [130, 134, 77, -9])
def test_a_code_that_is_not_ours_is_no_verdict(tmp_path, code):
    outputs = summary.outputs_of(tmp_path, code)

    assert outputs == {"verdict": "no-verdict", "exit-code": str(code), "report": ""}


def test_a_report_that_contradicts_a_green_exit_is_not_passed_on(tmp_path):
    (tmp_path / "report.json").write_text(json.dumps({"verdict": "fail", "manifest": "kgate.yaml"}))

    with pytest.raises(DeliveryError, match="not this run's report"):
        summary.outputs_of(tmp_path, 0)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"verdict": "green", "manifest": "m"}', '{"verdict": "pass"}'])
def test_a_report_of_another_form_is_refused(tmp_path, text):
    (tmp_path / "report.json").write_text(text)

    with pytest.raises(DeliveryError, match=r"report\.json"):
        summary.outputs_of(tmp_path, 0)


def test_a_summary_is_appended_and_stays_below_the_limit_of_the_whole_file(tmp_path):
    path = tmp_path / "summary"
    path.write_text("an earlier command's\n" * 10_000)

    summary.write_summary(path, "| row é |\n" * 200_000)

    assert path.read_text().startswith("an earlier command's\n")
    assert path.stat().st_size <= 1 << 20


def test_the_step_writes_both_files(tmp_path):
    (tmp_path / "report.json").write_text(json.dumps({"verdict": "warn", "manifest": "kgate.yaml"}))
    (tmp_path / "comment.md").write_text("**kgate: warn**\n")
    environ = {"GITHUB_OUTPUT": str(tmp_path / "output"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}

    code = summary.main([str(tmp_path), "0"], environ)

    assert code == 0
    assert outputs_of((tmp_path / "output").read_text())["verdict"] == "warn"
    assert (tmp_path / "summary").read_text() == "**kgate: warn**\n"


def test_a_run_without_a_report_still_gets_its_outputs_and_a_sentence(tmp_path):
    environ = {"GITHUB_OUTPUT": str(tmp_path / "output"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}

    code = summary.main([str(tmp_path), "2"], environ)

    assert code == 0
    assert outputs_of((tmp_path / "output").read_text()) == {
        "verdict": "no-run",
        "exit-code": "2",
        "report": "",
    }
    assert "judged nothing" in (tmp_path / "summary").read_text()


def test_a_green_exit_without_a_report_is_an_error_of_delivery(tmp_path, capsys):
    code = summary.main([str(tmp_path), "0"], {"GITHUB_OUTPUT": str(tmp_path / "output")})

    assert code == 4
    assert not (tmp_path / "output").exists()
    assert "report.json" in capsys.readouterr().err
