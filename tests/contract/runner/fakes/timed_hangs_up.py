"""Closes its connection and lives on."""

import os
import time

from talk import serve


def misbehave(request: dict[str, object]) -> bytes:
    os.closerange(3, 1000)
    time.sleep(3600)
    return b""


serve(TimeBlock=misbehave)
