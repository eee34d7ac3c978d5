"""
The manifest as pytest collects it: a file of kernels, a kernel of workloads, a workload of items.

A finding that blocks fails its item, a question that was left open and blocks is an error at its setup: pytest ends
red on both, and a reader sees which is which. A finding that blocks nothing is a warning.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from kgate.errors import KgateError
from kgate.model import Finding, Kernel, Report, Workload
from kgate.pytest_plugin import benchmarks
from kgate.pytest_plugin.gate import Gate, NotChecked
from kgate.pytest_plugin.share import ASPECTS, LATENCY, OWNERS, Share, share
from kgate.reports import Style
from kgate.reports.text import told

PLAIN = Style(colour=False, width=80)


class KgateWarning(UserWarning):
    """A finding that blocks nothing, or that base shows as well."""


class Blocked(Exception):
    """What blocks the change, as the text report says it."""


class ManifestFile(pytest.File):
    gate: Gate

    @classmethod
    def of(cls, parent: pytest.Collector, path: Path, gate: Gate) -> "ManifestFile":
        made: ManifestFile = cls.from_parent(parent, path=path)
        made.gate = gate
        return made

    def collect(self) -> Iterable[pytest.Collector]:
        try:
            kernels = self.gate.manifest.kernels
        except KgateError as error:
            raise self.CollectError(str(error)) from error
        return [KernelNode.of(self, kernel.name, self.gate, kernel) for kernel in kernels]


class KernelNode(pytest.Collector):
    gate: Gate
    kernel: Kernel

    @classmethod
    def of(cls, parent: pytest.Collector, name: str, gate: Gate, kernel: Kernel) -> "KernelNode":
        made: KernelNode = cls.from_parent(parent, name=name)
        made.gate, made.kernel = gate, kernel
        return made

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        offered = self.gate.offered(self.kernel)
        cases = [WorkloadNode.within(self, workload) for workload in offered]
        return [*cases, GateItem.of(self, OWNERS, self.gate, self.kernel, "")]


class WorkloadNode(KernelNode):
    workload: Workload

    @classmethod
    def within(cls, parent: KernelNode, workload: Workload) -> "WorkloadNode":
        made: WorkloadNode = cls.from_parent(parent, name=workload.name)
        made.gate, made.kernel, made.workload = parent.gate, parent.kernel, workload
        return made

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        return [GateItem.of(self, aspect, self.gate, self.kernel, self.workload.name) for aspect in ASPECTS]


class GateItem(pytest.Item):
    """`workload` "" is all of the kernel's."""

    gate: Gate
    kernel: Kernel
    workload: str
    fixturenames: list[str]  # where pytest-benchmark sees whose item carries times, for --benchmark-only and -skip

    @classmethod
    def of(cls, parent: pytest.Collector, aspect: str, gate: Gate, kernel: Kernel, workload: str) -> "GateItem":
        made: GateItem = cls.from_parent(parent, name=aspect)
        made.gate, made.kernel, made.workload = gate, kernel, workload
        made.fixturenames = ["benchmark"] if aspect == LATENCY else []
        return made

    def asked(self) -> Report:
        """Raises NotChecked."""
        items = [item for item in self.session.items if isinstance(item, GateItem)]
        selected = {f"{item.kernel.name}/{item.workload}" for item in items if item.workload}
        # Owners are asked for the files that a kernel loads: one of its workloads is enough for that.
        for kernel in {item.kernel.name: item.kernel for item in items if not item.workload}.values():
            if not any(name.startswith(f"{kernel.name}/") for name in selected):
                selected |= {f"{kernel.name}/{w.name}" for w in self.gate.offered(kernel)[:1]}
        return self.gate.checked(selected)

    def shared(self, report: Report) -> Share:
        return share(report, self.kernel.name, self.workload, self.name)

    def setup(self) -> None:
        """Errors are what nobody knows: no run, a question left open, a time that is not there."""
        report = self.asked()
        mine = self.shared(report)
        if mine.failing:
            return
        if mine.undecided:
            raise NotChecked(self.words(report, mine.undecided))
        if mine.unknown:
            raise NotChecked(mine.unknown)
        if mine.left_out:
            pytest.skip(mine.left_out)

    def runtest(self) -> None:
        report = self.asked()
        mine = self.shared(report)
        if self.name == LATENCY:
            benchmarks.carry(self.config, report, self.kernel.name, self.workload, self.nodeid)
        if mine.notes:
            self.add_report_section("call", "kgate's notes", self.words(report, mine.notes))
        for finding in mine.warning:
            self.warn(KgateWarning(f"{finding.rule}: {finding.sentence}"))
        if mine.failing:
            raise Blocked(self.words(report, (*mine.failing, *mine.undecided)))

    def words(self, report: Report, findings: Iterable[Finding]) -> str:
        return told(report, tuple(findings), PLAIN)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """kgate's own words without a traceback, which would show nothing but this file."""
        if isinstance(excinfo.value, Blocked | NotChecked):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        workload = next((w for w in self.kernel.workloads if w.name == self.workload), None)
        place = workload.place if workload else self.kernel.place
        return self.path, place.line - 1, " ".join(filter(None, (self.kernel.name, self.workload, self.name)))
