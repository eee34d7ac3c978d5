"""Operators with kernels in TileLang, cuTile and Triton, each behind one function that can run PyTorch instead."""

try:
    import kgate_dispatch  # noqa: F401  asked for here, so that one sentence says what is missing
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "gallery chooses its kernels with kgate_dispatch, which is not here: "
        "pip install the folder dispatch/ of kgate's repository",
        name="kgate_dispatch",
    ) from error
