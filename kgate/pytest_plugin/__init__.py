"""
`pytest --kgate kgate.yaml`: the cases of a manifest as test items beside the user's own tests.

Every pytest that finds kgate installed imports this module, so nothing but pytest is imported before --kgate is given.
"""

import os

import pytest

OPTIONS = (
    ("base", "REF|none", "Commit to compare with. [default: merge base]", ""),
    ("device", "auto|cpu|cuda[:N]", "Where kernels run. [default: auto]", "auto"),
    ("python", "PATH", "Interpreter with torch and the DSLs. [default: the manifest's, else python3]", ""),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The flags of `kgate check`, and its variables."""
    group = parser.getgroup("kgate", "kgate, a merge gate for custom GPU kernels")
    group.addoption("--kgate", metavar="MANIFEST", help="Check the kernels of this manifest as well.")
    for name, metavar, text, default in OPTIONS:
        chosen = os.environ.get(f"KGATE_{name.upper()}", default)
        group.addoption(f"--kgate-{name}", metavar=metavar, default=chosen, help=text)


def pytest_configure(config: pytest.Config) -> None:
    named = config.getoption("--kgate")
    if named is None:
        return
    if config.getoption("dist", "no") != "no" or hasattr(config, "workerinput"):
        raise pytest.UsageError(
            "--kgate: times are worth nothing while pytest-xdist runs other tests beside them; run with `-n 0`, or "
            "leave --kgate out here and give it a run of its own"
        )
    from kgate.pytest_plugin.gate import Gate

    config.pluginmanager.register(Gate.of(config, named), "kgate-gate")
