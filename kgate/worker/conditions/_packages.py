"""
A package that is not there, or that is there and does not import: finders put in front of those that know better.

`importlib.util.find_spec`, `import` and `importlib.metadata` all ask them, so a product's probe sees what it would see
on such a machine, however it looks.
"""

import contextlib
import importlib
import importlib.metadata
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, cast

from kgate.protocol import Job

# By package, where a distribution has another name.
DISTRIBUTIONS = {"cuda.tile": "cuda-tile", "cutlass": "nvidia-cutlass-dsl"}
OLD = "0.0.1"  # older than whatever a product may ask for

Found = Callable[[ModuleSpec | None], ModuleSpec | None]


def packages_of(job: Job) -> tuple[str, ...]:
    return job.cases[0].packages


def distribution_of(package: str) -> str:
    return DISTRIBUTIONS.get(package, package)


def plain(distribution: str) -> str:
    """As names are compared (PEP 503)."""
    return distribution.lower().replace("_", "-").replace(".", "-")


def is_of(name: str, packages: Iterable[str]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


class Finder:
    """One of `sys.meta_path`, with its answers about some packages changed."""

    def __init__(self, finder: Any, packages: Sequence[str], found: Found, *, installed: bool) -> None:
        self.finder = finder
        self.packages = packages
        self.found = found
        self.distributions = set() if installed else {plain(distribution_of(p)) for p in packages}

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        spec = self.finder.find_spec(name, path, target)
        return self.found(spec) if is_of(name, self.packages) else spec

    def find_distributions(self, *args: Any, **keywords: Any) -> Iterable[Any]:
        known = getattr(self.finder, "find_distributions", None)
        listed = known(*args, **keywords) if known else ()
        return [one for one in listed if plain(one.metadata["Name"] or "") not in self.distributions]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.finder, name)


class Loader:
    """In a loader's place: what it loads, and then `after`."""

    def __init__(self, loader: Any, after: Callable[[ModuleType], None], *, runs: bool) -> None:
        self.loader = loader
        self.after = after
        self.runs = runs

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        made: ModuleType | None = self.loader.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        if self.runs:
            self.loader.exec_module(module)
        self.after(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)


def put_in_front(packages: Sequence[str], found: Found, *, installed: bool) -> None:
    sys.meta_path[:] = [Finder(finder, packages, found, installed=installed) for finder in sys.meta_path]
    forget(packages)


def forget(packages: Sequence[str]) -> None:
    """What has been imported of them: a worker may have it from the process that it was forked from."""
    for name in [n for n in sys.modules if is_of(n, packages)]:
        del sys.modules[name]
        parent, _, child = name.rpartition(".")
        with contextlib.suppress(AttributeError):
            delattr(sys.modules.get(parent), child)


def hide(packages: Sequence[str]) -> None:
    put_in_front(packages, lambda spec: None, installed=False)


def break_at_import(packages: Sequence[str], error: Callable[[str], Exception]) -> None:
    """They are found, and `error` of the name is raised as soon as they are imported."""

    def broken(spec: ModuleSpec | None) -> ModuleSpec | None:
        if spec is not None and spec.name in packages:

            def fail(module: ModuleType) -> None:
                raise error(module.__name__)

            spec.loader = cast(Any, Loader(spec.loader, fail, runs=False))
        return spec

    put_in_front(packages, broken, installed=True)


@contextlib.contextmanager
def broken_for_now(packages: Sequence[str], error: Callable[[str], Exception]) -> Iterator[None]:
    """Importing them anew raises `error` of the name, within; what holds a module already keeps it."""
    finders = list(sys.meta_path)
    modules = {name: module for name, module in sys.modules.items() if is_of(name, packages)}
    break_at_import(packages, error)
    try:
        yield
    finally:
        sys.meta_path[:] = finders
        forget(packages)
        sys.modules.update(modules)
        for name, module in modules.items():
            parent, _, child = name.rpartition(".")
            if parent in sys.modules:
                setattr(sys.modules[parent], child, module)


def make_old(packages: Sequence[str]) -> None:
    """They import and work; `__version__` and the distribution's version say OLD."""

    def age(module: ModuleType) -> None:
        module.__version__ = OLD  # type: ignore[attr-defined]  # as most packages have it

    def aged(spec: ModuleSpec | None) -> ModuleSpec | None:
        if spec is not None and spec.name in packages and spec.loader is not None:
            spec.loader = cast(Any, Loader(spec.loader, age, runs=True))
        return spec

    for name in packages:
        if name in sys.modules:
            age(sys.modules[name])
    sys.meta_path[:] = [Finder(finder, packages, aged, installed=True) for finder in sys.meta_path]
    names = {plain(distribution_of(package)) for package in packages}
    version = importlib.metadata.Distribution.version

    def lowered(distribution: importlib.metadata.Distribution) -> str:
        if plain(distribution.metadata["Name"] or "") in names:
            return OLD
        return str(version.__get__(distribution))

    importlib.metadata.Distribution.version = property(lowered)  # type: ignore[assignment,method-assign]


def version_seen(package: str) -> str:
    """What a product reads that asks for the package's version; "" where there is none to read."""
    with contextlib.suppress(Exception):  # a broken distribution may raise anything
        return importlib.metadata.version(distribution_of(package))
    return str(getattr(sys.modules.get(package), "__version__", ""))
