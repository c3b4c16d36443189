"""What cannot work raises an error of the package that says what to do, never one from inside."""

from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bad_inputs.calls import CALLS

import duelist
from duelist import assumptions, bounds, errors, interleaving, metrics, problems, ranking, registry, winners
from duelist.clicks import perfect
from duelist.menus import Documents
from duelist.parallel import Processes
from duelist.ranking import LinearRanker, load_ranking_data, ndcg, synthetic_ranking_data

MATRIX = [[0.5, 0.6], [0.4, 0.5]]


@pytest.fixture(scope="module")
def known() -> dict[str, Any]:
    """Return what the calls name."""
    made: dict[str, Any] = {
        **{name: getattr(duelist, name) for name in duelist.__all__},
        **{name: getattr(interleaving, name) for name in interleaving.__all__},
        "MATRIX": MATRIX,
        "VOTES": duelist.Votes.from_counts([[0, 2], [1, 0]], arms=["a", "b"]),
        "PROBLEM": problems.worst_case(3),
        "CYCLE": duelist.MatrixProblem([[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]]),
        "RESULT": duelist.simulate(duelist.Uniform(), problems.worst_case(3), 5, runs=1),
        "RANKER": duelist.PairwiseGradientRanker(),
        "RANKED": synthetic_ranking_data(queries=4, features=2),
        "SHOWN": interleaving.TeamDraft().interleave([["a", "b"], ["b", "a"]], np.random.default_rng(0)),
        "FOLDER": str(Path(__file__).parent),
        "rng": np.random.default_rng(0),
    }
    for one in (assumptions, bounds, metrics, problems, ranking, registry, winners):
        made[one.__name__.rpartition(".")[2]] = one
    for two in (perfect, Documents, Processes, LinearRanker, load_ranking_data, ndcg, synthetic_ranking_data):
        made[two.__name__] = two
    return {**made, "nan": nan, "np": np}


@pytest.mark.parametrize(("call", "part"), CALLS, ids=[call for call, _ in CALLS])
def test_the_error_is_the_packages_own(
    call: str, part: str, known: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = {"STUDY": duelist.Study(duelist.RUCB(), arms=["a", "b", "c"])} if "STUDY" in call else {}
    with pytest.raises(errors.DuelistError) as raised:
        eval(call, {**known, **study})
    assert part in str(raised.value)
    assert list(tmp_path.iterdir()) == []
