import json
import re
from pathlib import Path

import numpy as np
import pytest
from refusals import names
from refusals import refused as error
from typer.testing import CliRunner

from duelist import PairwiseGradientRanker, Result
from duelist.cli.main import app
from duelist.cli.rank import read_ranking_learners
from duelist.cli.ranking_experiment import RankingRequest, learn_to_rank
from duelist.errors import ParameterError, UnknownNameError
from duelist.ranking import LinearRanker, load_ranking_data, ndcg, synthetic_ranking_data

runner = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    paths = tmp_path / "train.txt", tmp_path / "test.txt"
    for seed, path in enumerate(paths):
        synthetic_ranking_data(queries=60, features=8, seed=0).subset(
            np.arange(60)[np.arange(60) % 2 == seed]
        ).to_svmlight(path)
    return paths


def invoke(*arguments: object) -> str:
    outcome = runner.invoke(app, ["rank", *map(str, arguments)])
    assert outcome.exit_code == 0, outcome.output
    return outcome.stdout


def refused(*arguments: object) -> str:
    outcome = runner.invoke(app, ["rank", *map(str, arguments)])
    assert outcome.exit_code == 2, outcome.output
    return " ".join(outcome.stderr.split())


def rows(text: str) -> dict[str, list[float]]:
    found = re.findall(r"^(\w+Ranker) +([\d. ]+)$", text, re.MULTILINE)
    return {name: [float(number) for number in numbers.split()] for name, numbers in found}


def test_runs_without_any_file_and_learns() -> None:
    text = invoke("--impressions", "3e3")
    assert text.splitlines()[:2] == [
        "synthetic data: 400 queries, 46 features",
        "Measured on 100 held-out queries; perfect clicks, seed 0.",
    ]
    [(first, _, end, shown)] = rows(text).values()
    assert end > first + 0.05
    assert 0.3 < shown < end


def test_the_saved_ranker_is_as_good_as_it_was_said_to_be(files: tuple[Path, Path], tmp_path: Path) -> None:
    train, test = files
    saved = tmp_path / "ranker.json"
    learned = invoke(
        train, "--held-out", test, "-l", "pdgd", "-l", "DBGD:exploitation=0.05", "-t", "2000", "--save", saved
    )
    assert list(rows(learned)) == ["PairwiseGradientRanker", "DuelingGradientRanker"]
    best = max(rows(learned).values(), key=lambda row: row[2])[2]
    measured = invoke(test, "--ranker", saved)
    assert f"NDCG@10 {best:.4f}" in " ".join(measured.split())
    ranker = LinearRanker.load(saved)
    assert ranker.made["impressions"] == 2000
    assert ranker.made["clicks"] == "perfect"
    assert json.loads(saved.read_text())


def test_results_are_written_and_can_be_read_again(files: tuple[Path, Path], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="files need an extra")
    pytest.importorskip("pandas", reason="files need an extra")
    out = tmp_path / "out"
    text = invoke(files[0], "-t", "500", "-n", "2", "--click-model", "informational", "--out", out)
    assert {path.name for path in out.iterdir()} == {"quality.svg", "data.csv", "result.npz"}
    result = Result.load(out / "result.npz")
    [(name, one)] = result.items()
    assert one.quality.shape[0] == 2
    assert rows(text)[name][2] == pytest.approx(one.quality[:, -1].mean(), abs=1e-4)
    assert "mean of 2 runs" in text


def test_equal_seeds_give_equal_results(files: tuple[Path, Path]) -> None:
    arguments = (files[0], "-t", "300", "-l", "MGD")
    assert invoke(*arguments, "--seed", "3") == invoke(*arguments, "--seed", "3", "--workers", "1")
    assert invoke(*arguments, "--seed", "3") != invoke(*arguments, "--seed", "4")


def test_groups_stand_in_for_query_ids(files: tuple[Path, Path], tmp_path: Path) -> None:
    train, _ = files
    bare, groups = tmp_path / "bare.txt", tmp_path / "bare.group"
    lines = train.read_text().splitlines()
    queries = [re.findall(r"qid:(\S+)", line)[0] for line in lines]
    bare.write_text("".join(re.sub(r" qid:\S+", "", line) + "\n" for line in lines))
    groups.write_text("".join(f"{queries.count(query)}\n" for query in dict.fromkeys(queries)))
    with_ids = invoke(train, "-t", "200")
    assert rows(with_ids) == rows(invoke(bare, "--groups", groups, "-t", "200"))


def test_the_best_learners_first_run_is_kept(files: tuple[Path, Path]) -> None:
    train, test = files
    rivals = {
        "slow": PairwiseGradientRanker(exploitation=1e-6),
        "quick": PairwiseGradientRanker(exploitation=0.1),
    }
    request = RankingRequest(files=(train,), held_out=(test,), impressions=500, runs=2)
    learned = learn_to_rank(request, rivals)
    ranker = learned.best_ranker()
    winner = max(learned.result, key=lambda name: learned.result[name].quality[:, -1].mean())
    np.testing.assert_array_equal(ranker.weights, learned.result[winner].weights[0])
    data = load_ranking_data([test])
    assert ranker.made["held-out NDCG@10"] == pytest.approx(
        np.nanmean(ndcg(ranker.score(data), data)), abs=1e-5
    )


@pytest.mark.parametrize(
    ("arguments", "facts"),
    [
        (["--click-model", "prefect"], ["click model", "'prefect'", "'perfect'"]),
        (["-l", "PDG"], ["learner", "'PDG'", "'PDGD'"]),
        (["-l", "PDGD:exploitation=-1"], ["exploitation", "-1"]),
        (["-t", "many"], ["impressions", "'many'"]),
        (["--groups", "x.group"], ["--groups", "FILE"]),
        (["nowhere.txt"], ["nowhere.txt"]),
        (["--ranker", "nowhere.json"], ["nowhere.json"]),
    ],
)
def test_what_cannot_be_done_is_said(arguments: list[str], facts: list[str]) -> None:
    message = refused(*arguments)
    assert names(message, *facts), message


def test_too_few_queries_to_keep_some_are_refused(tmp_path: Path) -> None:
    few = tmp_path / "few.txt"
    few.write_text("0 qid:1 1:0.1\n1 qid:1 1:0.3\n")
    assert names(refused(few, "-t", "10"), str(few), "1 query", "--held-out FILE")


def test_data_of_other_features_is_refused(files: tuple[Path, Path], tmp_path: Path) -> None:
    other = tmp_path / "two.txt"
    other.write_text("0 qid:1 1:0.1 2:0.2\n1 qid:1 1:0.3 2:0.1\n")
    assert names(refused(files[0], "--held-out", other, "-t", "10"), "held_out", "2 features", "8")


def test_learners_go_by_their_short_and_long_names() -> None:
    short, long = read_ranking_learners(["pdgd", "PairwiseGradientRanker:length=5"])
    assert (type(short), long.length) == (type(long), 5)
    with error(UnknownNameError, "learner", "RUCB"):
        read_ranking_learners(["RUCB"])
    with error(ParameterError, "length"):
        read_ranking_learners(["dbgd:length=0"])
