"""A module in a table: every file of adapters and devices is listed, and offers what its Protocol states."""

import importlib
import inspect
from pathlib import Path
from types import ModuleType

import pytest

from kgate.worker import adapters, devices


@pytest.mark.parametrize(("room", "table"), [(adapters, adapters.ADAPTERS), (devices, devices.DEVICES)])
def test_every_file_of_the_folder_is_in_its_table(room: ModuleType, table: dict[str, str]) -> None:
    files = {f"{room.__name__}.{file.stem}" for file in Path(str(room.__file__)).parent.glob("[!_]*.py")}

    assert set(table.values()) == files


CONTRACTS = [
    *((adapters.Adapter, module) for module in adapters.ADAPTERS.values()),
    *((devices.Device, module) for module in devices.DEVICES.values()),
]


@pytest.mark.parametrize(("contract", "module"), CONTRACTS, ids=lambda value: getattr(value, "__name__", value))
def test_every_entry_offers_what_its_contract_states(contract: type, module: str) -> None:
    offered = importlib.import_module(module)

    wanted = {name for name, value in vars(contract).items() if inspect.isfunction(value) and not name.startswith("_")}
    assert all(callable(getattr(offered, name, None)) for name in wanted)
    assert set(contract.__annotations__) <= set(vars(offered))
