"""Operators with kernels in TileLang, cuTile and Triton, each behind one function that can run PyTorch instead."""
