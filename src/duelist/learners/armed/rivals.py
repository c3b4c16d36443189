"""What is worth showing when a learner has nothing to ask: the leader and its least proven rival."""

import numpy as np
from numpy.random import Generator

from duelist.duel import Duel
from duelist.menus import Arms


def leader_and_rival(menu: Arms, leader: int, rng: Generator) -> Duel:
    """Return a duel of the leader with the active arm that is least proven to lose against it.

    Proof is n (p - 1/2)^2 for the n duels so far, of which the leader won a share p; duels that are open
    count as if they were won by the same share.
    """
    rivals = [arm for arm in (range(menu.k) if menu.active is None else menu.active) if arm != leader]
    duels = np.array([menu.open_count(leader, arm) for arm in rivals], float)
    proof = np.zeros(len(rivals))
    if menu.wins is not None:
        won = menu.wins[leader][rivals]
        met = won + menu.wins[:, leader][rivals]
        lead = np.divide(won, met, out=np.ones(len(rivals)), where=met > 0.0) - 0.5
        duels += met
        proof = duels * np.maximum(lead, 0.0) ** 2
    least = np.flatnonzero(proof == proof.min())
    fewest = least[duels[least] == duels[least].min()]
    return Duel(leader, rivals[fewest[rng.integers(len(fewest))]])
