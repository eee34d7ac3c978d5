"""What README shows runs, and what it says of reasons is the whole list."""

import re
import sys
from pathlib import Path
from typing import get_args

import kgate_dispatch
import pytest
from kgate_dispatch.decision import Reason

TEXT = (Path(__file__).parents[1] / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_every_reason_has_its_row_and_no_row_has_another():
    table = TEXT.partition("## What happens when")[2].partition("\n- ")[0]

    named = {cells.split("|")[3].strip(" `") for cells in table.strip().splitlines()[2:]}

    assert named - {"as above", "not counted"} == set(get_args(Reason))


def test_the_examples_run_one_after_the_other(lines, monkeypatch, capsys):
    pytest.importorskip("torch", reason="not run: torch is not installed here")
    monkeypatch.setitem(sys.modules, "triton", None)  # where Triton is not installed
    monkeypatch.setenv("ACME_SOFTMAX", "")
    names = {"__name__": "acme.softmax"}

    for block in BLOCKS:
        exec(compile(block, "README.md", "exec"), names)

    shown = re.search(r"^WARNING (.*) \(unavailable\): triton cannot be imported", TEXT, re.MULTILINE)[1]
    assert lines()[0][1].startswith(f"{shown} (unavailable): triton cannot be imported (ModuleNotFoundError")
    assert 'path="fallback",reason="unavailable"} 1' in capsys.readouterr().out
    assert names["softmax"].last == ("fallback", "unavailable")
    assert "(switch: ACME_SOFTMAX=0)" in names["softmax"].explain()


def test_every_public_name_is_spoken_of():
    spoken = set(re.findall(r"\w+", TEXT))
    implied = {"Decision", "DispatchFunction", "Report", "condition", "cuda"}  # met by who uses the others

    assert set(kgate_dispatch.__all__) - implied <= spoken
