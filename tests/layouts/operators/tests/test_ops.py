import pytest
import torch
from acme_ops import gelu_mul, rotate


@pytest.fixture
def device():
    return "cuda"


@pytest.mark.parametrize("tokens", [1, 64, 2048])
def test_gelu_mul(tokens, device):
    hidden = 11008
    x = torch.randn(tokens * hidden, device=device, dtype=torch.bfloat16)
    gate = torch.randn(tokens * hidden, device=device, dtype=torch.bfloat16) * 3
    assert gelu_mul(x, gate).shape == x.shape


@pytest.mark.parametrize(("heads", "width"), [(32, 128), (8, 64)])
def test_rotate(heads, width, device):
    x = torch.randn(heads, width, device=device)
    angles = torch.rand(heads, width // 2, device=device)
    rotate(x, angles)
