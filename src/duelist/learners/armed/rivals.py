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
    rivals = np.array(
        [arm for arm in (range(menu.k) if menu.active is None else menu.active) if arm != leader]
    )
    duels, lead = np.zeros(len(rivals)), np.full(len(rivals), 0.5)
    if menu.wins is not None:
        won = menu.wins[leader, rivals]
        duels = won + menu.wins[rivals, leader]
        lead = np.divide(won, duels, out=np.ones(len(rivals)), where=duels > 0.0) - 0.5
    duels = duels + [menu.open_count(leader, arm) for arm in rivals.tolist()]
    proof = duels * np.maximum(lead, 0.0) ** 2
    least = np.flatnonzero(proof == proof.min())
    fewest = least[duels[least] == duels[least].min()]
    return Duel(leader, int(rivals[rng.choice(fewest)]))
