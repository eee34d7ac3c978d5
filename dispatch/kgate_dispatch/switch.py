"""The switch: an environment variable, read at every eager call."""

import os
from dataclasses import dataclass, field

from kgate_dispatch.decision import PATHS, Decision, Path

# One object each, so that a call in production makes none.
CUSTOM = Decision("custom", "switch")
FALLBACK = Decision("fallback", "switch")


@dataclass(frozen=True, kw_only=True)
class Switch:
    """
    Which values of an environment variable choose which path. Unset or empty chooses `unset`; make that "fallback"
    for a kernel that has to be turned on. Any other value chooses the fallback: who sets it at night means "off".
    """

    env: str
    custom: str = "1"
    fallback: str = "0"
    unset: Path = "custom"
    _key: str | bytes = field(init=False, repr=False, compare=False)
    _decisions: dict[str | bytes | None, Decision] = field(init=False, repr=False, compare=False)  # of known values

    def __post_init__(self) -> None:
        if not self.env or "=" in self.env:
            raise ValueError(f"Switch(env={self.env!r}): name an environment variable")
        if not self.custom or not self.fallback or self.custom == self.fallback:
            raise ValueError(f"{self.env}: give the two paths two different values, neither of them empty")
        if self.unset not in PATHS:
            raise ValueError(f'{self.env}: unset={self.unset!r}: choose "custom" or "fallback"')
        default = Decision(self.unset, "default")
        known = {self.custom: CUSTOM, self.fallback: FALLBACK, "": default}
        stored = {os.environ.encodevalue(text): decision for text, decision in known.items()}
        object.__setattr__(self, "_key", os.environ.encodekey(self.env))
        object.__setattr__(self, "_decisions", {**known, **stored, None: default})

    def decision(self) -> Decision:
        # os.environ.get takes 0.6 µs for a variable that is not set, as much as all the rest of a call: it raises and
        # catches a KeyError. Behind it lies a dict of encoded text; where another Python has none, or a test put a
        # plain dict in its place, the official way still works.
        try:
            value = os.environ._data.get(self._key)  # type: ignore[attr-defined]
        except AttributeError:
            value = os.environ.get(self.env)
        return self._decisions.get(value, FALLBACK)

    def why(self) -> str:
        """The variable as it stands, as a clause for a log line."""
        value = os.environ.get(self.env)
        if not value:
            return f"{self.env} is not set"
        known = value in (self.custom, self.fallback)
        return f"{self.env}={value}" + ("" if known else f", which is neither {self.custom} nor {self.fallback}")
