"""One file per format, and the table of them."""

from collections.abc import Mapping

from kgate.model import Report
from kgate.reports import document, github, junit, markdown, pytest_benchmark, text
from kgate.reports._style import FormatModule, Style

__all__ = ["FORMATS", "FormatModule", "Style", "render"]

FORMATS: Mapping[str, FormatModule] = {
    module.NAME: module for module in (text, markdown, document, junit, github, pytest_benchmark)
}


def render(report: Report, form: str, style: Style) -> str:
    """`form` is a name in FORMATS."""
    return FORMATS[form].render(report, style)
