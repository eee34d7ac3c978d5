"""Acme's operators: a TileLang kernel where one is in place, PyTorch otherwise."""
