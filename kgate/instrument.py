"""The controls that ride along in a run's launches, and the times they have given, in the ledger as they come."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kgate import controls
from kgate.model import Arm, Instrument, LaunchTiming
from kgate.protocol import CaseJob, Identity
from kgate.runner import records
from kgate.runner.choice import Choice, choice_of
from kgate.runner.ledger import Ledger
from kgate.runner.lockstep import Launch


class Companions:
    """Of one ledger; what it holds of them is taken up, their lengths with it."""

    def __init__(self, ledger: Ledger, identity: Identity, on_gpu: bool) -> None:
        self.ledger = ledger
        self.on_gpu = on_gpu
        self.quiet = controls.kernels(on_gpu, sized(ledger, identity.spin))
        self.taken: dict[str, list[LaunchTiming]] = {}
        for name in ledger.all("control"):
            timing = ledger.read("control", name, records.timing_from_json)
            if timing is not None:
                self.taken.setdefault(name.partition("|")[2], []).append(timing)

    @property
    def cases(self) -> frozenset[str]:
        return frozenset(kernel.case for kernel in self.quiet)

    def jobs(self, arm: Arm, arms: Sequence[Arm], launch: int) -> tuple[CaseJob, ...]:
        dosed = controls.dosed_arm((a.name for a in arms), launch)
        return tuple(kernel.job(arm.name == dosed) for kernel in self.quiet) if len(arms) > 1 else ()

    def choices(self) -> Mapping[str, Choice]:
        return {case: choice_of(launches[0]) for case, launches in self.taken.items()}

    def take(self, launch: int, arms: Sequence[Arm], result: Launch) -> None:
        dosed = controls.dosed_arm((a.name for a in arms), launch)
        for case in self.cases & result.timings.keys():
            timing = result.timings[case]
            noted = replace(timing, notes={**timing.notes, controls.DOSED: dosed})
            self.ledger.record("control", f"{launch}|{case}", records.timing_to_json(noted))
            self.taken.setdefault(case, []).append(noted)

    def judged(self) -> Instrument:
        return controls.judged(self.quiet, self.taken, self.on_gpu)


def sized(ledger: Ledger, spin: Mapping[str, float]) -> Mapping[str, float]:
    """As the run that this one goes on with had them, or their times could not be pooled."""
    earlier = ledger.recall("quiet", "spin")
    if isinstance(earlier, dict):
        return {str(name): float(value) for name, value in earlier.items()}
    ledger.record("quiet", "spin", dict(spin))
    return spin
