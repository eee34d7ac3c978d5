"""Which results were expected and which came: values in, values out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from kgate.joining.intake import Delivery
from kgate.model import Carried, Report, Verdict
from kgate.planning import OnDevice, Planned

# As of findings: what is shown to be at fault before what nobody knows.
WORST = (Verdict.FAIL, Verdict.NO_VERDICT, Verdict.WARN, Verdict.PASS)


@dataclass(frozen=True, kw_only=True)
class Leg:
    """
    A device and a shard of it, as base's manifest expects it. `kernels` are those of the shard, and `elsewhere` those
    of the others; `carried`: what the plan leaves unmeasured, and the fingerprint that it was proved on. `why` as of
    Demand.
    """

    name: str
    device: str
    required: bool
    why: str = ""
    kernels: frozenset[str] = frozenset()
    elsewhere: frozenset[str] = frozenset()
    first: bool = True
    carried: Mapping[str, tuple[Carried, Mapping[str, str]]] = field(default_factory=dict)

    def answers_for(self, kernel: str) -> bool:
        """What has no case on this device is asked of in the first shard: who owns it, and the like."""
        return kernel in self.kernels or (self.first and kernel not in self.elsewhere)


@dataclass(frozen=True, kw_only=True)
class Judged:
    """
    A leg and what came of it. `reports`: of each thing that its attempts have measured, the newest first; `trouble`:
    why it cannot be answered for, a sentence each.
    """

    leg: Leg
    reports: tuple[Report, ...] = ()
    trouble: tuple[str, ...] = ()

    @property
    def found(self) -> Verdict:
        """Who was blocked is not cleared by an attempt on another machine."""
        if any(report.verdict is Verdict.FAIL for report in self.reports):
            return Verdict.FAIL
        if self.trouble or not self.reports:
            return Verdict.NO_VERDICT
        return self.reports[0].verdict

    @property
    def verdict(self) -> Verdict:
        """What it counts for: a leg that is not required warns at the most."""
        return self.found if self.leg.required or self.found is Verdict.PASS else Verdict.WARN


@dataclass(frozen=True, kw_only=True)
class Joined:
    """All legs of a change. `trouble` is of no leg in particular. Commits in full; `waived`: by device, why."""

    manifest: str
    head: str
    base: str
    legs: tuple[Judged, ...]
    trouble: tuple[str, ...] = ()
    waived: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    @property
    def measured(self) -> bool:
        return any(judged.reports for judged in self.legs)

    @property
    def verdict(self) -> Verdict:
        """No leg that was measured is no pass, whatever was waived."""
        found = [judged.verdict for judged in self.legs]
        if self.trouble or not self.measured:
            found.append(Verdict.NO_VERDICT)
        if self.waived:
            found.append(Verdict.WARN)
        return next(verdict for verdict in WORST if verdict in (*found, Verdict.PASS))


def expected(planned: Planned) -> tuple[Leg, ...]:
    """Every leg that the matrix has."""
    return tuple(
        of_shard(device, shard, planned.shards)
        for device in planned.devices
        if not device.demand.waived
        for shard in range(1, planned.shards + 1)
        if shard == 1 or shard in device.shards.values()
    )


def of_shard(device: OnDevice, shard: int, shards: int) -> Leg:
    mine = [choice for choice in device.choices if device.shards[choice.kernel] == shard]
    carried = {
        c.kernel: (
            Carried(run=c.proof.run, commit=c.proof.commit, started=c.proof.started, product=c.product),
            c.proof.must_match,
        )
        for c in mine
        if c.proof is not None
    }
    return Leg(
        name=f"{device.device}-{shard}of{shards}",
        device=device.device,
        required=device.required,
        why=device.demand.why,
        kernels=frozenset(choice.kernel for choice in mine),
        elsewhere=frozenset(name for name, at in device.shards.items() if at != shard),
        first=shard == 1,
        carried=carried,
    )


def assigned(legs: Sequence[Leg], found: Iterable[Delivery]) -> tuple[dict[str, list[Delivery]], tuple[str, ...]]:
    """
    By leg its attempts, the oldest first; and a sentence on everything that is of no leg, or that came twice. Results
    in a folder of any other name are those of the only leg, where there is one.
    """
    known = {leg.name for leg in legs}
    by_leg: dict[str, list[Delivery]] = {}
    trouble = []
    for delivery in sorted(found, key=lambda delivery: (delivery.attempt, delivery.folder)):
        name = delivery.leg or (legs[0].name if len(legs) == 1 else "")
        if name not in known:
            named = f"leg {name}" if name else "no leg by its name"
            trouble.append(f"{delivery.folder} is extra: it is of {named}, and base expects {listed(legs)}")
        elif delivery.leg and any(delivery.attempt == d.attempt for d in by_leg.get(name, ())):
            trouble.append(f"{delivery.folder} is there twice: attempt {delivery.attempt} of leg {name} counts once")
        else:
            by_leg.setdefault(name, []).append(delivery)
    return by_leg, tuple(trouble)


def listed(legs: Sequence[Leg]) -> str:
    return ", ".join(leg.name for leg in legs) or "none"


def missing(leg: Leg) -> str:
    return f"leg {leg.name} is missing: no results of it came; see whether its runner is away or its job was cancelled"
