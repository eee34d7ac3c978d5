"""
A small repository such as a user could own: kernels in plain torch, two commits, and `kgate check` run in it.

Every kernel doubles a vector of 64 floats. Its custom path is a module of its own below customs/, so that one of them
can be as broken as it likes without touching fallback or dispatch.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.signals import heed_interrupts

ROOT = Path(__file__).resolve().parents[3]
LAUNCHER = (sys.executable, os.fspath(Path(__file__).with_name("gate.py")))
GOOD = "def kernel(x):\n    return x + x\n"
PLAIN = "def double(x):\n    return 2 * x\n"
SHOP = """\
import importlib
import os

from shop import plain


def dispatch(x):
    if os.environ.get("SHOP_{upper}", "1") == "1":
        return importlib.import_module("customs.{name}").kernel(x)
    return plain.double(x)
"""
ENTRY = """\
  {name}:
    owners: ["@shop/kernels"]
    dsl: torch
    dispatch: shop.{name}:dispatch
    custom: customs.{name}:kernel
    fallback: shop.plain:double
    switch: {{env: SHOP_{upper}, custom: "1", fallback: "0"}}
    targets: [cpu]{more}
    args: {{x: {{shape: {shape}, dtype: float32}}}}
    workloads: {{small: {workload}}}
"""
GIT = {
    "GIT_AUTHOR_NAME": "Shop",
    "GIT_AUTHOR_EMAIL": "kernels@shop.example",
    "GIT_COMMITTER_NAME": "Shop",
    "GIT_COMMITTER_EMAIL": "kernels@shop.example",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


def of_now(table: Mapping[str, str], by_day: Sequence[str]) -> dict[str, str]:
    """All of it at night, and what is chosen by day; `nightly_but` lists the rest as not run."""
    return {name: text for name, text in table.items() if "KGATE_NIGHTLY" in os.environ or name in by_day}


def nightly_but(names: Iterable[str], by_day: Sequence[str]) -> list[Any]:
    return [name if name in by_day else pytest.param(name, marks=pytest.mark.nightly) for name in sorted(names)]


@dataclass(frozen=True, kw_only=True)
class Ended:
    """A `kgate` process after its end. `report` is what it left in .kgate/last, {} if it left none."""

    code: int
    out: str
    err: str
    report: Mapping[str, Any] = field(repr=False, default_factory=dict)

    def findings(self, kernel: str = "", *, blocking: bool = False) -> list[Mapping[str, Any]]:
        found = [f for f in self.report["findings"] if not kernel or f["kernel"] == kernel]
        return [f for f in found if f["blocks"] and not f["undecided"]] if blocking else found

    def rules(self, kernel: str) -> list[str]:
        """Of the findings that block this kernel's change."""
        return [f["rule"] for f in self.findings(kernel, blocking=True)]


@dataclass(frozen=True, kw_only=True)
class Shop:
    """`inner`: where kgate.yaml and the packages are, below the git root; `path`: the worker's PYTHONPATH, if any."""

    root: Path
    python: str
    inner: str = "."
    path: str = ""

    @property
    def folder(self) -> Path:
        return self.root / self.inner

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def stock(
        self,
        customs: Mapping[str, str],
        *,
        top: str = "",
        plain: str = PLAIN,
        shape: str = "[N]",
        workload: str = "{N: 64, source: test}",
        more: str = "",
    ) -> None:
        """
        kgate.yaml and the packages, with one kernel for each custom path's source. `top` joins the manifest; `plain` is
        the fallback's source.
        """
        said = {"shape": shape, "workload": workload, "more": more}
        entries = "".join(ENTRY.format(name=n, upper=n.upper(), **said) for n in customs)
        manifest = f"version: 1\n{top}kernels:\n{entries}"
        self.write({"kgate.yaml": manifest, "shop/__init__.py": "", "shop/plain.py": plain})
        self.write({f"shop/{n}.py": SHOP.format(name=n, upper=n.upper()) for n in customs})
        self.write({"customs/__init__.py": "", **{f"customs/{n}.py": source for n, source in customs.items()}})

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", "-C", os.fspath(self.root), *arguments],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, **GIT},
        )
        return done.stdout.strip()

    def commit(self, message: str) -> str:
        if not (self.root / ".git").exists():
            self.root.mkdir(parents=True, exist_ok=True)
            self.git("init", "--quiet", "--initial-branch=main")
            self.write({".github/CODEOWNERS": "* @shop/kernels\n"})
            if self.inner != ".":
                (self.root / ".github").mkdir()
                (self.root / ".github/CODEOWNERS").write_text("* @shop/kernels\n")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", f"--message={message}")
        return self.git("rev-parse", "HEAD")

    def started(
        self, *arguments: str, env: Mapping[str, str | None] | None = None, cwd: Path | None = None
    ) -> "subprocess.Popen[str]":
        """A running `kgate`; a variable of None is taken out."""
        # A relative entry, such as a test run may have, would put the shop's own files before the gate's.
        changed = {**os.environ, "PYTHONPATH": self.path or None, "KGATE_PYTHON": self.python, **(env or {})}
        return subprocess.Popen(
            [*LAUNCHER, *arguments],
            preexec_fn=heed_interrupts,
            cwd=cwd or self.folder,
            env={name: value for name, value in changed.items() if value is not None},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def ended(self, process: "subprocess.Popen[str]", limit_s: float = 300) -> Ended:
        try:
            out, err = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        last = self.root / ".kgate" / "last" / "report.json"
        report = json.loads(last.read_text()) if last.is_file() else {}
        return Ended(code=process.returncode, out=out, err=err, report=report)

    def kgate(
        self,
        *arguments: str,
        env: Mapping[str, str | None] | None = None,
        cwd: Path | None = None,
        limit_s: float = 300,
    ) -> Ended:
        return self.ended(self.started(*arguments, env=env, cwd=cwd), limit_s)

    def check(self, *arguments: str, env: Mapping[str, str | None] | None = None, cwd: Path | None = None) -> Ended:
        """`kgate check` with one launch, which is enough where no time is judged."""
        return self.kgate("check", "--launches", "1", *arguments, env=env, cwd=cwd)


def workers(root: Path) -> list[int]:
    """Living processes that were started with this repository's worker.zip."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
                state = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[0]
            except OSError:
                continue
            prefix = os.fsencode(root / ".kgate")
            if state not in "ZX" and any(w.startswith(prefix) and w.endswith(b"worker.zip") for w in words):
                found.append(int(folder.name))
    return found


def left_after(root: Path, patience_s: float) -> Sequence[int]:
    """Workers that are still there after this long."""
    until = time.monotonic() + patience_s
    while (left := workers(root)) and time.monotonic() < until:
        time.sleep(0.05)
    return left
