"""
A package that is not there, or that is there and does not import: finders put in front of those that know better, and
one behind them all, so that a package is what a condition makes of it whether it is installed here or not.

`importlib.util.find_spec`, `import` and `importlib.metadata` all ask them, so a product's probe sees what it would see
on such a machine, however it looks; and what the product has never looked for shows.
"""

import contextlib
import importlib
import importlib.metadata
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.machinery import ModuleSpec
from pathlib import PurePath
from types import ModuleType
from typing import Any, cast

from kgate.protocol import Job
from kgate.worker.conditions import Play
from kgate.worker.faults import Fault
from kgate.worker.loading import inside
from kgate.worker.watches import callers

# By package, where a distribution has another name.
DISTRIBUTIONS = {"cuda.tile": "cuda-tile", "cutlass": "nvidia-cutlass-dsl"}
DISPATCHER = "kgate_dispatch"  # whose functions a manifest names: no code of the product's need stand above them
OLD = "0.0.1"  # older than whatever a product may ask for
LOOKED_FOR: list[str] = []  # what code of the product's has asked for since this process has met its condition
IMPORTED: list[str] = []  # what of it could not be imported

Found = Callable[[ModuleSpec | None], ModuleSpec | None]
Missing = Callable[[str], ModuleSpec | None]


def packages_of(job: Job) -> tuple[str, ...]:
    return job.cases[0].packages


def distribution_of(package: str) -> str:
    return DISTRIBUTIONS.get(package, package)


def plain(distribution: str) -> str:
    """As names are compared (PEP 503)."""
    return distribution.lower().replace("_", "-").replace(".", "-")


