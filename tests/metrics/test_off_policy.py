from itertools import product

import numpy as np
import pytest
from metrics.worlds import World, random_world
from refusals import names, refused

from duelist.duel import FloatArray
from duelist.errors import ParameterError, UnknownNameError
from duelist.logs import DuelLog
from duelist.metrics import lowest_win_rate, win_rate_against
from duelist.metrics.rate_estimates import predict
from duelist.policies import FinitePolicies, PolicyMixture

METHODS = ["doubly_robust", "inverse_propensity"]


def slow_values(
    mixture: PolicyMixture, policies: FinitePolicies, opponent: int, log: DuelLog, method: str
) -> FloatArray:
    """Each duel's estimate, from a table of the estimated preference between all actions."""
    signs, preferences = predict(log, mixture.chances(log.contexts))
    values = []
    for row in range(len(log)):
        left, right = log.left[row], log.right[row]
        table = np.zeros((log.k, log.k))
        sign = log.signs[row] - (signs[row] if method == "doubly_robust" else 0.0)
        if left != right:
            table[left, right] = sign / (2.0 * log.propensities[row])
            table[right, left] = -table[left, right]
        context = int(log.contexts[row, 0])
        theirs = policies.actions[opponent, context]
        value = sum(
            weight * table[policies.actions[number, context], theirs]
            for number, weight in enumerate(mixture.weights)
        )
        if method == "doubly_robust":
            value += preferences[row, theirs]
        values.append(0.5 + 0.5 * value)
    return np.array(values)


@pytest.mark.parametrize("method", METHODS)
def test_estimates_are_those_of_tables_of_preferences(method: str) -> None:
    rng = np.random.default_rng(0)
    world = random_world(3, 4, seed=3, skewed=True)
    policies = FinitePolicies(rng.integers(4, size=(5, 3)))
    mixture = world.mixture(policies, rng.dirichlet(np.ones(5)))
    log = world.draw(40, rng)
    for opponent in range(5):
        values = slow_values(mixture, policies, opponent, log, method)
        rate = win_rate_against(mixture, policies[opponent], log, method=method)
        assert rate.value == pytest.approx(values.mean())
        assert rate.error == pytest.approx(values.std(ddof=1) / np.sqrt(40))


