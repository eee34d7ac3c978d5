"""
`kgate inject KERNEL/WORKLOAD`: one arm made slower on purpose, and what the gate's rule makes of it.

    case -> head in two arms, slowed in one -> amounts sized -> doses measured -> looks, as in a check
"""

import statistics
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from kgate import picks, sequence, stats
from kgate.decision import Question, factor
from kgate.errors import HostError, UsageError
from kgate.injection import variants
from kgate.injection.variants import SIZED, Shown, Variant
from kgate.load import manifest as manifests
from kgate.load.hints import nearest
from kgate.margins import MARGINS
from kgate.model import BASE, HEAD, Case, LaunchTiming, Measurement
from kgate.options import Options
from kgate.plan import job, looks
from kgate.protocol import Dose
from kgate.rehearsal import Rehearsal, Round, twice
from kgate.rules import happened
from kgate.runner.errand import Errand
from kgate.runner.ledger import Ledger
from kgate.runner.outputs import run_outputs
from kgate.runner.process import Start
from kgate.sequence import Agenda
from kgate.setting import Emit, Setting, clean, fresh_zygotes, prepare, zygotes

FOLDER = "injection"  # below .kgate
SIZING, MEASURING = 2, 3  # launches
WARM = Errand(mode="warm")
CONFIGURED = {variants.FEWER_WARPS: (picks.WARPS, "fewer warps"), variants.SMALLER_TILE: (picks.TILE, "a smaller tile")}


@dataclass(frozen=True, kw_only=True)
class Order:
    """`launches` > 0: exactly so many, one look; else until decided."""

    case: str
    ways: tuple[str, ...] = variants.WAYS
    doses: tuple[float, ...] = variants.DOSES
    launches: int = 0


@dataclass(frozen=True, kw_only=True)
class Injected:
    """`plain_ns`: of a call of head as it is, by the device's timer. `tests`: asked together, as a run's cases are."""

    case: str
    device: str
    method: str
    plain_ns: float
    shown: tuple[Shown, ...]
    tests: int


def inject(options: Options, order: Order, emit: Emit) -> Injected:
    """Raises UsageError where there is no such case, HostError where it does not run here, and what a check raises."""
    known = {f"{k.name}/{w.name}": k.name for k in manifests.load(options.manifest).kernels for w in k.workloads}
    if order.case not in known:
        raise UsageError(f"{order.case}: no case is called so{nearest(order.case, known)}")
    chosen = replace(options, base="none", kernels=(known[order.case],), workloads=(order.case,))
    ready = twice(prepare(chosen, emit))
    try:
        if not ready.plan.cases:
            raise HostError(f"not run: {order.case} is not meant for {ready.plan.target.name}; choose with --device")
        folder = ready.folder.parent / FOLDER
        folder.mkdir(exist_ok=True)
        with zygotes(ready, emit) as here, Ledger.open(folder / f"{ready.folder.name}.jsonl") as ledger:
            return Injection(here, Rehearsal(here, ledger, emit), order, emit).run()
    finally:
        clean(ready, {})


