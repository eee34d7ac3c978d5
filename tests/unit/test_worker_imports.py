"""The worker starts where nothing of the gate is installed: only the standard library at the top of its modules."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

KGATE = Path(__file__).parents[2] / "kgate"
PACKED = [KGATE / "__init__.py", KGATE / "protocol.py", KGATE / "wire.py", *(KGATE / "worker").rglob("*.py")]
SHARED = ("kgate.protocol", "kgate.wire", "kgate.worker")


def imported(body: list[ast.stmt]) -> Iterator[str]:
    """Modules named by statements that run when the module is imported."""
    for statement in body:
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            yield str(statement.module)
        elif isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test):
            continue
        elif not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for inner in ("body", "orelse", "finalbody"):
                yield from imported(getattr(statement, inner, []))


def allowed(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names or module.startswith(SHARED)


@pytest.mark.parametrize("file", PACKED, ids=lambda file: str(file.relative_to(KGATE)))
def test_a_packed_module_needs_nothing_but_the_standard_library(file: Path) -> None:
    modules = list(imported(ast.parse(file.read_text("utf-8")).body))

    assert [module for module in modules if not allowed(module)] == []


def test_the_rule_sees_imports_below_a_condition_and_in_a_class() -> None:
    source = "import os\nif os:\n    import numpy\nclass A:\n    from torch import nn\ndef f():\n    import tilelang\n"

    found = [module for module in imported(ast.parse(source).body) if not allowed(module)]

    assert found == ["numpy", "torch"]
