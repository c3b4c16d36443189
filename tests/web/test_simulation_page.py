from dataclasses import replace

import pytest
from page_outline import Outline

from duelist import RUCB, Uniform, __version__
from duelist.figures import PALETTE
from duelist.problems import bradley_terry, condorcet_cycle
from duelist.registry import purpose
from duelist.simulation.figures import spread
from duelist.web.experiment import Experiment, SimulationRequest, run, simulation_document

pytest.importorskip("matplotlib", reason="figures need an extra")

HOSTILE = 'bradley_terry:weights=3;2;1,labels=<script>alert(1)</script>;"&";$x$'


@pytest.fixture(scope="module")
def experiment() -> Experiment:
    request = SimulationRequest(HOSTILE, ("RUCB", "rucb:alpha=1", "Uniform"), horizon=500, runs=2, seed=3)
    problem = bradley_terry([3, 2, 1], labels=["<script>alert(1)</script>", '"&"', "$x$"])
    return run(request, problem, [RUCB(), RUCB(alpha=1), Uniform()])


@pytest.fixture(scope="module")
def page(experiment: Experiment) -> str:
    return simulation_document(experiment).page()


def test_page_is_well_formed_and_accessible(page: str) -> None:
    Outline(page).check(tables=1, figures=4)
    # panels stand one above the other on narrow screens
    assert page.partition('<div class="panels">')[2].partition("</div>")[0].count("<svg") == 2


def test_the_page_says_what_is_shaded(experiment: Experiment, page: str) -> None:
    asked = replace(experiment, request=replace(experiment.request, band="range"))
    ranged = simulation_document(asked).page()
    assert spread(experiment.result, "interval") in " ".join(page.split())
    assert spread(experiment.result, "range") in " ".join(ranged.split())
    assert "--band" not in page
    assert asked.request.command.endswith(" --band range")


def test_lines_have_the_colours_of_the_style_sheet(page: str) -> None:
    for place in range(3):
        assert f'stroke="var(--series-{place})"' in page
    assert not [colour for colour in PALETTE if f'"{colour}"' in page]


def test_page_needs_no_network(page: str) -> None:
    assert "http://" not in page
    assert "https://" not in page
    assert Outline(page).tags.keys().isdisjoint({"script", "link", "img", "iframe", "object"})


def test_page_says_everything(experiment: Experiment, page: str) -> None:
    outline = Outline(page)
    assert {"RUCB(alpha=0.51)", "RUCB(alpha=1)", "Uniform"} == set(experiment.learners)
    for row in experiment.rows:
        assert set(row) <= set(outline.texts)
    text = "\n".join(outline.texts)
    for learner in experiment.learners.values():
        assert purpose(type(learner)) in text
        assert repr(learner) in text
    assert "2 runs of 500 rounds" in text
    assert f"duelist {__version__}" in text
    assert experiment.bound is not None
    assert experiment.bound in text


def test_page_gives_the_command_that_was_run(experiment: Experiment, page: str) -> None:
    command = (
        f"duelist simulate --problem '{HOSTILE}' --learner RUCB --learner rucb:alpha=1 --learner Uniform "
        "--horizon 500 --runs 2 --seed 3"
    )
    assert experiment.request.command == command
    assert command in Outline(page).texts


def test_texts_are_escaped(page: str) -> None:
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_equal_experiments_give_equal_pages(experiment: Experiment, page: str) -> None:
    again = run(experiment.request, experiment.problem, experiment.learners)
    assert simulation_document(again).page() == page


def test_page_against_another_winner() -> None:
    request = SimulationRequest(
        "condorcet_cycle", ("Uniform",), horizon=200, runs=1, seed=0, against="copeland"
    )
    page = simulation_document(run(request, condorcet_cycle(), Uniform())).page()
    text = "\n".join(Outline(page).texts)
    assert "the Copeland winner, arm 0" in text
    assert "1 run of 200 rounds" in text
    assert "--against copeland" in text
    assert "lower bound" not in text


def test_the_command_asks_for_the_same_again() -> None:
    request = SimulationRequest("worst_case:k=4", ("RUCB",), horizon=1000, runs=5, seed=0)
    asked = "duelist simulate --problem worst_case:k=4 --learner RUCB --horizon 1000 --runs 5 --seed 0"
    assert request.command == asked
