"""
A function with two paths. `__call__` is all that runs in production once decided; keep it short.

Eager calls read the switch, count and log. Calls that a compiler traces do none of that: `_traced` may contain only
what torch.compile can turn into guards, see there.
"""

import contextlib
import functools
import importlib
import logging
from collections import Counter
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, TypeVar, get_args

from kgate_dispatch.arguments import described
from kgate_dispatch.custom import CustomPath
from kgate_dispatch.decision import PATHS, Decision, Path, Reason
from kgate_dispatch.errors import NoCustomPath
from kgate_dispatch.failures import Failures
from kgate_dispatch.naming import fallback_name, name_of
from kgate_dispatch.needs import one_line
from kgate_dispatch.process import declared
from kgate_dispatch.shadow import MOST_BYTES, Report, Shadow
from kgate_dispatch.switch import Switch
from kgate_dispatch.tally import Tally
from kgate_dispatch.tracing import capturing, compiling, while_tracing

P = ParamSpec("P")
R = TypeVar("R")

# 1: every function of the process is strict. A Switch, for it reads the variable fast; "custom" means "custom only".
STRICT = Switch(env="KGATE_DISPATCH_STRICT", unset="fallback")
# One object for each decision, so that a call in production makes none.
USING = {path: Decision(path, "using") for path in PATHS}
TRACED = {path: Decision(path, "traced") for path in PATHS}
FALLBACK = {reason: Decision("fallback", reason) for reason in get_args(Reason)}
RAISED = Decision("custom", "raised")
REFUSAL = "when= said no"


@dataclass(frozen=True, kw_only=True)
class Fixed:
    """What compiled code keeps until `reset()`. One value, so that no trace sees half of it."""

    path: Path
    function: Callable[..., Any]


