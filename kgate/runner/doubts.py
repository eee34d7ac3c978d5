"""Why the times of a block, or of a launch, are no times of the call."""

import math
import statistics
from collections.abc import Sequence

from kgate.figures import time_of
from kgate.protocol import GRAPH, TimeBlock, Times
from kgate.runner.notes import noted, unfit
from kgate.runner.roofline import Floor

# The datum is a median, which a quarter of outliers on one side can move within the bulk alone. An idle H200 host had 0
# to 4 such samples in a block of 8, most often none or one (19 cases, 8 launches each).
LEAKS_SHARE = 0.25
LATE_NS = 100_000  # beyond what a wait for an idle device takes, whose jitter is some 40 µs on an H200's host
CLOCK_SLACK_NS = 1_000_000  # between the gate's clock and the worker's, for what lies between the two readings


def doubt(times: Times, request: TimeBlock, wall_ns: int) -> str:
    """Why these times cannot be, as the end of a sentence; "" if they can. `wall_ns`: the block as the gate saw it."""
    if {len(times.samples_ns), len(times.call_ns)} != {len(request.seeds)}:
        return f"gave {len(times.samples_ns)} samples where {len(request.seeds)} were asked for"
    if not all(math.isfinite(ns) and ns > 0 for ns in (*times.samples_ns, *times.call_ns)):
        return "gave a sample that is no positive time"
    if problem := unfit(times):
        return problem
    if not 0 <= times.wall_ns <= wall_ns + CLOCK_SLACK_NS:
        return f"saw {times.wall_ns / 1e6:.3f} ms pass in a block that took {wall_ns / 1e6:.3f} ms in all"
    # The host queues a sample while the device is at the one before it. Beside a graph it makes one call a sample.
    host_calls = 1 if times.method == GRAPH else request.batch
    claimed_ns = max(request.batch * sum(times.samples_ns), host_calls * sum(times.call_ns))
    if claimed_ns > wall_ns + CLOCK_SLACK_NS:
        return f"claims {claimed_ns / 1e6:.3f} ms of a block that took {wall_ns / 1e6:.3f} ms in all"
    return ""


def busy_ns(times: Times, batch: int) -> float:
    """Device work of a block's samples, the flush before each included where the timer tells what one takes."""
    flush_ns = times.notes.get("flush-ns", 0.0)
    return batch * sum(times.samples_ns) + len(times.samples_ns) * (0.0 if isinstance(flush_ns, str) else flush_ns)


def disturbance(blocks: Sequence[Times]) -> str:
    """What else was measured than the call, as a sentence; "" if nothing was."""
    if noted(blocks, "compiles"):
        return "a compile happened inside the timed region"
    samples = sum(len(b.samples_ns) for b in blocks)
    if noted(blocks, "host-time-leaked") > LEAKS_SHARE * samples:
        return f"the device waited for the host inside more than {LEAKS_SHARE:.0%} of the samples"
    told_ns = [ns for b in blocks if not isinstance(ns := b.notes.get("after-last-event-ns", 0.0), str)]
    late_ns = statistics.median(told_ns) if told_ns else 0.0
    if late_ns > LATE_NS:
        return f"work went on for {time_of(late_ns)} after the last event, on a stream that the timer does not see"
    return ""


def impossible(blocks: Sequence[Times], floor: Floor | None) -> str:
    """The datum is a median, so that is what has to be possible."""
    median_ns = statistics.median(ns for b in blocks for ns in b.samples_ns)
    if floor is None or median_ns >= floor.ns:
        return ""
    return f"impossible: {time_of(median_ns)}, where {floor.text}"
