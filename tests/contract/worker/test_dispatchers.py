"""Mode "describe": what a dispatch function says of its own paths, known by its form; none of them is called."""

import pytest

from kgate.protocol import Bye, Described, Failed, Job

pytestmark = pytest.mark.real


def test_functions_tell_their_paths_in_the_order_asked_and_faults_are_told_in_their_place(bench):
    names = ["telling", "short", "newer", "plain", "telling.nothing", "odd"]
    entries = (*(f"dispatched:{name}" for name in names), "no_such_module:f")
    job = Job(mode="describe", arm="head", tree=str(bench.tree), device="cpu", entries=entries)

    ended = bench.run(bench.written(job))

    _, telling, short, newer, plain, absent, odd, unloaded, last = ended.replies
    assert telling == Described(
        entry=entries[0],
        type_name="Dispatcher",
        custom="acme.kernels:double",
        fallback="dispatched:telling.fallback",
        switch={"env": "ACME", "custom": "1", "fallback": "0", "read": "call"},
        packages=("triton",),
    )
    assert (short.custom, short.switch, short.packages) == ("acme.kernels:double", {}, ())
    assert newer == Described(entry=entries[2], type_name="Dispatcher")
    assert plain == Described(entry=entries[3], type_name="function")
    assert [(r.case, r.reason) for r in (absent, odd, unloaded)] == [
        (entries[4], "function-missing"),
        (entries[5], "import-failed"),
        (entries[6], "import-failed"),
    ]
    assert all(isinstance(r, Failed) for r in (absent, odd, unloaded))
    assert last == Bye(cases=0)
