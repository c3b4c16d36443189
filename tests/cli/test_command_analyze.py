import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matrices import LADDER, PAPER
from real_data import PREFERENCES, needs_data
from spacing import unspaced
from typer.testing import CliRunner

from duelist.bounds import asymptotic_lower_bound
from duelist.cli.main import app
from duelist.problems import MatrixProblem, worst_case
from duelist.ratings import bradley_terry
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


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    path.write_text(VOTES)
    return path


def printed(*arguments: str | Path) -> str:
    outcome = runner.invoke(app, ["analyze", *map(str, arguments)])
    assert outcome.exit_code == 0, outcome.output
    assert outcome.stderr == ""
    return outcome.stdout


def found(*arguments: str | Path) -> Any:
    return json.loads(printed(*arguments, "--format", "json"))


def lines_of(text: str, title: str) -> list[str]:
    parts = [part.splitlines() for part in text.split("\n\n")]
    return [line.strip() for lines in parts if lines[0] == title for line in lines[1:]]


def test_winners_of_comparisons(votes: Path) -> None:
    text = printed(votes)
    visited = random_walk_distribution(MatrixProblem.from_csv(votes).matrix).max()
    assert unspaced("votes.csv: 288 comparisons of 4 arms") in unspaced(text)
    assert lines_of(text, "Winners") == [
        "Condorcet    arm dense",
        "Copeland     arm dense (3 of 3 beaten)",
        f"Borda        arm dense ({(60 / 91 + 80 / 84 + 22 / 41) / 3:.1%} won against another arm at random)",
        f"random walk  arm dense (visited {visited:.1%} of the time)",
        "von Neumann  100.0% arm dense (no arm beats this mixture)",
    ]


