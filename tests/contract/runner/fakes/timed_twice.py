"""Gives two answers to one request."""

import json

from talk import serve, times

serve(TimeBlock=lambda request: (json.dumps(times(request)).encode() + b"\n") * 2)
