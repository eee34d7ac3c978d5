"""Never connects."""

import time

from speech import hello

hello()
time.sleep(3600)
