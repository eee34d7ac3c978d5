import acme_norms.kernels.layer_norm
import acme_norms.kernels.rms_norm
import acme_norms.reference  # noqa: F401
from acme_norms.registry import implementation


def rms_norm(x, weight, eps=1e-6):
    return implementation("rms_norm")(x, weight, eps)


def layer_norm(x, weight, bias, eps=1e-5):
    return implementation("layer_norm")(x, weight, bias, eps)
