"""A GPU that calls itself another one: what a product asks torch for is changed, and what the driver knows is not."""

from typing import Any


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
        return capability

    def get_device_properties(*args: Any, **keywords: Any) -> Disguised:
        return Disguised(true(*args, **keywords), capability)

    torch.cuda.get_device_capability = get_device_capability
    torch.cuda.get_device_properties = get_device_properties
