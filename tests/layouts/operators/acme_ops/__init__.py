from acme_ops.gelu import gelu_mul
from acme_ops.rope import rotate

__all__ = ["gelu_mul", "rotate"]
