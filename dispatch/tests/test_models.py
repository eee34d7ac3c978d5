"""Methods of a model, export, gradients, custom operators and vmap, on the CPU."""

import pytest
from kgate_dispatch import dispatch

torch = pytest.importorskip("torch", reason="not run: torch is not installed here")
pytestmark = pytest.mark.usefixtures("fresh_compiler")

BACKENDS = ["eager", "aot_eager"]


def test_a_model_with_a_dispatched_method_compiles_into_one_graph(switch):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = torch.nn.Parameter(torch.tensor(2.0))

        @dispatch(custom=lambda self, x: x * self.scale, switch=switch)
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
