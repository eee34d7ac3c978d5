"""Outputs of a step that has no report: `python -m kgate.github.outputs NAME=VALUE...`."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from kgate.errors import DeliveryError, ExitCode
from kgate.github.summary import write_outputs

LIMIT = 1 << 16  # characters: a matrix has 256 legs at most


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Nothing outside GitHub Actions; exit code 4 where they cannot be written."""
    path = environ.get("GITHUB_OUTPUT")
    if not path:
        return ExitCode.GREEN
    pairs = (argument.partition("=") for argument in arguments)
    try:
        write_outputs(Path(path), {name: value for name, _, value in pairs}, LIMIT)
    except DeliveryError as error:
        print(f"kgate: {error}", file=sys.stderr)
        return ExitCode.DELIVERY
    return ExitCode.GREEN


if __name__ == "__main__":
    import os

    sys.exit(main(sys.argv[1:], os.environ))
