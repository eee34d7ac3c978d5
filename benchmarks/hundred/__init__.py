"""A repository of a hundred cases, as a product could own it: twenty kernels of five families, five workloads each."""
