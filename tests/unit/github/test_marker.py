"""The first line of our comment: written, read back, and never closed early by what a manifest is called."""

from hypothesis import given
from hypothesis import strategies as st

from kgate.github.comment import Marker, marker_of

NAMES = st.text(max_size=60).filter(str.isprintable)


def marker(manifest: str = "kgate.yaml", run: int = 1, attempt: int = 1) -> Marker:
    return Marker(manifest=manifest, run=run, attempt=attempt, head="a" * 40, verdict="pass", nonce="ff")


@given(NAMES, st.integers(0, 10**17), st.integers(1, 10**6))
def test_a_marker_reads_back_whatever_the_manifest_is_called(manifest, run, attempt):
    written = str(marker(manifest, run, attempt))

    seen = marker_of(f"{written}\ntext")

    assert written.count("-->") == 1
    assert seen is not None
    assert (seen.run, seen.attempt) == (run, attempt)


def test_a_later_attempt_of_the_same_run_is_newer():
    assert marker(attempt=2).newer_than(marker(attempt=1))


def test_a_new_attempt_of_an_old_run_is_not_newer_than_a_new_run():
    assert not marker(run=1, attempt=9).newer_than(marker(run=2))


def test_a_marker_that_is_not_at_the_very_start_is_none():
    assert marker_of(f" {marker()}") is None
