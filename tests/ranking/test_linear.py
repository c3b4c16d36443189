import json
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng
from refusals import refused

from duelist.duel import FloatArray
from duelist.errors import FileError, ParameterError
from duelist.ranking.dataset import RankingData
from duelist.ranking.linear import LinearRanker

finite = st.floats(allow_nan=False, allow_infinity=False)


def by_hand(*weights: float, **made: Any) -> LinearRanker:
    return LinearRanker(np.array(weights, np.float64), made)


def one_query(features: FloatArray) -> RankingData:
    rows = len(features)
    return RankingData(
        features.astype(np.float32), np.zeros(rows, np.int64), np.array(["a"]), np.array([0, rows])
    )


def saved(folder: Path, **changes: Any) -> Path:
    path = by_hand(1.0, 2.0, by="hand").save(folder / "ranker.json")
    content = json.loads(path.read_text()) | changes
    path.write_text(json.dumps(content))
    return path


def test_scores_are_weighted_sums() -> None:
    rng = default_rng(0)
    features = rng.integers(0, 64, (7, 5)) / 64.0
    weights = rng.standard_normal(5)
    expected = [sum(float(w) * float(x) for w, x in zip(weights, row, strict=True)) for row in features]
    ranker = LinearRanker(weights)
    np.testing.assert_allclose(ranker.score(features), expected, rtol=1e-12)
    np.testing.assert_array_equal(ranker.score(one_query(features)), ranker.score(features))
    assert ranker.rank(features).tolist() == sorted(range(7), key=lambda i: -expected[i])


def test_of_equal_scores_the_earlier_comes_first() -> None:
    assert by_hand(1.0).rank([[0.0], [1.0], [0.0], [1.0]]).tolist() == [1, 3, 0, 2]
    assert by_hand(1.0).rank(np.empty((0, 1))).tolist() == []


def test_the_weights_are_its_own() -> None:
    weights, made = np.array([1.0, 2.0]), {"by": "hand"}
    ranker = LinearRanker(weights, made)
    weights[0] = 9.0
    made["by"] = "chance"
    assert ranker.weights.tolist() == [1.0, 2.0]
    assert ranker.made == {"by": "hand"}
    with refused(ValueError, "read-only"):
        ranker.weights[0] = 3.0


@pytest.mark.parametrize("weights", [[], [[1.0]], 3.0])
def test_weights_that_are_no_list_are_refused(weights: Any) -> None:
    with refused(ParameterError, "weights", np.shape(weights)):
        LinearRanker(weights)


@pytest.mark.parametrize("value", [nan, inf, -inf])
def test_weights_that_are_not_finite_are_refused(value: float) -> None:
    with refused(ParameterError, "weights[1]", str(value)):
        by_hand(1.0, value)


def test_other_features_are_refused_by_number() -> None:
    ranker = by_hand(1.0, 2.0)
    data = one_query(np.ones((2, 3)))
    for documents in (data, data.features):
        with refused(ParameterError, "2 features", "documents", 3):
            ranker.score(documents)
    with refused(ParameterError, "2 features", "documents", (2,)):
        ranker.rank([1.0, 2.0])


@given(weights=st.lists(finite, min_size=1, max_size=8), note=st.text(), number=finite)
def test_a_file_holds_it_to_the_last_bit(
    tmp_path_factory: pytest.TempPathFactory, weights: list[float], note: str, number: float
) -> None:
    path = tmp_path_factory.getbasetemp() / "exact.json"
    made = {"note": note, "number": number, "places": [1, 2], "nothing": None}
    again = LinearRanker.load(by_hand(*weights, **made).save(path))
    assert again.weights.tobytes() == np.array(weights, np.float64).tobytes()
    assert again.made == made


def test_a_file_is_readable_and_names_its_format(tmp_path: Path) -> None:
    path = by_hand(0.1, -2.0, by="hand").save(tmp_path / "new" / "ranker.json")
    assert json.loads(path.read_text()) == {
        "format": "duelist linear ranker",
        "version": 1,
        "d": 2,
        "made": {"by": "hand"},
        "weights": [0.1, -2.0],
    }
    assert [other.name for other in path.parent.iterdir()] == ["ranker.json"]


def test_what_json_does_not_know_is_refused_and_the_old_file_stays(tmp_path: Path) -> None:
    path = by_hand(1.0).save(tmp_path / "ranker.json")
    before = path.read_bytes()
    for made in ({"data": np.zeros(2)}, {"score": nan}):
        with refused(ParameterError, "made", "JSON"):
            by_hand(2.0, **made).save(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ({"format": "other"}, ('"format"', "'duelist linear ranker'")),
        ({"version": 2}, ("version 2", 1)),
        ({"d": 3}, ('"d"', 3, "2 weights")),
        ({"d": 0, "weights": []}, ('"d"', 0, "0 weights")),
        ({"weights": [1.0, "2"]}, ('"weights"',)),
        ({"weights": [1.0, nan]}, ('"weights"',)),
        ({"weights": [1.0, inf]}, ('"weights"',)),
        ({"weights": [1.0, 10**400]}, ('"weights"',)),
        ({"weights": [1.0, True]}, ('"weights"',)),
        ({"weights": [1.0, [2.0]]}, ('"weights"',)),
        ({"weights": None}, ('"weights"',)),
        ({"made": "by hand"}, ('"made"', "'by hand'")),
    ],
)
def test_damaged_files_are_refused(
    tmp_path: Path, changes: dict[str, Any], facts: tuple[object, ...]
) -> None:
    path = saved(tmp_path, **changes)
    with refused(FileError, "ranker.json", *facts):
        LinearRanker.load(path)


@pytest.mark.parametrize("content", [b"", b"{", b"weights", b"\xff\xfe{}", b"[" * 100_000])
def test_what_is_not_json_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ranker.json"
    path.write_bytes(content)
    with refused(FileError, "ranker.json", "JSON"):
        LinearRanker.load(path)


@pytest.mark.parametrize("content", [b"3", b"[]", b"{}", b"null"])
def test_other_json_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ranker.json"
    path.write_bytes(content)
    with refused(FileError, "ranker.json", '"format"'):
        LinearRanker.load(path)


def test_a_missing_file_or_a_folder_is_refused(tmp_path: Path) -> None:
    with refused(FileError, "absent.json"):
        LinearRanker.load(tmp_path / "absent.json")
    with refused(FileError, str(tmp_path)):
        LinearRanker.load(tmp_path)
