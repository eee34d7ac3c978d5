"""The schemas: every field described, every default the model's, every list of names the code's."""

import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kgate.errors import UsageError
from kgate.load import draws, schemas, unsupported, workloads
from kgate.load.manifest import TIMEOUT_S
from kgate.model import Kernel, Level, Switch, Workload
from kgate.model.declared import RULE_NAMES
from kgate.protocol import TensorArg

OURS = schemas.NAMES
MANIFEST = schemas.parsed("manifest")
DEFS = MANIFEST["$defs"]


def properties(node: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(node, dict):
        for name, inner in node.get("properties", {}).items():
            yield f"{path}.{name}", inner
        for key, inner in node.items():
            yield from properties(inner, f"{path}.{key}")
    elif isinstance(node, list):
        for inner in node:
            yield from properties(inner, path)


def default_of(kind: type, name: str) -> Any:
    return next(f.default for f in fields(kind) if f.name == name)


@pytest.mark.parametrize("name", OURS)
def test_a_schema_is_valid_and_names_itself_by_no_address(name: str) -> None:
    schema = schemas.parsed(name)

    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:kgate:{name}:1"
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize("name", OURS)
def test_every_property_of_a_schema_is_described(name: str) -> None:
    silent = [path for path, inner in properties(schemas.parsed(name)) if not inner.get("description")]

    assert silent == []


def test_the_text_of_a_schema_is_the_file() -> None:
    assert json.loads(schemas.text("manifest")) == MANIFEST


def test_a_schema_of_no_such_name_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        schemas.text("manifests")

    assert str(caught.value) == "'manifests' is not a schema; did you mean 'manifest'?"


def test_defaults_of_the_schema_are_those_of_the_model() -> None:
    kernel, workload = (DEFS[n]["properties"] for n in ("kernel", "workload"))
    switch = kernel["switch"]["properties"]

    assert {n: switch[n]["default"] for n in ("custom", "fallback", "read")} == {
        n: default_of(Switch, n) for n in ("custom", "fallback", "read")
    }
    assert kernel["steps"]["default"] == default_of(Kernel, "steps")
    assert kernel["production_operator"]["default"] == default_of(Kernel, "production_operator")
    assert tuple(kernel["device_kernels"]["default"]) == default_of(Kernel, "device_kernels")
    assert tuple(kernel["mutates"]["default"]) == default_of(Kernel, "mutates")
    assert DEFS["timeout_s"]["default"] == default_of(Kernel, "timeout_s") == TIMEOUT_S
    assert workload["weight"]["default"] == default_of(Workload, "weight")
    assert workload["source"]["default"] == default_of(Workload, "source")
    assert tuple(DEFS["targets"]["default"]) == workloads.DEFAULT_TARGETS
    assert DEFS["tensor"]["properties"]["scale"]["default"] == default_of(TensorArg, "scale")
    assert DEFS["tensor"]["properties"]["zeros"]["default"] == default_of(TensorArg, "zeros")


def test_the_names_of_the_schema_are_those_of_the_code() -> None:
    policy = MANIFEST["properties"]["policy"]
    tensor = DEFS["tensor"]["properties"]

    assert tuple(policy["propertyNames"]["enum"]) == RULE_NAMES
    assert policy["additionalProperties"]["enum"] == [level.name.lower() for level in Level]
    assert tuple(DEFS["dtype"]["anyOf"][0]["enum"]) == draws.DTYPES
    assert set(workloads.FIELDS) == set(DEFS["workload"]["properties"])
    assert set(draws.DISTRIBUTIONS) < set(tensor)


def test_a_field_is_called_unsupported_in_the_schema_exactly_where_it_is_refused() -> None:
    words = "not supported by this version"
    top = [n for n, p in MANIFEST["properties"].items() if words in p["description"]]
    kernel = [n for n, p in DEFS["kernel"]["properties"].items() if words in p["description"]]

    assert top == []
    assert sorted(kernel) == sorted((*unsupported.KERNEL, "ranks"))
