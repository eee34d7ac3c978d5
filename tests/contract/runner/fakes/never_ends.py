"""Answers everything, and then does not go."""

import time

from speech import answer, play

play(answer)
time.sleep(3600)
