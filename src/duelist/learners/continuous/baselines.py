"""Gradient descent told probabilities (Flaxman, Kalai, McMahan, SODA 2005): the baselines BGD1 and BGD2."""

from dataclasses import dataclass, replace

from duelist.learners.continuous.gradient_descent import (
    MARGIN,
    PROBABILITY,
    DuelingBanditGradientDescent,
    GradientDescent,
)


@dataclass(frozen=True)
class BGD1(GradientDescent):
    """Bandit gradient descent on the probability to win: a baseline that knows more than a learner can.

    As `DuelingBanditGradientDescent`, with its parameters, but told the chance that the current point wins,
    and stepping away from the neighbour in proportion to it. Needs a problem that answers so, such as
    `p1(exact=True)`.

    Notes
    -----
    Deviations from the paper: none; step sizes are shared with DBGD, as in its Figure 2.

    References
    ----------
    Flaxman, Kalai, McMahan (2005). Online convex optimization in the bandit setting. SODA.
    Yue, Joachims (2009). ICML. Section 5.1.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import p1
    >>> problem = p1(d=5, exact=True)
    >>> learner = BGD1.for_horizon(20_000, problem.menu(), start=problem.start)
    >>> bool(simulate(learner, problem, horizon=20_000, runs=1)["BGD1"].gap_at[0, -1] < 0.3)
    True
    """

    card = replace(
        DuelingBanditGradientDescent.card,
        assumes="a problem that answers with probabilities, such as `p1(exact=True)`",
        regret="none proven here: a baseline that is told probabilities",
        citation="Flaxman, Kalai, McMahan (2005). Online convex optimization in the bandit setting",
    )
    feedback = PROBABILITY


@dataclass(frozen=True)
class BGD2(GradientDescent):
    """Bandit gradient descent on the margin, the chance to win beyond 1/2: the best informed baseline.

    As `BGD1`, with the same parameters, but the sign of the margin tells whether the neighbour is better.

    Notes
    -----
    Deviations from the papers: none.

    References
    ----------
    Those of `BGD1`.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import p1
    >>> problem = p1(d=5, exact=True)
    >>> learner = BGD2.for_horizon(20_000, problem.menu(), start=problem.start)
    >>> bool(simulate(learner, problem, horizon=20_000, runs=1)["BGD2"].gap_at[0, -1] < 0.3)
    True
    """

    card = BGD1.card
    feedback = MARGIN
