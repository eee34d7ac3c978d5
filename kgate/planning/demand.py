"""What the base commit's manifest demands of each kind of device, and what head cannot change about that."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from kgate.model import Gpu, Manifest, Waiver, passed


@dataclass(frozen=True, kw_only=True)
class Demand:
    """
    Of one device. `required`: what is found there blocks; `waived`: nothing has to be measured there for now. `why` is
    a clause where it is not required or waived, "" otherwise.
    """

    device: str
    required: bool
    waived: bool = False
    why: str = ""


def demands(before: Manifest | None, devices: Iterable[str], today: date) -> Iterator[Demand]:
    """`before` None: base has no manifest that can be read, so that nothing can be asked less than all of it."""
    gpus: Mapping[str, Gpu] = before.gpus if before else {}
    waivers = {waiver.gpu: waiver for waiver in before.waivers} if before else {}
    for device in devices:
        yield demand(device, gpus, waivers.get(device), today)


def demand(device: str, gpus: Mapping[str, Gpu], waiver: Waiver | None, today: date) -> Demand:
    if waiver is not None and not passed(waiver.expires, today):
        return Demand(device=device, required=False, waived=True, why=f"waived until {waiver.expires}: {waiver.reason}")
    asked = gpus.get(device)
    if asked is None:
        return Demand(device=device, required=not gpus, why="base's manifest does not name it" if gpus else "")
    if asked.required(today):
        return Demand(device=device, required=True)
    return Demand(device=device, required=False, why=f"on {asked}")
