from math import nan
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from refusals import refused

from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.policies.finite import TablePolicy
from duelist.policies.mixture import PolicyMixture, rounded
from duelist.policies.models import LinearModel
from duelist.policies.scored import CheapestPolicy, VotingPolicy
from duelist.policies.trees import Nodes, TreeModel, TreePolicy


class OwnPolicy:
    """A user-defined policy without a description."""

    def __repr__(self) -> str:
        return "OwnPolicy(always 1)"

    def act(self, contexts: FloatArray) -> IntArray:
        return np.ones(len(contexts), np.int64)


def split(column: int, threshold: float) -> Nodes:
    return Nodes(
        np.array([column, -1, -1]),
        np.array([threshold, 0.0, 0.0]),
        np.array([1, -1, -1]),
        np.array([2, -1, -1]),
    )


def table(*actions: int) -> TablePolicy:
    return TablePolicy(np.array(actions))


def mixed(policies: list[Any], weights: list[float], **changes: Any) -> PolicyMixture:
    parts: dict[str, Any] = {"actions": ["tea", "milk", "water"], "columns": ["hour", "heat"]} | changes
    return PolicyMixture(policies, np.array(weights), **parts)


def test_equal_policies_are_merged_and_the_heaviest_comes_first() -> None:
    own = OwnPolicy()
    policies = [
        table(0, 1),
        own,
        table(2, 2),
        OwnPolicy(),
        table(0, 1),
        own,
        TreePolicy(split(0, 1.0), np.array([0, 1, 1])),
    ]
    policies += [TreePolicy(split(1, 9.0), np.array([0, 1, 1]))]
    mixture = mixed(policies, [0.1, 0.05, 0.0, 0.15, 0.2, 0.3, 0.1, 0.1], made={"by": "hand"})
    merged = mixture.merged()
    np.testing.assert_allclose(merged.weights, [0.35, 0.3, 0.2, 0.15], rtol=1e-12)
    assert merged.policies[0] is own
    assert merged.policies[1] is policies[0]
    assert merged.policies[2] is policies[6]  # trees are equal up to splits that make no difference
    assert merged.made == {"by": "hand"}
    contexts = [[0.0, 1.0], [1.0, 0.0]]
    np.testing.assert_allclose(merged.chances(contexts), mixture.chances(contexts), rtol=1e-12)


def test_draws_follow_the_chances() -> None:
    mixture = mixed([table(0, 1), table(2, 1), OwnPolicy()], [0.5, 0.3, 0.2])
    contexts = np.repeat([[0.0, 0.0], [1.0, 0.0]], 4000, axis=0)
    drawn = mixture.draw(contexts, default_rng(0)).reshape(2, -1)
    shares = [np.bincount(row, minlength=3) / 4000 for row in drawn]
    np.testing.assert_allclose(shares, [[0.5, 0.2, 0.3], [0.0, 1.0, 0.0]], atol=0.03)
    assert mixture.sample([1.0, 0.0], default_rng(0)) == "milk"


def test_explain_tells_rules_sums_and_tables_by_their_names() -> None:
    sums = LinearModel(np.array([[1.0, -0.5], [0.0, 0.0], [0.0, 2.0]]), np.array([0.25, 1.0, -3.0]))
    trees = TreeModel(
        split(1, 20.5), np.zeros((3, 1)), np.array([0]), np.array([1]), np.array([0.0, 0.0]), 1.0
    )
    policies = [
        TreePolicy(split(1, 20.5), np.array([0, 0, 2])),
        CheapestPolicy(sums),
        VotingPolicy(trees, 2),
        OwnPolicy(),
        table(1, 0),
        table(2, 0),
    ]
    mixture = mixed(
        policies,
        [0.4, 0.25, 0.14, 0.1, 0.06, 0.05],
        made={"by": "hand", "calls": 6, "eta": None, "promised_gap": 12345.678},
    )
    assert mixture.explain(top=5).splitlines() == [
        "6 policies over 3 actions (tea, milk, water), by 2 columns (hour, heat).",
        "made: by hand, calls 6, promised gap 1.23e+04.",
        "",
        "weight 0.4000: TreePolicy",
        "  heat <= 20.5: tea",
        "  heat > 20.5: water",
        "",
        "weight 0.2500: CheapestPolicy",
        "  lowest predicted cost:",
        "  cost of tea = 0.25 + 1 hour - 0.5 heat",
        "  cost of milk = 1",
        "  cost of water = -3 + 2 heat",
        "",
        "weight 0.1400: VotingPolicy",
        "  most pairs won, where the greater number wins a pair:",
        "  1 tree with 2 leaves; most frequent splits: heat 1 times",
        "",
        "weight 0.1000: OwnPolicy",
        "  OwnPolicy(always 1)",
        "",
        "weight 0.0600: TablePolicy",
        "  tea where hour is 1",
        "  milk where hour is 0",
        "",
        "1 more policy of total weight 0.0500.",
    ]


