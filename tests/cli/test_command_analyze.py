"""`duelist analyze`: what it prints, in which order, in which format, and what it refuses."""

import csv
import io
import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matrices import LADDER, PAPER
from page_outline import Outline
from real_data import PREFERENCES, needs_data
from refusals import names as named
from spacing import unspaced
from typer.testing import CliRunner

from duelist import analyze, load_votes
from duelist.bounds import asymptotic_lower_bound
from duelist.cli.main import app
from duelist.problems import MatrixProblem, worst_case
from duelist.ratings import fit_bradley_terry
from duelist.winners import random_walk_distribution

runner = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})
VOTES = """winner,loser,count
dense,bm25,60
bm25,dense,31
dense,[x],80
[x],dense,4
bm25,splade,30.5
splade,bm25,41.5
dense,splade,22
splade,dense,19
"""
MATCHES = """home,away,result,day,league,judge
ajax,psv,H,2026-01-10,one,ann
psv,ajax,H,2026-01-11,one,bob
ajax,psv,D,2026-02-10,one,ann
psv,feyenoord,H,2026-02-11,two,bob
feyenoord,psv,H,2026-02-12,two,eve
ajax,feyenoord,A,2026-02-13,two,joe
feyenoord,ajax,A,2026-02-14,two,sue
"""


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    path.write_text(VOTES)
    return path


@pytest.fixture
def matches(tmp_path: Path) -> Path:
    path = tmp_path / "matches.csv"
    path.write_text(MATCHES)
    return path


def printed(*arguments: str | Path) -> str:
    outcome = runner.invoke(app, ["analyze", *map(str, arguments)])
    assert outcome.exit_code == 0, outcome.output
    assert outcome.stderr == ""
    return outcome.stdout


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


def found(*arguments: str | Path) -> Any:
    return json.loads(printed(*arguments, "--json"), parse_constant=refuse)


def lines_of(text: str, title: str) -> list[str]:
    """Return the lines of a part, up to the next title."""
    lines = text.splitlines()
    start = lines.index(title) + 1
    ends = [place for place in range(start, len(lines)) if lines[place] and not lines[place].startswith(" ")]
    return [line.strip() for line in lines[start : (*ends, len(lines))[0]] if line.strip()]


def titles(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith((" ", "Written"))]


def test_what_was_read_comes_first_then_one_verdict_and_the_leaderboard(votes: Path) -> None:
    text = printed(votes)
    first, verdict, *parts = titles(text)
    assert re.sub(".*/", "", first) == "votes.csv: 288 votes on 4 arms"
    assert named(verdict, "Undecided", "dense", "splade, bm25")
    assert [re.split(" |,", title)[0] for title in parts] == [
        "Leaderboard",
        "Winners",
        "Pairs",
        "Assumptions",
        "Guarantees",
        "Lower",
    ]
    assert "ettled" not in text
    assert named(text, "log-odds", "73%", "Intervals", "independent")


def test_the_leaderboard_has_ratings_intervals_ranks_and_chances(votes: Path) -> None:
    rated = fit_bradley_terry(votes)
    rows = [re.split(r"  +", line) for line in lines_of(printed(votes), "Leaderboard")[2:6]]
    assert [row[0] for row in rows] == ["dense", "splade", "bm25", "[x]"]
    for row, line in zip(rows, rated.rows(), strict=True):
        ranks = f"{line.rank_low}-{line.rank_high}" if line.rank_high > line.rank_low else str(line.rank_low)
        bounds = f"{line.low:.2f} to {line.high:.2f}"
        assert row[:6] == [
            line.arm,
            ranks,
            f"{line.rating:.2f}",
            bounds,
            f"{line.first:.0%}",
            str(line.votes),
        ]
    facts = found(votes)
    assert [line["arm"] for line in facts["leaderboard"]] == ["dense", "splade", "bm25", "[x]"]
    assert facts["leaderboard"][0]["rating"] == pytest.approx(rated.rating.max())
    wide = found(votes, "--confidence", "0.99")["leaderboard"][0]
    assert wide["low"] < facts["leaderboard"][0]["low"]
    drawn = found(votes, "--ridge", "100")["leaderboard"][0]
    assert 0.0 < drawn["rating"] < facts["leaderboard"][0]["rating"]
    points = found(votes, "--scale", "elo", "--anchor", "bm25")["leaderboard"]
    assert {line["arm"]: line["rating"] for line in points}["bm25"] == 1000.0


