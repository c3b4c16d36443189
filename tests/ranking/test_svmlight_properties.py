"""The notation of an SVMlight file does not change its content."""

import gzip
import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import TypeAlias

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from duelist.ranking import RankingData, load_ranking_data

Document: TypeAlias = tuple[int, dict[int, float]]
"""A label, and the features that are not 0."""

LETTERS = st.characters(
    codec="utf-8", exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"], exclude_characters="#"
)
NAMES = st.text(LETTERS, min_size=1, max_size=6).filter(lambda name: not any(map(str.isspace, name)))
VALUES = st.floats(width=32, allow_nan=False, allow_infinity=False).filter(lambda value: value != 0.0)
DOCUMENTS = st.tuples(st.integers(0, 4), st.dictionaries(st.integers(1, 6), VALUES, max_size=4))
QUERIES = st.dictionaries(NAMES, st.lists(DOCUMENTS, min_size=1, max_size=4), min_size=1, max_size=4).filter(
    lambda queries: any(features for documents in queries.values() for _, features in documents)
)
QUIET = settings(deadline=None, max_examples=40)


def read(content: bytes) -> RankingData:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.txt"
        path.write_bytes(content)
        return load_ranking_data(path, cache=False)


def documents_of(data: RankingData) -> dict[str, list[Document]]:
    return {
        str(name): [
            (label, {number: value for number, value in enumerate(row, 1) if value != 0.0})
            for label, row in zip(
                data.labels[data.rows(query)].tolist(), data.features[data.rows(query)].tolist(), strict=True
            )
        ]
        for query, name in enumerate(data.queries)
    }


def line_of(name: str, document: Document, shuffler: random.Random) -> str:
    """Return a document with blanks and comments of any kind; zeros may be written or left out."""
    label, features = document
    numbers = sorted({*features, *shuffler.sample(range(1, max(features, default=1) + 1), 1)})
    fields = [str(label), f"qid:{name}", *(f"{number}:{features.get(number, 0.0)!r}" for number in numbers)]
    blanks = shuffler.choice([" ", "\t", "  ", " \t "])
    comment = shuffler.choice(["", "#", " # docid = 7", "# 1 qid:9 1:5"])
    return shuffler.choice(["", " "]) + blanks.join(fields) + shuffler.choice(["", " "]) + comment


@QUIET
@given(
    QUERIES,
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.randoms(),
)
def test_no_spelling_of_a_file_changes_it(
    queries: dict[str, list[Document]], mark: bytes, ending: str, zipped: bool, shuffler: random.Random
) -> None:
    lines = [
        line_of(name, document, shuffler) for name, documents in queries.items() for document in documents
    ]
    for _ in range(shuffler.randrange(4)):
        lines.insert(shuffler.randrange(len(lines) + 1), shuffler.choice(["", "  ", "\t", "# why"]))
    content = mark + (ending.join(lines) + shuffler.choice(["", ending])).encode()
    data = read(gzip.compress(content) if zipped else content)
    assert documents_of(data) == queries
    assert data.queries.tolist() == list(queries)


@QUIET
@given(QUERIES, st.randoms())
def test_the_order_of_queries_and_documents_changes_nothing_else(
    queries: dict[str, list[Document]], shuffler: random.Random
) -> None:
    lines = []
    for name in shuffler.sample(list(queries), len(queries)):
        documents = queries[name]
        lines += [line_of(name, one, shuffler) for one in shuffler.sample(documents, len(documents))]
    found = documents_of(read("\n".join(lines).encode()))
    assert found.keys() == queries.keys()
    for name, documents in queries.items():
        assert Counter(map(repr, map(in_order, found[name]))) == Counter(map(repr, map(in_order, documents)))


def in_order(document: Document) -> tuple[int, list[tuple[int, float]]]:
    return document[0], sorted(document[1].items())


@QUIET
@given(QUERIES, st.randoms())
def test_what_was_read_is_written_and_read_back(
    queries: dict[str, list[Document]], shuffler: random.Random
) -> None:
    lines = [line_of(name, one, shuffler) for name, documents in queries.items() for one in documents]
    data = read("\n".join(lines).encode())
    with tempfile.TemporaryDirectory() as folder:
        again = load_ranking_data(data.to_svmlight(Path(folder) / "again.txt"), cache=False)
    assert documents_of(again) == documents_of(data) == queries
    assert np.array_equal(again.features, data.features)
