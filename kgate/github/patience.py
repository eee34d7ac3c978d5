"""How long a request may take and how long to wait between two: pure arithmetic on GitHub's answers."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from kgate.errors import DeliveryError

UNNAMED_WAIT_S = 60.0  # after a rate limit that names no time: GitHub's documentation asks for a minute at least


@dataclass(frozen=True, kw_only=True)
class Patience:
    """`waiting_s` bounds all waits of one client together; a comment is not worth a GPU runner's minutes."""

    connect_s: float = 5.0
    read_s: float = 20.0  # without a single byte
    answer_s: float = 60.0  # of a whole answer
    first_wait_s: float = 1.0  # doubled after each try, and up to half of it more by chance
    waiting_s: float = 120.0
    tries: int = 5  # of one request


class Purse:
    """Seconds that a client has spent waiting. Not frozen: that is all it is for."""

    spent_s = 0.0


class Tries:
    """Those of one request, paid from the client's purse. `chance` gives numbers from 0 to 1."""

    def __init__(self, patience: Patience, purse: Purse, chance: Callable[[], float]) -> None:
        self.patience, self.purse, self.chance, self.made = patience, purse, chance, 1

    def next_in_s(self, asked_s: float | None, problem: str) -> float:
        """Seconds to wait before the next try; raises DeliveryError with `problem` where there is to be none."""
        own_s = self.patience.first_wait_s * 2 ** (self.made - 1) * (1 + self.chance() / 2)
        wait_s = own_s if asked_s is None else asked_s
        if self.made >= self.patience.tries:
            raise DeliveryError(f"{problem}; given up after {self.made} tries")
        if self.purse.spent_s + wait_s > self.patience.waiting_s:
            raise DeliveryError(f"{problem}; given up, since the next try is {wait_s:.0f} s away")
        self.made += 1
        self.purse.spent_s += wait_s
        return wait_s


def asked_wait_s(status: int, headers: Mapping[str, str], message: str) -> float | None:
    """
    Seconds that GitHub asks to wait: for a rate limit (403, 429), or by a 503. None where it asks for none.

    Header names in lower case. Order as GitHub's documentation has it: retry-after, then x-ratelimit-reset, else a
    minute. A 403 for want of a permission has none of these, and its message does not speak of a rate limit.
    """
    if status not in (403, 429, 503):
        return None
    if "retry-after" in headers:
        return seconds_until(headers["retry-after"])
    if headers.get("x-ratelimit-remaining") == "0":
        reset = headers.get("x-ratelimit-reset", "")
        return max(0.0, float(reset) - time.time()) if plain_number(reset) else UNNAMED_WAIT_S
    return UNNAMED_WAIT_S if status == 429 or (status == 403 and "rate limit" in message.lower()) else None


def seconds_until(text: str) -> float:
    """Of a Retry-After header: seconds or an HTTP date; a minute for what is neither."""
    if plain_number(text.strip()):
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return UNNAMED_WAIT_S


def plain_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 12