def every_log_of_two_duels(world: World) -> list[tuple[DuelLog, float]]:
    """All logs of two duels, with their chances."""
    duels = [
        (context, left, right, outcome, chance)
        for context, left, right in product(range(len(world.preferences)), range(world.k), range(world.k))
        for outcome, chance in (
            [(0.5, 1.0)]
            if left == right
            else [
                (1.0, 0.5 + 0.5 * world.preferences[context, left, right]),
                (0.0, 0.5 - 0.5 * world.preferences[context, left, right]),
            ]
        )
    ]
    logs = []
    for pair in product(duels, duels):
        context, left, right, outcome, chance = (np.array(column) for column in zip(*pair, strict=True))
        shown = world.chances[context, left, right]
        log = DuelLog(context[:, None], left, right, outcome, shown, actions=world.k)
        logs.append((log, float(np.prod(chance * shown / len(world.preferences)))))
    return logs


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("contexts", "k"), [(2, 2), (1, 3)])
def test_the_mean_over_all_possible_logs_is_the_truth(method: str, contexts: int, k: int) -> None:
    world = random_world(contexts, k, seed=4, skewed=True)
    policies = FinitePolicies(list(product(range(k), repeat=contexts)))
    weights = np.random.default_rng(0).dirichlet(np.ones(len(policies)))
    mixture = world.mixture(policies, weights)
    logs = every_log_of_two_duels(world)
    assert sum(chance for _, chance in logs) == pytest.approx(1.0)
    truth = world.truth(policies, weights, policies)
    means = np.zeros(len(policies))
    for log, chance in logs:
        means += [
            chance * rate.value for rate in lowest_win_rate(mixture, policies, log, method=method).rates
        ]
    assert means == pytest.approx(truth, abs=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_sides_swap_and_ties_are_exact(method: str) -> None:
    world = random_world(3, 4, seed=5, skewed=True)
    policies = FinitePolicies([[0, 1, 2], [3, 1, 0]])
    log = world.draw(500, np.random.default_rng(0))
    one, other = (world.mixture(policies, np.array(weights)) for weights in ([1.0, 0.0], [0.0, 1.0]))
    rate, reverse = (
        win_rate_against(one, policies[1], log, method=method),
        win_rate_against(other, policies[0], log, method=method),
    )
    assert rate.value == pytest.approx(1.0 - reverse.value)
    assert rate.lower == pytest.approx(1.0 - reverse.upper)
    assert rate.differs == pytest.approx((log.contexts != 1).mean())
    itself = win_rate_against(one, policies[0], log, method=method)
    assert (itself.value, itself.error, itself.differs, itself.weight) == (0.5, 0.0, 0.0, 1.0)
    assert 0.49 < itself.lower < 0.5 < itself.upper < 0.51
    assert itself.doubt == ""


def test_a_good_prediction_makes_the_interval_narrower() -> None:
    world = World(np.array([[[0.0, 0.95], [-0.95, 0.0]]]), np.full((1, 2, 2), 0.25))
    policies = FinitePolicies([[0], [1]])
    mixture, log = world.mixture(policies, np.array([1.0, 0.0])), world.draw(2000, np.random.default_rng(0))
    robust, plain = (win_rate_against(mixture, policies[1], log, method=method) for method in METHODS)
    assert robust.upper - robust.lower < 0.4 * (plain.upper - plain.lower)
    assert robust.lower < 0.975 < robust.upper


def test_a_pair_never_shown_leaves_everything_possible() -> None:
    log = DuelLog(np.zeros((100, 1)), [0, 1] * 50, [1, 0] * 50, [1.0, 0.0] * 50, [0.5] * 100, actions=3)
    policies = FinitePolicies([[0], [2]])
    mixture = PolicyMixture([policies[0]], np.ones(1), log.actions, log.columns)
    rate = win_rate_against(mixture, policies[1], log)
    assert (rate.lower, rate.upper, rate.duels) == (0.0, 1.0, 0.0)
    assert names(rate.doubt, "0.0")
    assert str(rate).endswith(f"\nWarning: {rate.doubt}")


def test_policies_that_hardly_differ_are_known_to_be_nearly_even() -> None:
    contexts = np.zeros((1000, 1))
    contexts[3] = 1.0
    left, right = np.random.default_rng(0).integers(2, size=(2, 1000))
    log = DuelLog(contexts, left, right, np.ones(1000), np.full(1000, 0.25), actions=2)
    policies = FinitePolicies([[0, 0], [0, 1]])
    rate = win_rate_against(
        PolicyMixture([policies[0]], np.ones(1), log.actions, log.columns), policies[1], log
    )
    assert rate.duels < 2.0
    # Wilson's upper bound of 1 in 1000
    assert rate.upper - 0.5 == pytest.approx(0.5 * 0.005643, abs=1e-5)
    assert rate.lower == pytest.approx(1.0 - rate.upper)


def test_wrong_propensities_and_one_sided_logs_are_doubted() -> None:
    world = random_world(2, 3, seed=6, skewed=False)
    policies = FinitePolicies([[0, 1], [2, 0]])
    mixture = world.mixture(policies, np.array([1.0, 0.0]))
    log = world.draw(3000, np.random.default_rng(0))
    assert win_rate_against(mixture, policies[1], log).doubt == ""
    high = 2.0 * log.propensities
    wrong = DuelLog(log.contexts, log.left, log.right, log.outcomes, high, log.actions, log.columns)
    halved = win_rate_against(mixture, policies[1], wrong)
    assert names(halved.doubt, f"{halved.weight:.2f}", "propensities")
    sided = log.subset(log.left <= log.right)
    one_sided = win_rate_against(mixture, policies[1], sided)
    assert names(one_sided.doubt, f"{one_sided.weight:.2f}", "one side")


def test_a_wider_interval_for_more_confidence() -> None:
    world = random_world(2, 3, seed=6, skewed=False)
    policies = FinitePolicies([[0, 1], [2, 0]])
    mixture = world.mixture(policies, np.array([0.5, 0.5]))
    log = world.draw(500, np.random.default_rng(0))
    rates = [win_rate_against(mixture, policies[1], log, confidence=level) for level in (0.5, 0.95, 0.999)]
    widths = [rate.upper - rate.lower for rate in rates]
    assert widths == sorted(widths)
    assert widths[0] == pytest.approx(2 * 0.6745 * rates[0].error, rel=0.02)
    assert str(rates[1]).startswith(f"{rates[1].value:.1%} won (95% interval ")


def test_wrong_inputs_are_refused() -> None:
    world = random_world(2, 3, seed=6, skewed=False)
    policies = FinitePolicies([[0, 1], [2, 0]])
    mixture = world.mixture(policies, np.array([0.5, 0.5]))
    log = world.draw(50, np.random.default_rng(0))
    with refused(UnknownNameError, "method", "'robust'"):
        win_rate_against(mixture, policies[0], log, method="robust")
    with refused(ParameterError, "confidence", 95):
        win_rate_against(mixture, policies[0], log, confidence=95)
    with refused(ParameterError, "log", 1):
        win_rate_against(mixture, policies[0], log.subset(np.array([0])))
    with refused(ParameterError, "policy 0", "0 to 2", "50 contexts"):
        win_rate_against(mixture, FinitePolicies([[0, 3]])[0], log)
    renamed = PolicyMixture(mixture.policies, mixture.weights, "abc", mixture.columns)
    with refused(ParameterError, "actions", "a, b, c", "0, 1, 2"):
        win_rate_against(renamed, policies[0], log)
    moved = PolicyMixture(mixture.policies, mixture.weights, mixture.actions, ["x1"])
    with refused(ParameterError, "columns", "x1", "x0"):
        win_rate_against(moved, policies[0], log)
