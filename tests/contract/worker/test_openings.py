"""Which files of its tree a case has opened, whichever case ran first."""

from pathlib import Path

import pytest

from kgate.protocol import Job

pytestmark = pytest.mark.real

READS = "from pathlib import Path\nHERE = Path(__file__).parent\n"
PACKAGE = {
    "acme/__init__.py": "",
    "acme/table.py": f"{READS}TABLE = (HERE / 'table.json').read_text()\n",
    "acme/one.py": "from acme import table\ndef one(x, y):\n    return x + y\n",
    "acme/two.py": f"{READS}from acme import table\ndef two(x, y):\n    (HERE / 'two.cu').read_bytes()\n    return x\n",
    "acme/apart.py": f"{READS}def apart(x, y):\n    (HERE / 'made.txt').write_text('x')\n    return x\n",
    "acme/table.json": "{}",
    "acme/two.cu": "__global__ void two() {}",
}


@pytest.mark.parametrize("order", [1, -1], ids=["forwards", "backwards"])
def test_files_that_were_read_count_for_every_case_whose_code_has_read_them(bench, case_job, tmp_path, order):
    for name, text in PACKAGE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    entries = ("acme.one:one", "acme.two:two", "acme.apart:apart")[::order]
    job = Job(mode="outputs", arm="head", tree=str(tmp_path), device="cpu", cases=tuple(map(case_job, entries)))

    ended = bench.run(bench.written(job))

    assert {case: set(ended.facts(case)["opened-files"]) for case in entries} == {
        "acme.one:one": {"acme/table.json"},
        "acme.two:two": {"acme/table.json", "acme/two.cu"},
        "acme.apart:apart": set(),
    }
    assert Path(tmp_path, "acme/made.txt").is_file()
