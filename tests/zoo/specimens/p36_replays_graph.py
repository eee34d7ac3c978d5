"""
Captures a graph once per shape and replays it on the captured addresses, whatever it is given.

Source: P36, https://github.com/gpu-mode/kernelguard
Kind: kernel
Needs: gpu
Must say: wrong-result
"""

import torch

OPERATOR = "double"
MANIFEST = """
workloads:
  small: {N: 64, weight: 1}
"""
GRAPHS = {}


def kernel(x):
    if x.shape not in GRAPHS:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = x + x
        GRAPHS[x.shape] = graph, out
    graph, out = GRAPHS[x.shape]
    graph.replay()
    return out.clone()
