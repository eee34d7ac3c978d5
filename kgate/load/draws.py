"""How the values of a tensor are drawn: a distribution of the manifest to a Fill of the protocol."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from kgate.errors import ManifestError
from kgate.load.document import Fields, Mark
from kgate.load.expressions import ExpressionError, MissingSymbol, evaluate
from kgate.load.hints import closest, nearest
from kgate.protocol import Fill

FLOATING = ("float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")
INTEGERS = ("int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8")
DTYPES = (*FLOATING, *INTEGERS, "bool")
# What torch, or common usage, calls them as well; a manifest has one name for each.
ALIASES: Mapping[str, str] = {
    "float": "float32",
    "half": "float16",
    "double": "float64",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "bf16": "bfloat16",
    "fp16": "float16",
    "fp32": "float32",
    "fp64": "float64",
    "fp8": "float8_e4m3fn",
}
DISTRIBUTIONS = ("normal", "uniform", "integers", "mask", "constant", "zipf")

NORMAL_TABLE = "normal.bin"
ZIPF_LIMIT = 1 << 24  # entries of a table: 64 MiB
EXACT_LIMIT = 1 << 53  # a Fill's numbers are float64
SPAN_LIMIT = 1 << 32  # one draw has 32 bits


class Symbols(dict[str, int | float | str]):
    """The symbols of one workload, which is named where an expression fails with them. `at` is where it stands."""

    def __init__(self, workload: str, values: Mapping[str, int | float | str], at: Mark) -> None:
        super().__init__(values)
        self.workload = workload
        self.at = at

    def error(self, mark: Mark, sentence: str) -> ManifestError:
        return mark.error(f"in workload {self.workload!r}, {sentence}")

    def missing(self, name: str, needed: Mark) -> ManifestError:
        """The workload's error for a symbol that the expression at `needed` names and that it gives no value."""
        kernel, _, _ = self.at.path.partition(".workloads.")
        user = needed.path.removeprefix(f"{self.at.path}.").removeprefix(f"{kernel}.").partition("[")[0]
        other = f", or write {meant!r} there" if (meant := closest(name, self)) else ""
        return self.at.error(f"no value for {name!r}, which {user} needs; add {name}: …{other}")


def nearest_dtype(name: str, known: Iterable[str] = DTYPES) -> str:
    """The end of a sentence about a wrong dtype; `known` are the names that may stand there."""
    word = name.removeprefix("torch.")
    return nearest(ALIASES.get(word, word), known)


def zipf_table(a: float, high: int) -> str:
    """The file name of the table of k**-a for k = 1 … high."""
    return f"zipf-{a}-{high}.bin"


def number(value: int | float | str, symbols: Symbols, mark: Mark) -> int | float:
    """A number as it stands, or arithmetic of symbols. Raises ManifestError."""
    if not isinstance(value, str):
        return value
    try:
        return evaluate(value, symbols)
    except MissingSymbol as error:
        raise symbols.missing(error.name, mark) from error
    except ExpressionError as error:
        raise symbols.error(mark, str(error)) from error


def whole(value: int | float | str, symbols: Symbols, mark: Mark) -> int:
    result = number(value, symbols, mark)
    if result != int(result):
        raise symbols.error(mark, f"{value!r} is {result}, not a whole number; use // or cdiv")
    return int(result)


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """The numbers of one distribution, each of which may be arithmetic of symbols."""

    given: Fields
    symbols: Symbols
    at: Mark

    def number(self, name: str, otherwise: float) -> float:
        return float(number(self.given.get(name, otherwise), self.symbols, self.mark(name)))

    def whole(self, name: str, otherwise: int) -> int:
        value = whole(self.given.get(name, otherwise), self.symbols, self.mark(name))
        if abs(value) > EXACT_LIMIT:
            raise self.mark(name).error(f"{value} is beyond 2**53; write a smaller bound")
        return value

    def mark(self, name: str) -> Mark:
        return self.given.marks.get(name, self.at)