@pytest.mark.parametrize("width", [60, 80, 120])
def test_numbers_are_whole_and_names_distinct_on_every_terminal(width: int, tmp_path: Path) -> None:
    names = [f"mistralai/Mixtral-8x22B-Instruct-v0.{place} with chain of thought" for place in range(4)]
    pairs = [(one, other) for one in names for other in names if one != other]
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(["winner,loser,count", *(f"{one},{other},1234" for one, other in pairs)]))
    narrow = CliRunner(env={"COLUMNS": str(width), "NO_COLOR": "1", "TERM": "dumb"})
    text = narrow.invoke(app, ["analyze", str(path), "--scale", "elo"]).stdout
    assert max(map(len, text.splitlines()[2:])) <= width
    rows = [line.rsplit(maxsplit=8) for line in lines_of(text, "Leaderboard")[2:6]]
    assert {(*row[1:3], row[-2], row[-1]) for row in rows} == {("1-4", "1,000", "7,404", "50%")}
    assert len({row[0] for row in rows}) == 4
    assert sum("50.0%" in line for line in lines_of(text, "Pairs")) == 6


def test_winners_by_every_definition(votes: Path) -> None:
    visited = random_walk_distribution(MatrixProblem.from_votes(load_votes(votes)).matrix).max()
    won = (60 / 91 + 80 / 84 + 22 / 41) / 3
    lines = lines_of(printed(votes), "Winners by every definition")
    expected = {
        "Condorcet": ["arm dense"],
        "Copeland": ["arm dense", "3 of 3"],
        "Borda": ["arm dense", f"{won:.1%}"],
        "Schulze": ["arm dense"],
        "ranked pairs": ["arm dense"],
        "Kemeny": ["arm dense"],
        "random walk": ["arm dense", f"{visited:.1%}"],
        "von Neumann": ["arm dense", "100.0%"],
        "never compared": ["2 pairs"],
    }
    for line, (concept, facts) in zip(lines, expected.items(), strict=True):
        assert line.startswith(concept)
        assert named(line, *facts), line


