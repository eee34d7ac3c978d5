"""Fallbacks and dispatch, by torch alone."""

import importlib
import math
import subprocess
import sys
from types import ModuleType

import pytest

from tests.contract.gallery.conftest import ROOT, wanted

torch = wanted("torch")
kgate_dispatch = wanted("kgate_dispatch")

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
@pytest.mark.usefixtures("undecided")
def test_the_fallback_runs_where_no_dsl_can_be_imported(operator, monkeypatch):
    for package in ("tilelang", "cuda.tile", "triton"):
        monkeypatch.setitem(sys.modules, package, None)  # makes its import fail
    package = importlib.import_module(f"gallery.{operator}")
    inputs = inputs_of(operator)

    out = getattr(package, operator)(*inputs)

    torch.testing.assert_close(out, package.fallback(*inputs))


def test_a_switch_that_names_no_path_is_refused_by_hand_with_the_choices(monkeypatch):
    from gallery import gemm

    monkeypatch.setenv("GALLERY_GEMM", "tritno")

    with pytest.raises(ValueError, match="GALLERY_GEMM=tritno: choose one of tilelang, cutile, triton, torch"):
        gemm.gemm(torch.ones(1, 2), torch.ones(2, 1))


@pytest.mark.usefixtures("undecided")
def test_a_switch_that_names_no_path_turns_every_kernel_of_the_others_off_and_is_quoted_in_the_log(monkeypatch, caplog):
    from gallery import softmax

    caplog.set_level("INFO", logger="kgate_dispatch")
    monkeypatch.setenv("GALLERY_SOFTMAX", "tritno")

    out = softmax.softmax(torch.ones(1, 2))

    assert out.tolist() == [[0.5, 0.5]]
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 3
    assert "GALLERY_SOFTMAX=tritno, which is neither triton nor torch" in said[-1]


def test_a_call_that_autograd_records_takes_torch():
    from gallery import gemm

    a = torch.randn(2, 3, requires_grad=True)

    out = gemm.gemm(a, torch.randn(3, 2))

    assert out.requires_grad


KERNELS = {"cutile": {"cpu": (torch.float32,)}, "triton": {"cpu": (torch.float32,)}}
CHOICES = [("", "triton"), ("cutile", "cutile"), ("triton", "triton"), ("torch", "torch")]


@pytest.mark.parametrize(("switch", "taken"), CHOICES)
def test_a_kernel_that_loses_to_torch_runs_only_where_the_switch_names_it(monkeypatch, switch, taken):
    from gallery import paths

    for dsl, needed in (("cutile", "cuda.tile"), ("triton", "triton")):
        monkeypatch.setitem(sys.modules, needed, ModuleType(needed))
        kernels = ModuleType(f"acme.{dsl}_")
        kernels.name = lambda x, dsl=dsl: dsl
        monkeypatch.setitem(sys.modules, kernels.__name__, kernels)
    monkeypatch.setenv("GALLERY_TESTED", switch)

    def takes(dsl, x):
        return paths.suits(KERNELS[dsl], x) and (dsl != "cutile" or paths.named("GALLERY_TESTED", dsl))

    name = paths.dispatched("GALLERY_TESTED", KERNELS, "acme.{}_:name", takes)(lambda x: "torch")

    assert name(torch.ones(2)) == taken
    assert name(torch.ones(2, dtype=torch.float64)) == "torch"
    assert name(torch.ones(2, requires_grad=True)) == "torch"


@pytest.mark.parametrize(("switch", "taken"), [("", "triton"), ("cutile", "cutile"), ("torch", None)])
def test_a_dispatcher_by_hand_chooses_alike(monkeypatch, switch, taken):
    from gallery import gemm

    monkeypatch.setattr(gemm, "found", lambda _: True)
    monkeypatch.setattr(gemm, "KERNELS", KERNELS)
    monkeypatch.setattr(gemm, "slower", lambda a, b: ("cutile",))
    monkeypatch.setenv("GALLERY_GEMM", switch)

    assert gemm.choose(torch.ones(1, 2), torch.ones(2, 1)) == taken


@pytest.mark.parametrize(
    ("operator", "dsl", "shapes", "losing"),
    [
        ("softmax", "cutile", [(4, 17)], True),
        ("softmax", "cutile", [(4, 16)], False),
        ("softmax", "triton", [(4, 17)], False),
        ("softmax", "triton", [(1, 16)], True),
        ("vector_add", "cutile", [(33,), (33,)], True),
        ("vector_add", "triton", [(33,), (33,)], False),
        ("linear_gelu", "cutile", [(64, 9), (5, 9), (5,)], True),
        ("linear_gelu", "cutile", [(65, 9), (5, 9), (5,)], False),
        ("attention", "tilelang", [(1, 2, 15, 64)] * 3, True),
        ("attention", "tilelang", [(1, 2, 16, 64)] * 3, False),
    ],
)
def test_where_a_kernel_was_measured_to_lose_torch_runs_unless_the_switch_names_it(
    monkeypatch, operator, dsl, shapes, losing
):
    package = importlib.import_module(f"gallery.{operator}")
    monkeypatch.setattr(package, "KERNELS", {dsl: {"cpu": (torch.float32,)}})
    more = (None, True) if operator == "attention" else ()
    tensors = [torch.ones(shape) for shape in shapes]

    unset = package.takes(dsl, *tensors, *more)
    monkeypatch.setenv(package.VARIABLE, dsl)
    asked = package.takes(dsl, *tensors, *more)

    assert (unset, asked) == (not losing, True)


@pytest.mark.parametrize("operator", ["softmax", "vector_add", "rms_norm"])
@pytest.mark.usefixtures("undecided")
def test_a_call_compiles_into_one_graph(monkeypatch, operator):
    package = importlib.import_module(f"gallery.{operator}")
    monkeypatch.setenv(f"GALLERY_{operator.upper()}", "torch")
    torch.compiler.reset()
    inputs = inputs_of(operator)

    out = torch.compile(getattr(package, operator), fullgraph=True, backend="eager")(*inputs)

    torch.testing.assert_close(out, package.fallback(*inputs))


def test_without_kgate_dispatch_one_sentence_says_what_to_install():
    program = (
        "import sys; sys.modules['kgate_dispatch'] = None; sys.path.insert(0, sys.argv[1]); import gallery.softmax"
    )

    done = subprocess.run([sys.executable, "-c", program, ROOT], capture_output=True, text=True, check=False)

    assert done.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: gallery chooses its kernels with kgate_dispatch, which is not here: pip install the "
        "folder dispatch/ of kgate's repository"
    )


@pytest.mark.parametrize(
    ("rows", "transposed", "losing"),
    [(1, False, {"cutile", "triton"}), (64, True, {"cutile", "triton"}), (65, False, set()), (65, True, {"triton"})],
)
def test_products_with_few_rows_are_left_to_torch_by_cutile_and_triton(rows, transposed, losing):
    from gallery import gemm

    b = torch.ones(5, 3).t() if transposed else torch.ones(3, 5)

    assert set(gemm.slower(torch.ones(rows, 3), b)) == losing
