"""Says that a block took longer than the gate has waited for it."""

from talk import serve, times

serve(TimeBlock=lambda request: {**times(request), "wall_ns": 10**15})
