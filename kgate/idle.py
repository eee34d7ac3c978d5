"""Whether anybody else computes on a GPU, and waiting until nobody does."""

import time
from collections.abc import Callable, Sequence

from kgate.worker import nvml

PATIENCE_S = 120.0
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
    card = next((card for card in nvml.cards() if uuid and uuid in card.uuid), None)
    return tuple(pid for pid, _ in card.processes or ()) if card else ()
