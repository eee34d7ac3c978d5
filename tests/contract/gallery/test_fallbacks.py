"""Fallbacks and dispatch, by torch alone."""

import importlib
import math
import sys

import pytest

from tests.contract.gallery.conftest import wanted

torch = wanted("torch")

pytestmark = [pytest.mark.real]

OPERATORS = ("vector_add", "matrix_add", "softmax", "rms_norm", "gemm", "linear_gelu", "attention", "fp8_gemm")


def inputs_of(operator):
    """Small inputs in float32 (fp8_gemm: in its own types), with a fixed seed."""
    make = torch.Generator().manual_seed(1)
    normal = lambda *shape: torch.randn(*shape, generator=make)  # noqa: E731
    if operator == "fp8_gemm":
        package = importlib.import_module("gallery.fp8_gemm")
        a, a_scale = package.quantize(normal(5, 300))
        b, b_scale = package.quantize(normal(140, 300), rows=128)
        return a, a_scale, b, b_scale
    return {
        "vector_add": lambda: (normal(33), normal(33)),
        "matrix_add": lambda: (normal(3, 11), normal(3, 11)),
        "softmax": lambda: (normal(4, 17),),
        "rms_norm": lambda: (normal(4, 17), normal(17)),
        "gemm": lambda: (normal(4, 9), normal(9, 5)),
        "linear_gelu": lambda: (normal(4, 9), normal(5, 9), normal(5)),
        "attention": lambda: (normal(2, 4, 5, 64), normal(2, 2, 5, 64), normal(2, 2, 5, 64)),
    }[operator]()


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_fallback_stays_in_float64_when_its_inputs_are_widened(operator):
    package = importlib.import_module(f"gallery.{operator}")
    narrow = inputs_of(operator)

    out = package.fallback(*(x.to(torch.float64) for x in narrow))

    assert out.dtype == torch.float64
    # fp8_gemm's narrow form rounds to bfloat16, whose step is 2^-8: of the largest result, as small ones cancel.
    torch.testing.assert_close(out, package.fallback(*narrow).double(), rtol=0, atol=2**-6 * out.abs().max().item())


def test_both_gradients_of_the_fallback_stay_in_float64_and_equal_autograds():
    from gallery import rms_norm

    x = torch.randn(3, 9, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(9, dtype=torch.float64, requires_grad=True)
    grad = torch.randn(3, 9, dtype=torch.float64)
    torch.nn.functional.rms_norm(x, (9,), weight, 1e-5).backward(grad)

    dx, dweight = rms_norm.fallback_backward(grad, x.detach(), weight.detach(), 1e-5)

    torch.testing.assert_close(dx, x.grad)
    torch.testing.assert_close(dweight, weight.grad)


def test_training_through_the_dispatcher_gives_torchs_gradients():
    from gallery import rms_norm

    x, weight = torch.randn(3, 9, requires_grad=True), torch.randn(9, requires_grad=True)
    expected = torch.autograd.grad(torch.nn.functional.rms_norm(x, (9,), weight, 1e-5).square().sum(), (x, weight))

    found = torch.autograd.grad(rms_norm.rms_norm(x, weight, 1e-5).square().sum(), (x, weight))

    torch.testing.assert_close(found, expected)


def test_an_attention_query_without_a_key_gives_zero():
    from gallery import attention

    q, k, v = inputs_of("attention")
    mask = torch.ones(2, 5, dtype=torch.bool)
    mask[0, :2] = False

    out = attention.fallback(q, k, v, mask)

    assert out[0, :, :2].eq(0).all()
    assert out.isfinite().all()
    # Query 2 of sequence 0 sees key 2 alone, so that its result is that key's value, for both heads of a group.
    torch.testing.assert_close(out[0, :, 2], v[0, :, 2].repeat_interleave(2, 0))


def test_block_scales_give_the_product_back_within_three_bits():
    from gallery import fp8_gemm

    make = torch.Generator().manual_seed(2)
    a, b = torch.randn(64, 384, generator=make), torch.randn(200, 384, generator=make)

    out = fp8_gemm.fallback(*fp8_gemm.quantize(a), *fp8_gemm.quantize(b, rows=128))

    # e4m3 keeps three bits behind the point: half a step is 2^-4, and 384 independent errors average out.
    error = (out.double() - a.double() @ b.double().t()).square().mean().sqrt()
    assert error < math.sqrt(384) * 2**-4


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_fallback_runs_where_no_dsl_can_be_imported(operator, monkeypatch):
    from gallery import paths

    for package in ("tilelang", "cuda.tile", "triton"):
        monkeypatch.setitem(sys.modules, package, None)  # makes its import fail
    paths.found.cache_clear()
    package = importlib.import_module(f"gallery.{operator}")
    inputs = inputs_of(operator)

    out = getattr(package, operator)(*inputs)
    paths.found.cache_clear()

    torch.testing.assert_close(out, package.fallback(*inputs))


def test_a_switch_that_names_no_path_is_refused_with_the_choices(monkeypatch):
    from gallery import softmax

    monkeypatch.setenv("GALLERY_SOFTMAX", "tritno")

    with pytest.raises(ValueError, match="GALLERY_SOFTMAX=tritno: choose one of tilelang, cutile, triton, torch"):
        softmax.softmax(torch.ones(1, 2))


def test_a_call_that_autograd_records_takes_torch():
    from gallery import gemm

    a = torch.randn(2, 3, requires_grad=True)

    out = gemm.gemm(a, torch.randn(3, 2))

    assert out.requires_grad


@pytest.mark.parametrize(("switch", "taken"), [("", "triton"), ("cutile", "cutile"), ("torch", None)])
def test_a_kernel_that_loses_to_torch_runs_only_where_the_switch_names_it(monkeypatch, switch, taken):
    from gallery import paths

    monkeypatch.setattr(paths, "found", lambda _: True)
    monkeypatch.setenv("GALLERY_SOFTMAX", switch)
    kernels = {"cutile": {"cpu": (torch.float32,)}, "triton": {"cpu": (torch.float32,)}}

    assert paths.choose("GALLERY_SOFTMAX", kernels, torch.ones(1, 2), slower=("cutile",)) == taken


@pytest.mark.parametrize(
    ("rows", "transposed", "losing"),
    [(1, False, {"cutile", "triton"}), (64, True, {"cutile", "triton"}), (65, False, set()), (65, True, {"triton"})],
)
def test_products_with_few_rows_are_left_to_torch_by_cutile_and_triton(rows, transposed, losing):
    from gallery import gemm

    b = torch.ones(5, 3).t() if transposed else torch.ones(3, 5)

    assert set(gemm.slower(torch.ones(rows, 3), b)) == losing
