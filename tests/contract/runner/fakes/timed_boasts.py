"""Claims more time than has gone by."""

from talk import serve, times

serve(TimeBlock=lambda request: {**times(request), "samples_ns": [1e12] * len(request["seeds"])})
