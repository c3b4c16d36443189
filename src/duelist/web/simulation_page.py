"""A simulation as one HTML page: what was asked, what came of it, and how to get it again."""

from duelist import __version__
from duelist.registry import purpose
from duelist.text import number
from duelist.web.experiment import COLUMNS, Experiment
from duelist.web.figures import draw_preferences, draw_shares, inline_svg
from duelist.web.page import definitions, element, grid, page, picture, section


def report(experiment: Experiment) -> str:
    """Return the page."""
    title = f"Learners on {experiment.request.problem}"
    return page(
        title,
        [
            element("h1", title),
            element("p", lead(experiment), "lead"),
            settings(experiment),
            summary(experiment),
            regret(experiment),
            attention(experiment),
            preferences(experiment),
            learners(experiment),
            section("Get it again", element("pre", experiment.request.command)),
            element("footer", f"Written by duelist {__version__}."),
        ],
    )


def lead(experiment: Experiment) -> str:
    """Return the result in one sentence."""
    first, *_ = experiment.result.summary()
    return f"{first.learner} had the least regret: {number(first.regret)} on average over {experiment.size}."


def settings(experiment: Experiment) -> str:
    """Return what was asked for."""
    request = experiment.request
    return definitions(
        {
            "Problem": f"{request.problem}, {experiment.problem.k} arms",
            "Regret against": experiment.winner,
            "Played": f"{experiment.size}, in each of which all learners meet the same luck",
            "Seed": str(request.seed),
        }
    )


def summary(experiment: Experiment) -> str:
    """Return the table, and what no learner can beat."""
    bound = [] if experiment.bound is None else [element("p", experiment.bound)]
    note = "Least regret first; means over runs. Informative duels are those between two different arms."
    return section("Summary", grid(COLUMNS, experiment.rows), element("p", note), *bound)


def regret(experiment: Experiment) -> str:
    """Return regret and accuracy over rounds."""
    drawing = inline_svg(experiment.result.plot(), "regret", "Regret and accuracy over rounds")
    caption = (
        "Left: what it cost to show arms that are not the winner, up to each round. Both axes are "
        "logarithmic, so regret that grows like log T flattens, and linear regret does not. Right: the share "
        "of runs that would have named the winner."
    )
    return section("Regret and accuracy", picture(drawing, caption))


def attention(experiment: Experiment) -> str:
    """Return which arms were shown."""
    drawing = inline_svg(draw_shares(experiment.result), "shares", "Share of sides per learner and arm")
    caption = (
        "The share of sides, two in a round, on which each learner showed each arm, as a mean over runs. "
        "A good learner ends up showing the winner."
    )
    return section("Where the rounds went", picture(drawing, caption))


def preferences(experiment: Experiment) -> str:
    """Return who beats whom."""
    drawing = inline_svg(draw_preferences(experiment.problem), "preferences", "Preference matrix")
    caption = "The truth that learners cannot see: blue where the arm of the row wins, red where it loses."
    return section("Preferences", picture(drawing, caption))


def learners(experiment: Experiment) -> str:
    """Return what each learner is, in one sentence."""
    return section(
        "Learners",
        definitions(
            {name: f"{purpose(type(one))} Played as {one!r}." for name, one in experiment.learners.items()}
        ),
    )
