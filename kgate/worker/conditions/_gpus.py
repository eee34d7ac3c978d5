"""A GPU that calls itself another one: what a product asks torch for is changed, and what the driver knows is not."""

from typing import Any

from kgate.worker.conditions import Play

ASKED: list[str] = []  # what was asked of torch since this process has met the condition


class Disguised:
    """Properties of a device, but for its capability."""

    def __init__(self, properties: Any, capability: tuple[int, int]) -> None:
        self.properties = properties
        self.major, self.minor = capability

    def __getattr__(self, name: str) -> Any:
        return getattr(self.properties, name)


def pretend(capability: tuple[int, int]) -> None:
    import torch

    true = torch.cuda.get_device_properties

    def get_device_capability(device: Any = None) -> tuple[int, int]:
        ASKED.append("capability")
        return capability

    def get_device_properties(*args: Any, **keywords: Any) -> Disguised:
        ASKED.append("properties")
        return Disguised(true(*args, **keywords), capability)

    torch.cuda.get_device_capability = get_device_capability
    torch.cuda.get_device_properties = get_device_properties


def looked(play: Play) -> None:
    """One call; what is compiled or launched in it may ask the driver, so that to reach the kernel is to ask."""
    if play.call() == 0 and not ASKED:
        play.not_noticed = "nothing asked torch for the GPU's capability"
