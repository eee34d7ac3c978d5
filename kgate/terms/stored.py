"""What is stored and judges: baselines and debt."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from kgate.figures import change, count
from kgate.model import Amendment, Baseline, Kernel, Kind, Owed, StoredCase
from kgate.terms.held import Held
from kgate.terms.order import larger_loosens, smaller_loosens, until, worst
from kgate.terms.renames import Renames

HIGHER_IS_BETTER = ("psnr", "cosine")
SHOWN = 3


def of_baselines(base: Held, head: Held, names: Renames) -> Iterator[Amendment]:
    """One for each kernel and device: a baseline is recorded as a whole."""
    kernels = {names.kernel(kernel.name): kernel for kernel in base.manifest.kernels}
    for device, old in base.baselines.items():
        what = f"baseline {device}"
        new = head.baselines.get(device)
        apart = old.fingerprint.differences(new.fingerprint) if new else ()
        if new is None or apart:
            kind: Kind = "moved" if new else "removed"
            after = f"another fingerprint: {', '.join(apart)}" if apart else ""
            yield Amendment(kind=kind, what=what, kernel="", before=old.commit[:9], after=after, owners=base.everyone)
            continue
        yield from of_device(what, in_words(old, names), new, kernels, base)
    for device in head.baselines:
        if device not in base.baselines:
            yield Amendment(kind="added", what=f"baseline {device}", kernel="", owners=base.everyone)


def in_words(baseline: Baseline, names: Renames) -> Baseline:
    return replace(baseline, cases={names.case(name): case for name, case in baseline.cases.items()})


def of_device(
    what: str, old: Baseline, new: Baseline, kernels: Mapping[str, Kernel], base: Held
) -> Iterator[Amendment]:
    """`kernels`: base's, by head's name."""
    found: dict[str, dict[str, Kind]] = {}
    for case in dict.fromkeys((*old.cases, *new.cases)):
        if kind := of_case(old.cases.get(case), new.cases.get(case)):
            found.setdefault(case.partition("/")[0], {})[case] = kind
    for kernel, kinds in found.items():
        kind = worst(kinds.values())
        declared = kernels.get(kernel)
        if kind is not None:
            told = [
                f"{name} {times(old.cases.get(name), new.cases.get(name))}" for name, k in kinds.items() if k == kind
            ]
            more = f" and {count(len(told) - SHOWN, 'case')} more" if len(told) > SHOWN else ""
            yield Amendment(
                kind=kind,
                what=what,
                kernel=kernel,
                after=", ".join(told[:SHOWN]) + more,
                owners=base.owners(declared) if declared else base.everyone,
                place=declared.place if declared else None,
            )


def of_case(old: StoredCase | None, new: StoredCase | None) -> Kind | None:
    """
    Slower, less exact, less steady or of fewer launches is looser: whatever is stored is what later changes are held
    to. Slower as well by the fallback's time, which a later run's is divided by to rule the machine out.
    """
    if old is None or new is None:
        return "added" if old is None else "removed"
    if len(old.errors) != len(new.errors):
        return "moved"
    kinds = [
        larger_loosens(old.custom_ns, new.custom_ns),
        larger_loosens(pace(old), pace(new)),
        larger_loosens(old.spread_log, new.spread_log),
        smaller_loosens(old.launches, new.launches),
    ]
    for before, after in zip(old.errors, new.errors, strict=True):
        for metric in {*before, *after}:
            order = smaller_loosens if metric in HIGHER_IS_BETTER else larger_loosens
            kinds.append(order(before.get(metric), after.get(metric)))
    for rival in {*old.noise, *new.noise}:
        one, other = old.noise.get(rival), new.noise.get(rival)
        kinds.append(larger_loosens(one.spread_log if one else None, other.spread_log if other else None))
    return worst(kinds)


def pace(case: StoredCase) -> float | None:
    """Custom over fallback, None where nothing is to be held against it."""
    return case.custom_ns / case.fallback_ns if case.fallback_ns else None


def times(old: StoredCase | None, new: StoredCase | None) -> str:
    if old is None or new is None:
        return "new" if old is None else "gone"
    if old.custom_ns and old.custom_ns != new.custom_ns:
        return change(new.custom_ns / old.custom_ns)
    return "another time of the fallback" if old.fallback_ns != new.fallback_ns else "other errors, spread or launches"


def of_debt(base: Held, head: Held, names: Renames) -> Iterator[Amendment]:
    """Debt that is paid is a limit that is kept again; debt that is new, or due later, is one that is not."""
    before = {owed.identity: owed for owed in renamed(base.debt, names)}
    after = {owed.identity: owed for owed in head.debt}
    kernels = {names.kernel(kernel.name): kernel for kernel in base.manifest.kernels}

    def of_owed(kind: Kind, owed: Owed, old: str, new: str) -> Amendment:
        """`owed.name` tells the finding apart from others of its kernel."""
        kernel = owed.name.partition(" (")[0].partition("/")[0]
        known = kernels.get(kernel)
        return Amendment(
            kind=kind,
            what=f"debt {owed.rule} of {owed.name}",
            kernel=kernel if known else "",
            before=old,
            after=new,
            owners=base.owners(known) if known else base.everyone,
            place=owed.place,
        )

    for identity, owed in after.items():
        old = before.get(identity)
        if old is None:
            yield of_owed("loosened", owed, "", f"until {owed.expires}")
            continue
        if kind := until(old.expires, owed.expires):
            yield of_owed(kind, owed, f"until {old.expires}", f"until {owed.expires}")
        if old.owner.lower() != owed.owner.lower():
            yield of_owed("moved", owed, old.owner, owed.owner)
    for identity, old in before.items():
        if identity not in after:
            yield replace(of_owed("tightened", old, f"until {old.expires}", ""), place=None)


def renamed(debt: tuple[Owed, ...], names: Renames) -> tuple[Owed, ...]:
    return tuple(replace(owed, name=names.case(owed.name)) for owed in debt)
