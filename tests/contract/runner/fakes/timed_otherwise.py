"""Changes the clock in the middle."""

import itertools

from talk import serve, times

METHODS = itertools.count()

serve(TimeBlock=lambda request: {**times(request), "method": f"clock {next(METHODS)}"})
