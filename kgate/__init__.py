"""kgate: a merge gate for custom GPU kernels. Importing this imports nothing else; start reading at `pipeline.py`."""

__version__ = "0.1.0"