def is_of(name: str, packages: Iterable[str]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def leads_to(name: str, packages: Iterable[str]) -> bool:
    """Whether it is above one of them: `cuda` of `cuda.tile`, without which that cannot be looked for."""
    return any(package.startswith(f"{name}.") for package in packages)


def of_product(tree: str) -> bool:
    """Whether the product asks, or what it calls does; torch and the gate itself look for packages as well."""
    files = (frame.f_code.co_filename for frame in callers(sys._getframe()))
    return any(inside(file, tree) or DISPATCHER in PurePath(file).parts for file in files)


def looked_for(play: Play) -> None:
    """One call, and whether the product has asked for the package at all, when it was imported or now."""
    play.call()
    if not LOOKED_FOR:
        play.not_noticed = f"nothing of the product's has looked for {' or '.join(packages_of(play.job))}"


def imported(play: Play) -> None:
    """The same of a package that raises: only importing it shows that."""
    play.call()
    if not IMPORTED:
        play.not_noticed = f"nothing of the product's has imported {' or '.join(packages_of(play.job))}"


def require(job: Job) -> None:
    """Raises Fault where none of the packages is installed, so that there is nothing to be old, or to be there."""
    missing = [name for name in packages_of(job) if not installed(name, job.tree)]
    if len(missing) == len(packages_of(job)):
        are = "is" if len(missing) == 1 else "are"
        raise Fault("environment", "unavailable", f"{' and '.join(missing)} {are} not installed here")


def installed(package: str, tree: str) -> bool:
    """Found, as the product would find it, without importing anything."""
    path: Any = None
    sys.path.insert(0, tree)
    try:
        parts = package.split(".")
        for depth in range(1, len(parts) + 1):
            specs = (finder.find_spec(".".join(parts[:depth]), path, None) for finder in sys.meta_path)
            spec = next((spec for spec in specs if spec is not None), None)
            if spec is None:
                return package in sys.modules
            path = spec.submodule_search_locations
    finally:
        sys.path.remove(tree)
    return True


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


class Rest:
    """Behind all finders: asked for what none of them has found."""

    def __init__(self, packages: Sequence[str], missing: Missing, tree: str) -> None:
        self.packages = packages
        self.missing = missing
        self.tree = tree

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not (is_of(name, self.packages) or leads_to(name, self.packages)):
            return None
        if of_product(self.tree):
            LOOKED_FOR.append(name)
        return self.missing(name)

    def find_distributions(self, context: Any = None) -> Iterable[Any]:
        """None; whoever asks for a version asks all finders for it, one after the other."""
        wanted = plain(str(getattr(context, "name", None) or ""))
        for package in self.packages:
            if plain(distribution_of(package)) == wanted and of_product(self.tree):
                LOOKED_FOR.append(package)
        return ()


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


class Nothing:
    """The loader of a package that is not here: an empty module."""

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        return


def put_around(packages: Sequence[str], found: Found, missing: Missing, tree: str, *, installed: bool) -> None:
    wrapped = [Finder(finder, packages, found, installed=installed) for finder in sys.meta_path]
    sys.meta_path[:] = [*wrapped, cast(Any, Rest(packages, missing, tree))]


def forget(packages: Sequence[str]) -> None:
    """What has been imported of them: a worker may have it from the process that it was forked from."""
    for name in [n for n in sys.modules if is_of(n, packages)]:
        del sys.modules[name]
        parent, _, child = name.rpartition(".")
        with contextlib.suppress(AttributeError):
            delattr(sys.modules.get(parent), child)


def hide(packages: Sequence[str], tree: str) -> None:
    put_around(packages, nothing_found, nothing_found, tree, installed=False)
    forget(packages)


def nothing_found(asked: object) -> None:
    return None


def break_at_import(packages: Sequence[str], error: Callable[[str], Exception], tree: str) -> None:
    """They are found, and `error` of the name is raised as soon as they are imported."""

    def fail(module: ModuleType) -> None:
        if of_product(tree):
            IMPORTED.append(module.__name__)
        raise error(module.__name__)

    def broken(spec: ModuleSpec | None) -> ModuleSpec | None:
        if spec is not None and spec.name in packages:
            spec.loader = cast(Any, Loader(spec.loader, fail, runs=False))
        return spec

    def made_up(name: str) -> ModuleSpec | None:
        if leads_to(name, packages):
            return ModuleSpec(name, cast(Any, Nothing()), is_package=True)
        return broken(ModuleSpec(name, cast(Any, Nothing()), is_package=True)) if name in packages else None

    put_around(packages, broken, made_up, tree, installed=True)
    forget(packages)


@contextlib.contextmanager
def broken_for_now(packages: Sequence[str], error: Callable[[str], Exception], tree: str) -> Iterator[None]:
    """Importing them anew raises `error` of the name, within; what holds a module already keeps it."""
    finders = list(sys.meta_path)
    above = {name for name in sys.modules if leads_to(name, packages)}
    modules = {name: module for name, module in sys.modules.items() if is_of(name, packages)}
    break_at_import(packages, error, tree)
    try:
        yield
    finally:
        sys.meta_path[:] = finders
        forget(packages)
        forget([name for name in sys.modules if leads_to(name, packages) and name not in above])
        sys.modules.update(modules)
        for name, module in modules.items():
            parent, _, child = name.rpartition(".")
            if parent in sys.modules:
                setattr(sys.modules[parent], child, module)


def make_old(packages: Sequence[str], tree: str) -> None:
    """They import and work; `__version__` and the distribution's version say OLD."""

    def age(module: ModuleType) -> None:
        module.__version__ = OLD  # type: ignore[attr-defined]  # as most packages have it
        if of_product(tree):
            LOOKED_FOR.append(module.__name__)

    def aged(spec: ModuleSpec | None) -> ModuleSpec | None:
        if spec is not None and spec.name in packages and spec.loader is not None:
            spec.loader = cast(Any, Loader(spec.loader, age, runs=True))
        return spec

    for name in packages:
        if name in sys.modules:
            age(sys.modules[name])
            LOOKED_FOR.append(name)  # imported before the product was, so that nobody sees whether it looks
    put_around(packages, aged, nothing_found, tree, installed=True)
    names = {plain(distribution_of(package)) for package in packages}
    version = importlib.metadata.Distribution.version

    def lowered(distribution: importlib.metadata.Distribution) -> str:
        name = distribution.metadata["Name"] or ""
        if plain(name) in names:
            if of_product(tree):
                LOOKED_FOR.append(name)
            return OLD
        return str(version.__get__(distribution))

    importlib.metadata.Distribution.version = property(lowered)  # type: ignore[assignment,method-assign]


def version_seen(package: str) -> str:
    """What a product reads that asks for the package's version; "" where there is none to read."""
    with contextlib.suppress(Exception):  # a broken distribution may raise anything
        return importlib.metadata.version(distribution_of(package))
    return str(getattr(sys.modules.get(package), "__version__", ""))
