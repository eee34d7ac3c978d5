"""A repository of many kernels for `benchmarks/plan.py`, drawn at random, that knows what each kernel rests on."""
