"""
Values of 1e5 and of 1e-3, as well as any others.

Source: C10, its honest twin
Kind: kernel
Must say: nothing
"""

OPERATOR = "rms_norm"
MANIFEST = """
workloads:
  tokens: {R: 16, C: 256, D: float32}
  loud: {R: 16, C: 256, D: float32, args: {x: {scale: 100000}}}
  quiet: {R: 16, C: 256, D: float32, args: {x: {scale: 0.001}}}
"""


def kernel(x, w):
    wide = x.double()
    return (wide / (wide.square().mean(dim=-1, keepdim=True) + 1e-6).sqrt() * w.double()).to(x.dtype)
