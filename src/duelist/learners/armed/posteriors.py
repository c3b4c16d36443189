"""The posterior of a pair's preference: Beta(wins + 1, losses + 1), after a uniform prior.

Most decisions ask only whether a sample exceeds 1/2. The chance of that changes only when the pair is
compared; kept beside the wins, it spares the samples.
"""

from math import exp, log, log1p, pi, sqrt

from numpy.random import Generator

from duelist.kernels.compile import borrowing

PRECISION = 1e-14  # how close to 1 the last step of a continued fraction is

LARGE = 10.0  # from here on, four terms of Stirling's series are exact to 13 digits

LIKELY = 0.1  # a sample that falls on its side at least this often is drawn until it does


@borrowing
def chance_of_upset(wins: float, losses: float) -> float:
    """Return the posterior chance that the preference exceeds 1/2, for no more wins than losses.

    Examples
    --------
    >>> chance_of_upset(0.0, 0.0), round(chance_of_upset(0.0, 1.0), 12), round(chance_of_upset(0.0, 2.0), 12)
    (0.5, 0.25, 0.125)
    """
    return upper_tail(wins + 1.0, losses + 1.0) if wins < losses else 0.5


@borrowing
def upper_tail(a: float, b: float) -> float:
    """Return the chance that Beta(a, b) exceeds 1/2, for 1 <= a < b.

    By the continued fraction of DiDonato and Morris (1992) for the incomplete beta function.
    """
    fraction = 0.5 * (b * (b - a + 2.0)) / (b + 1.0)
    above, below, step, m = fraction, 0.0, 0.0, 0.0
    while abs(step - 1.0) > PRECISION:
        m += 1.0
        edge = b + 2.0 * m
        numerator = 0.25 * m * (a - m) * (b + m - 1.0) * (a + b + m - 1.0) / ((edge - 1.0) * (edge - 1.0))
        denominator = m + 0.5 * m * (a - m) / (edge - 1.0)
        denominator += (b + m) * (0.5 * (b - a) + 1.0 + 1.5 * m) / (edge + 1.0)
        below = 1.0 / (denominator + numerator * below)
        above = denominator + numerator / above
        step = above * below
        fraction *= step
    return height_at_half(a, b) / fraction


@borrowing
def height_at_half(a: float, b: float) -> float:
    """Return 2^-(a + b) / B(a, b), a quarter of the density of Beta(a, b) at 1/2."""
    n, lead = a + b, (b - a) / (a + b)
    exponent = stirling_excess(n) - stirling_excess(a) - stirling_excess(b)
    exponent -= a * log1p(-lead) + b * log1p(lead)
    return sqrt(a * b / (2.0 * pi * n)) * exp(exponent)


@borrowing
def stirling_excess(x: float) -> float:
    """Return by how much ln Gamma(x) exceeds Stirling's (x - 1/2) ln x - x + ln(2 pi) / 2."""
    excess = 0.0
    while x < LARGE:
        excess += (x + 0.5) * log1p(1.0 / x) - 1.0
        x += 1.0
    y = 1.0 / (x * x)
    return excess + (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y / 1680.0))) / x


@borrowing
def sample_lead(wins: float, losses: float, chance: float, rng: Generator) -> float:
    """Return a sample of the posterior that exceeds 1/2, which samples do with a known chance.

    Where that is rare, by rejection from an exponential: the density's logarithm is concave, and so lies
    below its tangent at 1/2.
    """
    if chance >= LIKELY:
        sample = 0.0
        while not 0.5 < sample < 1.0:
            sample = rng.beta(wins + 1.0, losses + 1.0)
        return sample
    excess, accepted, slope = 1.0, False, losses - wins
    while not accepted:
        excess = -log(1.0 - rng.random()) / slope
        accepted = excess < 1.0 and rng.random() < exp(
            wins * log1p(excess) + losses * log1p(-excess) + slope * excess
        )
    return 0.5 + 0.5 * excess


@borrowing
def divergence_from_half(p: float) -> float:
    """Return d(p, 1/2) for Bernoulli trials, of p between 1/2 and 1."""
    lead = 2.0 * p - 1.0
    return 0.5 * ((1.0 + lead) * log1p(lead) + (1.0 - lead) * log1p(-lead))
