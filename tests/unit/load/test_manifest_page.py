"""docs/manifest.md is the schema in prose; KGATE_REFRESH_GOLDEN=1 rewrites its tables, for review."""

import os
import re
from pathlib import Path

import pytest

from tests.unit.load import page
from tests.unit.load.conftest import Loading

PAGE = Path(__file__).resolve().parents[3] / "docs" / "manifest.md"
BLOCK = re.compile(r"(<!-- (?:fields: )?(\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
EXAMPLES = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)


def made(block: "re.Match[str]") -> str:
    text = page.unsupported() if block[2] == "unsupported" else page.table(block[2])
    return f"{block[1]}{text}\n{block[4]}"


def test_its_tables_are_those_of_the_schema() -> None:
    text = PAGE.read_text()
    wanted = BLOCK.sub(made, text)
    if os.environ.get("KGATE_REFRESH_GOLDEN"):
        PAGE.write_text(wanted)
        text = wanted

    assert text == wanted
    assert [block[2] for block in BLOCK.finditer(text)] == [*page.TABLES, "unsupported"]


@pytest.mark.parametrize("name", page.TABLES)
def test_every_field_has_an_example(name: str) -> None:
    silent = [field for field, schema, _ in page.fields(page.TABLES[name]) if not page.examples(schema)]

    assert silent == []


@pytest.mark.parametrize("text", EXAMPLES, ids=["smallest", "usual"])
def test_its_examples_are_read(loaded: Loading, text: str) -> None:
    (kernel,) = loaded(text).kernels

    assert kernel.owners == ("@acme/kernels",)
    assert kernel.workloads
