"""What lies about the kernels: where imports start, the interpreter, what has to be built, and who answers."""

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path, PurePosixPath

from kgate.load import owners
from kgate.load.inventory import TEST, bytes_of
from kgate.load.marks import WORDS
from kgate.survey.code import ASIDE
from kgate.survey.entries import Guess

ENVIRONMENTS = (".venv", "venv", ".env", "env")
COMPILED = re.compile(rb"CUDAExtension|CppExtension|CMakeExtension|ext_modules")
MADE = re.compile(rb"load_inline|cpp_extension|__global__")
PEOPLE = re.compile(r"^\s*(?:maintainers|authors)\s*=\s*\[(.*?)\]", re.MULTILINE | re.DOTALL)
EMAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")


def import_folders(root: Path, files: Sequence[str]) -> Sequence[str]:
    """
    The folders, from the root, that modules with kernels are imported from, that of most of them first; "" is the root
    itself. Such a folder has to be first on sys.path, so a manifest belongs there.
    """
    names = set(files)
    suspects = [f for f in files if f.endswith(".py") and not TEST.search(f) and not set(f.split("/")) & set(ASIDE)]
    data = ((f, bytes_of(root / f)) for f in suspects)
    found = Counter(start_of(f, names, text) for f, text in data if WORDS.search(text) or MADE.search(text))
    return sorted(found, key=lambda folder: (-found[folder], len(folder), folder)) or [""]


def start_of(file: str, names: Collection[str], text: bytes) -> str:
    """Above the outermost package of a module; of one in none, its own folder if it imports its neighbours by name."""
    folder = PurePosixPath(file).parent
    packaged = False
    while str(folder) != "." and f"{folder}/__init__.py" in names:
        folder, packaged = folder.parent, True
    if packaged or str(folder) == ".":
        return "" if str(folder) == "." else str(folder)
    beside = {PurePosixPath(n).stem for n in names if str(PurePosixPath(n).parent) == str(folder)}
    if beside & set(imported(text)):
        return str(folder)
    return "src" if folder.parts[0] == "src" else ""


def imported(text: bytes) -> Iterator[str]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module


def interpreter(root: Path, folder: Path) -> Guess:
    """`text` is "" where there is no virtual environment here."""
    for name in ENVIRONMENTS:
        if (root / name / "bin" / "python").exists():
            up = "../" * len(folder.relative_to(root).parts)
            return Guess(text=f"{up}{name}/bin/python", why="a virtual environment that is here")
    return Guess(text="", why="no virtual environment was found here: python3 on PATH is taken")


def build(root: Path, folder: Path) -> Guess:
    """The command of a setup.py that compiles extensions; "" where there is none."""
    setup = root / "setup.py"
    if folder == root and COMPILED.search(bytes_of(setup)):
        return Guess(text="python setup.py build_ext --inplace", why="setup.py names extensions")
    return Guess(text="", why="")


def owners_of(root: Path, files: Sequence[str], path: str, named: str) -> Guess:
    """Who answers for a file: whom the command names, CODEOWNERS, or pyproject.toml; "" where nobody is named."""
    if named:
        return Guess(text=named, why="named on the command line")
    asked = owners.read(root, files)
    if (rule := asked.last_match(path)) and rule[2]:
        return Guess(text=" ".join(rule[2]), why=f"{rule[0]} asks them for {path}")
    people = PEOPLE.search(bytes_of(root / "pyproject.toml").decode("utf-8", "replace"))
    if people and (emails := EMAIL.findall(people[1])):
        return Guess(text=emails[0], why="pyproject.toml names them; no line of CODEOWNERS asks anybody for the file")
    return Guess(text="", why='who answers for the kernel, like "@acme/kernels"; CODEOWNERS names nobody for it')
