"""Ends the process while it is prepared."""

import os

from talk import serve

serve(Prepare=lambda request: os._exit(3))
