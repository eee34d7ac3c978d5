"""`@dispatch`: what a product writes above its fallback."""

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any, ParamSpec, TypeVar

from kgate_dispatch.custom import CustomPath
from kgate_dispatch.failures import Failures, Kind
from kgate_dispatch.function import DispatchFunction
from kgate_dispatch.naming import name_of
from kgate_dispatch.needs import Need
from kgate_dispatch.switch import Switch

P = ParamSpec("P")
R = TypeVar("R")

NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


def dispatch(
    *,
    custom: str | Callable[..., Any],
    switch: str | Switch,
    needs: Need | Iterable[Need] = (),
    when: Callable[..., object] | None = None,
    fallback_on: Kind | Iterable[Kind] = (),
    strict: bool = False,
) -> Callable[[Callable[P, R]], DispatchFunction[P, R]]:
    """
    Decorates the fallback, whose signature and docstring are the product's.

    custom       the custom path: a function of the same arguments, or its name `module:function`, imported at the
                 first call that wants it; whatever keeps that module from being imported makes the path unavailable
    switch       the environment variable that turns the custom path off by 0 and on by 1, on where it is not set; or a
                 Switch, which says it otherwise
    needs        what must be there for the custom path to be available: package(), cuda(), capability(), condition(),
                 or any function that returns a sentence, why not, or None
    when         called with the arguments: whether the custom path takes them. Under torch.compile it is traced
    fallback_on  errors of the custom path that the fallback answers for, by kind or as `module:Error`, and only such
                 as are raised before anything has been written to an argument; all others go to the caller
    strict       raise NoCustomPath instead of falling back where nobody asked for the fallback
    """
    if not callable(custom) and not (isinstance(custom, str) and NAME.fullmatch(custom)):
        raise ValueError(f'custom={custom!r}: give a function, or its name as "module:function"')
    asked = questions(needs)
    failures = Failures(fallback_on)
    declared = Switch(env=switch) if isinstance(switch, str) else switch

    def decorated(fallback: Callable[P, R]) -> DispatchFunction[P, R]:
        refuse(fallback, custom)
        return DispatchFunction(
            fallback,
            custom=CustomPath(custom, asked),
            switch=declared,
            when=when,
            failures=failures,
            strict=strict,
        )

    return decorated


def questions(needs: Need | Iterable[Need]) -> tuple[Need, ...]:
    asked = (needs,) if callable(needs) else tuple(needs)
    for need in asked:
        if not callable(need):
            raise TypeError(f'needs: {need!r} cannot be called; for a package write package("…")')
    return asked


def refuse(fallback: Callable[..., Any], custom: str | Callable[..., Any]) -> None:
    if not callable(fallback):
        raise TypeError(f"@dispatch decorates a function, and {fallback!r} is none")
    name = name_of(fallback)
    if inspect.iscoroutinefunction(fallback) or inspect.isgeneratorfunction(fallback):
        raise TypeError(f"{name}: a coroutine or generator fails after its call has returned, which cannot be caught")
    if custom == name or custom is fallback:
        raise ValueError(f"{name}: its custom path is itself")
