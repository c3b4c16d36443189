"""What counts once: a ticket, a voter's vote in all categories together; and copies of a table."""

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import names

from duelist import Duel, Study, Votes, analyze, load_votes
from duelist.errors import ParameterError
from duelist.ratings.ranks import chances_first
from duelist.votes import count
from duelist.votes.counting import counted_only, grouped
from duelist.votes.writing import as_csv


def test_an_export_that_is_appended_to_itself_counts_once(tmp_path: Path) -> None:
    study = Study(arms=["a", "b"], seed=0)
    for _ in range(5):
        study.tell(Duel("a", "b"), "left")
    header, *rows = b"".join(as_csv(study.votes())).decode().splitlines()
    path = tmp_path / "votes.csv"
    path.write_text("\n".join([header, *rows, *rows]))
    votes = load_votes(path)
    assert votes.notes is not None
    (remark,) = votes.notes.remarks
    assert len(votes) == 5
    assert names(remark, "5 rows", "ticket")


def test_a_vote_that_repeats_one_of_another_category_counts_in_none() -> None:
    table = {
        "left": ["a", "a", "b"],
        "right": ["b", "b", "a"],
        "outcome": ["left", "right", "left"],
        "voter": ["ann", "ann", "bob"],
        "category": ["one", "two", "two"],
    }
    found = analyze(table, by="category")
    assert {name: [row.votes for row in board.rows] for name, board in found.categories.items()} == {
        "one": [1.0, 1.0],
        "two": [1.0, 1.0],
    }


def test_a_table_can_be_copied_and_pickled() -> None:
    votes = Votes(["a", "b"], [0], [1], [0.8], voters=["ann"], extras={"kind": ["x"]})
    assert pickle.loads(pickle.dumps(votes)) == copy.deepcopy(votes) == votes


def test_grouped_votes_count_the_same() -> None:
    rng = np.random.default_rng(0)
    left, right = rng.integers(0, 2, 500), rng.integers(2, 4, 500)
    votes = Votes(["a", "b", "c", "d"], left, right, rng.integers(0, 3, 500) / 2.0)
    fewer = grouped(votes)
    assert len(fewer.left) == len({*zip(left, right, votes.outcomes, strict=True)})
    for name in ("wins", "ties", "scores", "answers"):
        np.testing.assert_array_equal(getattr(count(fewer), name), getattr(count(votes), name))
    named = Votes(["a", "b"], [0] * 20, [1] * 20, [1.0] * 20, voters=["ann"] * 20)
    assert grouped(named) is named
    assert len(counted_only(named)) == 1


def test_few_degrees_of_freedom_make_the_first_place_less_certain() -> None:
    ratings, covariance = np.array([1.0, -1.0]), np.array([[0.25, -0.25], [-0.25, 0.25]])
    normal, few = (chances_first(ratings, covariance, np.full(2, nu))[0] for nu in (np.inf, 2.0))
    # 2 of a standard error: the normal distribution and Student's t with two degrees of freedom
    assert normal == pytest.approx(0.9772, abs=0.005)
    assert few == pytest.approx(0.9082, abs=0.01)


@pytest.mark.parametrize(
    "options",
    [
        {"by": 3},
        {"clusters": 3},
        {"covariates": 5},
        {"contrasts": 5},
        {"contrasts": "ab"},
        {"contrasts": [("a",)]},
    ],
)
def test_arguments_of_another_type_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        analyze([[0, 7], [3, 0]], **options)
