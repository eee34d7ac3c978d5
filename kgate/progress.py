"""One line on a terminal while a run lasts: what is running, how far, how long still. In a pipe nobody starts it."""

import math
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from kgate.figures import count
from kgate.model import Event


class Progress:
    """
    Fed with events. `planned` says how many steps there will be; rungs of a case and launches are the steps.

    The time left is the time so far scaled by the steps left, shown once a tenth of them is done: before that it would
    be a guess about compile time.
    """

    def __init__(self) -> None:
        self.looks = 0
        self.decided = ""
        self.until = math.inf  # by the monotonic clock: where --budget ends this look
        console = Console(stderr=True)
        columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=20), TimeElapsedColumn())
        self.bar = Bar(*columns, TextColumn("{task.fields[left]}"), console=console, transient=True)
        self.task = self.bar.add_task("reading the manifest", total=None, left="")
        self.started = time.monotonic()
        self.done = 0
        self.steps = 0

    def __enter__(self) -> "Progress":
        self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bar.stop()

    def show(self, event: Event) -> None:
        fields = event.fields
        match event.name:
            case "planned":
                self.steps = int(fields["steps"])
                self.bar.update(self.task, total=self.steps)
            case "rung-ended":
                self.bar.update(self.task, description=f"{fields['arm']}: {fields['case']} {fields['rung']}")
            case "case-ended":
                self.step()
            case "look-started":
                self.look(fields)
            case "launch-ended":
                done = "a confirming launch" if fields.get("confirming") else f"launch {int(fields['launch']) + 1}"
                self.bar.update(self.task, description=f"timing, {self.decided}: {done} done")
                self.step()

    def look(self, fields: Mapping[str, Any]) -> None:
        """The first look's launches are among the steps that were planned; what follows is not known before."""
        launches, confirming = int(fields["launches"]), bool(fields["confirming"])
        self.looks += not confirming
        if self.looks > 1 or confirming:
            self.steps += launches
            self.bar.update(self.task, total=self.steps)
        decided = f"{int(fields['cases']) - int(fields['open'])} of {count(int(fields['cases']), 'case')} decided"
        self.decided = f"confirming, {decided}" if confirming else f"look {self.looks}, {decided}"
        self.until = math.inf if fields["left_s"] is None else time.monotonic() + float(fields["left_s"])
        self.bar.update(self.task, description=f"timing, {self.decided}")

    def step(self) -> None:
        self.done = min(self.done + 1, self.steps)
        left = ""
        if self.steps and self.done * 10 >= self.steps:
            remaining_s = (time.monotonic() - self.started) * (self.steps - self.done) / self.done
            remaining_s = min(remaining_s, max(0.0, self.until - time.monotonic()))
            left = f"about {remaining_s:.0f} s left"
        self.bar.update(self.task, completed=self.done, left=left)
