"""Claims times that no clock gives."""

from talk import serve, times

serve(TimeBlock=lambda request: {**times(request), "samples_ns": [-1.0] * len(request["seeds"])})
