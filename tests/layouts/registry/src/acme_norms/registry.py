import os

IMPLEMENTATIONS = {}


def register(operator, backend):
    def taken(function):
        IMPLEMENTATIONS[operator, backend] = function
        return function

    return taken


def implementation(operator):
    backend = os.environ.get("ACME_NORMS_BACKEND", "triton")
    if backend == "torch":
        return IMPLEMENTATIONS[operator, "torch"]
    return IMPLEMENTATIONS[operator, backend]
