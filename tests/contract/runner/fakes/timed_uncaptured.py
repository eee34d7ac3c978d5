"""Cannot be captured in a graph."""

from talk import arranged, cuda_times, serve


def refused(request):
    problem = "its calls wait" if "graph" in request["method"] else ""
    return {**arranged(request), "problem": problem}


serve(TimeBlock=cuda_times, Arrange=refused)
