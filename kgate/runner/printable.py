"""Text from a worker, bounded and fit to be encoded; what makes it harmless where it is shown is `escape`."""

from typing import Any

TEXT_LIMIT = 1000  # characters of one line


def one_line(text: str) -> str:
    return str(printable(" ".join(text.split())[:TEXT_LIMIT]))


def printable(value: Any) -> Any:
    """The same value with text that can be encoded: JSON may carry half of a surrogate pair, a terminal may not."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [printable(v) for v in value]
    if isinstance(value, dict):
        return {printable(k): printable(v) for k, v in value.items()}
    return value
