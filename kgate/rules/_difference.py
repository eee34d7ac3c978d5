"""An answer that is not the reference's, in words: which output, which bound, where, and what stands there."""

from kgate.figures import digits
from kgate.model import Comparison, Metric

EVIDENCE = ("max_abs", "row_error", "relative_l2", "mismatch")  # the others are in the JSON report


def difference(comparison: Comparison) -> str:
    """`output 0 (float32 [64, 128]): max_abs 0.5 > 0.01; worst at [3, 17]: 1.25, expected 0.75`."""
    head = named(comparison)
    if comparison.mismatch:
        return f"{head}: {comparison.mismatch}"
    spot = located(comparison)
    tail = f"; {spot.where}" if spot else ""
    return f"{head}: {', '.join(comparison.broken)}{tail}"


def named(comparison: Comparison) -> str:
    """`output 0 (float32 [64, 128])`."""
    shape = ", ".join(str(n) for n in comparison.shape)
    return f"output {comparison.output} ({comparison.dtype} [{shape}])"


def located(comparison: Comparison) -> Metric | None:
    """The metric that tells where the difference sits: one called first, else worst, else any."""
    places = [m for m in comparison.metrics.values() if m.where]
    return min(places, key=lambda m: ("first" not in m.name, "worst" not in m.name), default=None)


def numbers(comparison: Comparison) -> dict[str, str]:
    """Evidence: the bound by its source, and the metrics that a reader asks for first."""
    metrics = [comparison.metrics[name] for name in EVIDENCE if name in comparison.metrics]
    return {"bound": comparison.bound.source} | {m.name: spoken(m) for m in metrics}


def spoken(metric: Metric) -> str:
    unit = f" {metric.unit}" if metric.unit else ""
    return f"{digits(metric.value)}{unit}" + (f" ({metric.where})" if metric.where else "")
