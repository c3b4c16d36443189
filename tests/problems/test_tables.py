from pathlib import Path

import numpy as np
import pytest
from duelist.problems.tables import write_comparisons, write_table
from numpy.testing import assert_array_equal
from real_data import PREFERENCES, needs_data

from duelist.errors import FileError
from duelist.problems import ComparisonTable, MatrixProblem, MatrixTable, read_table

PLAIN = "0.5,0.7\n0.3,0.5\n"
VOTES = [[0.0, 3.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]


def written(folder: Path, text: str, name: str = "votes.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        (PLAIN, None),
        (PLAIN.replace(",", ";"), None),
        (PLAIN.replace(",", "\t"), None),
        (PLAIN.replace(",", " , ").replace("\n", "\r\n"), None),
        ("\ufeff" + PLAIN, None),
        ("# P(i beats j)\n\n0.5,0.7\n,\n  # second row\n0.3,0.5", None),
        ("a,b\n" + PLAIN, ("a", "b")),
        ("1,2\n" + PLAIN, ("1", "2")),
        (",a,b\na,0.5,0.7\nb,0.3,0.5\n", ("a", "b")),
        (",0,1\n0,0.5,0.7\n1,0.3,0.5\n", ("0", "1")),
        ("arm;C#;x y\nC#;0.5;0.7\nx y;0.3;0.5\n", ("C#", "x y")),
        ('"","a;b","#c"\n"a;b",0.5,0.7\n"#c",0.3,0.5\n', ("a;b", "#c")),
        ("\t#a\tb\n" + '"#a"\t0.5\t0.7\nb\t0.3\t0.5\n', ("#a", "b")),
        (",winner,loser\nwinner,0.5,0.7\nloser,0.3,0.5\n", ("winner", "loser")),
        ("0,5;0,7\n0,3;0,5\n", None),
        ("\ta\tb\na\t0,500\t0,7\nb\t,3\t0,5\n", ("a", "b")),
    ],
)
def test_a_matrix_is_read_in_every_shape(tmp_path: Path, text: str, labels: tuple[str, ...] | None) -> None:
    table = read_table(written(tmp_path, text))
    assert isinstance(table, MatrixTable)
    assert_array_equal(table.matrix, [[0.5, 0.7], [0.3, 0.5]])
    assert table.labels == labels


@pytest.mark.parametrize(
    "text",
    [
        "winner,loser,count\na,b,3\nb,c,1\n",
        "Count;Loser;WINNER\n3;b;a\n1;c;b\n",
        "date\twinner\tloser\tcount\nmon\ta\tb\t3\n\n# late\ntue\tb\tc\t1e0",
        'loser, winner, count, remark\nb, a, 3, "good, better"\nc, b, 1, "two\nlines"\n',
        ",winner,loser,count\n0,a,b,3\n1,b,c,1\n",
        "winner;loser;count\na;b;2,5\na;b;0,5\nb;c;1",
        '{"winner": "a", "loser": "b", "count": 3}\n\n{"loser": "c", "count": 1, "winner": "b"}\n',
        "player_a,player_b,winner,count\na,b,a,3\nb,c,b,1\n",
        "Model_A,model_b,Winner\na,b,model_a\na,b,MODEL_A\nb,a,model_b\nb,c,model_a\n",
    ],
)
def test_comparisons_are_read_in_every_shape(tmp_path: Path, text: str) -> None:
    table = read_table(written(tmp_path, text))
    assert isinstance(table, ComparisonTable)
    assert table.labels == ("a", "b", "c")
    assert_array_equal(table.wins, VOTES)


def test_a_tie_is_half_a_win_each_way(tmp_path: Path) -> None:
    text = "model_a,model_b,winner,turn\nx,y,tie,1\ny,x,tie (bothbad),2\nx,y,Draw,1\nx,y,model_b,1\n"
    table = read_table(written(tmp_path, text))
    assert isinstance(table, ComparisonTable)
    assert table.labels == ("x", "y")
    assert_array_equal(table.wins, [[0.0, 1.5], [2.5, 0.0]])


