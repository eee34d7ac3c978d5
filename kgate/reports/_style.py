"""What a format may be asked, and what it has to offer."""

from dataclasses import dataclass
from typing import Protocol

from kgate.model import Report


@dataclass(frozen=True, kw_only=True)
class Style:
    """For a reader at a terminal; formats that are files leave it alone. `width` in columns."""

    colour: bool = False
    width: int = 80


class FormatModule(Protocol):
    """The contract of a module in FORMATS."""

    @property
    def NAME(self) -> str: ...

    def render(self, report: Report, style: Style) -> str:
        """The whole of it, with a newline at the end. Everything that a repository or a worker said is escaped."""
