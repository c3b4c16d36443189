"""RMED1 (Komiyama, Honda, Kashima, Nakagawa 2015): suspects meet the arm believed to be the winner."""

from dataclasses import dataclass, replace

from duelist.learners.armed.rmed import RMED


@dataclass(frozen=True)
class RMED1(RMED):
    """Find the Condorcet winner by the likelihood of every arm, without knowing the horizon.

    The duels so far make it more or less likely that an arm beats all others. Arms for which it is likely
    enough take turns: each meets the likeliest winner if it has not beaten it, else the arm against which it
    won least. Needs a Condorcet winner and nothing else; regret is O(K log t) plus a term of K alone, and
    near the lower bound where duels with the winner are the cheapest way to show that an arm loses.

    Parameters
    ----------
    scale : float, default 0.3
        The factor c of f(K) = c K^e, which keeps an arm in play longer; the default is the paper's.
    exponent : float, default 1.01
        The exponent e of f(K), above 1 (the paper's bounds) and at most 4.

    Notes
    -----
    Deviations from the paper: none. What it leaves open: loops go through the arms in an order drawn at the
    start, in which also all ties are decided; the arm named best is i*; t counts the round that is played,
    and line 16 is about the state after it. A tie counts as half a win for each side.

    Answers may come late, twice or never, and votes may be imported: every told duel is counted, and takes
    the turn of that one of its two arms which comes first in what remains of the loop. Without such an arm it
    takes nobody's turn, so that no loop waits for an answer; an arm whose answer was lost is asked about
    again. A pair that was never drawn is drawn first, and those duels take no turns: so arms may join at any
    time. Since `tell` sees no menu, lists are about all arms; on a menu that leaves arms out, evidence is
    counted among those on it, and of the arms for which J holds now the one compared least is next. On a menu
    without self-duels, rounds in which i* would meet itself are passed over, exactly up to e^28 rounds;
    beyond, time is kept as ln t, to which a single round adds nothing. A round costs O(K): see `divergences`.

    References
    ----------
    Komiyama, Honda, Kashima, Nakagawa (2015). Regret Lower Bound and Optimal Algorithm in Dueling Bandit
    Problem. COLT. Algorithms 1 and 2.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import worst_case
    >>> simulate(RMED1(), worst_case(5, 0.2), horizon=20_000, runs=3, seed=0)["RMED1"].best.tolist()
    [0, 0, 0]
    """

    scale: float = 0.3
    exponent: float = 1.01

    card = replace(RMED.card, regret="O(K log t) at every t, plus a term of K alone")