class Injection:
    """One case of one setting. Launches of each stage have labels and numbers of their own."""

    def __init__(self, here: Setting, rehearsal: Rehearsal, order: Order, emit: Emit) -> None:
        self.here = here
        self.rehearsal = rehearsal
        self.order = order
        self.emit = emit
        (self.case,) = here.plan.cases
        self.plain = job(here.plan, HEAD, self.case)
        self.out: list[Shown] = []  # of what cannot be put in

    def run(self) -> Injected:
        self.plain = replace(self.plain, picks=self.looked_at())
        plain = Variant(way="nothing")
        self.launches("plain", 1, [plain])
        timing = self.timing(plain, "plain")
        if timing is None:
            name = plain.case(self.case).name
            raise HostError(f"not run: {self.order.case}: {self.rehearsal.missing.get(name, 'it was not timed')}")
        plain_ns, call_ns = (statistics.median(taken[BASE.name]) for taken in (timing.samples_ns, timing.call_ns))
        chosen = [*self.sized(call_ns), *self.others]
        self.launches("measured", MEASURING, chosen)
        ran = [variant for variant in chosen if self.timing(variant, "measured") is not None]
        self.out += [Shown(variant=v, why=self.missing(v)) for v in chosen if v not in ran]
        found = self.decided(ran)
        return Injected(
            case=self.order.case,
            device=self.here.plan.target.name,
            method=timing.method,
            plain_ns=plain_ns,
            shown=tuple(sorted([*found, *self.out], key=lambda s: variants.WAYS.index(s.variant.way))),
            tests=len(ran),
        )

    def looked_at(self) -> dict[str, str]:
        """One call, for what its autotuner picks; the ways that are other picks, and what kept them from being any."""
        (outcome,) = run_outputs(
            self.here.workplace, HEAD, (self.plain,), {}, self.emit, start=self.here.start, errand=WARM
        ).values()
        if not isinstance(outcome, Measurement):
            raise HostError(f"not run: {self.order.case} {happened(outcome)}")
        self.others: list[Variant] = []
        for way, (names, word) in CONFIGURED.items():
            if way in self.order.ways:
                other = picks.slower(outcome.facts, names, word)
                variant = Variant(way=way, picks=other.picks, what=other.what)
                if other.why:
                    self.out.append(Shown(variant=variant, why=other.why))
                else:
                    self.others.append(variant)
        if variants.MISALIGNED in self.order.ways:
            self.others.append(Variant(way=variants.MISALIGNED, dose=Dose(way="misaligned", amount=1)))
        return dict(outcome.facts.get("tuned", {}))

    def sized(self, call_ns: float) -> list[Variant]:
        """Of every way that has an amount, one variant a dose."""
        ways = [way for way in self.order.ways if way in SIZED]
        tries = {way: variants.tried(self.plain, way, call_ns) for way in ways}
        self.launches("sizing", SIZING, [variant for of_way in tries.values() for variant in of_way])
        made = []
        for way, dose in variants.asked(self.order.ways, self.order.doses):
            delay = way == variants.HOST_DELAY  # which shows in the whole call, whatever the timer sees
            tried = {v.dose.amount: self.factor(v, "sizing", call=delay) for v in tries[way] if v.dose}
            seen = {amount: found for amount, found in tried.items() if found is not None}
            if not seen:
                self.out.append(Shown(variant=Variant(way=way, wanted=dose), why=self.missing(tries[way][0])))
                continue
            most = variants.whole(self.plain, way, call_ns)
            amount, why = variants.sized(seen, dose, most - (way == variants.MORE_WORK))
            if why:
                self.out.append(Shown(variant=Variant(way=way, wanted=dose), why=why))
            else:
                made.append(Variant(way=way, wanted=dose, dose=Dose(way=way, amount=amount)))  # type: ignore[arg-type]
        return made

    def launches(self, stage: str, count: int, chosen: Sequence[Variant]) -> None:
        for n in range(count):
            self.launch(f"{stage}/{n}", n + 1000 * len(stage), chosen, self.here.launch_start)

    def launch(
        self, label: str, number: int, chosen: Sequence[Variant], start: Start, mirrors: int | None = None
    ) -> None:
        """Another pick of an autotuner needs processes of its own: a tuner keeps the first that it was told."""
        together = [variant for variant in chosen if not variant.picks]
        for group in filter(None, [together, *([variant] for variant in chosen if variant.picks)]):
            slowed = tuple(variant.job(self.plain, self.case) for variant in group)
            even = tuple(replace(job, dose=None, picks=self.plain.picks) for job in slowed)
            this = Round(label=label, number=number, workplace=self.here.workplace, start=start, mirrors=mirrors)
            self.rehearsal.take(this, {HEAD: slowed, BASE: even})

    def timings(self, variant: Variant, stage: str) -> list[LaunchTiming]:
        taken = self.rehearsal.taken.get(variant.case(self.case).name, {})
        both = [t for label, t in taken.items() if label.startswith(f"{stage}/")]
        return [t for t in both if t.samples_ns.get(HEAD.name) and t.samples_ns.get(BASE.name)]

    def timing(self, variant: Variant, stage: str) -> LaunchTiming | None:
        return next(iter(self.timings(variant, stage)), None)

    def missing(self, variant: Variant) -> str:
        why = self.rehearsal.missing.get(variant.case(self.case).name, "it was not timed")
        return f"not possible for this kernel: {why}"

    def factor(self, variant: Variant, stage: str, *, call: bool = False) -> float | None:
        """The dose as launches of this stage have it, by the timer or as the whole call."""
        launches = self.timings(variant, stage)
        taken = [t.call_ns if call else t.samples_ns for t in launches]
        logs = [stats.datum(ns[HEAD.name], ns[BASE.name]) for ns in taken]
        return factor(float(np.mean(logs))) if logs else None

    def decided(self, ran: Sequence[Variant]) -> list[Shown]:
        """What the rule says of each, all asked together in one run of looks."""
        asked = {Question(cases=(v.case(self.case),), above=HEAD.name, below=BASE.name): v for v in ran}
        cases = {q.cases[0]: v for q, v in asked.items()}
        at = (self.order.launches,) if self.order.launches else looks(self.here.plan.target).at
        agenda = Agenda(
            questions=tuple(asked),
            errors=sequence.spending(at, {}),
            confirming=min(MARGINS.confirming_launches, at[0]),
            acting=frozenset([BASE.name]),
        )
        taken: dict[Case, list[LaunchTiming]] = {case: [] for case in cases}
        answers = sequence.follow(agenda, list(cases), taken, partial(self.measure, cases, taken))
        return [
            Shown(
                variant=variant,
                measured=self.factor(variant, "measured"),
                call=self.factor(variant, "measured", call=True),
                ratio=answers.ratios.get(question),
            )
            for question, variant in asked.items()
        ]

    def measure(
        self,
        known: Mapping[Case, Variant],
        taken: dict[Case, list[LaunchTiming]],
        numbers: Sequence[int],
        cases: Sequence[Case],
        *,
        confirming: bool,
    ) -> set[Case]:
        """As a check takes launches; they end up in `taken`."""
        chosen = [known[case] for case in cases]
        with fresh_zygotes(self.here, self.emit) if confirming else nullcontext(self.here) as here:
            for number in numbers:
                mirrors = number - numbers[0] if confirming else None
                self.launch(f"look/{number}", number, chosen, here.launch_start, mirrors)
        for case in cases:
            launches = self.rehearsal.taken.get(case.name, {})
            taken[case] += [replace(launches[label], launch=n) for n in numbers if (label := f"look/{n}") in launches]
        return set()


__all__ = ["Injected", "Order", "inject"]
