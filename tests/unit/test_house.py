"""What the house promises of its own code, and no linter looks at."""

import ast
import configparser
import importlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
KGATE = ROOT / "kgate"
FILE_LINES, FUNCTION_LINES = 300, 40
CODE = sorted(
    path
    for folder in ("kgate", "dispatch", "tests", "benchmarks", "action")
    for path in (ROOT / folder).rglob("*.py")
    # Kernels that misbehave on purpose, and what `make rig` installs.
    if not {"samples", "node_modules"} & set(path.parts)
)
ROOMS = sorted(
    {p.name.removesuffix(".py") for p in KGATE.iterdir() if p.suffix == ".py" or (p / "__init__.py").is_file()}
)
TABLES = [
    ("kgate.worker.adapters", "ADAPTERS"),
    ("kgate.worker.devices", "DEVICES"),
    ("kgate.worker.conditions", "CONDITIONS"),
    ("kgate.metrics", "METRICS"),
    ("kgate.rules", "RULES"),
    ("kgate.reports", "FORMATS"),
    ("kgate.comparers", "COMPARERS"),
]
NO_ENTRIES = {"events"}  # renders what happens during a run, not a report
# What `kgate --help` must not pay for; measured, each costs more than all of click.
HEAVY = {"numpy", "ml_dtypes", "rich", "jsonschema", "urllib3", "tabulate", "ruamel"}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def imported_at_top(path: Path) -> set[str]:
    """Full names of modules that importing this file imports; what only a type checker sees does not count."""
    found: set[str] = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def roots(names: Iterable[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


# One test for all files: as a test each, they are a third of the suite, and of its time.
def test_no_file_is_long_without_a_reason():
    lines = {name_of(path): len(path.read_text().splitlines()) for path in CODE}

    long = {name: count for name, count in lines.items() if count > FILE_LINES}

    assert {n: c for n, c in long.items() if f"Over {FILE_LINES} lines" not in (docstring_of(ROOT / n) or "")} == {}


def docstring_of(path: Path) -> str | None:
    return ast.get_docstring(ast.parse(path.read_text()))


def test_no_function_is_long_without_a_reason():
    long = [
        f"{name_of(path)}: {function.name}: {function.end_lineno - function.lineno + 1} lines"
        for path in CODE
        if KGATE in path.parents
        for function in functions(ast.parse(path.read_text()))
        if function.end_lineno - function.lineno + 1 > FUNCTION_LINES + declared_lines(function)
        and f"Over {FUNCTION_LINES} lines" not in (ast.get_docstring(function) or "")
    ]

    assert long == []


def declared_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """A signature with a line for each of many flags is a list, and no work to follow."""
    return function.body[0].lineno - function.lineno


def test_importing_kgate_imports_nothing_else():
    assert imported_at_top(KGATE / "__init__.py") == set()


def test_the_command_line_imports_nothing_heavy_until_it_has_to():
    seen, waiting = set(), {"kgate.cli"}
    while waiting:
        module = waiting.pop()
        path = KGATE.parent / (module.replace(".", "/") + ".py")
        path = path if path.is_file() else path.with_suffix("") / "__init__.py"
        seen.add(module)
        names = imported_at_top(path)
        assert not roots(names) & HEAVY, module
        waiting |= {n for n in names if n.startswith("kgate.")} - seen


@pytest.mark.parametrize(("package", "table"), TABLES)
def test_every_file_of_a_room_with_a_table_is_in_the_table(package, table):
    room = importlib.import_module(package)
    files = {path.stem for path in Path(room.__file__).parent.glob("[!_]*.py")}

    entries = {stem_of(value) for value in values_of(getattr(room, table, {}))}

    assert entries == files - NO_ENTRIES


def values_of(table: object) -> Iterable[object]:
    return table.values() if isinstance(table, dict) else table


def stem_of(value: object) -> str:
    """Tables hold modules, names of modules (where importing one has to wait), or a module's function."""
    name = value if isinstance(value, str) else value.__name__ if isinstance(value, ModuleType) else value.__module__
    return name.rpartition(".")[2]


def contract(name: str, key: str) -> set[str]:
    config = configparser.ConfigParser()
    config.read(ROOT / ".importlinter")
    return {line.removeprefix("kgate.") for line in config[f"importlinter:contract:{name}"][key].split()}


@pytest.mark.parametrize(
    ("name", "key", "without"),
    [
        ("torch", "source_modules", {"worker"}),
        ("token", "source_modules", {"github"}),
        ("worker", "forbidden_modules", {"worker", "protocol", "wire", "__main__"}),
    ],
)
def test_no_room_is_forgotten_in_a_contract_that_binds_them_all(name, key, without):
    assert contract(name, key) == set(ROOMS) - without - {"__init__"}


def test_the_lock_of_the_action_holds_every_dependency():
    spec = importlib.util.spec_from_file_location("lock", ROOT / "action" / "lock.py")
    lock = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(lock)
    pinned = {line.partition("==")[0] for line in lock.LOCK.read_text().splitlines() if "==" in line}

    wanted = {d.partition(">=")[0].replace("_", "-").replace(".", "-").lower() for d in lock.dependencies()}

    assert wanted <= pinned
    assert "://" not in lock.LOCK.read_text()


def test_every_path_that_the_guide_for_contributors_names_is_there():
    text = (ROOT / "CONTRIBUTING.md").read_text()

    named = {n for n in re.findall(r"`([\w./-]+/[\w.-]+)`", text) if "NAME" not in n}

    assert len(named) > 10
    assert [n for n in sorted(named) if not (ROOT / n).exists()] == []
