"""
One decorator between a custom GPU kernel and its fallback. Start with README.md; `dispatch` is the decorator.

Standard library only, and torch is used only where the product has imported it or a need asks for it.
"""

from kgate_dispatch.decision import Decision
from kgate_dispatch.declaration import dispatch
from kgate_dispatch.errors import NoCustomPath
from kgate_dispatch.function import DispatchFunction
from kgate_dispatch.needs import capability, condition, cuda, package
from kgate_dispatch.process import functions, reset
from kgate_dispatch.shadow import Report
from kgate_dispatch.switch import Switch

__all__ = [
    "Decision",
    "DispatchFunction",
    "NoCustomPath",
    "Report",
    "Switch",
    "capability",
    "condition",
    "cuda",
    "dispatch",
    "functions",
    "package",
    "reset",
]
