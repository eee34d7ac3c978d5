"""Which variable chooses, when it is read, and which value takes which path."""

from pathlib import Path

import pytest

from kgate.survey import survey
from tests.unit.survey.trees import names, written

HEAD = (
    "import os\nimport triton\n\n@triton.jit\ndef _k(x):\n    pass\n\n"
    "def fused(x):\n    _k[(1,)](x)\n\ndef eager(x):\n    return x\n\n"
)
ON_IMPORT = "{flag}\n\ndef op(x):\n    return fused(x) if FLAG else eager(x)\n"
ON_CALL = "def op(x):\n    if {read}:\n        return fused(x)\n    return eager(x)\n"
READS = {
    "os.environ.get('ACME', '1') == '1'": ("1", "0"),
    "os.environ.get('ACME', '1') != '0'": ("1", "0"),
    "os.getenv('ACME') == 'on'": ("on", "0"),
    "os.environ['ACME'] not in ('0', 'false')": ("1", "0"),
    "os.environ.get('ACME', 'triton').lower() == 'triton'": ("triton", "torch"),
    "os.environ.get('ACME', 'triton') != 'eager'": ("triton", "eager"),
    "os.environ.get('ACME_DISABLE', '0') == '1'": ("0", "1"),
    "bool(int(os.environ.get('NO_ACME', '0')))": ("0", "1"),
}


@pytest.mark.parametrize(("read", "values"), READS.items(), ids=READS)
@pytest.mark.parametrize("when", ["import", "call"])
def test_the_values_are_those_that_the_code_compares_with(
    tmp_path: Path, read: str, values: tuple[str, str], when: str
) -> None:
    body = ON_IMPORT.format(flag=f"FLAG = {read}") if when == "import" else ON_CALL.format(read=read)
    root = written(tmp_path, {"ops.py": HEAD + body})

    (subject,) = survey(root, names(root)).subjects

    assert subject.switch is not None
    assert (subject.switch.custom, subject.switch.fallback) == values
    assert subject.switch.read == when


HELPERS = {
    "call": "def on(name):\n    return os.environ.get(name, '1') == '1'\n\n",
    "import": "import functools\n\n@functools.cache\ndef on():\n    return os.environ.get('ACME', '1') == '1'\n\n",
}


@pytest.mark.parametrize(("when", "helper"), HELPERS.items(), ids=HELPERS)
def test_a_helper_that_reads_the_variable_is_followed(tmp_path: Path, when: str, helper: str) -> None:
    read = "on('ACME')" if when == "call" else "on()"
    root = written(tmp_path, {"ops.py": HEAD + helper + ON_CALL.format(read=read)})

    (subject,) = survey(root, names(root)).subjects

    assert subject.switch is not None
    assert (subject.switch.env, subject.switch.read) == ("ACME", when)


def test_a_product_that_reads_no_variable_has_none(tmp_path: Path) -> None:
    root = written(tmp_path, {"ops.py": HEAD + ON_CALL.format(read="x.is_cuda")})

    (subject,) = survey(root, names(root)).subjects

    assert subject.switch is None