def test_explain_shows_chances_of_few_contexts_one_by_one_and_of_many_over_all() -> None:
    mixture = mixed([table(0, 1), table(2, 1)], [0.2, 0.8])
    few = mixture.explain([[0.0, 0.0], [1.0, 0.0]], top=0).splitlines()
    assert few[1:] == [
        "",
        "2 more policies of total weight 1.0000.",
        "",
        "probabilities of actions in 2 contexts:",
        "  tea     milk  water",
        "  0.200  0.000  0.800",
        "  0.000  1.000  0.000",
    ]
    many = mixture.explain([[float(row % 4 == 0), 0.0] for row in range(12)], top=0).splitlines()
    assert [line.split() for line in many[-4:]] == [
        ["action", "mean", "min", "max", "most", "likely", "in"],
        ["tea", "0.150", "0.000", "0.200", "0.000"],
        ["milk", "0.250", "0.000", "1.000", "0.250"],
        ["water", "0.600", "0.000", "0.800", "0.750"],
    ]


def test_explain_cuts_long_policies_short() -> None:
    many = 60
    policy = CheapestPolicy(LinearModel(np.zeros((many, 2)), np.zeros(many)))
    names = [f"action {number}" for number in range(many)]
    lines = mixed([policy], [1.0], actions=names).explain().splitlines()
    assert lines[-1] == "  ... and 21 more lines"
    with refused(ParameterError, "top", -1):
        mixed([policy], [1.0], actions=names).explain(top=-1)


@pytest.mark.parametrize(
    ("policies", "weights", "facts"),
    [
        ([], [], ("weights", "0 policies")),
        ([table(0)], [0.5, 0.5], ("weights", "1 policy", "[0.5 0.5]")),
        ([table(0)], [0.9], ("weights", "[0.9]")),
        ([table(0)], [nan], ("weights", "[nan]")),
        ([table(0), table(1)], [1.5, -0.5], ("weights", "[ 1.5 -0.5]")),
        ([table(0), table(3)], [0.5, 0.5], ("policy 1", "4 actions", "1 column", 3, 2)),
        ([TreePolicy(split(2, 0.0), np.array([0, 1, 2]))], [1.0], ("policy 0", "3 actions", "3 columns")),
    ],
)
def test_what_is_no_mixture_is_refused(
    policies: list[Any], weights: list[float], facts: tuple[object, ...]
) -> None:
    with refused(ParameterError, *facts):
        mixed(policies, weights)


@pytest.mark.parametrize(
    ("contexts", "facts"),
    [
        ([0.0, 1.0], ("2 columns", "hour, heat", "(2,)")),
        ([[0.0]], ("2 columns", "hour, heat", "(1, 1)")),
        ([[0.0, nan]], ("contexts", "row 0")),
    ],
)
def test_contexts_that_cannot_be_acted_in_are_refused(contexts: Any, facts: tuple[object, ...]) -> None:
    with refused(ParameterError, *facts):
        mixed([table(0)], [1.0]).chances(contexts)


def test_numbers_are_told_as_people_read_them() -> None:
    told = [rounded(value) for value in (200, 0.0512345, 10**40, "SparringPGD")]
    assert told == ["200", "0.0512", "1e+40", "SparringPGD"]
