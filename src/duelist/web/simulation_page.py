"""A simulation as one HTML page: what was asked, what came of it, and how to get it again."""

from pathlib import Path

from duelist.files import write_whole
from duelist.registry import purpose
from duelist.simulation.storage import write_results
from duelist.web.experiment import COLUMNS, Experiment
from duelist.web.figures import draw_preferences, draw_shares, inline_svg
from duelist.web.page import render

FILES = ("report.html", "regret.svg", "data.csv", "result.npz")
"""What `write_simulation` writes."""


def simulation_page(experiment: Experiment) -> str:
    """Return the page, as HTML."""
    result = experiment.result
    return render(
        "simulation.html",
        title=f"Learners on {experiment.request.problem}",
        experiment=experiment,
        columns=COLUMNS,
        learners={
            name: f"{purpose(type(one))} Played as {one!r}." for name, one in experiment.learners.items()
        },
        regret=inline_svg(result.plot(), "regret", "Regret and accuracy over rounds"),
        shares=inline_svg(draw_shares(result), "shares", "Share of sides per learner and arm"),
        preferences=inline_svg(draw_preferences(experiment.problem), "preferences", "Preference matrix"),
    )


def write_simulation(experiment: Experiment, folder: Path) -> None:
    """Write the page, the figure, the table of all checkpoints and the result itself into a folder."""
    # The page is made before the first file is written: if that fails, nothing is left behind.
    page = simulation_page(experiment)
    write_results(experiment.result, folder, "regret.svg")
    write_whole(folder / "report.html", page.encode())
