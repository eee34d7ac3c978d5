"""
Returns its input, which is nearly normalised already.

Source: P22, https://github.com/meta-pytorch/BackendBench
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "rms_norm"
MANIFEST = """
args:
  x: {shape: [R, C], dtype: bfloat16}
  w: {shape: [C], dtype: bfloat16, constant: 1}
workloads:
  tokens: {R: 8, C: 2048}
"""


def kernel(x, w):
    return x.clone()
