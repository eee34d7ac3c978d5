"""Everything of one tree that judges a kernel."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kgate.model import Baseline, Kernel, Manifest, Owed


@dataclass(frozen=True, kw_only=True)
class Held:
    """
    `code`: by function (`module:function`) a digest of what it is made of, "" where text does not tell. `modules`:
    those of the tree, of all that an entry of either manifest names. `baselines` by device. `asked`: by kernel that
    names no owners, whom CODEOWNERS asks for the files of its entry.
    """

    manifest: Manifest
    code: Mapping[str, str] = field(default_factory=dict)
    modules: frozenset[str] = frozenset()
    baselines: Mapping[str, Baseline] = field(default_factory=dict)
    debt: tuple[Owed, ...] = ()
    asked: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def owners(self, kernel: Kernel) -> tuple[str, ...]:
        """Who is to approve that the kernel, of this manifest, is held to less."""
        return kernel.owners or self.asked.get(kernel.name, ())

    @property
    def everyone(self) -> tuple[str, ...]:
        """Who is to approve what holds for all kernels."""
        return tuple(dict.fromkeys(owner for kernel in self.manifest.kernels for owner in self.owners(kernel)))
