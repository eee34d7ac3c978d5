"""Is ended by a signal in its timed loop."""

import os
import signal

from talk import serve

serve(TimeBlock=lambda request: os.kill(os.getpid(), signal.SIGBUS))
