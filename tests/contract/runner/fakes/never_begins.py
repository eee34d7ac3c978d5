"""Ends before it has said anything, as an interpreter with a broken torch does."""

import sys

sys.exit("ImportError: libsomething.so.1 is not here")
