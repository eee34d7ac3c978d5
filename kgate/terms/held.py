"""Everything of one tree that judges a kernel."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kgate.model import Baseline, Manifest, Owed


@dataclass(frozen=True, kw_only=True)
class Held:
    """
    `code`: by function (`module:function`) a digest of what it is made of, "" where text does not tell. `modules`:
    those of the tree, of all that an entry of either manifest names. `baselines` by device.
    """

    manifest: Manifest
    code: Mapping[str, str] = field(default_factory=dict)
    modules: frozenset[str] = frozenset()
    baselines: Mapping[str, Baseline] = field(default_factory=dict)
    debt: tuple[Owed, ...] = ()
