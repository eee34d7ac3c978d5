"""The tables of docs/action.md, made from action.yml."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
BAR = "\\|"


def action(folder: str = "") -> Mapping[str, Any]:
    found: Mapping[str, Any] = YAML(typ="safe").load(ROOT / folder / "action.yml")
    return found


def inputs(of: Mapping[str, Any]) -> str:
    rows = (f"| `{name}` | {default(entry['default'])} | {text(entry)} |" for name, entry in of["inputs"].items())
    return "\n".join(("| input | default | what it means |", "| --- | --- | --- |", *rows))


def outputs(of: Mapping[str, Any]) -> str:
    rows = (f"| `{name}` | {text(entry)} |" for name, entry in of["outputs"].items())
    return "\n".join(("| output | what it is |", "| --- | --- |", *rows))


def default(value: str) -> str:
    return f"`{value}`" if value else "–"


def text(entry: Mapping[str, str]) -> str:
    return entry["description"].strip().replace("|", BAR)


TABLES = {
    "inputs": lambda: inputs(action()),
    "outputs": lambda: outputs(action()),
    "inputs of compile": lambda: inputs(action("action/compile")),
    "outputs of compile": lambda: outputs(action("action/compile")),
}
