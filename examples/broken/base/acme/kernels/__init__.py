"""
TileLang kernels, one module per operator, one schedule per target.

`on_cpu` targets plain C: no threads, local buffers, serial loops. `on_cuda` targets one thread block per tile. Both are
factories that return a compiled kernel and keep it, by their arguments. Importing a module of this package imports
TileLang, so the operators do it only when the kernel is wanted.
"""
