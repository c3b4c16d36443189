"""A ranking is read back as written, whatever the layout of the file."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from duelist.errors import FileError
from duelist.interleaving.files import read_rankings

NAMES = st.text(
    st.characters(exclude_characters="\ufeff#", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=8
).filter(str.strip)
WORDS = NAMES.filter(lambda name: " " not in name)
PHRASES = NAMES.filter(lambda name: name == name.strip(" "))
SEPARATORS = st.sampled_from([" ", "   ", "\t", " \t "])
SCORES = st.sampled_from([-2.5, 0.0, 1e-3, 7.0, 7.25, 1e9])


def rankings_of(names: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, list[str]]]:
    documents = st.lists(names, min_size=1, max_size=5, unique=True)
    return st.dictionaries(names, documents, min_size=1, max_size=3)


def read(content: str, encoding: str = "utf-8") -> dict[str, list[str]]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rankings"
        path.write_bytes(content.encode(encoding))
        return read_rankings(path)


@st.composite
def padded(draw: st.DrawFn, lines: list[str]) -> tuple[str, str]:
    """Lines as other programs may write them, with empty lines and comments, and their encoding."""
    end = draw(st.sampled_from(["\n", "\r\n"]))
    between = st.sampled_from(["", end, f"  {end}", f"\t{end}{end}", f"# a comment{end}"])
    text = "".join(draw(between) + line + draw(st.sampled_from(["", " ", "\t"])) + end for line in lines)
    return text if draw(st.booleans()) else text.rstrip(end), draw(st.sampled_from(["utf-8", "utf-8-sig"]))


@given(rankings_of(WORDS), SEPARATORS, st.data())
def test_queries_and_documents_are_read_back(
    rankings: dict[str, list[str]], separator: str, data: st.DataObject
) -> None:
    lines = [f"{query}{separator}{one}" for query, documents in rankings.items() for one in documents]
    assert read(*data.draw(padded(lines))) == rankings


@given(rankings_of(PHRASES), st.data())
def test_tabs_allow_spaces_in_names(rankings: dict[str, list[str]], data: st.DataObject) -> None:
    lines = [f"{query}\t{one}" for query, documents in rankings.items() for one in documents]
    assert read(*data.draw(padded(lines))) == rankings


@given(st.lists(WORDS, min_size=1, max_size=6, unique=True), st.data())
def test_a_document_a_line_is_read_back(documents: list[str], data: st.DataObject) -> None:
    assert read(*data.draw(padded(documents))) == {"": documents}


@given(rankings_of(WORDS), SEPARATORS, st.data())
def test_the_lines_of_a_run_may_come_in_any_order(
    rankings: dict[str, list[str]], separator: str, data: st.DataObject
) -> None:
    lines = []
    for query, documents in rankings.items():
        size = len(documents)
        scores = sorted(data.draw(st.lists(SCORES, min_size=size, max_size=size)), reverse=True)
        for rank, (document, score) in enumerate(
            zip(documents, scores, strict=True), data.draw(st.integers(0, 1))
        ):
            lines.append(separator.join([query, "Q0", document, str(rank), str(score), "run"]))
    assert read(*data.draw(padded(data.draw(st.permutations(lines))))) == rankings


@pytest.mark.parametrize("ranks", [(1, 2, 3), (1, 1, 1)])
def test_a_run_is_sorted_by_score(ranks: tuple[int, ...]) -> None:
    first, second, third = ranks
    text = f"51 Q0 c {third} 1.5 bm25\n51 Q0 a {first} 9.5 bm25\n51 Q0 b {second} 9 bm25\n"
    assert read(text) == {"51": ["a", "b", "c"]}


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("1 Q0 a 1 5 x\n1 Q0 b 2 6 x\n", ("line 1", "rank 1", "score 5", "rank 2", "score 6", "line 2")),
        ("1 Q0 a 1 5 x\n\n1 Q0 b two 4 x\n", ("line 3", "rank", "'two'")),
        ("1 Q0 a 1 high x\n", ("line 1", "score", "'high'")),
        ("1 Q0 a 1 nan x\n", ("line 1", "score", "'nan'")),
        ("a\nb\n# a\na\n", ("line 4", "'a'", "line 1")),
        ("q1 a\nq2 a\nq1 b\nq1 a\n", ("line 4", "'a'", "query q1", "line 1")),
        ("q1\ta\nq1\t\tb\n", ("line 2", "3 columns")),
        ("q1 a x\n", ("line 1", "3 columns", "`document`", "`query document`")),
        ("1\tQ0\t\t1\t5\tx\n", ("line 1", "column 3")),
    ],
)
def test_what_cannot_be_a_ranking_is_refused_by_line(text: str, facts: tuple[str, ...]) -> None:
    with refused(FileError, "rankings", *facts):
        read(text)
