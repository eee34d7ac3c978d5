"""Answers in another language."""

from talk import serve

serve(TimeBlock=lambda request: b"done in no time\n")
