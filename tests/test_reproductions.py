"""The first setting of every reproduction still comes out."""

from pathlib import Path

import numpy as np
import pytest
from real_data import PREFERENCES

from duelist.errors import FileError
from duelist.ranking import RankingData
from duelist.ranking.linear import LinearRanker
from reproductions.yue2009_gradient_descent.__main__ import EXPECTED
from reproductions.yue2009_gradient_descent.sweep import FACTORS, PROBLEMS, STARTS, table_cell
from reproductions.yue2009_gradient_descent.web_search import (
    EXPLOITATIONS,
    EXPLORATIONS,
    QUERIES,
    Contest,
    Setting,
    compare,
    grid,
    load_documents,
    play_cell,
    quality,
    smaller_steps,
)
from reproductions.yue2009_gradient_descent.web_tables import largest_dip, peaks_inside, unevenness

MQ2008 = PREFERENCES.parent / "ltr" / "mq2008"


def test_the_first_cell_of_the_gradient_descent_table() -> None:
    name, norm = next(iter(PROBLEMS)), next(iter(STARTS.values()))
    expected = EXPECTED["table 1"]
    ours = table_cell(name, FACTORS[0], norm, runs=2).mean
    assert abs(ours / expected[name][0] - 1.0) <= expected["tolerance"]


def test_every_cell_has_an_expectation() -> None:
    expected = EXPECTED["table 1"]
    assert tuple(expected["factors"]) == FACTORS
    assert all(len(expected[name]) == len(FACTORS) for name in PROBLEMS)


def test_gradient_descent_learns_to_rank_and_not_by_heart() -> None:
    documents = load_documents(MQ2008 if MQ2008.is_dir() else None)
    setting = Setting(QUERIES[0], exploration=1.0, exploitation=EXPLOITATIONS[1])
    cell = play_cell(documents, setting, horizon=100_000)
    start = LinearRanker(np.ones(documents.training.d))
    assert cell.final == pytest.approx(quality(cell.ranker, documents.training), abs=1e-3)
    # half of what was gained with other seeds
    assert cell.final > quality(start, documents.training) + 0.04
    assert cell.validation > quality(start, documents.validation) + 0.03
    assert cell.test > quality(start, documents.test) + 0.03
    assert cell.curve[0] < cell.average < cell.curve.max()


def test_made_up_documents_come_in_three_parts_of_different_queries() -> None:
    documents = load_documents(None)
    parts = (documents.training, documents.validation, documents.test)
    names = np.concatenate([part.queries for part in parts])
    assert len(set(names.tolist())) == len(names)
    assert len(parts[0]) > 2 * len(parts[1]) > len(parts[2])


def test_a_folder_without_the_documents_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"S1\.txt"):
        load_documents(tmp_path)


def test_the_better_list_of_a_query_wins_it() -> None:
    features = np.array([[1, 0], [0, 1], [1, 0], [0, 1], [0.5, 0.2], [0.2, 0.1]], np.float32)
    labels, names = np.array([1, 0, 0, 1, 1, 0]), np.array(["first", "second", "both"])
    data = RankingData(features, labels, names, np.array([0, 2, 4, 6]))
    first, second = LinearRanker(np.array([1.0, 0.0])), LinearRanker(np.array([0.1, 1.0]))
    assert compare(first, second, data) == Contest(wins=1, ties=1, losses=1)
    assert compare(first, first, data) == Contest(wins=0, ties=3, losses=0)
    assert compare(first, second, data.subset([0])) == Contest(wins=1, ties=0, losses=0)


def test_the_settings_are_the_papers() -> None:
    shape = (len(EXPLORATIONS), len(EXPLOITATIONS))
    assert len(grid()) == 20
    for measure in ("average", "final"):
        assert np.shape(EXPECTED["table 2"][measure]) == shape
    expected = EXPECTED["table 3"]
    assert len(expected["final"]) == len(expected["contests"]) == len(QUERIES)
    tried = smaller_steps(Setting(100, 1.0, 0.01))
    assert {setting.queries for setting in tried} == set(QUERIES[:-1])
    assert {setting.exploitation for setting in tried} == {0.001, 0.005, 0.01}


def test_the_papers_own_tables_meet_what_is_asked_of_ours() -> None:
    expected = EXPECTED["table 2"]
    for measure in ("average", "final"):
        paper = np.array(expected[measure])
        assert peaks_inside(paper)
        assert unevenness(paper) <= expected["dip"][measure]
    finals, svm = EXPECTED["table 3"]["final"], EXPECTED["table 3"]["svm"]
    assert max(finals) - min(finals) <= EXPECTED["table 3"]["spread"]
    assert 1.0 - max(finals) / svm <= EXPECTED["table 3"]["behind"]


def test_a_valley_is_a_dip_and_a_hill_is_none() -> None:
    assert largest_dip([1.0, 2.0, 3.0, 2.0]) == 0.0
    assert largest_dip([3.0, 1.0, 2.0, 0.0]) == 1.0
    assert not peaks_inside(np.array([[1.0, 2.0, 1.0], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]))
    assert unevenness(np.array([[3.0, 3.0], [1.0, 3.0], [2.0, 3.0]])) == 1.0
