import acme_norms
import pytest
import torch

SHAPES = [(1, 4096), (128, 4096), pytest.param(33, 1001, id="odd")]


@pytest.mark.parametrize(("rows", "columns"), SHAPES)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_rms_norm(rows, columns, dtype):
    x = torch.randn(rows, columns, dtype=dtype, device="cuda")
    weight = torch.ones(columns, dtype=dtype, device="cuda")
    expected = x / x.pow(2).mean(-1, keepdim=True).add(1e-6).sqrt() * weight
    torch.testing.assert_close(acme_norms.rms_norm(x, weight, eps=1e-6), expected, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("shape", [(8, 768), (512, 1024)])
def test_layer_norm(shape):
    _rows, columns = shape
    x = torch.randn(shape).cuda().half()
    weight, bias = torch.rand(columns).cuda().half(), torch.zeros(columns, device="cuda", dtype=torch.half)
    acme_norms.layer_norm(x, weight, bias)
