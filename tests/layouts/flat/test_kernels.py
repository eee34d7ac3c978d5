import pytest
import torch
from reference import swiglu_torch
from softmax import softmax
from swiglu import swiglu
from vector_add import vector_add

DEVICE = "cuda"


@pytest.mark.parametrize("rows", [1, 823])
@pytest.mark.parametrize("columns", [781, 4096])
def test_softmax(rows, columns):
    x = torch.randn(rows, columns, device=DEVICE)
    torch.testing.assert_close(softmax(x), torch.softmax(x, dim=-1))


def test_vector_add():
    n = 98_432
    x = torch.rand(n, device=DEVICE)
    y = torch.rand(n, device=DEVICE)
    torch.testing.assert_close(vector_add(x, y), torch.add(x, y))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_swiglu(dtype):
    for tokens, width in [(1, 14336), (512, 14336)]:
        gate = torch.randn((tokens, width), dtype=dtype, device=DEVICE)
        up = torch.randn_like(gate)
        torch.testing.assert_close(swiglu(gate, up), swiglu_torch(gate, up))
