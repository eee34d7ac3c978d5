"""Answers every case well."""

from speech import answer, play

play(answer)
