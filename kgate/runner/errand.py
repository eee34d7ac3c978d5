"""What a process is sent for."""

from dataclasses import dataclass

from kgate.protocol import Mode


@dataclass(frozen=True, kw_only=True)
class Errand:
    """
    What processes do with their cases; the fields are a Job's.

    `artifacts`: the files of what was compiled are wanted, besides what is told of it.
    """

    mode: Mode = "outputs"
    arch: str = ""
    artifacts: bool = False
    condition: str = ""


ANSWERS = Errand()
