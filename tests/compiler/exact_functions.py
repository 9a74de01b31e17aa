"""The elementary functions to many digits (mpmath), arguments worth testing, and errors in last places."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from mpmath import mp, mpf
from numpy.typing import NDArray

Columns = tuple[NDArray[np.floating], ...]

MPMATH = {
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "asin": mp.asin,
    "acos": mp.acos,
    "atan": mp.atan,
    "exp": mp.exp,
    "log": mp.log,
    "tanh": mp.tanh,
    "atan2": mp.atan2,
    "pow": mp.power,
}
NAMES = tuple(MPMATH)
BITS = 130  # of the exact values; 60 more than any bound here needs


@dataclass(frozen=True)
class Precision:
    """What the tests have to know of a format."""

    dtype: str
    digits: int
    bias: int

    @property
    def least_unit(self) -> int:
        """Exponent of the last place of subnormal numbers."""
        return 2 - self.bias - self.digits

    @property
    def special(self) -> list[float]:
        """Zeros, the ends of the range, infinities, NaN, and a few plain numbers, of both signs."""
        info = np.finfo(self.dtype)
        ends = [
            info.smallest_subnormal,
            info.tiny - info.smallest_subnormal,
            info.tiny,
            info.max,
            np.inf,
            info.tiny * 1.25,
        ]
        plain = [
            0.0,
            1.0,
            2.0,
            3.0,
            0.5,
            0.75,
            10.0,
            1 + info.eps,
            1 - info.epsneg,
            2.0 ** (self.digits - 1) + 1,
        ]
        positive = [float(v) for v in (*ends, *plain)]
        return [*positive, *(-v for v in positive), math.nan]


PRECISIONS = {p.dtype: p for p in (Precision("float64", 53, 1023), Precision("float32", 24, 127))}


@dataclass(frozen=True)
class Sample:
    """Arguments of a function and its exact values (whole + fraction) 2^unit; `whole` may not be finite.

    2^unit is the last place of the exact value in the format (gradual underflow included), so that the error
    of a computed value in these units is one subtraction.
    """

    precision: Precision
    arguments: Columns
    whole: NDArray[np.float64]
    fraction: NDArray[np.float64]
    unit: NDArray[np.int64]

    def errors(self, computed: NDArray[np.floating]) -> NDArray[np.float64]:
        """|computed - exact| in units in the last place; infinite for a wrong special value or sign."""
        value = computed.astype(np.float64)
        top = self.precision.bias + 1 - self.unit
        with np.errstate(invalid="ignore", over="ignore"):
            # An infinite result stands for the next power of two beyond the format's largest number.
            scaled = np.where(
                np.isinf(value), np.copysign(np.ldexp(1.0, top), value), np.ldexp(value, -self.unit)
            )
            errors = np.abs((scaled - self.whole) - self.fraction)
        special = ~np.isfinite(self.whole) | ((self.whole == 0) & (self.fraction == 0))
        alike = (value == self.whole) | (np.isnan(value) & np.isnan(self.whole))
        errors = np.where(special, np.where(alike, 0.0, np.inf), errors)
        signed = np.isnan(self.whole) | (np.signbit(value) == np.signbit(self.whole))
        return np.where(signed, errors, np.inf)


def exact(name: str, arguments: tuple[float, ...]) -> mpf | float:
    """The exact value; a float where it is zero, infinite or NaN (C99, annex F.9)."""
    if name == "pow":
        return exact_power(*arguments)
    if name == "atan2":
        return exact_angle(*arguments)
    (x,) = arguments
    if name in ("sin", "tan", "asin", "atan", "tanh") and x == 0:
        return x
    if math.isnan(x) or (name in ("sin", "cos", "tan") and math.isinf(x)):
        return math.nan
    if name in ("asin", "acos") and abs(x) > 1:
        return math.nan
    match name, x:
        case "acos", 1.0:
            return 0.0
        case "log", _ if x <= 0:
            return -math.inf if x == 0 else math.nan
        case "log", 1.0:
            return 0.0
        case (("log" | "exp"), math.inf):
            return math.inf
        case "exp", _ if x == -math.inf:
            return 0.0
        case "exp", _ if abs(x) > 2000:  # infinite or 0 in the format, and quick in mpmath
            return mpf(2) ** (3000 if x > 0 else -3000)
        case "tanh", _ if abs(x) > 1000:
            return (
                math.copysign(1.0, x) * (1 - mpf(2) ** -200) if math.isfinite(x) else mpf(math.copysign(1, x))
            )
        case _:
            return MPMATH[name](mpf(x))


def exact_angle(y: float, x: float) -> mpf | float:
    if math.isnan(x) or math.isnan(y):
        return math.nan
    behind = math.copysign(1.0, x) < 0
    if math.isinf(x):
        magnitude = (3 * mp.pi / 4 if behind else mp.pi / 4) if math.isinf(y) else (mp.pi if behind else 0.0)
    elif y == 0:
        magnitude = mp.pi if behind else 0.0
    else:
        magnitude = mp.pi / 2 if math.isinf(y) else mp.atan2(abs(mpf(y)), mpf(x))
    if magnitude == 0:
        return math.copysign(0.0, y)
    return magnitude if math.copysign(1.0, y) > 0 else -magnitude


def exact_power(x: float, y: float) -> mpf | float:
    if y == 0 or x == 1:
        return mpf(1)
    if math.isnan(x) or math.isnan(y):
        return math.nan
    whole = math.isinf(y) or y == math.floor(y)
    odd = math.isfinite(y) and whole and y % 2 == 1
    if x < 0 and not math.isinf(x) and not whole:
        return math.nan
    sign = -1 if odd and math.copysign(1.0, x) < 0 else 1
    base = abs(x)
    if base == 1:
        return mpf(sign)
    if base == 0 or math.isinf(base) or math.isinf(y):
        return sign * (math.inf if (base > 1) == (y > 0) else 0.0)
    exponent = mpf(y) * mp.log(base)
    return sign * mp.exp(max(min(exponent, mpf(3000)), mpf(-3000)))


@cache
def sample(name: str, dtype: str, size: int, seed: int = 0) -> Sample:
    """`size` random arguments of every kind, and the special ones; made once for all widths and machines."""
    precision = PRECISIONS[dtype]
    arguments = argument_columns(name, precision, size, np.random.default_rng([seed, NAMES.index(name)]))
    count = len(arguments[0])
    whole, fraction = np.empty(count), np.zeros(count)
    unit = np.zeros(count, dtype=np.int64)
    with mp.workprec(BITS):
        for k, point in enumerate(zip(*(column.tolist() for column in arguments), strict=True)):
            value = exact(name, point)
            if isinstance(value, float):
                whole[k] = value
                continue
            exponent = mp.frexp(value)[1]
            unit[k] = max(min(exponent, precision.bias + 1) - precision.digits, precision.least_unit)
            scaled = mp.ldexp(value, -int(unit[k]))
            # Beyond the format's last power of two (and the rounding to it) only infinity is right.
            if abs(scaled) > 2.0**precision.digits * (1 + 2.0**-50):
                whole[k] = math.inf * int(mp.sign(value))
                continue
            nearest = mp.nint(scaled)
            whole[k] = math.copysign(float(nearest), int(mp.sign(value)))
            fraction[k] = float(scaled - nearest)
    return Sample(precision, arguments, whole, fraction, unit)


def argument_columns(name: str, p: Precision, size: int, rng: np.random.Generator) -> Columns:
    """Columns of arguments, from where the function is used, where it is hard, and from everywhere."""
    draw = Draw(p, size, rng)
    special = np.array(p.special, p.dtype)
    if name in ("atan2", "pow"):
        pairs = PAIRS[name](draw)
        grid = np.meshgrid(special, special)
        return tuple(
            np.concatenate([grid[k].ravel(), *(pair[k] for pair in pairs)]).astype(p.dtype) for k in (0, 1)
        )
    columns = [special, draw.any_bits(), *PLACES[name](draw)]
    return (np.concatenate(columns).astype(p.dtype),)


@dataclass(frozen=True)
class Draw:
    """Random columns of one format; the values are rounded to it at the end."""

    p: Precision
    size: int
    rng: np.random.Generator

    def uniform(self, low: float, high: float) -> NDArray[np.float64]:
        return self.rng.uniform(low, high, self.size).astype(self.p.dtype).astype(np.float64)

    def scales(self, low: float, high: float) -> NDArray[np.float64]:
        """Of either sign, the logarithm of the magnitude uniform: 2^low … 2^high."""
        sign = self.rng.choice([-1.0, 1.0], self.size)
        return (
            (sign * np.exp2(self.rng.uniform(low, high, self.size))).astype(self.p.dtype).astype(np.float64)
        )

    def beside(self, place: float) -> NDArray[np.float64]:
        """Around a number, at all distances down to its last place."""
        return place * (1 + self.scales(-self.p.digits, -1))

    def any_bits(self) -> NDArray[np.floating]:
        kind = np.uint64 if self.p.dtype == "float64" else np.uint32
        drawn = self.rng.integers(0, np.iinfo(kind).max, self.size, dtype=kind, endpoint=True).view(
            self.p.dtype
        )
        return drawn[~np.isnan(drawn)]

    @property
    def everywhere(self) -> NDArray[np.float64]:
        return self.scales(self.p.least_unit, self.p.bias)

    @property
    def overflow(self) -> float:
        """Logarithm of the first number too large."""
        return (self.p.bias + 1) * math.log(2)

    @property
    def underflow(self) -> float:
        """Logarithm of half the smallest subnormal number."""
        return (self.p.least_unit - 1) * math.log(2)


def near_quarter_turns(d: Draw) -> NDArray[np.floating]:
    """Numbers next to multiples of π/4 of all sizes, and the float64 next to one of π/2 in all the range."""
    turns = np.round(np.exp2(d.rng.uniform(0, d.p.bias - 2, d.size // 4)))
    with mp.workprec(d.p.bias + 100):
        nearest = [float(mpf(n) * mp.pi / 4) for n in turns.tolist()]
    small = [math.pi / 4 * n for n in range(d.size // 4)]
    hard = (
        [6381956970095103 * 2.0**797, 6381956970095103 * 2.0**796]
        if d.p.digits == 53
        else [16367173 * 2.0**72]
    )
    return np.array([*nearest, *small, *hard]).astype(d.p.dtype)


def turning(d: Draw) -> list[NDArray[np.floating]]:
    reduction_ends = d.beside(1.5 * 2.0 ** (d.p.digits // 2))
    return [d.uniform(-4, 4), d.uniform(-100, 100), d.everywhere, near_quarter_turns(d), reduction_ends]


def bounded(d: Draw) -> list[NDArray[np.floating]]:
    ends = np.concatenate([d.beside(1.0), d.beside(-1.0)])
    return [d.uniform(-1, 1), d.scales(-40, 0), ends[np.abs(ends) <= 1], d.beside(0.5), d.beside(-0.5)]


PLACES = {
    "sin": turning,
    "cos": turning,
    "tan": turning,
    "asin": bounded,
    "acos": bounded,
    "atan": lambda d: [
        d.uniform(-2, 2),
        d.scales(-40, 70),
        d.everywhere,
        d.beside(0.5),
        d.beside(1),
        d.beside(2),
    ],
    "exp": lambda d: [
        *(d.uniform(-1, 1), d.scales(-60, 3), d.uniform(d.underflow, d.overflow)),
        *(d.beside(d.overflow), d.uniform(d.underflow - 2, d.underflow / 1.1), d.beside(math.log(2) / 2)),
    ],
    "log": lambda d: [
        *(d.uniform(0, 2), np.abs(d.everywhere), d.beside(1)),
        *(d.beside(math.sqrt(0.5)), d.beside(math.sqrt(2)), d.uniform(0, 100)),
    ],
    "tanh": lambda d: [
        d.uniform(-1, 1),
        d.uniform(-20, 20),
        d.everywhere,
        d.scales(-20, 3),
        d.beside(0.1733),
    ],
}


def pairs_of_atan2(d: Draw) -> list[Columns]:
    y = d.scales(-30, 30)
    low, high = d.p.least_unit, 2 - d.p.bias + 20
    return [
        (d.uniform(-1, 1), d.uniform(-1, 1)),
        (y, y * d.uniform(-2.5, 2.5)),
        (y, y * d.beside(2)),
        (y, -y * d.beside(0.5)),
        (d.everywhere, d.everywhere),
        (d.scales(low, high), d.scales(low, high)),
        (d.scales(low, high), d.scales(-60, 60)),
        (d.scales(d.p.bias - 3, d.p.bias), d.scales(d.p.bias - 3, d.p.bias)),
    ]


def pairs_of_pow(d: Draw) -> list[Columns]:
    result = d.uniform(d.underflow * 1.02, d.overflow * 1.02)  # logarithm of the result
    base, any_base, by_one = np.exp2(d.uniform(-1, 1)), np.abs(d.everywhere), d.beside(1)
    near_overflow = d.beside(d.overflow)
    integers = np.round(d.uniform(-30, 30))

    def leading_to(logarithm: NDArray[np.float64], x: NDArray[np.float64]) -> Columns:
        x = x.astype(d.p.dtype).astype(np.float64)
        with np.errstate(divide="ignore", over="ignore"):
            y = logarithm / np.where(x == 1, 1.0, np.log(x))
        return x, np.clip(y, -1e30, 1e30)

    return [
        (np.abs(d.scales(-10, 10)), d.uniform(-10, 10)),
        leading_to(result, base),
        leading_to(result, any_base),
        leading_to(result, by_one),
        leading_to(near_overflow, any_base),
        (d.scales(-5, 5), integers),
        (d.everywhere, d.everywhere),
    ]


PAIRS = {"atan2": pairs_of_atan2, "pow": pairs_of_pow}
