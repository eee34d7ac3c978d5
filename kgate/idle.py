"""
Whether anybody else computes on a GPU or holds its memory, and waiting until nobody does. How busy it is at a moment is
not asked: a process that hangs keeps its memory and computes nothing.
"""

import time
from collections.abc import Callable, Sequence

from kgate.errors import HostError
from kgate.worker import nvml

PATIENCE_S = 120.0
SHORT_PATIENCE_S = 20.0  # for a process that holds little, such as a notebook's that nobody types into
ROOM_SHARE = 0.5  # of a GPU's memory has to be free before anything runs on it
# A GPU on which more is held than a display and a driver take is not idle; a CUDA context alone is half a GiB.
HELD_SHARE, HELD_BYTES = 0.10, 2 << 30
GIB = 1 << 30
LOOK_S = 2.0


def wait(uuid: str, patience_s: float = PATIENCE_S) -> bool:
    """Whether the GPU with torch's uuid came to rest in this time, as far as the driver tells."""
    return rested(lambda: computing(uuid), time.sleep, patience_s)


def rested(computing: Callable[[], Sequence[int]], sleep: Callable[[float], None], patience_s: float) -> bool:
    """Between two launches no process of a run's own is alive, so that any is somebody else's."""
    waited_s = 0.0
    while computing():
        if waited_s >= patience_s:
            return False
        sleep(LOOK_S)
        waited_s += LOOK_S
    return True


def computing(uuid: str) -> tuple[int, ...]:
    """Process ids; a container may not be told of those outside."""
    card = card_of(uuid)
    return tuple(pid for pid, _ in card.processes or ()) if card else ()


def room(name: str, uuid: str, sleep: Callable[[float], None] = time.sleep, patience_s: float = PATIENCE_S) -> None:
    """
    Wait until half of the GPU's memory is free. Raises HostError, with who holds it, where that does not come: every
    kernel would run out of memory for it, and be blamed.
    """
    waited_s = 0.0
    while text := crowded(card_of(uuid)):
        if waited_s >= patience_s:
            raise HostError(f"{name}: {text}; end that process or wait for it, or choose another GPU")
        sleep(LOOK_S)
        waited_s += LOOK_S


def doubt(name: str, uuid: str, sleep: Callable[[float], None] = time.sleep) -> tuple[bool, str]:
    """
    Before the first launch: wait for the GPU to be idle. Whether times can be taken on it, and a sentence where it is
    not idle after all; "" also where the driver tells nothing.
    """
    waited_s, text = 0.0, ""
    while text := occupied(card_of(uuid)):
        busy = laden(card_of(uuid))
        if waited_s >= (PATIENCE_S if busy else SHORT_PATIENCE_S):
            return not busy, f"{name} is not idle: {text}"
        sleep(LOOK_S)
        waited_s += LOOK_S
    return True, ""


def crowded(card: nvml.Card | None) -> str:
    """Why there is no room, as the end of a sentence."""
    if card is None or not card.total_bytes or card.used_bytes is None:
        return ""
    share = card.used_bytes / card.total_bytes
    return f"{share:.0%} of its memory is held before the start{holders(card)}" if share > 1 - ROOM_SHARE else ""


def laden(card: nvml.Card | None) -> bool:
    """Whether more is held than may stand by while times are taken."""
    if card is None or not card.total_bytes or card.used_bytes is None:
        return False
    return card.used_bytes > max(HELD_BYTES, HELD_SHARE * card.total_bytes)


def occupied(card: nvml.Card | None) -> str:
    if card is None or not (card.processes or laden(card)):
        return ""
    held = f"{(card.used_bytes or 0) / GIB:.1f} GiB of its memory are held"
    return f"{held}{holders(card)}"


def holders(card: nvml.Card) -> str:
    """A container may not be told of those outside: then memory alone shows them."""
    told = [f"process {pid}" + (f" ({used / GIB:.1f} GiB)" if used else "") for pid, used in card.processes or ()]
    return f", by {', '.join(told[:5])}" if told else ", by a process that the driver does not name here"


def card_of(uuid: str) -> nvml.Card | None:
    return next((card for card in nvml.cards() if uuid and uuid in card.uuid), None)
