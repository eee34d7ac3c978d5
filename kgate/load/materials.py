"""What the kernels of a manifest are made of, from the git root, as far as sources tell."""

from collections.abc import Callable, Collection
from pathlib import Path

from kgate.load import locks, tree
from kgate.load.imports import Imports
from kgate.model import Kernel, Manifest

EXTENSIONS = (".so", ".pyd")
COMPILED = ("cuda",)  # DSLs whose custom path is an extension


class Materials:
    """Files of the work tree that git holds or would; each is read once, and only if it is needed."""

    def __init__(self, manifest: Manifest, names: Collection[str], read: Callable[[str], bytes]) -> None:
        folder = manifest.folder.relative_to(manifest.root).as_posix()
        self.prefix = "" if folder == "." else f"{folder}/"
        self.builds = bool(manifest.build)
        below = [name.removeprefix(self.prefix) for name in names if name.startswith(self.prefix)]
        self.sources = Imports(below, lambda name: read(self.prefix + name))
        self.names = frozenset(names)
        self.folder, self.read = folder, read

    @classmethod
    def of(cls, manifest: Manifest) -> "Materials":
        return cls(manifest, tree.files(manifest.root), lambda name: reading(manifest.root, name))

    def locks(self, gone: Collection[str] = ()) -> tuple[str, ...]:
        """`gone`: names that may be of files which are not there any more."""
        return tuple(locks.locks(self.names | set(gone), self.folder, self.read))

    def static(self, kernel: Kernel) -> frozenset[str]:
        """What its functions import, and what extensions that they name include."""
        found = self.rooted(self.sources.closure(functions(kernel)))
        return found | self.extension if self.builds and kernel.dsl in COMPILED else found

    @property
    def extension(self) -> frozenset[str]:
        """What a build in the tree may have made an extension of: which of it went into which, nobody tells."""
        return self.rooted(self.sources.natives.built)

    def recorded(self, names: Collection[str]) -> tuple[frozenset[str], tuple[str, ...]]:
        """
        What workers told of, paths from the manifest's folder, from the git root; and those that git does not hold and
        that no build explains. An extension that was built in the tree stands for what it was made of.
        """
        rooted = self.rooted(names)
        strange = {name for name in rooted if not self.held(name)}
        built = {name for name in strange if self.builds and name.endswith(EXTENSIONS)}
        more = self.extension if built else frozenset[str]()
        return (rooted - strange) | more, tuple(sorted(strange - built))

    def held(self, name: str) -> bool:
        """Whether git holds a file, or the submodule that it lies in."""
        return name in self.names or any(above.as_posix() in self.names for above in Path(name).parents)

    def rooted(self, names: Collection[str]) -> frozenset[str]:
        return frozenset(self.prefix + name for name in names)


def functions(kernel: Kernel) -> tuple[str, ...]:
    context = kernel.switch.context if kernel.switch else ""
    named = (kernel.dispatch, kernel.custom, kernel.fallback, kernel.reference)
    compare = kernel.compare if ":" in kernel.compare else ""
    config = kernel.tune.config if kernel.tune else ""
    return (*named, kernel.setup, kernel.reset, kernel.compile, compare, config, context)


def reading(root: Path, name: str) -> bytes:
    return (root / name).read_bytes()
