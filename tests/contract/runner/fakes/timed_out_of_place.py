"""Answers a question that it was not asked."""

from talk import ready, serve

serve(TimeBlock=ready)