class DispatchFunction(Generic[P, R]):
    """
    What `@dispatch(…)` makes of the fallback: called like it, it runs the custom path where that can run.

    Attributes: `fallback`, the decorated function; `switch`; `strict`.
    """

    def __init__(
        self,
        fallback: Callable[P, R],
        *,
        custom: CustomPath,
        switch: Switch,
        when: Callable[..., object] | None,
        failures: Failures,
        strict: bool,
    ) -> None:
        functools.update_wrapper(self, fallback)
        self.fallback = fallback
        self.switch = switch
        self.strict = strict
        self._custom = custom
        self._when = when
        self._failures = failures
        self._tally = Tally()
        self._asked: ContextVar[Path | None] = ContextVar("path", default=None)
        self._shadow: Shadow | None = None
        self._fixed: Fixed | None = None
        declared.add(self)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if compiling():
            return self._traced(*args, **kwargs)
        decision = self._wanted()
        if decision.path == "fallback":
            return self._wished(decision, args, kwargs)
        # Before the search: a call that the custom path does not take must not be what imports a DSL.
        if self._when is not None and not self._when(*args, **kwargs):
            return self._instead("refused", "", args, kwargs)
        found = self._custom.found or self._custom.search()
        if found.function is None:
            return self._instead("unavailable", found.why, args, kwargs)
        compare = None if self._shadow is None else self._shadow.begun(self.fallback, args, kwargs)
        try:
            answer: R = found.function(*args, **kwargs)
        except self._failures.classes() as error:
            if self._strict():
                self._tally.add(RAISED)
                raise
            failure = one_line(error)
        except BaseException:
            self._tally.add(RAISED)
            raise
        else:
            self._tally.add(decision)
            if compare is not None:
                compare(answer)
            return answer
        # Outside the except clause, which would keep the frames of the custom path alive, and all memory they hold.
        return self._instead("failed", failure, args, kwargs)

    def _wanted(self) -> Decision:
        asked = self._asked.get()
        return self.switch.decision() if asked is None else USING[asked]

    def _wished(self, decision: Decision, args: Any, kwargs: Any) -> R:
        self._tally.add(decision)
        if decision.reason not in self._tally.said:
            self._say(decision.reason, logging.INFO, self._wish(decision))
        return self.fallback(*args, **kwargs)

    def _instead(self, reason: Reason, why: str, args: Any, kwargs: Any) -> R:
        """The fallback, which nobody asked for."""
        if self._strict():
            raise self._forbidden(reason, why or refusal(args, kwargs))
        self._tally.add(FALLBACK[reason])
        topic = reason if reason != "failed" else why.partition(":")[0]  # each kind of error is news
        if topic not in self._tally.said:
            self._say(reason, logging.WARNING, why or refusal(args, kwargs), topic)
        return self.fallback(*args, **kwargs)

    def _say(self, reason: Reason, level: int, why: str, topic: str | None = None) -> None:
        held = "; captured in a CUDA graph, which keeps it until it is captured anew" if capturing() else ""
        line = f"{self.name} runs its fallback ({reason}): {why}{held}. Said once; counts() goes on."
        self._tally.say(topic or reason, level, line)

    def _forbidden(self, reason: Reason, why: str) -> NoCustomPath:
        return NoCustomPath(f"{self.name}: {reason}: {why}; strict mode forbids the fallback")

    def _strict(self) -> bool:
        return self.strict or STRICT.decision().path == "custom"

    def _traced(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """
        Runs under a tracer. `_fix` and `_refuse` are called there and then, and leave nothing in the graph; `_fixed`
        and what `when` looks at become guards, so that a change of path compiles anew and a return finds its old code.
        """
        if self._when is not None and not self._when(*args, **kwargs):
            self._refuse()
            return self.fallback(*args, **kwargs)
        self._fix()
        fixed: Any = self._fixed
        return fixed.function(*args, **kwargs)  # type: ignore[no-any-return]

    @while_tracing
    def _fix(self) -> None:
        """Decides for compiled code, once, whatever `using` says at the time."""
        if self._fixed is None:
            self._fixed = self._settled()
        self._tally.add(TRACED[self._fixed.path])

    @while_tracing
    def _refuse(self) -> None:
        """Without looking for the custom path, as in an eager call."""
        if self.switch.decision().path == "custom":
            if self._strict():
                raise self._forbidden("refused", REFUSAL)
            self._say("refused", logging.WARNING, f"{REFUSAL} to a call that was traced")
        self._tally.add(TRACED["fallback"])

    def _settled(self) -> "Fixed":
        decision, why = self._would(self.switch.decision())
        if decision.path == "custom":
            return Fixed(path="custom", function=self.custom)
        unavailable = decision.reason == "unavailable"
        if unavailable and self._strict():
            raise self._forbidden("unavailable", why)
        self._say(decision.reason, logging.WARNING if unavailable else logging.INFO, f"{why}; compiled code keeps it")
        return Fixed(path="fallback", function=self.fallback)

    def _would(self, wanted: Decision) -> tuple[Decision, str]:
        """What a call would do, and why, as far as it does not hang on the arguments."""
        if wanted.path == "custom":
            found = self._custom.found or self._custom.search()
            if found.function is None:
                return Decision("fallback", "unavailable"), found.why
        return wanted, self._wish(wanted)

    def _wish(self, wanted: Decision) -> str:
        return "inside `with using(…)`" if wanted.reason == "using" else self.switch.why()

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """Bound like any function of a class body. A partial, since torch.compile cannot follow a bound method here."""
        return self if instance is None else functools.partial(self, instance)  # type: ignore[arg-type]

    def __reduce__(self) -> str:
        return self.name.partition(":")[2]  # pickled by name, like a function

    def __repr__(self) -> str:
        return f"<dispatch {self.name}>"

    @contextlib.contextmanager
    def using(self, path: Path) -> Iterator[None]:
        """
        Eager calls below this `with`, in this thread or task, take this path, whatever the switch says. A custom path
        that cannot run still falls back. Compiled code keeps its path.
        """
        if path not in PATHS:
            raise ValueError(f'{self.name}: using({path!r}): choose "custom" or "fallback"')
        if self._fixed is not None:
            line = f"{self.name}: using({path!r}) does not reach compiled code, which keeps its {self._fixed.path} path"
            self._tally.say("using, compiled", logging.WARNING, line)
        token = self._asked.set(path)
        try:
            yield
        finally:
            self._asked.reset(token)

    def reset(self) -> None:
        """
        Decides anew: needs are asked again, the log speaks again, and compiled code whose path changes is compiled
        anew at its next call. Counters go on. A CUDA graph keeps what it captured.
        """
        self._tally.rearm()
        importlib.invalidate_caches()
        self._custom.forget()
        if self._fixed is not None:
            self._fixed = None
            with contextlib.suppress(NoCustomPath):  # strict: the next trace raises it where somebody sees it
                self._fixed = self._settled()

    def shadow(self, share: float, callback: Callable[[Report], object], *, most_bytes: int = MOST_BYTES) -> None:
        """
        From now on a share of the eager calls of the custom path, drawn at random, also runs the fallback, and the
        callback is told how far apart they were; 0 turns it off. See `kgate_dispatch.shadow` for what it costs.
        """
        shadow = Shadow(self.name, share, callback, most_bytes)
        self._shadow = shadow if share else None

    @property
    def name(self) -> str:
        return name_of(self)

    @property
    def custom(self) -> Callable[P, R]:
        """The custom path itself. Raises NoCustomPath where it is not available."""
        found = self._custom.found or self._custom.search()
        if found.function is None:
            raise NoCustomPath(f"{self.name}: unavailable: {found.why}")
        return found.function

    @property
    def last(self) -> Decision | None:
        """Of the last call or trace, in whichever thread."""
        return self._tally.last

    def counts(self) -> Counter[tuple[Path, Reason]]:
        """How many calls each path answered, by reason; a pair that never occurred counts 0. A copy."""
        return self._tally.counts()

    def paths(self) -> dict[Path, str]:
        """The names of both paths, as `module:function`."""
        return {"custom": self._custom.name, "fallback": fallback_name(self.fallback)}

    def explain(self) -> str:
        """One line: which path a call here and now would take, and why. Asks the needs, if nobody has yet."""
        decision, why = self._would(self._wanted())
        unless = ", unless when= refuses its arguments" if decision.path == "custom" and self._when else ""
        held = f"; compiled code holds {self._fixed.path}" if self._fixed else ""
        named = f"{decision.path} path {self.paths()[decision.path]}"
        return f"{self.name} takes its {named} ({decision.reason}: {why}){unless}{held}"

    @property
    def __kgate__(self) -> dict[str, Any]:
        """What a manifest entry of kgate would say of this function; nothing is imported or asked for it."""
        switch = {"env": self.switch.env, "custom": self.switch.custom, "fallback": self.switch.fallback}
        packages = list(self._custom.packages())
        return {"version": 1, **dict(self.paths().items()), "switch": {**switch, "read": "call"}, "packages": packages}


def refusal(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    return f"{REFUSAL} to {described(args, kwargs)}"
