"""Can be timed one call at a time and in no other way."""

from talk import arranged, cuda_times, serve

serve(TimeBlock=cuda_times, Arrange=lambda request: {**arranged(request), "problem": "no room"})
