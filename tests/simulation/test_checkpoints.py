from hypothesis import given
from hypothesis import strategies as st

from duelist.simulation import log_spaced


@given(st.integers(1, 10**12), st.integers(1, 30))
def test_rounds_rise_from_one_to_the_horizon(horizon: int, per_decade: int) -> None:
    rounds = log_spaced(horizon, per_decade).tolist()
    assert rounds[0] == 1
    assert rounds[-1] == horizon
    assert rounds == sorted(set(rounds))
    assert len(rounds) <= 12 * per_decade + 2
