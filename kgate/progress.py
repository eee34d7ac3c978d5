"""One line on a terminal while a run lasts: what is running, how far, how long still. In a pipe nobody starts it."""

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from kgate.model import Event


class Progress:
    """
    Fed with events. `planned` says how many steps there will be; rungs of a case and launches are the steps.

    The time left is the time so far scaled by the steps left, shown once a tenth of them is done: before that it would
    be a guess about compile time.
    """

    def __init__(self) -> None:
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
            case "launch-ended":
                done = "a confirming launch" if fields.get("confirming") else f"launch {int(fields['launch']) + 1}"
                self.bar.update(self.task, description=f"timing: {done} done")
                self.step()

    def step(self) -> None:
        self.done = min(self.done + 1, self.steps)
        left = ""
        if self.steps and self.done * 10 >= self.steps:
            remaining_s = (time.monotonic() - self.started) * (self.steps - self.done) / self.done
            left = f"about {remaining_s:.0f} s left"
        self.bar.update(self.task, completed=self.done, left=left)
