"""Dispatch functions: one that tells its paths by the same attribute as kgate_dispatch's, and others that do not."""


class Dispatcher:
    def __init__(self, said):
        self.__kgate__ = said

    def __call__(self, x):
        raise SystemExit("called, and nobody asked for that")


telling = Dispatcher(
    {
        "version": 1,
        "custom": "acme.kernels:double",
        "fallback": "dispatched:telling.fallback",
        "switch": {"env": "ACME", "custom": "1", "fallback": "0", "read": "call"},
        "packages": ["triton"],
    }
)
short = Dispatcher({"version": 1, "custom": "acme.kernels:double", "fallback": "acme.ops:double"})
newer = Dispatcher({"version": 2, "custom": "acme.kernels:double"})
odd = Dispatcher({"version": 1, "custom": "a:b", "fallback": "a:c", "switch": 7})


def plain(x):
    return x
