"""The one error of this package."""


class NoCustomPath(RuntimeError):
    """
    The custom path cannot run, and strict mode forbids the fallback; or `.custom` was asked for where there is none.

    Its text names the function, the reason and what to do.
    """
