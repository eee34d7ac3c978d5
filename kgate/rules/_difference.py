"""An answer that is not the reference's, in words: which output, which bound, where, and what stands there."""

from kgate.figures import digits
from kgate.model import Bound, Comparison, Metric

EVIDENCE = ("max_abs", "row_error", "relative_l2")  # the others are in the JSON report
SOURCES = {
    "derived": "derived from the fallback's own error",
    "cap": "what this dtype allows at most",
    "manifest": "`tolerance` of the manifest",
    "compare": "`compare` of the manifest",
}


def difference(comparison: Comparison) -> str:
    """
    `output 0 (float32 [64, 128]): row error 0.5, at most 1e-05 allowed; 498 of 8192 elements outside the bound, first
    at [1, 84], all in …, all of them are 0, the worst at [1, 84]: 0, expected 0.75`. Of several bounds that do not
    hold, the first; the others are evidence.
    """
    head = named(comparison)
    if comparison.mismatch:
        says_which = comparison.mismatch.startswith(f"output {comparison.output} ")
        return comparison.mismatch if says_which else f"{head}: {comparison.mismatch}"
    broken = comparison.broken[0]
    return "; ".join((f"{head}: {broken}", *spread_out(comparison, broken)))


def spread_out(comparison: Comparison, broken: str) -> tuple[str, ...]:
    """How many elements, where they lie and which is the worst, where `broken` has not said so already."""
    places = ("mismatch", "extent", "pattern", "worst")
    outside, extent, shared, spot = (comparison.metrics.get(name) for name in places)
    said = (
        (outside.where if outside and outside.value else "", "{} elements outside the bound"),
        (extent.where if extent else "", "{}"),
        (shared.where if shared else "", "{}"),
        (spot.where if spot else "", "the worst at {}"),
    )
    fresh = [form.format(where) for where, form in said if where and where not in broken]
    return (", ".join(fresh),) if fresh else ()


def named(comparison: Comparison) -> str:
    """`output 0 (float32 [64, 128])`."""
    shape = ", ".join(str(n) for n in comparison.shape)
    return f"output {comparison.output} ({comparison.dtype} [{shape}])"


def numbers(comparison: Comparison) -> dict[str, str]:
    """Evidence: where the bound is from, and the first metrics that a reader asks for, but for the sentence's own."""
    metrics = [comparison.metrics[name] for name in EVIDENCE if name in comparison.metrics]
    told = comparison.broken[0].lower() if comparison.broken else ""
    source = SOURCES.get(comparison.bound.source, comparison.bound.source)
    return {"bound": source} | {
        m.name: spoken(m, comparison.bound) for m in metrics if not told.startswith(m.name.replace("_", " "))
    }


def spoken(metric: Metric, bound: Bound) -> str:
    """`0.250, at most 1e-06 allowed`."""
    limit = getattr(bound, metric.name, None)
    allowed = f", at most {limit:.3g} allowed" if limit is not None else ""
    unit = f" {metric.unit}" if metric.unit else ""
    return f"{digits(metric.value)}{unit}{allowed}"
