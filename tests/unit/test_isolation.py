"""The fixture that keeps unit tests within the process does so."""

import os
import socket
import subprocess
import sys

import pytest


def test_a_unit_test_cannot_start_a_process():
    with pytest.raises(RuntimeError, match="belongs in tests/contract"):
        subprocess.run([sys.executable, "-c", ""], check=False)


def test_a_unit_test_cannot_fork():
    with pytest.raises(RuntimeError, match="belongs in tests/contract"):
        os.fork()


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_a_unit_test_cannot_open_a_network_socket(family):
    with pytest.raises(RuntimeError, match="network socket"):
        socket.socket(family)
