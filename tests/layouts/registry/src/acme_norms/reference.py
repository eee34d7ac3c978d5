import torch

from acme_norms.registry import register


@register("rms_norm", backend="torch")
def rms_norm(x, weight, eps=1e-6):
    return torch.nn.functional.rms_norm(x, (x.shape[-1],), weight, eps)


@register("layer_norm", backend="torch")
def layer_norm(x, weight, bias, eps=1e-5):
    return torch.nn.functional.layer_norm(x, (x.shape[-1],), weight, bias, eps)
