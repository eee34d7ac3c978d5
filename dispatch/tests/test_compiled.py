"""torch.compile, export, gradients, custom operators, on the CPU: one graph, its path fixed until reset()."""

import pytest

torch = pytest.importorskip("torch", reason="not run: torch is not installed here")

BACKENDS = ["eager", "aot_eager"]


class OutOfResources(Exception):
    pass


@pytest.fixture(autouse=True)
def anew():
    torch.compiler.reset()
    yield
    torch.compiler.reset()


@pytest.fixture
def double(product):
    """The custom path multiplies by 2; the fallback adds 100, so that nobody takes one for the other."""

    def declared(custom=lambda x: x * 2, **declaration):
        function = product(custom, **declaration)
        function.fallback = lambda x: x + 100
        return function

    return declared


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


def test_a_model_with_a_dispatched_method_compiles_into_one_graph(switch):
    import kgate_dispatch

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = torch.nn.Parameter(torch.tensor(2.0))

        @kgate_dispatch.dispatch(custom=lambda self, x: x * self.scale, switch=switch)
        def step(self, x):
            return x + 100

        def forward(self, x):
            return self.step(x)

    model = Model()
    answer = torch.compile(model, fullgraph=True, backend="aot_eager")(torch.ones(3))
    answer.sum().backward()

    assert answer.tolist() == [2, 2, 2]
    assert model.scale.grad.item() == 3


@pytest.mark.parametrize("strict", [False, True])
def test_an_exported_program_holds_the_path_that_was_decided(double, strict):
    function = double()

    class Model(torch.nn.Module):
        def forward(self, x):
            return function(x)

    program = torch.export.export(Model(), (torch.ones(2),), strict=strict)

    assert program.module()(torch.ones(2)).tolist() == [2, 2]
    assert function.counts() == {("custom", "traced"): 1}


@pytest.mark.parametrize("path", ["custom", "fallback"])
def test_gradients_pass_through_untouched(double, path):
    function = double(custom=torch.sin)
    function.fallback = torch.cos
    expected = {"custom": torch.cos, "fallback": lambda x: -torch.sin(x)}[path]
    x = torch.linspace(-2, 2, 5, dtype=torch.float64, requires_grad=True)

    with function.using(path):
        function(x).sum().backward()
        checked = torch.autograd.gradcheck(function, x)

    torch.testing.assert_close(x.grad, expected(x.detach()), rtol=0, atol=0)
    assert checked


@pytest.mark.parametrize("backend", [None, *BACKENDS])
def test_a_custom_operator_with_its_own_gradient_is_a_custom_path(double, backend):
    name = f"kgate_dispatch_tests::square_{backend}"

    @torch.library.custom_op(name, mutates_args=())
    def square(x: torch.Tensor) -> torch.Tensor:
        return torch.tensor([value**2 for value in x.tolist()])  # opaque to every compiler

    square.register_fake(torch.empty_like)
    square.register_autograd(
        lambda ctx, gradient: gradient * 2 * ctx.saved_tensors[0],
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
    )
    function = double(custom=square)
    called = function if backend is None else torch.compile(lambda x: function(x), fullgraph=True, backend=backend)
    x = torch.tensor([3.0, -1.0], requires_grad=True)

    answer = called(x)
    answer.sum().backward()

    assert answer.tolist() == [9, 1]
    assert x.grad.tolist() == [6, -2]


def test_a_call_under_vmap_is_an_ordinary_call(double):
    function = double()

    answer = torch.func.vmap(function)(torch.ones(3, 2))

    assert answer.tolist() == [[2, 2]] * 3
    assert function.counts() == {("custom", "default"): 1}