def test_columns_of_other_names_can_be_named(tmp_path: Path) -> None:
    path = written(tmp_path, "left,right,choice,model_a,model_b\nx,y,left,p,q\nx,y,tie,p,q\n")
    table = read_table(path, a="left", b="right", winner="choice")
    assert isinstance(table, ComparisonTable)
    assert_array_equal(table.wins, [[0.0, 1.5], [0.5, 0.0]])
    with pytest.raises(FileError, match=r'line 1: no column is called "who"; the columns are \[\'left\''):
        read_table(path, a="left", b="right", winner="who")
    with pytest.raises(FileError, match=r"line 1: the columns are .* by a= and b= \(--a and --b\)"):
        read_table(written(tmp_path, "one,two,choice\nx,y,one\n"), winner="choice")


@pytest.mark.parametrize("text", ["0,3\n1,0\n", "a;b\n0;2,5\n0,5;0\n", ",a,b\na,0,3\nb,1,0\n"])
def test_a_matrix_of_counts_is_known_by_its_diagonal(tmp_path: Path, text: str) -> None:
    table = read_table(written(tmp_path, text))
    assert isinstance(table, ComparisonTable)
    assert_array_equal(table.wins * 2.0, np.array([[0, 6], [2, 0]]) if "5" not in text else [[0, 5], [1, 0]])
    assert table.labels == (("0", "1") if text.startswith("0") else ("a", "b"))


