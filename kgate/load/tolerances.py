"""Tolerances by hand: for every dtype, by dtype, or by target and then either."""

from kgate.load import schemas
from kgate.load.document import Fields
from kgate.load.draws import DTYPES, nearest_dtype
from kgate.load.form import check
from kgate.load.hints import nearest
from kgate.model import DEVICE_KINDS, Tolerance

LIMITS = ("rtol", "atol", "psnr", "cosine")


def tolerances(given: Fields, prefix: str = "") -> dict[str, Tolerance]:
    """By key as `Workload.tolerance` has it: dtype, "" for any, either behind `target/`."""
    if not given.keys().isdisjoint(LIMITS):
        check(given, given.at, "limits")
        return {prefix: limits(given)}
    found: dict[str, Tolerance] = {}
    for key, value, mark in given.marked():
        if not isinstance(value, Fields):
            raise mark.error(f"{key!r} is not a limit{nearest(key, LIMITS)}")
        if key in DTYPES:
            check(value, mark, "limits")
            found[prefix + key] = limits(value)
        elif not prefix and key in targets():
            found |= tolerances(value, f"{key}/")
        else:
            known, noun = (DTYPES, "a dtype") if prefix else ((*DTYPES, *targets()), "a dtype or a target")
            raise mark.error(f"{key!r} is not {noun}{nearest_dtype(key, known)}")
    return found


def targets() -> tuple[str, ...]:
    """As the schema lists them."""
    return (*DEVICE_KINDS, *schemas.parsed("manifest")["$defs"]["target"]["then"]["enum"])


def limits(given: Fields) -> Tolerance:
    """Raises ManifestError for a cosine without any other limit: it is blind to a common factor."""
    if set(given) == {"cosine"}:
        raise given.marks["cosine"].error(
            "accepts by itself an answer 1000 times too large; add 'rtol', 'atol' or 'psnr'"
        )
    return Tolerance(**{name: float(value) for name, value in given.items()})
