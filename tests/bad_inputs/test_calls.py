"""What cannot work raises an error of the package that says what to do, never one from inside."""

from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bad_inputs.calls import CALLS
from bad_inputs.remedies import says_what_to_do
from refusals import refused

import duelist
from duelist import (
    assumptions,
    bounds,
    errors,
    interleaving,
    learners,
    metrics,
    problems,
    ranking,
    ratings,
    registry,
    winners,
)
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
    for one in (assumptions, bounds, learners, metrics, problems, ranking, ratings, registry, winners):
        made[one.__name__.rpartition(".")[2]] = one
    for two in (perfect, Documents, Processes, LinearRanker, load_ranking_data, ndcg, synthetic_ranking_data):
        made[two.__name__] = two
    return {**made, "nan": nan, "np": np}


@pytest.mark.parametrize(
    ("call", "kind", "facts"),
    [(call, kind, facts) for call, kind, *facts in CALLS],
    ids=[call for call, *_ in CALLS],
)
def test_the_error_has_its_class_and_names_the_facts(
    call: str,
    kind: type[errors.DuelistError],
    facts: list[str],
    known: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    study = {"STUDY": duelist.Study(duelist.RUCB(), arms=["a", "b", "c"])} if "STUDY" in call else {}
    with refused(kind, *facts) as raised:
        eval(call, {**known, **study})
    assert says_what_to_do(str(raised.value)), str(raised.value)
    assert list(tmp_path.iterdir()) == []
