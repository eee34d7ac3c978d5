"""Times a short case as a GPU's worker does: by whichever method it was arranged for."""

from talk import cuda_times, serve

serve(TimeBlock=cuda_times)