def test_copeland_points_where_arms_tie_or_were_never_compared(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    rows = ["a,b,left", "a,c,left", "a,d,right", "b,c,tie", "b,d,left"]
    path.write_text("\n".join(["left,right,outcome", *rows]))
    points = "2 of 3 points: 1 for an arm beaten, 1/2 for a tie"
    text = unspaced(printed(path))
    assert unspaced(f"Copeland arm a ({points} or a pair never compared)") in text
    assert found(path)["winners"]["copeland"] == {"a": 2.0}
    path.write_text("\n".join(["left,right,outcome", *rows, "c,d,tie"]))
    assert unspaced(f"Copeland arm a ({points})") in unspaced(printed(path))
    path.write_text("\n".join(["left,right,outcome", *rows[:2], "a,d,left", *rows[3:]]))
    assert unspaced("Copeland arm a (3 of 3 beaten)") in unspaced(printed(path))


def test_pairs_are_listed_with_their_intervals(votes: Path) -> None:
    text = printed(votes)
    assert "Needs more comparisons: dense is ahead of all others, but against splade the" in text
    rows = [line.split() for line in text.splitlines() if "% to " in line]
    assert rows[0] == ["dense", "splade", "22", "41", "53.7%", "38.7%", "to", "67.9%"]
    assert [row[:4] for row in rows[1:]] == [
        ["dense", "bm25", "60", "91"],
        ["dense", "[x]", "80", "84"],
        ["splade", "bm25", "41.5", "72"],
    ]
    assert "95% confidence" in text
    assert "Never compared, 2 in all: bm25 and [x], [x] and splade." in text


def test_arms_are_rated(votes: Path) -> None:
    text = printed(votes)
    lines = lines_of(text, "Ratings")
    assert lines[0] == "Any of dense, splade may be first."
    findings = found(votes)
    assert findings["unrated"] is None
    rated = bradley_terry(votes)
    assert [line["arm"] for line in findings["ratings"]] == ["dense", "splade", "bm25", "[x]"]
    assert findings["ratings"][0]["rating"] == pytest.approx(rated.rating.max())
    rows = [line.split() for line in text.splitlines() if re.search("[0-9] to ", line)]
    assert rows == [" ".join(line.texts()).split() for line in rated.rows()]
    assert "Log-odds, relative to the mean of all arms." in text
    wide = found(votes, "--confidence", "0.99")["ratings"][0]
    assert wide["low"] < findings["ratings"][0]["low"]
    drawn = found(votes, "--ridge", "100")["ratings"][0]
    assert 0.0 < drawn["rating"] < findings["ratings"][0]["rating"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "left,right,outcome\na,b,left\nb,c,tie\n",
            "a won all its votes, b, c lost all votes against the others",
        ),
        (
            "winner,loser\na,b\nb,a\nc,d\n",
            "the votes fall into 2 pieces between which there is no vote: a, b | c, d",
        ),
        ("winner,loser,count\na,b,2.3\nb,a,1\n", "wins[0, 1] is 2.3; give whole numbers of votes"),
    ],
)
def test_arms_that_cannot_be_rated_stop_nothing(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text(text)
    assert unspaced(f"None: {reason}") in unspaced(" ".join(lines_of(printed(path), "Ratings")))
    findings = found(path)
    assert findings["ratings"] is None
    assert findings["unrated"].startswith(reason)
    assert findings["comparisons"]["pairs"]
    page = tmp_path / "out" / "report.html"
    assert unspaced("report.html.") in unspaced(printed(path, "--out", page.parent))
    assert "None: " in page.read_text()
    assert [one.name for one in page.parent.iterdir()] == ["report.html"]


def test_only_the_best_of_many_arms_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    pairs = [f"a{i},a{i + 1},2\na{i + 1},a{i},1" for i in range(51)]
    path.write_text("\n".join(["winner,loser,count", *pairs]))
    assert "2 more arms of lower ratings are left out." in printed(path)


def test_votes_of_a_voter_may_be_alike(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    rows = [f"v{n % 5},a,b,{'left' if n % 5 < 3 else 'right'}" for n in range(50)]
    path.write_text("\n".join(["voter,left,right,outcome", *rows]))
    alone, together = (found(path, *extra)["ratings"][0] for extra in ((), ("--clusters", "voter")))
    assert together["low"] < alone["low"] < alone["high"] < together["high"]


def test_rankings_are_analyzed_like_votes(tmp_path: Path) -> None:
    path = tmp_path / "rankings.csv"
    path.write_text("ranking\n" + "a > b > c\n" * 6 + "b > a = c\n" * 3 + "c > a > b\n" * 2)
    shown = printed(path)
    assert "33 comparisons of 3 arms" in " ".join(shown.split())
    facts = json.loads(printed(path, "--format", "json"))
    assert facts["winners"]["condorcet"] == "a"
    assert [line["arm"] for line in facts["ratings"]] == ["a", "b", "c"]
    path.write_text("ranking\na > b\na >\n")
    outcome = runner.invoke(app, ["analyze", str(path)])
    assert outcome.exit_code == 2
    assert "line 3" in outcome.stderr
    assert "'a >' is no ranking of two arms or more" in " ".join(outcome.stderr.split())


def test_the_report_is_written(votes: Path) -> None:
    pytest.importorskip("matplotlib")
    out = votes.parent / "report"
    assert unspaced(f"Written to {out}: report.html, leaderboard.svg.") in unspaced(
        printed(votes, "--out", out)
    )
    assert sorted(path.name for path in out.iterdir()) == ["leaderboard.svg", "report.html"]
    assert "Any of dense, splade may be first." in (out / "report.html").read_text()


def test_settled(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("winner,loser,count\na,b,90\nb,a,10\n")
    assert "Settled: a beats every other arm, and each interval excludes 1/2." in printed(path)
    assert found(path)["comparisons"]["settled"] is True


def test_confidence_and_prior(votes: Path) -> None:
    narrow, wide = (
        found(votes, "--confidence", level)["comparisons"]["pairs"][0] for level in ("0.5", "0.99")
    )
    assert wide["lower"] < narrow["lower"] < narrow["upper"] < wide["upper"]
    assert "99% confidence" in printed(votes, "--confidence", "0.99")
    plain, drawn = (found(votes, "--prior", wins)["assumptions"]["smallest_gap"] for wins in ("0", "10"))
    assert plain == pytest.approx(22 / 41 - 0.5)
    assert drawn == pytest.approx(32 / 61 - 0.5)


def test_only_the_pairs_that_matter_most_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    pairs = [f"a{i},a{j},{10 + i + j}" for i in range(8) for j in range(i + 1, 8)]
    path.write_text("\n".join(["winner,loser,count", *pairs]))
    text = printed(path)
    assert sum("% to " in line for line in text.splitlines()) == 20
    assert "8 more pairs are left out" in text
    assert len(found(path)["comparisons"]["pairs"]) == 28


def test_matrix_whose_winners_differ(tmp_path: Path) -> None:
    path = MatrixProblem(PAPER, labels="abcde").to_csv(tmp_path / "paper.csv")
    findings = found(path)
    assert findings["winners"]["condorcet"] is None
    assert findings["winners"]["copeland"] == {"d": 3.0}
    assert list(findings["winners"]["borda"]) == list(findings["winners"]["random_walk"]) == ["d"]
    assert findings["winners"]["von_neumann"] == pytest.approx({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3})
    assert findings["lower_bound"] is None
    assert findings["comparisons"] is None
    assert (findings["ratings"], findings["unrated"]) == (None, None)
    text = printed(path)
    assert "Condorcet    none: no arm beats all others" in text
    assert "von Neumann  33.3% arm a, 33.3% arm b, 33.3% arm c" in text
    assert "Lower bound" not in text
    assert "Comparisons" not in text


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
    assert guarantees[0].startswith("InterleavedFilter1  holds, because the arms have a total order")


def test_what_hangs_on_the_shares_seen_says_so(votes: Path) -> None:
    text = printed(votes)
    assert lines_of(text, "Assumptions, if the shares seen were the truth")
    assert lines_of(text, "Guarantees, if the shares seen were the truth")


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
    assert found(votes, "--figure", path)["arms"] == ["dense", "bm25", "[x]", "splade"]
    assert path.exists()


@pytest.mark.parametrize(
    ("text", "options", "parts"),
    [
        (None, [], ["absent.csv"]),
        ("", [], ["absent.csv", "empty"]),
        ("0.5,0.6\n0.6,0.5\n", [], ["matrix[0, 1] = 0.6"]),
        ("0.5,x\n0.5,0.5\n", [], ["line 1, column 2", "'x'"]),
        ("winner,loser\na,a\n", [], ["line 2", "'a'"]),
        ("winner,loser\na,b\n", ["--prior", "-1"], ["prior", "-1"]),
        ("winner,loser\na,b\n", ["--confidence", "1.5"], ["confidence", "1.5"]),
        ("winner,loser\na,b\n", ["--figure", "map.xyz"], ["figure", ".svg", "'map.xyz'"]),
        ("0.5,0.6\n0.4,0.5\n", ["--prior", "1"], ["prior", "matrix of chances"]),
        ("0.5,0.6\n0.4,0.5\n", ["--ridge", "0.1"], ["ridge", "matrix of chances"]),
        ("0.5,0.6\n0.4,0.5\n", ["--clusters", "voter"], ["clusters", "matrix of chances"]),
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
    assert all(part in outcome.stderr for part in parts), outcome.stderr
    assert {path.name for path in tmp_path.iterdir()} == (set() if text is None else {"absent.csv"})


def test_arena_votes_with_their_cycle_and_mixture(tmp_path: Path) -> None:
    path = tmp_path / "battles.jsonl"
    rows = [("x", "y", "left", 3), ("y", "z", "left", 1), ("x", "z", "right", 1), ("w", "x", "tie", 1)]
    names = ("left", "right", "choice", "count")
    path.write_text(
        "\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in [*rows, ("x", "y", "y", 1)])
    )
    options = ("--a", "left", "--b", "right", "--winner", "choice")
    text = printed(path, *options)
    assert unspaced("7 comparisons of 4 arms") in unspaced(text)
    assert "Cycle: x beats y beats z beats x." in text
    findings = found(path, *options)
    assert findings["cycles"] == [{"arms": ["x", "y", "z"], "shortest": ["x", "y", "z"]}]
    shares = list(findings["winners"]["von_neumann"].values())
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
    assert unspaced("one.csv: 1 comparison of 2 arms") in unspaced(printed(path))


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
