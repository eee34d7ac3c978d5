"""
One file per comparison that is not elementwise, and the table of them: what a kernel's `compare` in the manifest names.

To add one: a module here that keeps the contract of `ComparerModule`, and its line in the table. Number, shapes and
dtypes of outputs have been compared before, and every element: a comparer says what of that counts.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from kgate.comparers import codes, exact, permutation, sampler, topk
from kgate.model import Comparison, Tensor


class ComparerModule(Protocol):
    """What a comparer's file offers. It decides by values alone, whatever is drawn or in whichever order it comes."""

    @property
    def NAME(self) -> str: ...

    def broken(
        self, outputs: Sequence[Tensor], expected: Sequence[Tensor], found: Sequence[Comparison]
    ) -> list[tuple[str, ...]]:
        """
        By output, what is wrong with it, each as a clause with its numbers. `expected` is the reference's, of the same
        shapes; `found` the comparison element by element, with its bound.
        """


COMPARERS: Mapping[str, ComparerModule] = {module.NAME: module for module in (exact, codes, topk, permutation, sampler)}


def of_users(comparer: str) -> bool:
    """Whether it is no name of the table, but `module:function`."""
    return ":" in comparer
