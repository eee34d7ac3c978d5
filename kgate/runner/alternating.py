"""A case whose arms do not fit into the device's memory together: they take turns in it."""

from collections.abc import Sequence

from kgate.model import Arm
from kgate.protocol import Release
from kgate.runner.choice import Choice
from kgate.runner.schedule import Course, orders, seeds
from kgate.runner.trial import Trial


class Alternating(Trial):
    """
    Every arm is prepared for its block alone and gives all memory back after it, so that it always finds the device as
    every other arm does. Its calls are timed one by one, since sets of inputs for many would find no room.
    """

    def prepare(self) -> None:
        self.notes["residency"] = "alternating"
        for arm in list(self.arms):
            self.prepare_these([arm])
            self.let_go(arm)

    def choose(self) -> None:
        self.choice = Choice(method=self.schedule.method)

    def time_blocks(self, plan: Course) -> None:
        drawn = seeds(plan, self.table.draw)
        checked = self.table.draw.randrange(plan.blocks)
        for index, order in enumerate(orders([a.name for a in self.arms], plan.blocks, self.table.order)):
            # Named while arms are yet to run: each of them is another process, which does not hear it.
            seed = self.checked(drawn[index]) if index == checked and self.case not in self.schedule.aside else None
            for arm in sorted(self.arms, key=lambda a: order.index(a.name), reverse=self.table.mirrored):
                self.time_alone(arm, drawn[index], plan, seed)

    def time_alone(self, arm: Arm, block: Sequence[int], plan: Course, seed: int | None) -> None:
        self.prepare_these([arm])
        if arm in self.arms:
            self.time_block(arm, tuple(block), plan)
        if arm in self.arms and seed is not None:
            self.export_from([arm], seed)
        self.let_go(arm)

    def let_go(self, arm: Arm) -> None:
        if arm in self.arms and self.table.ask(arm, self.case, Release(case=self.case, everything=True)) is None:
            self.arms.remove(arm)