def test_copeland_points_where_arms_tie_or_were_never_compared(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    rows = ["a,b,left", "a,c,left", "a,d,right", "b,c,tie", "b,d,left"]
    path.write_text("\n".join(["left,right,outcome", *rows]))
    assert re.search(r"Copeland +arm a \(2 of 3 points[^)]* compared\)", printed(path))
    assert found(path)["winners"]["copeland"] == {"a": 2.0}
    path.write_text("\n".join(["left,right,outcome", *rows, "c,d,tie"]))
    assert re.search(r"Copeland +arm a \(2 of 3 points", printed(path))
    assert not re.search(r"Copeland +arm a \([^)]*compared\)", printed(path))
    path.write_text("\n".join(["left,right,outcome", *rows[:2], "a,d,left", *rows[3:]]))
    assert re.search(r"Copeland +arm a \(3 of 3", printed(path))


def test_pairs_are_listed_with_their_intervals(votes: Path) -> None:
    text = printed(votes)
    rows = [line.split() for line in lines_of(text, "Pairs") if "% to " in line]
    assert rows[0] == ["dense", "over", "splade", "22", "41", "53.7%", "38.7%", "to", "67.9%"]
    assert [row[:5] for row in rows[1:]] == [
        ["dense", "over", "bm25", "60", "91"],
        ["dense", "over", "[x]", "80", "84"],
        ["splade", "over", "bm25", "41.5", "72"],
    ]
    assert named(text, "95%", "2 pairs", "[x] and bm25, [x] and splade")
    assert named(printed(votes, "--confidence", "0.99"), "99%")


@pytest.mark.parametrize(
    ("text", "apart"),
    [
        (
            "left,right,outcome\na,b,left\nb,c,tie\nb,c,left\n",
            "Not rated: a (won every vote against rated arms).",
        ),
        ("winner,loser\na,b\nb,a\nc,d\na,b\n", "Not rated: c, d (not compared with rated arms)."),
        ("winner,loser\na,b\nb,c\n", "No ratings: no two arms have both won and lost"),
    ],
)
def test_arms_without_a_rating_stand_apart(text: str, apart: str, tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text(text)
    assert apart in " ".join(lines_of(printed(path), "Leaderboard"))
    assert found(path)["pairs"]
    assert unspaced("report.html, ") in unspaced(printed(path, "--out", tmp_path / "out"))
    rated = apart.startswith("Not")
    files = ["leaderboard.csv", *(["leaderboard.svg"] if rated else []), "report.html"]
    assert sorted(one.name for one in (tmp_path / "out").iterdir()) == files
    assert apart in " ".join((tmp_path / "out" / "report.html").read_text().split())


def test_only_the_best_of_many_arms_and_the_pairs_that_matter_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    pairs = [f"a{i},a{i + 1},2\na{i + 1},a{i},1" for i in range(51)]
    path.write_text("\n".join(["winner,loser,count", *pairs]))
    text = printed(path)
    assert named(text, "2 more arms", "--table csv", "31 more pairs", "--json")
    assert sum("% to " in line for line in lines_of(text, "Pairs")) == 20
    assert len(printed(path, "--table", "csv").splitlines()) == 53


def test_columns_are_named_once_for_all_roles(matches: Path) -> None:
    renamed = matches.with_name("renamed.csv")
    renamed.write_text(MATCHES.replace("home,away,result,day,league,judge", "h,a,who won,d,l,j"))
    roles = 'left=h,right=a,outcome=who won,"time=d",voter=j,category=l'
    plain = ("--columns", "time=day,category=league")
    for options in ((), ("--by", "category"), ("--since", "2026-02-01")):
        one, other = found(matches, *plain, *options), found(renamed, "--columns", roles, *options)
        assert {**one, "remarks": []} == {**other, "remarks": []}
    remark = printed(renamed, "--columns", roles).splitlines()[1]
    assert named(remark, "left", "'h'", "right", "'a'", "outcome", "'who won'", "voter", "'j'")
    apart = ("--columns", "left=h,right=a", "--columns", "outcome=who won")
    assert found(renamed, *apart)["votes"] == 7


def test_a_period_categories_and_clusters(matches: Path) -> None:
    times = ("--columns", "time=day")
    facts = found(matches, *times, "--since", "2026-01-11", "--until", "2026-02-12")
    assert facts["votes"] == 4
    assert any(named(remark, "3 votes") for remark in facts["remarks"])
    text = printed(matches, "--by", "league", "--clusters", "judge", "--side-effect", "--ridge", "0.1")
    assert [title for title in titles(text) if title.startswith("league")] == [
        "league: one (2 votes)",
        "league: two (4 votes)",
    ]
    assert lines_of(text, "Effects")[2].startswith("left side")
    assert named(" ".join(text.split()), "judge", "5 clusters")
    alone = printed(matches, "--clusters", "none")
    assert "clusters" not in alone


def test_of_many_categories_those_with_the_most_votes_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    rows = [f"a,b,left,k{n}\nb,a,left,k{n}" for n in range(25)] + ["a,b,left,k24"]
    path.write_text("\n".join(["left,right,outcome,kind", *rows]))
    text = printed(path, "--by", "kind")
    shown = [title for title in titles(text) if title.startswith("kind: ")]
    assert len(shown) == 20
    assert "kind: k24 (3 votes)" in shown
    assert named(text, "5 more", "kind", "--json")
    assert len(found(path, "--by", "kind")["categories"]) == 25


def test_contrasts_and_covariates(tmp_path: Path) -> None:
    path = tmp_path / "battles.csv"
    rows = [f'a,"b, c",{"model_a" if n % 3 else "model_b"},{n % 7},{n % 5},{n % 2}' for n in range(60)]
    path.write_text("\n".join(["model_a,model_b,winner,length_a,length_b,markdown", *rows]))
    options = ("--covariates", "length,markdown", "--contrast", 'a,"b, c"', "--contrast", '"b, c",a')
    text = printed(path, *options)
    assert [line.split()[0] for line in lines_of(text, "Effects")[2:4]] == ["length", "markdown"]
    first, second = (line.split("  ") for line in lines_of(text, "Contrasts")[2:4])
    assert (first[0], second[0]) == ("a minus b, c", "b, c minus a")
    facts = found(path, *options)
    assert facts["contrasts"][0]["difference"] == -facts["contrasts"][1]["difference"] > 0.0
    assert facts["contrasts"][0]["chance"] + facts["contrasts"][1]["chance"] == pytest.approx(1.0)


def test_few_votes_are_not_rated(votes: Path) -> None:
    assert named(printed(votes, "--min-votes", "100"), "[x]", "100 votes")


def test_repeats_are_said(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    rows = [f"v{n % 5},a,b,{'left' if n % 5 < 3 else 'right'}" for n in range(50)]
    path.write_text("\n".join(["voter,left,right,outcome", *rows]))
    first, every = found(path), found(path, "--repeats", "all")
    assert (first["votes"], first["repeats"], every["repeats"]) == (50, 45, 45)
    assert [line["votes"] for line in first["leaderboard"]] == [5.0, 5.0]
    assert [line["votes"] for line in every["leaderboard"]] == [50.0, 50.0]
    assert named(printed(path), "Left out", "45 votes")
    assert named(printed(path, "--repeats", "all"), "Counted", "45 votes")
    assert first["clusters"] == every["clusters"] == {"by": "voter", "number": 5}


def test_rankings_are_analyzed_like_votes(tmp_path: Path) -> None:
    path = tmp_path / "rankings.csv"
    path.write_text("ranking\n" + "a > b > c\n" * 6 + "b > a = c\n" * 3 + "c > a\n" * 2)
    assert "29 votes on 3 arms, 11 rankings" in " ".join(printed(path).split())
    facts = found(path)
    assert facts["winners"]["condorcet"] == "a"
    assert facts["clusters"] == {"by": "ranking", "number": 11}
    assert found(path, "--unranked", "last")["votes"] == 33
    path.write_text("ranking\na > b\na >\n")
    outcome = runner.invoke(app, ["analyze", str(path)])
    assert outcome.exit_code == 2
    assert "line 3" in outcome.stderr


def test_bad_rows_are_left_out_on_request(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("left,right,outcome\na,b,left\na,b,nobody\nb,a,left,more\nb,a,left\n")
    outcome = runner.invoke(app, ["analyze", str(path)])
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert "line 4" in outcome.stderr
    text = printed(path, "--skip-bad")
    assert "2 votes on 2 arms" in text
    assert "Left out: 2 bad rows" in text


def test_encoding_of_a_text(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_bytes("left,right,outcome\nmütze,hut,left\nhut,mütze,left\n".encode("latin-1"))
    assert found(path, "--encoding", "latin-1")["arms"] == ["hut", "mütze"]


@pytest.mark.parametrize("by", [(), ("--by", "league")])
def test_every_format_is_the_leaderboard(matches: Path, by: tuple[str, ...]) -> None:
    options = ("--scale", "elo", "--ridge", "0.1", *by)
    boards = analyze(matches, scale="elo", ridge=0.1, by=by[1] if by else None)
    assert boards.leaderboard is not None
    tables = [boards.leaderboard, *boards.categories.values()]
    cells = [cell for board in tables for row in board.texts() for cell in row]
    rows = list(csv.DictReader(io.StringIO(printed(matches, *options, "--table", "csv"))))
    assert [row["arm"] for row in rows] == [row.arm for board in tables for row in board.rows]
    markdown = printed(matches, *options, "--table", "markdown")
    lines = [line for line in markdown.splitlines() if line.startswith("| ")]
    body = [line for line in lines if not line.startswith(("| ---", "| Arm"))]
    assert [cell.strip() for line in body for cell in line[1:-1].split("|")] == cells
    latex = printed(matches, *options, "--table", "latex").replace("\\%", "%")
    drawn = [line[:-3].split(" & ") for line in latex.splitlines() if line.endswith(" \\\\")]
    assert [cell for line in drawn if line[0] != "Arm" for cell in line] == cells
    outline = Outline(printed(matches, *options, "--table", "html"))
    assert outline.open == []
    assert outline.tags["table"] == len(tables)
    texts = [text.strip() for text in outline.texts]
    assert [text for text in texts if text in cells] == cells
    assert ("league: one" in texts) == bool(by)


def test_one_command_writes_what_is_published(votes: Path) -> None:
    pytest.importorskip("matplotlib")
    out = votes.parent / "report"
    told = unspaced(f"Written to {out}: report.html, leaderboard.svg, leaderboard.csv.")
    assert told in unspaced(printed(votes, "--out", out))
    assert sorted(path.name for path in out.iterdir()) == [
        "leaderboard.csv",
        "leaderboard.svg",
        "report.html",
    ]
    assert (out / "leaderboard.csv").read_text() == printed(votes, "--table", "csv")
    assert "Undecided: dense leads" in (out / "report.html").read_text()
    assert (out / "leaderboard.svg").read_text().startswith("<?xml")


def test_a_file_is_read_once_whatever_is_written(votes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    loading, read = import_module("duelist.votes.loading"), list[Path]()
    bytes_of = loading.read_bytes

    def reading(path: Path) -> bytes:
        read.append(path)
        content: bytes = bytes_of(path)
        return content

    monkeypatch.setattr(loading, "read_bytes", reading)
    printed(votes, "--out", votes.parent / "report", "--figure", votes.parent / "map.svg")
    assert read == [votes]


def test_a_prior_draws_shares_to_a_half(votes: Path) -> None:
    plain, drawn = (found(votes, "--prior", wins)["assumptions"]["smallest_gap"] for wins in ("0", "10"))
    assert plain == pytest.approx(22 / 41 - 0.5)
    assert drawn == pytest.approx(32 / 61 - 0.5)


def test_delta_is_how_often_the_verdict_may_be_wrong(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("winner,loser,count\na,b,18\nb,a,2\n")
    sure, surer = (found(path, "--delta", delta)["verdict"] for delta in ("0.1", "0.0001"))
    assert (sure["finding"], surer["finding"]) == ("winner", "undecided")
    assert named(sure["text"], "10%")


def test_matrix_whose_winners_differ(tmp_path: Path) -> None:
    path = MatrixProblem(PAPER, labels="abcde").to_csv(tmp_path / "paper.csv")
    facts = found(path)
    assert facts["winners"]["condorcet"] is None
    assert facts["winners"]["copeland"] == {"d": 3.0}
    assert list(facts["winners"]["borda"]) == list(facts["winners"]["random_walk"]) == ["d"]
    assert facts["winners"]["von_neumann"] == pytest.approx({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3})
    assert (facts["lower_bound"], facts["leaderboard"], facts["verdict"], facts["pairs"]) == (
        None,
        None,
        None,
        [],
    )
    text = printed(path)
    assert unspaced("paper.csv: a preference matrix of 5 arms") in unspaced(text)
    assert "Condorcet" in text
    assert not {"Leaderboard", "Pairs", "Lower bound"} & {*titles(text)}


def test_assumptions_in_plain_words(tmp_path: Path) -> None:
    text = printed(MatrixProblem(LADDER).to_csv(tmp_path / "ladder.csv"))
    assert lines_of(text, "Assumptions") == [
        "3 arms: arm 0 is the Condorcet winner, with a gap of 0.1 or more.",
        "Total order: yes.",
        "Strong stochastic transitivity: yes.",
        "Relaxed stochastic transitivity: gamma=1.",
        "Stochastic triangle inequality: yes.",
    ]
    guarantees = lines_of(text, "Guarantees")
    # The two filters share a sentence, and so do the last four; a sentence that goes on has a small letter.
    assert [line.split()[0] for line in guarantees if line[0].isupper()] == [
        "InterleavedFilter1",
        "InterleavedFilter2",
        "BeatTheMean",
        "CondorcetSavage",
        "RMED1",
        "RMED2FH",
        "RUCB",
    ]
    assert named(guarantees[0], "InterleavedFilter1", "holds", "total order")


def test_what_hangs_on_the_shares_seen_says_so(votes: Path) -> None:
    text = printed(votes)
    hang = [title for title in titles(text) if title.startswith(("Assumptions", "Guarantees"))]
    assert len(hang) == 2
    assert all(named(title, "if", "shares") for title in hang)


def test_lower_bound(tmp_path: Path) -> None:
    problem = worst_case(4, 0.2)
    path = problem.to_csv(tmp_path / "matrix.csv")
    assert found(path)["lower_bound"] == asymptotic_lower_bound(problem.matrix)
    assert lines_of(printed(path), "Lower bound") == [
        f"In the long run no learner's regret stays below {asymptotic_lower_bound(problem.matrix):.1f} log T."
    ]


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_figure_is_written(ending: str, votes: Path) -> None:
    pytest.importorskip("matplotlib")
    path = votes.parent / "figures" / f"map.{ending}"
    assert unspaced(f"Written to {path}.") in unspaced(printed(votes, "--figure", path, "--sort"))
    beginnings = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
    assert path.read_bytes().startswith(beginnings[ending])


def test_figure_does_not_disturb_json(votes: Path) -> None:
    pytest.importorskip("matplotlib")
    path = votes.parent / "map.svg"
    outcome = runner.invoke(app, ["analyze", str(votes), "--json", "--figure", str(path)])
    assert json.loads(outcome.stdout)["arms"] == ["[x]", "bm25", "dense", "splade"]
    assert str(path) in outcome.stderr
    assert path.exists()


@pytest.mark.parametrize(
    ("text", "options", "parts"),
    [
        (None, [], ["absent.csv"]),
        ("", [], ["absent.csv", "empty"]),
        ("0.5,0.6\n0.6,0.5\n", [], ["matrix[0, 1]", "0.6", "--normalize"]),
        ("0.5,x\n0.5,0.5\n", [], ["line 1, column 2", "'x'"]),
        ("winner,loser\na,a\n", [], ["line 2", "'a'"]),
        ("winner,loser\na,b\n", ["--prior", "-1"], ["prior", "-1"]),
        ("winner,loser\na,b\n", ["--confidence", "1.5"], ["confidence", "1.5"]),
        ("winner,loser\na,b\n", ["--figure", "map.xyz"], ["--figure", ".svg", "'map.xyz'"]),
        ("0.5,0.6\n0.4,0.5\n", ["--prior", "1"], ["prior", "matrix"]),
        ("0.5,0.6\n0.4,0.5\n", ["--ridge", "0.1"], ["ridge", "matrix"]),
        ("0.5,0.6\n0.4,0.5\n", ["--clusters", "voter"], ["clusters", "matrix"]),
        (
            "0.5,0.6\n0.4,0.5\n",
            ["--table", "csv"],
            ["--table csv", "matrix", "--json"],
        ),
        ("left,right,outcome\na,b,\n", [], ["line 2", "left, right or tie"]),
        ("winner,loser\na,b\n", ["--contrast", "a"], ["--contrast", "two arms", "'a'"]),
        (
            "winner,loser\na,b\n",
            ["--columns", "left:a"],
            ["--columns", "'left:a'", "ROLE=COLUMN"],
        ),
        ("winner,loser\na,b\n", ["--columns", "left=a,left=b"], ["--columns", "left", "once"]),
        ("winner,loser\na,b\n", ["--columns", "lft=winner"], ["'lft'", "'left'", "left, right"]),
        (
            "home,away,who\na,b,a\n",
            ["--columns", "winner=whom"],
            ["'whom'", "'who'", "'home', 'away', 'who'", "winner=COLUMN"],
        ),
        (
            "one,two,who\na,b,a\n",
            ["--columns", "left=one"],
            ["left", "'two'", "left, right"],
        ),
        ("one,two,who\na,b,a\n", [], ["'one', 'two', 'who'", "--columns left=COLUMN"]),
        ("winner,loser\na,b\n", ["--since", "soon"], ["since", "'soon'"]),
        ("winner,loser\na,b\n", ["--since", "2026-01-01"], ["times", "--columns time=COLUMN"]),
        ("winner,loser\na,b\n", ["--by", "kind"], ["'kind'", "'winner', 'loser'"]),
        ("winner,loser\na,b\n", ["--anchor", "c"], ["arm", "'c'"]),
        ("winner,loser\na,b\n", ["--json", "--table", "csv"], ["--json", "--table csv"]),
        ("winner,loser\na,b\n", ["--sheet", "x", "--encoding", "klingon"], ["klingon"]),
    ],
)
def test_error_is_one_line_and_writes_nothing(
    text: str | None, options: list[str], parts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if text is not None:
        Path("absent.csv").write_text(text)
    outcome = runner.invoke(app, ["analyze", "absent.csv", "--figure", "map.svg", *options])
    assert outcome.exit_code == 2
    assert outcome.stdout == ""
    assert outcome.stderr.startswith("error: ")
    assert outcome.stderr.count("\n") == 1
    assert named(outcome.stderr, *parts), outcome.stderr
    assert {path.name for path in tmp_path.iterdir()} == (set() if text is None else {"absent.csv"})


def test_cycles_and_mixtures(tmp_path: Path) -> None:
    path = tmp_path / "battles.jsonl"
    rows = [("x", "y", "left", 3), ("y", "z", "left", 1), ("x", "z", "right", 1), ("w", "x", "tie", 1)]
    names = ("left", "right", "choice", "count")
    path.write_text(
        "\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in [*rows, ("x", "y", "y", 1)])
    )
    text = printed(path, "--columns", "winner=choice")
    assert unspaced("7 votes on 4 arms") in unspaced(text)
    assert "x beats y beats z beats x" in text
    facts = found(path)
    assert facts["cycles"] == [{"arms": ["x", "y", "z"], "shortest": ["x", "y", "z"]}]
    shares = list(facts["winners"]["von_neumann"].values())
    assert shares == sorted(shares, reverse=True)
    assert len(set(shares)) > 1


def test_it_is_said_when_there_is_more_than_one_mixture(tmp_path: Path) -> None:
    path = MatrixProblem([[0.5, 0.5, 0.9], [0.5, 0.5, 0.6], [0.1, 0.4, 0.5]]).to_csv(tmp_path / "ties.csv")
    assert unspaced("no arm beats this mixture; it is the centre of several") in unspaced(printed(path))
    assert found(path)["von_neumann_is_unique"] is False
    assert found(MatrixProblem(PAPER).to_csv(path))["von_neumann_is_unique"] is True


def test_one_of_a_thing_is_singular(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("winner,loser\na,b\n")
    assert unspaced("one.csv: 1 vote on 2 arms") in unspaced(printed(path))


def test_a_rounded_matrix_is_normalised_on_request(tmp_path: Path) -> None:
    path = tmp_path / "rounded.csv"
    path.write_text("0.5,0.501\n0.5,0.5\n")
    assert found(path, "--normalize")["winners"]["condorcet"] == "0"


@needs_data
def test_real_matrix_without_a_winner() -> None:
    findings = found(PREFERENCES / "mslr16_non_condorcet.csv")
    assert findings["winners"]["condorcet"] is None
    assert set(findings["winners"]["copeland"]) == {"1", "2", "11"}
    assert findings["assumptions"]["cyclic_triples"] == 2
    assert np.isclose(sum(findings["winners"]["von_neumann"].values()), 1.0)
