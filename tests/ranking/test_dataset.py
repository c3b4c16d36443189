"""Loading, joining, splitting, scaling and writing ranking data."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from real_data import MQ2008, MSLR, NP2004, needs_rankings
from refusals import refused

from duelist.duel import FeatureArray
from duelist.errors import FileError, ParameterError
from duelist.ranking import RankingData, load_ranking_data, synthetic_ranking_data

MQ2008_FILES = [MQ2008 / f"S{number}.txt.gz" for number in range(1, 6)]
NP2004_FILES = [NP2004 / f"Fold1.{part}.txt.gz" for part in ("test", "vali")]
MSLR_FILES = [MSLR / f"msn1.fold1.{part}.5k.txt.gz" for part in ("train", "test")]

tables = st.tuples(st.lists(st.integers(1, 4), min_size=1, max_size=5), st.integers(1, 3)).flatmap(
    lambda shape: st.tuples(
        st.just(shape[0]),
        arrays(
            np.float32,
            (sum(shape[0]), shape[1]),
            elements=st.floats(width=32, allow_nan=False, allow_infinity=False),
        ),
    )
)


def grouped(sizes: list[int], features: FeatureArray) -> RankingData:
    names = np.array([f"q{query}" for query in range(len(sizes))])
    return RankingData(features, np.arange(len(features)) % 3, names, np.concatenate([[0], np.cumsum(sizes)]))


def contents(data: RankingData) -> tuple[list[list[float]], list[int], list[str], list[int]]:
    return data.features.tolist(), data.labels.tolist(), data.queries.tolist(), data.offsets.tolist()


@needs_rankings
@pytest.mark.parametrize(
    ("paths", "queries", "documents", "features", "grades", "relevant"),
    [
        (MQ2008_FILES, 784, 15_211, 46, 3, 564),
        (NP2004_FILES, 30, 29_181, 64, 2, 29),
        (MSLR_FILES, 86, 10_000, 136, 5, None),
    ],
    ids=["MQ2008", "NP2004", "MSLR"],
)
def test_real_files_have_the_documents_they_are_known_for(
    paths: list[Path], queries: int, documents: int, features: int, grades: int, relevant: int | None
) -> None:
    data = load_ranking_data(paths, cache=False)
    assert (len(data), len(data.labels), data.d, data.grades) == (queries, documents, features, grades)
    if relevant is not None:
        assert len(data.with_relevant()) == relevant


@needs_rankings
@pytest.mark.parametrize(
    "path", [MQ2008_FILES[0], NP2004_FILES[0], MSLR_FILES[0]], ids=["MQ2008", "NP2004", "MSLR"]
)
def test_real_lines_are_read_as_python_does(path: Path, tmp_path: Path) -> None:
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()[:300]
    (tmp_path / "start.txt").write_text("\n".join(lines))
    data = load_ranking_data(tmp_path / "start.txt", cache=tmp_path)
    tokens = [line.split("#")[0].split() for line in lines]
    values = np.array([[float(token.split(":")[1]) for token in line[2:]] for line in tokens])
    assert (data.features == values.astype(np.float32)).all()
    assert data.labels.tolist() == [int(line[0]) for line in tokens]
    assert [f"qid:{name}" for name in np.repeat(data.queries, np.diff(data.offsets))] == [
        line[1] for line in tokens
    ]


@needs_rankings
def test_mq2008_is_already_normalised() -> None:
    data = load_ranking_data(MQ2008_FILES[0], cache=False)
    assert np.abs(data.normalised().features - data.features).max() < 2e-6


def test_files_are_joined_in_their_order_and_padded(tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("1 qid:a 1:1\n0 qid:b 1:2\n")
    two.write_text("2 qid:c 2:3\n2 qid:c 1:4\n")
    expected = (
        [[1.0, 0.0], [2.0, 0.0], [0.0, 3.0], [4.0, 0.0]],
        [1, 0, 2, 2],
        ["a", "b", "c"],
        [0, 1, 2, 4],
    )
    for _ in range(2):
        assert contents(load_ranking_data([one, str(two)])) == expected
    assert contents(RankingData.join([load_ranking_data(one), load_ranking_data(two)])) == expected
    assert load_ranking_data([two, one]).queries.tolist() == ["c", "a", "b"]


def test_a_query_of_two_files_is_refused(tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("1 qid:a 1:1\n")
    two.write_text("2 qid:b 1:3\n2 qid:a 1:4\n")
    with refused(FileError, "'a'", str(one), str(two), "RankingData.join"):
        load_ranking_data([one, two])
    with refused(FileError, "'a'", str(one)):
        load_ranking_data([one, one])


def test_groups_say_where_queries_begin(tmp_path: Path) -> None:
    lines, groups = tmp_path / "train.txt", tmp_path / "train.txt.query"
    lines.write_text("1 1:1\n\n0 2:2 # note\n2\n")
    for content in (b"2\n1\n", b" 2\r\n\n1", gzip.compress(b"2\n1\n")):
        groups.write_bytes(content)
        data = load_ranking_data(lines, groups=groups, cache=False)
        assert contents(data) == ([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]], [1, 0, 2], ["1", "2"], [0, 2, 3])
    both = load_ranking_data([lines, lines], groups=[groups, groups])
    assert (both.queries.tolist(), both.offsets.tolist()) == (["1", "2", "3", "4"], [0, 2, 3, 5, 6])


@pytest.mark.parametrize(
    ("counts", "facts"),
    [
        ("2\n2\n", ("train.group", 4, "train.txt", "3 documents")),
        ("", ("train.group", 0, "train.txt", "3 documents")),
        ("2\n  one\n", ("train.group", "line 2", "column 3", "'one'")),
        ("2\n0\n1\n", ("train.group", "line 2", "column 1", "'0'")),
        ("2\n-1\n", ("train.group", "line 2", "column 1", "'-1'")),
        ("2 1\n", ("train.group", "line 1", "column 1", "'2 1'")),
    ],
)
def test_wrong_groups_are_refused(counts: str, facts: tuple[object, ...], tmp_path: Path) -> None:
    lines, groups = tmp_path / "train.txt", tmp_path / "train.group"
    lines.write_text("1 1:1\n0 2:2\n2 1:1\n")
    groups.write_text(counts)
    with refused(FileError, *facts):
        load_ranking_data(lines, groups=groups)


def test_groups_and_query_ids_are_one_too_many(tmp_path: Path) -> None:
    lines, groups = tmp_path / "train.txt", tmp_path / "train.group"
    lines.write_text("1 qid:1 1:1\n")
    groups.write_text("1\n")
    with refused(FileError, "line 1", "column 3", "'qid:1'", "groups"):
        load_ranking_data(lines, groups=groups)


def test_paths_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with refused(FileError, "missing.txt"):
        load_ranking_data(tmp_path / "missing.txt")
    with refused(FileError, str(tmp_path)):
        load_ranking_data(tmp_path)
    with refused(ParameterError, "paths", 0):
        load_ranking_data([])
    with refused(ParameterError, "paths", "groups", 1, 2):
        load_ranking_data(tmp_path, groups=[tmp_path, tmp_path])


@given(tables)
def test_normalising_is_min_max_per_query_and_feature(table: tuple[list[int], FeatureArray]) -> None:
    data = grouped(*table)
    scaled = data.normalised()
    for query in range(len(data)):
        values = data.features[data.rows(query)].astype(np.float64)
        low, high = values.min(axis=0), values.max(axis=0)
        for feature in range(data.d):
            spread = high[feature] - low[feature]
            expected = (values[:, feature] - low[feature]) / (spread if spread > 0 else 1.0)
            found = scaled.features[data.rows(query), feature]
            assert found.tolist() == expected.astype(np.float32).tolist()
    assert contents(scaled)[1:] == contents(data)[1:]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=tables)
def test_what_is_written_is_read_back(table: tuple[list[int], FeatureArray], tmp_path: Path) -> None:
    data = grouped(*table)
    again = load_ranking_data(data.to_svmlight(tmp_path / "data.txt"), cache=False)
    assert again.features.tobytes() == data.features.tobytes()
    assert contents(again)[1:] == contents(data)[1:]


def test_more_than_a_batch_is_written(tmp_path: Path) -> None:
    data = synthetic_ranking_data(queries=150, features=3)
    assert len(data.labels) > 2000
    assert contents(load_ranking_data(data.to_svmlight(tmp_path / "data.txt"))) == contents(data)


@pytest.mark.parametrize("names", [["a b", "c"], ["#", "c"], ["", "c"], ["a", "a"], ["a\n", "c"]])
def test_names_that_would_not_be_read_back_are_not_written(names: list[str], tmp_path: Path) -> None:
    data = RankingData(np.ones((2, 1), np.float32), np.arange(2), np.array(names), np.arange(3))
    with refused(ParameterError, "queries"):
        data.to_svmlight(tmp_path / "data.txt")
    assert not list(tmp_path.iterdir())


def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    data = grouped([1, 1], np.array([[1.0], [np.nan]], np.float32))
    with refused(ParameterError, "features", "nan"):
        data.to_svmlight(tmp_path / "data.txt")
    assert not list(tmp_path.iterdir())


def test_a_split_shares_the_queries_out() -> None:
    data = synthetic_ranking_data(queries=50, features=4)
    first, rest = data.split(0.3, np.random.default_rng(0))
    assert (len(first), len(rest)) == (15, 35)
    places = [np.flatnonzero(np.isin(data.queries, part.queries)) for part in (first, rest)]
    assert sorted(np.concatenate(places).tolist()) == list(range(50))
    for part, chosen in zip((first, rest), places, strict=True):
        assert contents(part) == contents(data.subset(chosen))
    other, _ = data.split(0.3, np.random.default_rng(1))
    assert contents(other) != contents(first)


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, 0.001, float("nan")])
def test_a_split_without_a_side_is_refused(share: float) -> None:
    with refused(ParameterError, "share", "20 queries", share):
        synthetic_ranking_data(queries=20, features=2).split(share, np.random.default_rng(0))


def test_a_subset_has_the_documents_of_its_queries() -> None:
    data = grouped([1, 3, 2], np.arange(12, dtype=np.float32).reshape(6, 2))
    assert contents(data.subset([2, 0])) == (
        [[8.0, 9.0], [10.0, 11.0], [0.0, 1.0]],
        [1, 2, 0],
        ["q2", "q0"],
        [0, 2, 3],
    )
    for wrong in ([], [3], [-1]):
        with refused(ParameterError, "queries", 0, 2, wrong):
            data.subset(wrong)


def test_joining_nothing_is_refused() -> None:
    with refused(ParameterError, "parts"):
        RankingData.join([])


@pytest.mark.parametrize(
    ("parts", "facts"),
    [
        (([1.0], [0], ["a"], [0, 1]), ("features", (1,))),
        (([[1.0]], [0, 1], ["a"], [0, 1]), ("features", "label", (1, 1), (2,))),
        (([[1.0]], [0], ["a"], [0, 2]), ("offsets", 0, 1)),
        (([[1.0]], [0], ["a", "b"], [0, 1]), ("offsets", "2 queries")),
        (([[1.0]], [0], ["a", "b"], [0, 0, 1]), ("offsets", "document")),
        (([[1.0]], [-1], ["a"], [0, 1]), ("labels", -1)),
    ],
)
def test_parts_that_do_not_fit_are_refused(parts: tuple[list[float], ...], facts: tuple[object, ...]) -> None:
    features, labels, queries, offsets = map(np.array, parts)
    with refused(ParameterError, *facts):
        RankingData(features, labels, queries, offsets)


def test_arrays_of_the_right_kind_are_not_copied() -> None:
    features = np.ones((2, 3), np.float32)
    assert np.shares_memory(
        RankingData(features, np.zeros(2, np.int64), np.array(["a"]), np.array([0, 2])).features, features
    )
