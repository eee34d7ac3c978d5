"""Answers well and leaves a process behind, in a group of its own."""

import os
import subprocess

from speech import answer, play


def misbehave(case: str) -> None:
    subprocess.Popen(["sleep", "3600"], preexec_fn=os.setpgrp)
    answer(case)


play(misbehave)
