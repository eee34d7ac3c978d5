"""torch.compile, on the CPU: one graph, its path fixed until reset()."""

import pytest

torch = pytest.importorskip("torch", reason="not run: torch is not installed here")

BACKENDS = ["eager", "aot_eager"]


class OutOfResources(Exception):
    pass


pytestmark = pytest.mark.usefixtures("fresh_compiler")


class Compiled:
    """A function that calls `double` in the middle, compiled to one graph; counts how often it was compiled."""

    def __init__(self, double, backend="eager"):
        self.compilations = 0
        inner = torch._dynamo.lookup_backend(backend)

        def counting(graph, examples):
            self.compilations += 1
            return inner(graph, examples)

        self.call = torch.compile(lambda x: double(x + 1) - 1, fullgraph=True, backend=counting, dynamic=False)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_call_compiles_into_one_graph_on_either_path(double, switch, monkeypatch, backend):
    function = double()
    compiled = Compiled(function, backend)

    custom = compiled.call(torch.ones(2))
    monkeypatch.setenv(switch, "0")
    function.reset()
    fallback = compiled.call(torch.ones(2))

    assert custom.tolist() == [3, 3]
    assert fallback.tolist() == [101, 101]
    assert compiled.compilations == 2


def test_compiled_code_keeps_its_path_until_reset(double, switch, monkeypatch):
    function = double()
    compiled = Compiled(function)

    compiled.call(torch.ones(2))
    monkeypatch.setenv(switch, "0")
    kept = compiled.call(torch.ones(2))
    held = function.explain()

    assert kept.tolist() == [3, 3]
    assert compiled.compilations == 1
    assert "takes its fallback path" in held
    assert held.endswith("; compiled code holds custom")


def test_a_reset_that_changes_nothing_compiles_nothing(double):
    function = double(needs=lambda: None, when=lambda x: x.shape[0] == 2)
    compiled = Compiled(function)

    for _ in range(3):
        compiled.call(torch.ones(2))
        function.reset()

    assert compiled.compilations == 1


def test_a_path_that_comes_back_finds_its_old_code(double, switch, monkeypatch):
    function = double()
    compiled = Compiled(function)

    answers = []
    for value in ("1", "0", "1", "0"):
        monkeypatch.setenv(switch, value)
        function.reset()
        answers.append(compiled.call(torch.ones(1)).item())

    assert answers == [3, 101, 3, 101]
    assert compiled.compilations == 2


def test_a_path_that_is_not_available_is_decided_and_said_while_compiling(double, lines):
    function = double(custom="acme_no_such_kernels:double")
    compiled = Compiled(function)

    answer = compiled.call(torch.ones(1))

    assert answer.item() == 101
    assert [level for level, _ in lines()] == ["WARNING"]
    assert "acme_no_such_kernels cannot be imported" in lines()[0][1]
    assert "compiled code keeps it" in lines()[0][1]


def test_a_custom_path_named_by_text_is_imported_while_compiling(double, module):
    name = module("def double(x):\n    return x * 2")
    compiled = Compiled(double(custom=f"{name}:double"))

    assert compiled.call(torch.ones(1)).item() == 3


def test_what_a_refusal_looks_at_becomes_a_guard(double):
    function = double(when=lambda x: x.shape[0] % 2 == 0 and x.dtype == torch.float32)
    compiled = Compiled(function)

    answers = [compiled.call(torch.ones(n, dtype=d))[0].item() for n, d in [(2, None), (3, None), (2, torch.float64)]]

    assert answers == [3, 101, 101]
    assert compiled.compilations == 3


def test_a_refusal_while_compiling_is_said_and_asks_no_need(double, lines):
    asked = []
    function = double(when=lambda x: x.shape[0] > 1, needs=lambda: asked.append(1))

    answer = Compiled(function).call(torch.ones(1))

    assert answer.item() == 101
    assert asked == []
    assert function.counts() == {("fallback", "traced"): 1}
    assert "(refused): when= said no to a call that was traced" in lines()[0][1]


def test_traces_are_counted_apart_and_compiled_calls_are_not(double):
    function = double()
    compiled = Compiled(function)

    for _ in range(5):
        compiled.call(torch.ones(2))
    function(torch.ones(2))

    assert function.counts() == {("custom", "traced"): 1, ("custom", "default"): 1}


def test_asking_for_a_path_does_not_reach_compiled_code_and_says_so(double, lines):
    function = double()
    compiled = Compiled(function)
    compiled.call(torch.ones(1))

    with function.using("fallback"):
        inside = compiled.call(torch.ones(1))

    assert inside.item() == 3
    assert "using('fallback') does not reach compiled code, which keeps its custom path" in lines()[0][1]


def test_strict_mode_raises_while_compiling(double):
    function = double(needs=lambda: "it is Friday", strict=True)

    with pytest.raises(Exception, match="unavailable: it is Friday; strict mode forbids the fallback"):
        Compiled(function).call(torch.ones(1))


def test_strict_mode_raises_while_compiling_what_has_become_unavailable(double):
    gone = []
    function = double(needs=lambda: "the driver was taken away" if gone else None, strict=True)
    compiled = Compiled(function)
    compiled.call(torch.ones(1))

    gone.append(True)
    function.reset()

    with pytest.raises(Exception, match="unavailable: the driver was taken away"):
        compiled.call(torch.ones(1))


def test_a_refusal_with_the_switch_off_is_none(double, switch, monkeypatch, lines):
    function = double(when=lambda x: False, strict=True)
    monkeypatch.setenv(switch, "0")

    answer = Compiled(function).call(torch.ones(1))

    assert answer.item() == 101
    assert lines() == []


def test_a_strict_refusal_is_no_silent_fallback_in_compiled_code(double):
    function = double(when=lambda x: x.shape[0] > 1, strict=True)
    compiled = Compiled(function)

    assert compiled.call(torch.ones(2)).tolist() == [3, 3]
    with pytest.raises(Exception, match="NoCustomPath"):
        compiled.call(torch.ones(1))


def test_an_error_in_compiled_code_goes_to_the_caller(double):
    @torch.library.custom_op("kgate_dispatch_tests::fails", mutates_args=())
    def fails(x: torch.Tensor) -> torch.Tensor:
        raise OutOfResources("shared memory")

    fails.register_fake(torch.empty_like)
    function = double(custom=fails, fallback_on=OutOfResources)
    compiled = Compiled(function, "aot_eager")

    eager = function(torch.ones(1))
    with pytest.raises(OutOfResources):
        compiled.call(torch.ones(1))

    assert eager.item() == 101
