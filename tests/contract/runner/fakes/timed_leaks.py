"""Lets the device wait for the host in every sample."""

from talk import serve, times

serve(TimeBlock=lambda request: {**times(request), "notes": {"host-time-leaked": len(request["seeds"])}})
