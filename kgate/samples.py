"""What is exported of the timed loop, to be compared as any other answer is."""

from collections.abc import Mapping
from dataclasses import dataclass

from kgate.comparisons import Question
from kgate.holding import Asked
from kgate.model import FALLBACK, FALLBACK_TIMED, HEAD, TIMED, Arm, Case, Tensor

# Base is left out: what it does in the timed loop is not this change's business.
FILED_AS: Mapping[Arm, Arm] = {HEAD: TIMED, FALLBACK: FALLBACK_TIMED}


@dataclass(frozen=True, kw_only=True)
class Sample:
    """The outputs of one timed sample, and the seed that refreshed its inputs."""

    arm: Arm
    case: Case
    launch: int
    seed: int
    outputs: tuple[Tensor, ...]

    def asked(self, question: Question) -> Asked:
        return Asked(name=self.name, arm=FILED_AS[self.arm], case=self.case, question=question, seed=self.seed)

    @property
    def name(self) -> str:
        return f"{self.arm.name}|{self.launch}|{self.case.name}"

    @property
    def inputs(self) -> str:
        """Names what went in: equal for the arms of one launch."""
        return f"{self.case.name}#{self.launch}#{self.seed}"
