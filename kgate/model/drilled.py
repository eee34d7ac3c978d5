"""What a kernel's way out is tried under, and whether a condition came about."""

from dataclasses import dataclass

from kgate.model.observed import Arm, Case, Measurement, Outcome, Route, Tree


@dataclass(frozen=True, kw_only=True)
class Drill:
    """
    One condition for one kernel, as planned. `where` ends a sentence about a call: "where the package is absent".

    `cases` are those that are run under it; `not_run` is why there are none, as a clause. `blocks`: the product can
    know of it before it calls the kernel, so that a crash is no answer. `logged`: a fallback for this cause is worth a
    line in a log.
    """

    kernel: str
    condition: str
    where: str
    cases: tuple[Case, ...] = ()
    not_run: str = ""
    blocks: bool = True
    logged: bool = False

    @property
    def name(self) -> str:
        """What findings call it: `gemm (package-absent)`."""
        return f"{self.kernel} ({self.condition})"

    @property
    def arm(self) -> Arm:
        return Arm(tree=Tree.HEAD, route=Route.DISPATCH, condition=self.condition)


def unmet(answer: Measurement, usual: Outcome | None) -> str:
    """
    Why a condition did not come about in the call that gave `answer`, as a clause; "" if it did. `usual`: of the same
    call without any condition. Where that reached custom and this did not, the product has noticed something.
    """
    noticed = (
        isinstance(usual, Measurement)
        and usual.facts.get("reached-custom", 0) > 0
        and answer.facts.get("reached-custom") == 0
    )
    return str(answer.facts.get("not-met", "") or ("" if noticed else answer.facts.get("not-noticed", "")))
