import json
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.random import default_rng
from refusals import names
from typer.testing import CliRunner

from duelist import FollowMixture, PolicyMixture, Study
from duelist.cli.main import app
from duelist.problems import FunctionContexts, cyclic_contexts

pytest.importorskip("sklearn", reason="oracles need an extra")
runner = CliRunner(env={"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"})


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    log = cyclic_contexts(hard=1, easy=1, k=3, epsilon=0.45).log(4000, default_rng(1))
    return log.to_csv(tmp_path / "votes.csv")


def invoke(*arguments: object) -> str:
    outcome = runner.invoke(app, ["fit", *map(str, arguments)])
    assert outcome.exit_code == 0, outcome.output
    return outcome.stdout


def refused(*arguments: object) -> str:
    outcome = runner.invoke(app, ["fit", *map(str, arguments)])
    assert outcome.exit_code == 2, outcome.output
    return " ".join(outcome.stderr.split())


def bounds(text: str) -> list[float]:
    return [float(share) for share in re.findall(r"At least ([\d.]+)% of duels", text)]


@pytest.mark.parametrize("learner", ["fpl", "PGD"])
def test_a_cycle_is_met_with_a_mixture_that_loses_to_nobody(
    learner: str, votes: Path, tmp_path: Path
) -> None:
    saved = tmp_path / "policy.json"
    text = invoke(votes, "-e", learner, "--calls", "80", "--save", saved)
    assert text.startswith(f"{votes}: 4,000 duels of 3 actions, 1 column of context")
    assert "best reply" in text
    inverse, robust = bounds(text)
    assert inverse > 40.0
    assert robust > 40.0
    mixture = PolicyMixture.load(saved)
    problem = cyclic_contexts(hard=1, easy=1, k=3, epsilon=0.45)
    chances = mixture.chances([[0.0], [1.0]])
    worst = [(chances[context] @ problem.preferences([float(context)])).min() for context in (0, 1)]
    # against the best reply in each context, the mixture wins nearly half; any single action would win 5%
    assert min(worst) > 0.35
    study = Study(FollowMixture(PolicyMixture.load(saved)), list(mixture.actions))
    assert study.ask(context=[0.0]).left in mixture.actions


def test_policies_tell_contexts_apart(tmp_path: Path) -> None:
    def prefer(context: np.ndarray) -> np.ndarray:
        chance = 0.9 if context[0] > 0.5 else 0.1
        return np.array([[0.5, chance], [1.0 - chance, 0.5]])

    problem = FunctionContexts(lambda rng: rng.random(2), prefer, ["tea", "milk"], ["hour", "noise"])
    votes = problem.log(2000, default_rng(0)).to_csv(tmp_path / "votes.csv")
    saved = tmp_path / "policy.json"
    for oracle in ("tree", "linear"):
        text = invoke(votes, "--oracle", oracle, "--depth", "2", "--calls", "20", "--save", saved)
        mixture = PolicyMixture.load(saved)
        assert mixture.chances([[0.95, 0.5]])[0, mixture.actions.index("tea")] > 0.9
        assert mixture.chances([[0.05, 0.5]])[0, mixture.actions.index("milk")] > 0.9
        assert "hour" in text


def test_equal_seeds_give_equal_models(votes: Path, tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.json" for number in range(3)]
    for file, seed in zip(files, (1, 1, 2), strict=True):
        invoke(votes, "-e", "FPL", "--calls", "10", "--seed", seed, "--save", file)
    assert json.loads(files[0].read_text()) == json.loads(files[1].read_text())
    assert json.loads(files[0].read_text()) != json.loads(files[2].read_text())


def test_a_parquet_file_is_read(votes: Path, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="Parquet needs an extra")
    pytest.importorskip("pyarrow", reason="Parquet needs an extra")
    parquet = tmp_path / "votes.parquet"
    pandas.read_csv(votes, dtype={"left": str, "right": str}).to_parquet(parquet)
    of_text = invoke(votes, "--calls", "6").split("\n", 1)[1]
    assert invoke(parquet, "--calls", "6").split("\n", 1)[1] == of_text


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("1.0,0,7,1.0,0.0", "propensity"),
        ("1.0,0,1,1.5,0.1", "outcome"),
        (",0,1,1.0,0.1", "context"),
        ("1.0,,1,1.0,0.1", "left"),
    ],
)
def test_malformed_logs_are_refused_by_row_and_nothing_is_written(
    line: str, words: str, votes: Path, tmp_path: Path
) -> None:
    lines = votes.read_text().splitlines()
    lines[7] = line
    votes.write_text("\n".join(lines) + "\n")
    saved = tmp_path / "policy.json"
    message = refused(votes, "--save", saved)
    assert "line 8" in message
    assert words in message
    assert not saved.exists()


@pytest.mark.parametrize(
    ("arguments", "facts"),
    [
        (["-e", "FPLL"], ["estimator", "'FPLL'", "'FPL'"]),
        (["--oracle", "forest"], ["oracle", "'forest'", "tree, linear, boosting"]),
        (["--calls", "1"], ["calls", "2", "1"]),
        (["--held-out-share", "1.5"], ["--held-out-share", "1.5"]),
        (["--depth", "0"], ["depth", "1", "0"]),
    ],
)
def test_what_cannot_be_done_is_said(arguments: list[str], facts: list[str], votes: Path) -> None:
    message = refused(votes, *arguments)
    assert names(message, *facts), message


def test_without_columns_of_context_the_policies_are_the_actions(tmp_path: Path) -> None:
    rng, votes, saved = default_rng(2), tmp_path / "votes.csv", tmp_path / "policy.json"
    left, right = rng.integers(3, size=(2, 900))
    won = rng.random(900) < np.where(left < right, 0.8, np.where(left > right, 0.2, 0.5))
    rows = "".join(f"{a},{b},{float(w)},{1 / 9}\n" for a, b, w in zip(left, right, won, strict=True))
    votes.write_text(f"left,right,outcome,propensity\n{rows}")
    text = invoke(votes, "--calls", "10", "--save", saved)
    assert names(text.splitlines()[1], "take 0", "taking 1", "taking 2")
    assert PolicyMixture.load(saved).chances([[]]).tolist() == [[1.0, 0.0, 0.0]]
    certain = f"left,right,outcome,propensity\n{rows.replace(str(1 / 9), '1.0')}"
    votes.write_text(certain)
    assert names(refused(votes), "3 actions")
