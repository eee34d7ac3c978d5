"""
Works in every other call and gives its last answer again in between.

Source: P05, https://github.com/gpu-mode/reference-kernels/issues/102
Kind: kernel
Must say: wrong-result
"""

OPERATOR = "sort"
MANIFEST = """
workloads:
  rows: {R: 16, C: 200, weight: 1}
"""
STATE = {"calls": 0, "last": None}


def kernel(x):
    STATE["calls"] += 1
    if STATE["calls"] % 2 or STATE["last"] is None or STATE["last"].shape != x.shape:
        STATE["last"] = x.sort(dim=-1).values
    return STATE["last"].clone()