def fill(tensor: Fields, dtype: str, symbols: Symbols) -> Fill:
    """The Fill of a tensor whose dtype is resolved. Raises ManifestError where they do not fit."""
    named = [name for name in DISTRIBUTIONS if name in tensor]
    if len(named) > 1:
        raise tensor.marks[named[1]].error(f"{named[0]!r} and {named[1]!r} are two distributions; keep one")
    if not named:
        if dtype in FLOATING:
            return normal(Parameters(given=Fields(tensor.at), symbols=symbols, at=tensor.at))
        needed = "mask: {p: 0.5}" if dtype == "bool" else "integers: {high: N}"
        raise tensor.marks["dtype"].error(f"a tensor of {dtype} needs a distribution; add `{needed}`")
    name = named[0]
    mark = tensor.marks[name]
    if dtype not in FLOATING and name in ("normal", "uniform"):
        needed = "mask: {p: 0.5}" if dtype == "bool" else "integers: {high: N}"
        raise mark.error(f"{name!r} does not fit {dtype}; write `{needed}`")
    if name == "constant":
        drawn = Fill(kind="constant", a=float(number(tensor[name], symbols, mark)))
    else:
        drawn = DRAWS[name](Parameters(given=tensor[name], symbols=symbols, at=mark))
    fits(drawn, dtype, mark)
    return drawn


def normal(given: Parameters) -> Fill:
    std = given.number("std", 1.0)
    if std < 0:
        raise given.mark("std").error(f"a standard deviation of {std} is less than 0; write 0 or more")
    return Fill(kind="normal", a=given.number("mean", 0.0), b=std, table=NORMAL_TABLE)


def uniform(given: Parameters) -> Fill:
    low, high = given.number("low", -1.0), given.number("high", 1.0)
    if low > high:
        raise given.mark("low").error(f"low is {low} and high is {high}; write the lower one as low")
    return Fill(kind="uniform", a=low, b=high)


def integers(given: Parameters) -> Fill:
    low, high = given.whole("low", 0), given.whole("high", 0)
    if low >= high:
        raise given.mark("high").error(f"no integer is from {low} up to but without {high}; write a larger high")
    if high - low > SPAN_LIMIT:
        raise given.mark("high").error(f"{low} to {high} spans more than 2**32; write closer bounds")
    return Fill(kind="integers", a=float(low), b=float(high))


def mask(given: Parameters) -> Fill:
    p = given.number("p", 0.5)
    if not 0 <= p <= 1:
        raise given.mark("p").error(f"a share of {p} is not from 0 to 1; write one that is")
    return Fill(kind="mask", a=p)


def zipf(given: Parameters) -> Fill:
    a, high = given.number("a", 1.2), given.whole("high", 0)
    if a <= 0:
        raise given.mark("a").error(f"an exponent of {a} is not above 0; write one that is, like 1.2")
    if not 1 <= high <= ZIPF_LIMIT:
        raise given.mark("high").error(f"high is {high}, not from 1 to 2**24; write one that is")
    return Fill(kind="zipf", a=a, b=float(high), table=zipf_table(a, high))


DRAWS: Mapping[str, Callable[[Parameters], Fill]] = {
    "normal": normal,
    "uniform": uniform,
    "integers": integers,
    "mask": mask,
    "zipf": zipf,
}


def fits(drawn: Fill, dtype: str, mark: Mark) -> None:
    """Refuse values that an integer dtype or bool cannot hold."""
    if dtype in FLOATING:
        return
    low, high = integer_range(dtype)
    lowest, highest = extremes(drawn)
    if lowest < low or highest > high or lowest != int(lowest):
        drawn_words = f"{lowest:.16g}" if lowest == highest else f"{lowest:.16g} to {highest:.16g}"
        raise mark.error(
            f"{drawn_words} does not fit {dtype}, which holds {low} to {high}; change the values or the dtype"
        )


def extremes(drawn: Fill) -> tuple[float, float]:
    match drawn.kind:
        case "integers":
            return drawn.a, drawn.b - 1
        case "zipf":
            return 0.0, drawn.b - 1
        case "mask":
            return 0.0, 1.0
        case _:
            return drawn.a, drawn.a


def integer_range(dtype: str) -> tuple[int, int]:
    if dtype == "bool":
        return 0, 1
    bits = int(dtype.rpartition("t")[2])
    return (0, (1 << bits) - 1) if dtype.startswith("u") else (-(1 << bits - 1), (1 << bits - 1) - 1)


def fixed(drawn: Fill, dtype: str) -> bool:
    """Whether values changed between samples could be no values of this distribution: other signs, other integers."""
    return dtype not in FLOATING or drawn.kind in ("mask", "integers", "zipf", "constant")
