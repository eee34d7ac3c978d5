"""Imports a function of another file under another name."""

from functions import original as add_alias

__all__ = ["add_alias"]
