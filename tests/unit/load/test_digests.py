"""Whether a reference is still the same, by what its sources say."""

from pathlib import Path

import pytest

from kgate.load.digests import digest
from kgate.load.source import Sources

FOLLOWED = "SCALE = 2\n\ndef helper(x):\n    return x * SCALE\n\ndef f(x):\n    return helper(x)\n"


def of(folder: Path, files: dict[str, str], entry: str = "m:f") -> str:
    folder.mkdir()
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return digest(Sources(folder=folder), entry)


def test_digests_follow_names_and_not_lines_comments_or_modules(tmp_path: Path) -> None:
    moved = (
        "# moved\nSCALE = 2\n\ndef other():\n    pass\n\ndef helper(x):\n    '''Said.'''\n    return x * SCALE\n\n"
        "def f(x):\n    return helper(x)\n"
    )
    files = {"a.py": FOLLOWED, "b.py": moved, "c.py": FOLLOWED.replace("2", "3")}

    a, b, c = (of(tmp_path / name, files, f"{name}:f") for name in ("a", "b", "c"))

    assert a == b != c
    assert of(tmp_path / "d", files, "torch:add") == ""


# By what a change does unseen: a module before, the same after, and the entry.
EDITS: dict[str, tuple[str, str, str]] = {
    "another function under the same name": (
        "from numpy import tanh as act\ndef f(x): return act(x)\n",
        "from numpy import zeros_like as act\ndef f(x): return act(x)\n",
        "m:f",
    ),
    "another module under the same name": (
        "import numpy as np\ndef f(x): return np.tanh(x)\n",
        "import zeros as np\ndef f(x): return np.tanh(x)\n",
        "m:f",
    ),
    "a name that is passed on": ("from numpy import tanh as f\n", "from numpy import zeros_like as f\n", "m:f"),
    "everything of another module": (
        "from numpy import *\ndef f(x): return tanh(x)\n",
        "from zeros import *\ndef f(x): return tanh(x)\n",
        "m:f",
    ),
    "another branch of two": (
        "if True:\n    def f(x): return x\nelse:\n    def f(x): return 0\n",
        "if False:\n    def f(x): return x\nelse:\n    def f(x): return 0\n",
        "m:f",
    ),
    "branches exchanged": (
        "if A:\n    def f(x): return x\nelse:\n    def f(x): return 0\n",
        "if A:\n    def f(x): return 0\nelse:\n    def f(x): return x\n",
        "m:f",
    ),
    "what a condition rests on": (
        "A = 1\nif A:\n    def f(x): return x\n",
        "A = 0\nif A:\n    def f(x): return x\n",
        "m:f",
    ),
    "an import under another condition": (
        "if A:\n    from n import g\nelse:\n    from o import g\ndef f(x): return g(x)\n",
        "if B:\n    from n import g\nelse:\n    from o import g\ndef f(x): return g(x)\n",
        "m:f",
    ),
    "the order of two imports": (
        "from n import g\nfrom o import g\ndef f(x): return g(x)\n",
        "from o import g\nfrom n import g\ndef f(x): return g(x)\n",
        "m:f",
    ),
    "a table that is filled afterwards": (
        "S = dict(a=1)\ndef f(x): return x * S['a']\n",
        "S = dict(a=1)\nS.update(a=0)\ndef f(x): return x * S['a']\n",
        "m:f",
    ),
    "a static method": (
        "class R:\n    @staticmethod\n    def ref(x): return x\n",
        "class R:\n    @staticmethod\n    def ref(x): return 0\n",
        "m:R.ref",
    ),
    "a function in a loop": (
        "for _ in range(1):\n    def f(x): return x\n",
        "for _ in range(1):\n    def f(x): return 0\n",
        "m:f",
    ),
    "what no text tells": ("globals()['f'] = max\n", "globals()['f'] = min\n", "m:f"),
    "a file that cannot be parsed": ("def f(x) return x", "def f(x) return 0", "m:f"),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_that_changes_what_is_called_changes_the_digest(tmp_path: Path, name: str) -> None:
    before, after, entry = EDITS[name]

    old, same, new = (
        of(tmp_path / str(n), {"m.py": text}, entry) for n, text in enumerate((before, f"# said\n{before}", after))
    )

    assert "" not in (old, new)
    assert old != new
    if "no text" not in name and "parsed" not in name:
        assert old == same


def test_of_a_package_and_a_module_of_one_name_the_package_counts_as_in_python(tmp_path: Path) -> None:
    files = {"m.py": "def f(x): return x\n"}

    before = of(tmp_path / "before", files)
    after = of(tmp_path / "after", {**files, "m/__init__.py": "def f(x): return 0\n"})

    assert before != after


def test_of_two_imports_of_one_name_both_are_followed(tmp_path: Path) -> None:
    text = "try:\n    from fast import g\nexcept ImportError:\n    from slow import g\ndef f(x): return g(x)\n"
    files = {"m.py": text, "fast.py": "def g(x): return x\n", "slow.py": "def g(x): return x + 0\n"}

    found = [
        of(tmp_path / str(n), {**files, **edit}) for n, edit in enumerate(({}, {"fast.py": "def g(x): return 0\n"}))
    ]

    assert found[0] != found[1]


def test_an_edit_of_the_kernel_that_is_registered_with_its_reference_is_none_of_the_reference(tmp_path: Path) -> None:
    text = "def fused(x): return x\ndef f(x): return x\nregister('f', fused, f)\n"

    found = [
        of(tmp_path / str(n), {"m.py": t}) for n, t in enumerate((text, text.replace("return x\n", "return 0\n", 1)))
    ]

    assert found[0] == found[1]


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    return x" + " + x" * 2500 + "\n",
        "def f(x):\n    if x: pass\n" + "".join(f"    elif x == {n}: pass\n" for n in range(250)),
        "if A0:\n    pass\n" + "".join(f"elif A{n}:\n    def f(x): return {n}\n" for n in range(250)),
    ],
    ids=["a long sum", "a long chain within", "a long chain around"],
)
def test_ordinary_sources_that_are_nested_deep_are_read_like_any(tmp_path: Path, text: str) -> None:
    before, after = of(tmp_path / "before", {"m.py": text}), of(tmp_path / "after", {"m.py": text.replace("x", "y")})

    assert "" != before != after
