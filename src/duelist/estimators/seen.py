"""The policies an oracle has returned so far, those that do the same on a log counted as one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np

from duelist.duel import FloatArray, IntArray
from duelist.logs import DuelLog
from duelist.policies.mixture import PolicyMixture
from duelist.protocols import Policy


@dataclass(eq=False)
class SeenPolicies:
    """Policies in the order they were first seen.

    Examples
    --------
    >>> from duelist.policies.finite import TablePolicy
    >>> seen = SeenPolicies()
    >>> [seen.place(TablePolicy([action]), np.array([action, action])) for action in (2, 0, 2)]
    [0, 1, 0]
    >>> len(seen)
    2
    """

    policies: list[Policy] = field(default_factory=list)
    places: dict[bytes, int] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return how many different ones there are."""
        return len(self.policies)

    def place(self, policy: Policy, actions: IntArray) -> int:
        """Return the number of a policy that does these actions on the log; a new one gets the next."""
        fingerprint = blake2b(actions.data, digest_size=32).digest()
        place = self.places.setdefault(fingerprint, len(self.policies))
        if place == len(self.policies):
            self.policies.append(policy)
        return place

    def mixture(self, weights: FloatArray, log: DuelLog, made: Mapping[str, Any]) -> PolicyMixture:
        """Return the mixture with these weights of the policies, without those that have none."""
        used = np.flatnonzero(weights > 0.0)
        chosen = [self.policies[place] for place in used]
        return PolicyMixture(chosen, weights[used] / weights[used].sum(), log.actions, log.columns, made)
