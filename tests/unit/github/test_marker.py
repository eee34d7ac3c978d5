"""The first line of our comment: written, read back, and never closed early by what a manifest is called."""

from hypothesis import given
from hypothesis import strategies as st

from kgate.github.marker import Marker, marker_of

NAMES = st.text(max_size=60).filter(str.isprintable)


def marker(manifest: str = "kgate.yaml", run: int = 1, attempt: int = 1, head: str = "a" * 40) -> Marker:
    return Marker(manifest=manifest, run=run, attempt=attempt, head=head, verdict="pass", nonce="ff")


@given(NAMES, st.integers(0, 10**17), st.integers(1, 10**6))
def test_a_marker_reads_back_whatever_the_manifest_is_called(manifest, run, attempt):
    written = str(marker(manifest, run, attempt))

    seen = marker_of(f"{written}\ntext")

    assert written.count("-->") == 1
    assert seen is not None
    assert (seen.run, seen.attempt, seen.manifest) == (run, attempt, manifest)


def test_the_current_commit_ranks_first_then_the_run_then_its_attempt():
    current, other = "a" * 40, "b" * 40
    markers = [
        marker(run=9, head=other),
        marker(run=1, attempt=1),
        marker(run=1, attempt=9),
        marker(run=2, attempt=1),
    ]

    shuffled = markers[2:] + markers[:2]
    assert sorted(shuffled, key=lambda m: m.rank(current)) == markers


def test_a_marker_that_is_not_at_the_very_start_is_none():
    assert marker_of(f" {marker()}") is None