def test_a_missing_count_is_one(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, "winner,loser\na,b\n"))
    assert isinstance(table, ComparisonTable)
    assert table.wins[0, 1] == 1.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"votes\.csv: the file is empty; give K rows of K numbers"),
        ("# only\n\n", r"votes\.csv: the file is empty"),
        ("winner,loser\n", r"votes\.csv, line 1: no comparison follows the header; give"),
        ("winner,loser,count\n# c\na,b,x\n", r"votes\.csv, line 3, column \"count\": 'x' is not a number"),
        ("winner,loser,tie\na,b,1\n", r'votes\.csv, line 1: .* no column "tie"; .* half a win each way'),
        ("loser,Winner,Outcome\na,b,tie\n", r'votes\.csv, line 1: .* no column "outcome"'),
        (
            "left,right,outcome\na,b,0.7\n",
            r"line 2, column \"outcome\": '0.7' is no outcome; give left, right or",
        ),
        ("winner,loser,count\na,b,\n", r"votes\.csv, line 2, column \"count\": '' is not a number of wins"),
        (
            "winner,loser,count\na,b,-2\n",
            r"votes\.csv, line 2, column \"count\": '-2' is not a number of wins",
        ),
        ("winner,loser,count\na,b,nan\n", r"votes\.csv, line 2, column \"count\": 'nan' is not a number"),
        ("winner,loser\n,b\n", r"votes\.csv, line 2, column \"winner\": '' is not a name; give one line"),
        ("winner,loser\na,b\n\nb,b\n", r"votes\.csv, line 4, column \"loser\": 'b' is the winner too"),
        (
            "winner,loser\na,b,c\n",
            r"votes\.csv, line 2: 3 fields where line 1 has 2; give every line as many",
        ),
        ("0.5,0.7\n0.3\n", r"votes\.csv, line 2: 1 field where line 1 has 2"),
        ("0.5,O.7\n0.3,0.5\n", r"votes\.csv, line 1, column 2: 'O.7' is not a number; give K rows of K"),
        ("winner,loser,winner\na,b,c\n", r'votes\.csv, line 1: 2 columns are called "winner"; the columns'),
        (
            "winner,loser\na,b\nb,Draw\n",
            r"line 3, column \"loser\": 'Draw' is a tie, not an arm; write .* half",
        ),
        ("winner,loser\ntie,b\n", r"line 2, column \"winner\": 'tie' is a tie, not an arm"),
        ("winner,loser,count\na,b,0\nb,a,0.0\n", r"votes\.csv, all counts are 0, so that nothing .* above 0"),
        (
            "winner;loser;count\na;b;1,500\n",
            r"line 2, column \"count\": '1,500' is not .* such as 2\.5",
        ),
        ("a,b,winner\nx,y,x\nx,y,z\n", r"line 3, column \"winner\": 'z' is neither 'x' nor 'y'; give .* tie"),
        ("a,b,winner\nx,y,\n", r"line 2, column \"winner\": '' is neither 'x' nor 'y'"),
        ("a,b,winner\nx,x,x\n", r"line 2, column \"b\": 'x' is in column \"a\" too; name two arms"),
        ("a,b,winner\nx,tie,x\n", r"line 2, column \"b\": 'tie' is a tie, not an arm"),
        ("a,b,winner\nb,a,a\n", r"line 2, column \"winner\": 'a' is an arm and also the column of the other"),
        ("a,b,a,winner\nx,y,z,x\n", r'line 1: 2 columns are called "a"'),
        ('[{"winner": "a"}]', r"votes\.csv: this is one JSON array; write its objects one on each line"),
        ('{"winner": "a", "loser": "b"}\n{"winner"\n', r"votes\.csv, line 2: this is not JSON .* one object"),
        ('{"winner": "a", "loser": "b"}\n\n[1]\n', r"votes\.csv, line 3: this is not a JSON object"),
        ('{"winner": "a", "loser": "b"}\n{"loser": "b"}\n', r"line 2, column \"winner\": None is not a name"),
        ("0,5,0,7\n0,3,0,5\n", r"2 rows of 4 numbers are no matrix; .* semicolons or tabs between"),
        ("a,b\n0.5,0.7\n0.3,?\n", r"votes\.csv, line 3, column 2: '\?' is not a number"),
        (",a,b\na,0.5,\nb,0.3,0.5\n", r"votes\.csv, line 2, column 3: '' is not a number"),
        (
            ",a,b\nb,0.5,0.7\na,0.3,0.5\n",
            r"votes\.csv, line 2, column 1: the row is named 'b' where the header has 'a'",
        ),
        ('winner,loser\na,"b\n', r"votes\.csv, line 3: unexpected end of data; check the quotes"),
    ],
)
def test_a_wrong_file_is_refused_by_line_and_column(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FileError, match=message):
        read_table(written(tmp_path, text))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"none\.csv: No such file or directory; give the path of a CSV file"):
        read_table(tmp_path / "none.csv")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=f"{tmp_path.name}: Is a directory"):
        read_table(str(tmp_path))


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes("winner,loser\nMüller,Groß\n".encode("latin-1"))
    with pytest.raises(FileError, match=r"latin\.csv: byte 14 is not UTF-8; save the file as UTF-8"):
        read_table(path)


@needs_data
def test_every_published_matrix_loads() -> None:
    files = sorted(PREFERENCES.glob("*.csv"))
    assert len(files) >= 14
    for file in files:
        problem = MatrixProblem.from_csv(file)
        assert_array_equal(problem.matrix, np.loadtxt(file, delimiter=","))


def test_a_matrix_is_written_with_quoted_names(tmp_path: Path) -> None:
    file = write_table(tmp_path / "p.csv", np.array([[0.5, 0.6], [0.4, 0.5]]), ("a", "b"))
    assert file.read_text() == '"","a","b"\n"a",0.5,0.6\n"b",0.4,0.5\n'


def test_comparisons_are_written_both_ways(tmp_path: Path) -> None:
    file = write_comparisons(tmp_path / "p.csv", np.array([[0.0, 3.0], [1.0, 0.0]]), ("a", "b"))
    assert file.read_text() == '"winner","loser","count"\n"a","b",3.0\n"b","a",1.0\n'
