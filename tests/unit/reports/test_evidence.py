"""The evidence of a group: what its cases share, what they do not, and the few lines of a traceback."""

from dataclasses import replace

from kgate.model import Finding, Level, Scope
from kgate.reports._evidence import evidence, shortened, trace
from kgate.reports._view import Group

TRACEBACK = """\
Traceback (most recent call last):
  File "/repo/acme/vector.py", line 12, in custom
    return kernel(x)
           ~~~~~~^^^
  File "/venv/lib/python3.11/site-packages/tilelang/jit.py", line 90, in __call__
    return self.run(x)
           ^^^^^^^^^^^
  File "/venv/lib/python3.11/site-packages/tilelang/run.py", line 7, in run
    raise ValueError("K is odd")
ValueError: K is odd
"""


def finding(workload: str, **evidence: str) -> Finding:
    return Finding(
        rule="does-not-run",
        level=Level.FAIL,
        scope=Scope.CASE,
        name=f"gemm/{workload}",
        kernel="gemm",
        sentence="it fails",
        advice="Mend it.",
        evidence=evidence,
    )


def test_what_the_cases_share_stands_once_and_the_rest_by_workload():
    group = Group(findings=(finding("a", head="11 µs", method="cpu"), finding("b", head="12 µs", method="cpu")))

    assert list(evidence(group)) == [("method", "cpu"), ("a", "head 11 µs"), ("b", "head 12 µs")]


def test_at_most_three_cases_are_told_apart():
    group = Group(findings=tuple(finding(f"w{n}", head=f"{n} µs") for n in range(5)))

    shown = list(evidence(group))

    assert [label for label, _ in shown] == ["w0", "w1", "w2", "others"]
    assert shown[-1][1] == "2 more with --format json"


def test_a_trace_ends_in_the_users_own_frame_and_the_error():
    assert shortened(TRACEBACK) == (
        'File "/repo/acme/vector.py", line 12, in custom',
        "  return kernel(x)",
        "ValueError: K is odd",
    )


def test_without_a_frame_of_the_users_own_the_end_is_shown_without_marks():
    ending = TRACEBACK.replace("/repo/acme", "/venv/site-packages/acme")

    assert shortened(ending)[-2:] == ('  raise ValueError("K is odd")', "ValueError: K is odd")


def test_a_trace_of_two_lines_is_shown_whole():
    assert shortened('File "acme/raises.py", line 12, in fused\nValueError: K is odd') == (
        'File "acme/raises.py", line 12, in fused',
        "ValueError: K is odd",
    )


def test_a_trace_says_whose_it_is_where_others_differ():
    one, other = finding("a", trace="ValueError: 1"), finding("b", trace="ValueError: 2")

    assert trace(Group(findings=(one, other))) == ("trace of a", ("ValueError: 1",))
    assert trace(Group(findings=(one, replace(one, name="gemm/b")))) == ("trace", ("ValueError: 1",))
    assert trace(Group(findings=(finding("a"),))) == ("", ())
