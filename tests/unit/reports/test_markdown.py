"""The comment as GitHub would show it."""

from dataclasses import replace

from hypothesis import HealthCheck, given, settings

from kgate.model import HEAD, Finding, Report, Run
from kgate.reports import Style, markdown
from tests.unit.builders import failure, kernel, report_of, run_of, with_comparisons, with_outcomes, wrong
from tests.unit.reports.hostile import hostile, page_of
from tests.unit.reports.recorded import recorded

ALLOWED = {
    *("p", "strong", "ul", "li", "br", "pre", "code", "details", "summary"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


def comment(report: Report) -> str:
    return markdown.render(report, Style())


def shown(report: Report) -> list[str]:
    return page_of(comment(report)).opened


def spoiled(report: Report, text: str) -> Report:
    """The report with `text` wherever a repository or a worker has a say, but for names that are keys."""

    def spoil(found: Finding) -> Finding:
        changed = replace(found, sentence=text, advice=text, owners=(text,), name=text, kernel=text)
        return replace(changed, evidence={text: text})

    run: Run = replace(report.run, remarks=(text,), device=text)
    return replace(
        report,
        run=run,
        findings=tuple(spoil(f) for f in report.findings),
        manifest=text,
        head=text,
        base=text,
        command=text,
        sandbox=text,
        started=text,
    )


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
@given(hostile)
def test_no_text_changes_the_shape_of_the_comment(text):
    report = report_of(with_outcomes(run_of(kernel("a"), kernel("b")), (HEAD, failure())))

    page = page_of(comment(spoiled(report, text)))

    assert page.opened.count("details") == page.closed.count("details") == 3
    assert set(page.opened) <= ALLOWED
    assert page.opened.count("table") == 1
    assert page.opened.count("tr") == 3
    assert page.opened.count("td") == 14


def test_a_hostile_kernel_name_stays_in_its_row():
    name = "x|</details>\n# @acme"
    opened = shown(report_of(with_outcomes(run_of(kernel(name)), (HEAD, failure(text="`@x` | <b>")))))

    assert set(opened) <= ALLOWED
    assert opened.count("td") == 7


def test_the_first_sentence_holds_the_verdict():
    failing = comment(report_of(with_outcomes(run_of(), (HEAD, failure()))))
    passing = comment(report_of(run_of()))

    assert failing.startswith("❌ **kgate: fail.** 1 finding blocks this change")
    assert passing.startswith("✅ **kgate: pass.** Nothing to mend; 1 case of 1 kernel on cpu.")


def test_blockers_are_open_and_the_rest_is_folded():
    text = comment(report_of(with_outcomes(run_of(baseline=None), (HEAD, failure()))))

    open_part = text[: text.index("<details>")]
    assert "does-not-run" in open_part
    assert "no-baseline" not in open_part
    assert "Notes: 1 no-baseline" in text


def first_screen(text: str, columns: int = 118) -> int:
    """
    Lines of what is open, at the width of a comment on GitHub on a screen of 1080 lines, where 45 of them fit below the
    pull request's own head; each paragraph, list and block of code has a margin besides.
    """
    opened = text[: text.index("<details>")]
    paragraphs = [part for part in opened.split("\n\n") if part.strip()]
    lines = [line for part in paragraphs for line in part.splitlines() if not line.startswith("```")]
    return sum(max(1, -(-len(line) // columns)) for line in lines) + len(paragraphs)


def test_the_comment_of_the_broken_example_fits_the_first_screen_with_every_blocker_and_its_next_step():
    report = recorded("broken")

    text = comment(report)

    page = page_of(text[: text.index("<details>")])
    assert first_screen(text) <= 45
    blocking = [f for f in report.findings if f.blocks]
    assert {f.kernel for f in blocking} == {"matmul", "softmax", "add", "rms_norm", "swiglu", "layer_norm", "geglu"}
    assert all(f.rule in page.text and f.kernel in page.text for f in blocking)
    assert page.text.count("→") == len({(f.rule, f.kernel) for f in blocking})


def test_the_command_is_narrowed_to_what_blocks():
    run = with_comparisons(run_of(kernel("a", workloads=("m1", "m 2"))), (HEAD, wrong()))

    report = replace(report_of(run), head="1a2b3c4d", base="0d0e0f10")

    typed = "git checkout 1a2b3c4d\nkgate check --base 0d0e0f10 --kernel a --workload m1 --workload 'm 2'\n"
    assert typed in comment(report)
    assert "git checkout" not in comment(replace(report, head="1a2b3c4d+dirty"))
    assert "kgate check --base main --kernel a" in comment(replace(report, command="kgate check --base main"))


def test_a_missing_baseline_says_how_to_store_one():
    assert "Run `kgate baseline record` on cpu" in comment(report_of(run_of(baseline=None)))


def test_a_comment_that_is_too_long_is_cut_by_whole_rows_and_says_so():
    kernels = [kernel(f"kernel{n}", workloads=tuple(f"w{m}" for m in range(20))) for n in range(60)]
    report = report_of(with_outcomes(run_of(*kernels), (HEAD, failure(text="x" * 300))))

    text = comment(report)
    page = page_of(text)

    assert len(text) <= markdown.LIMIT
    assert "more findings, in the file `report.json`" in text
    assert page.opened.count("details") == page.closed.count("details") == 3


def test_a_long_table_is_cut_and_the_rest_counted():
    kernels = [kernel(f"kernel{n}", workloads=tuple(f"w{m}" for m in range(20))) for n in range(40)]

    text = comment(report_of(run_of(*kernels)))
    page = page_of(text)

    rows = page.opened.count("tr") - 1
    assert 0 < rows < 800
    assert len(text) <= markdown.LIMIT
    assert f"… and {800 - rows} more cases" in text
