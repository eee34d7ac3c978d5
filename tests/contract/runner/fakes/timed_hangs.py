"""Never comes out of its timed loop."""

import time

from talk import serve

serve(TimeBlock=lambda request: time.sleep(3600))
