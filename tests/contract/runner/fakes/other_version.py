"""Speaks a protocol of another year."""

import os

from speech import say

say("Hello", pid=os.getpid(), version=99)
