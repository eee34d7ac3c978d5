"""A comment that could not be posted: a warning where people look, and no word of it elsewhere."""

import pytest

from kgate.errors import DeliveryError
from kgate.github import comment
from tests.unit.github.runner import command_of


def failing(environ):
    with comment.told(environ):
        raise DeliveryError("GitHub answered 403 (no); the job needs `permissions: pull-requests: write`")


def test_a_job_of_github_shows_a_warning(capsys):
    with pytest.raises(DeliveryError):
        failing({"GITHUB_ACTIONS": "true"})

    read = command_of(capsys.readouterr().out.rstrip("\n"))
    assert read is not None
    assert (read.name, read.properties) == ("warning", {"title": "kgate: no comment was made"})
    assert read.data.endswith("`permissions: pull-requests: write`. The verdict stands.")


def test_a_terminal_shows_no_command(capsys):
    with pytest.raises(DeliveryError):
        failing({})

    assert capsys.readouterr().out == ""
