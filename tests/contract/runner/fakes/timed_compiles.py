"""Compiles inside the timed region."""

from talk import serve, times

serve(TimeBlock=lambda request: {**times(request), "notes": {"compiles": 1}})
