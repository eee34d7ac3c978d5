"""One `kgate check` for one pytest session: what is collected, what is measured, and what every item asks for."""

from collections.abc import Collection
from dataclasses import replace
from functools import cached_property
from glob import escape
from pathlib import Path

import pytest

from kgate import session
from kgate.errors import KgateError
from kgate.load import manifest as manifests
from kgate.model import Event, Kernel, Manifest, Report, Workload
from kgate.options import Options


class NotChecked(Exception):
    """There is no run, or nothing is known of this item; the text says why."""


class Gate:
    """
    The plugin's object of one session. Kernels run when the first item of theirs does, so that `--collect-only` and a
    session that ends before cost nothing.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.path = manifests.located(options.manifest)
        self.report: Report | None = None
        self.failure: KgateError | None = None

    @classmethod
    def of(cls, config: pytest.Config, named: str) -> "Gate":
        """Has the manifest collected, also where pytest was given other places to look into."""
        gate = cls(
            Options(
                manifest=Path(named),
                base=config.getoption("--kgate-base"),
                device=config.getoption("--kgate-device"),
                python=config.getoption("--kgate-python"),
            )
        )
        if not gate.path.is_file():
            raise pytest.UsageError(f"--kgate {named}: there is no such file; name the manifest of this repository")
        if not any(Path(argument.partition("::")[0]).resolve() == gate.path for argument in config.args):
            config.args.append(str(gate.path))
        return gate

    @cached_property
    def manifest(self) -> Manifest:
        """Raises KgateError."""
        return manifests.load(self.path)

    def offered(self, kernel: Kernel) -> list[Workload]:
        """Those that are meant for the device, as far as it is known before anything runs; none that is refused."""
        kind = self.options.device.partition(":")[0]
        cases = [w for w in kernel.workloads if w.refusal is None]
        return [w for w in cases if kind == "auto" or (kind == "cpu") in {t == "cpu" for t in w.targets}]

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        from kgate.pytest_plugin.items import ManifestFile  # which needs this module

        return ManifestFile.of(parent, file_path, self) if file_path.resolve() == self.path else None

    def checked(self, selected: Collection[str]) -> Report:
        """
        The report of `selected`, each "kernel/workload", measured once. Raises NotChecked, for every item alike, where
        there is no run.
        """
        if self.report is None and self.failure is None:
            try:
                self.report = session.measured(self.narrowed(selected), silent)
            except KgateError as error:
                self.failure = error
        if self.report is None:
            raise NotChecked(str(self.failure)) from self.failure
        return self.report

    def narrowed(self, selected: Collection[str]) -> Options:
        """Where nothing was deselected it is the run of `kgate check`: the same ledger, and the same samples."""
        offered = {f"{kernel.name}/{w.name}" for kernel in self.manifest.kernels for w in self.offered(kernel)}
        if offered <= set(selected):
            return self.options
        return replace(self.options, workloads=tuple(escape(name) for name in sorted(selected)))


def silent(event: Event) -> None:
    """How far a session is, pytest shows itself."""
