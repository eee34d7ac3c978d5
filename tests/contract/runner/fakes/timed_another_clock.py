"""Times everything by a clock of its own."""

from talk import serve, times

serve(TimeBlock=lambda request: {**times(request), "method": "sundial"})
