"""Begins an answer that does not end."""

from talk import serve

serve(TimeBlock=lambda request: b"x" * (1 << 22))
