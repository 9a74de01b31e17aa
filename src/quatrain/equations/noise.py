"""Random numbers that are a function of what they are for: of a seed, a stream, a channel and a count.

Nothing is remembered, so a number is the same whichever way a run came to it: in a batch or alone, on one thread or
many, in pieces or at once. A kernel has real numbers only, so words are whole numbers below 4096, whose products both
kinds of floating point hold exactly. Four words of a counter go through rounds like those of Philox, with sums in the
place of exclusive ors:

    (x₀, x₁, x₂, x₃) ← (hi(M₁ x₂) + x₁ + k₀, lo(M₁ x₂), hi(M₀ x₀) + x₃ + k₁, lo(M₀ x₀))        modulo 4096

Each is one to one, so that of one key no two counters meet. It is for noise, not for secrets.
J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, Parallel random numbers: as easy as 1, 2, 3, SC11 (2011).
"""

from __future__ import annotations

from quatrain.scalar import Scalar, cos, floor, log, pi, sin, sqrt

WORD = 4096.0
ROUNDS = 16
MULTIPLIERS = (3365.0, 2477.0)
STEPS = (2531.0, 3077.0)
"""What is added to a key from round to round."""

Words = tuple[Scalar, Scalar, Scalar, Scalar]


def words(number: Scalar, count: int) -> list[Scalar]:
    """The digits of a whole number to the base 4096, the lowest first."""
    found = []
    for _ in range(count):
        above = floor(number * (1.0 / WORD))
        found.append(number - above * WORD)
        number = above
    return found


def stirred(counter: Words, key: Words) -> Words:
    """The counter after all rounds; of the key two words and the other two take turns."""
    x0, x1, x2, x3 = counter
    for r in range(ROUNDS):
        k0, k1 = (key[0], key[1]) if r % 2 == 0 else (key[2], key[3])
        low0, high0 = words(x0 * MULTIPLIERS[0], 2)
        low1, high1 = words(x2 * MULTIPLIERS[1], 2)
        a = _below(high1 + x1 + k0 + (r * STEPS[0]) % WORD)
        b = _below(high0 + x3 + k1 + (r * STEPS[1]) % WORD)
        x0, x1, x2, x3 = a, low1, b, low0
    return x0, x1, x2, x3


def _below(x: Scalar) -> Scalar:
    return x - floor(x * (1.0 / WORD)) * WORD


def uniforms(seed: Scalar, stream: int, channel: int, count: Scalar) -> tuple[Scalar, Scalar]:
    """Two numbers within (0, 1), of 24 bits each.

    seed and count are whole numbers below 4096³ and stream below 4096; channel below 4096.
    """
    counter = (*words(count, 3), float(channel))
    key = (*words(seed, 3), float(stream))
    x0, x1, x2, x3 = stirred(counter, key)
    fine = 1.0 / (WORD * WORD)
    return (x0 * WORD + x1 + 0.5) * fine, (x2 * WORD + x3 + 0.5) * fine


def normals(seed: Scalar, stream: int, channel: int, count: Scalar) -> tuple[Scalar, Scalar]:
    """Two independent numbers of a normal distribution, mean 0 and deviation 1 (Box and Muller)."""
    u, w = uniforms(seed, stream, channel, count)
    r, angle = sqrt(log(u) * -2.0), w * (2 * pi(w))
    return r * cos(angle), r * sin(angle)
