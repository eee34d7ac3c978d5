"""Answers well and leaves a process behind, in a group of its own."""

import subprocess

from speech import answer, play


def misbehave(case: str) -> None:
    subprocess.Popen(["sleep", "3600"], process_group=0)
    answer(case)


play(misbehave)
