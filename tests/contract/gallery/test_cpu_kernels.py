"""The TileLang schedules for the CPU, run, against the fallback in float64."""

import importlib

import pytest

from tests.contract.gallery.conftest import wanted

torch = wanted("torch")
wanted("tilelang")
wanted("kgate_dispatch")

pytestmark = [
    pytest.mark.real,
    pytest.mark.filterwarnings("ignore"),  # of tilelang and tvm, about their own future
]

ODD = ((1, 1), (3, 1025), (1, 50257), (7, 32))
PRODUCTS = ((1, 1, 1), (17, 129, 65), (64, 512, 130), (1, 768, 192))  # m, k, n


def close(operator, *inputs, function=None):
    """Runs kernel and fallback; the bound is float32's precision times the square root of what is summed."""
    kernel = getattr(importlib.import_module(f"gallery.{operator}.tilelang_"), function or operator)
    package = importlib.import_module(f"gallery.{operator}")

    out = kernel(*inputs)
    expected = package.fallback(*(x.double() if isinstance(x, torch.Tensor) else x for x in inputs))

    assert out.dtype == torch.float32
    torch.testing.assert_close(out.double(), expected, rtol=1e-5, atol=1e-4, equal_nan=True)


@pytest.mark.parametrize("n", [1, 1023, 1025, 50257])
def test_vector_add_is_right_at_odd_lengths(n):
    close("vector_add", torch.randn(n), torch.randn(n))


def test_vector_add_is_right_on_slices():
    close("vector_add", torch.randn(202)[1::2], torch.randn(303)[::3])


def test_matrix_add_is_right_on_slices_and_transposes():
    close("matrix_add", torch.randn(7, 513)[:, 1:258], torch.randn(257, 7).t())


@pytest.mark.parametrize("shape", ODD)
def test_softmax_is_right_at_odd_shapes_and_large_scales(shape):
    close("softmax", torch.randn(shape) * 1000)


def test_softmax_of_a_masked_row_is_nan_as_torchs_is():
    close("softmax", torch.tensor([[float("-inf")] * 3, [1.0, float("-inf"), 2.0]]))


@pytest.mark.parametrize("shape", ODD)
def test_rms_norm_is_right_at_odd_shapes_and_large_scales(shape):
    close("rms_norm", torch.randn(shape) * 1000, torch.randn(shape[1]), 1e-6)


@pytest.mark.parametrize(("m", "k", "n"), PRODUCTS)
@pytest.mark.parametrize("transposed", [False, True])
def test_gemm_is_right_at_odd_shapes_and_on_transposes(m, k, n, transposed):
    b = torch.randn(n, k).t() if transposed else torch.randn(k, n)

    close("gemm", torch.randn(m, k), b)


@pytest.mark.parametrize(("m", "k", "n"), PRODUCTS)
def test_linear_gelu_is_right_at_odd_shapes_and_both_ends_of_gelu(m, k, n):
    close("linear_gelu", torch.randn(m, k), torch.randn(n, k) * 0.1, torch.randn(n) * 100)


@pytest.mark.parametrize(
    ("operator", "shapes"),
    [
        ("vector_add", ((0,), (0,))),
        ("matrix_add", ((5, 0), (5, 0))),
        ("softmax", ((0, 7),)),
        ("softmax", ((7, 0),)),
        ("gemm", ((0, 3), (3, 4))),
        ("gemm", ((3, 0), (0, 4))),
        ("linear_gelu", ((0, 3), (4, 3), (4,))),
        ("linear_gelu", ((3, 0), (4, 0), (4,))),
    ],
)
def test_empty_tensors_give_what_torch_gives(operator, shapes):
    close(operator, *(torch.randn(shape) for shape in shapes))


@pytest.mark.parametrize("operator", ["vector_add", "softmax", "gemm"])
def test_the_dispatcher_takes_the_kernel_that_its_switch_names(operator, monkeypatch, undecided):
    kernels = importlib.import_module(f"gallery.{operator}.tilelang_")
    package = importlib.import_module(f"gallery.{operator}")
    taken = []
    monkeypatch.setattr(kernels, operator, lambda *inputs: taken.append(len(inputs)))
    undecided()  # code that was compiled before makes the dispatcher look for its kernel at once
    inputs = {"vector_add": (3,), "softmax": (2, 3), "gemm": (3, 3)}[operator]
    tensors = [torch.randn(inputs)] * (1 if operator == "softmax" else 2)

    for path in ("tilelang", "torch"):
        monkeypatch.setenv(f"GALLERY_{operator.upper()}", path)
        getattr(package, operator)(*tensors)

    assert taken == [len(tensors)]
