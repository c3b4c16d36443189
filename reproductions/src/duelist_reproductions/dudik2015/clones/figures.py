"""The examples as tables."""

from duelist.laboratory.items import Expected, Table
from duelist.laboratory.work import ItemResults, PieceResult
from duelist.preferences import leaders
from duelist_reproductions.dudik2015.clones.sweep import DEFINITIONS, THIRD

SHOWN = {"k": 6, "chance": 1.0}
ARMS = ("arm 1", "arm 2", "arm 3", "duplicate of arm 1")


def show(results: ItemResults, expected: Expected) -> list[Table]:
    """Return scores and weights before and after an arm was duplicated, and those of five and seven arms."""
    (example,) = results.where(**SHOWN)
    return [
        copeland(example),
        weights(example),
        five_arms(results["five-arms"]),
        borda(results["five-arms-duplicate"]),
        seven_arms(results["seven-arms"]),
    ]


def copeland(example: PieceResult) -> Table:
    """Return the scores of the top arms by every definition."""
    rows = []
    for place, definition in enumerate(DEFINITIONS):
        for when, scores in (("before", example["scores_before"]), ("after", example["scores_after"])):
            row = scores[place]
            duplicate = f"{row[-1]:g}" if when == "after" else ""
            names = {0: "1", 1: "2", 2: "3", len(row) - 1: "duplicate"}
            winners = ", ".join(names[arm] for arm in leaders(row))
            rows.append([definition, when, *(f"{score:g}" for score in row[:3]), duplicate, winners])
    title = f"Copeland scores of the top arms of {SHOWN['k']}, before and after arm 1 is duplicated"
    return Table(title, ("definition", "", *ARMS, "winners"), rows)


def weights(example: PieceResult) -> Table:
    """Return the von Neumann winner before and after."""
    first, second = example["weights_before"], example["weights_after"]
    rows = [
        ["before", *(f"{weight:.4f}" for weight in first[:3]), "", f"{first[3:].sum():.4f}"],
        ["after", *(f"{weight:.4f}" for weight in second[[0, 1, 2, -1]]), f"{second[3:-1].sum():.4f}"],
    ]
    return Table("Weights of the von Neumann winner", ("", *ARMS, "all others"), rows)


def five_arms(five: PieceResult) -> Table:
    """Return the matrix of margins, and who wins it by each definition."""
    rows = [
        [
            f"arm {arm + 1}",
            *(f"{margin:+.2f}" if margin else "0" for margin in five["margins"][0][arm]),
            f"{five['weights'][0][arm]:.4f}",
            f"{five['copeland'][0][arm]:g}",
            f"{five['borda'][0][arm]:.4f}",
            f"{five['random_walk'][0][arm]:.4f}",
        ]
        for arm in range(5)
    ]
    headings = (
        "",
        *(f"against {arm}" for arm in range(1, 6)),
        "von Neumann",
        "Copeland",
        "Borda",
        "random walk",
    )
    return Table(
        "Five arms: margins with their signs restored, and each arm's score",
        headings,
        rows,
    )


def borda(five: PieceResult) -> Table:
    """Return Borda scores and weights of the five arms, with and without a duplicate."""
    rows = [
        [
            when,
            what,
            *(f"{value:.4f}" for value in five[f"{name}_{when}"]),
            *([""] if when == "before" else []),
        ]
        for what, name in (("Borda", "borda"), ("von Neumann", "weights"))
        for when in ("before", "after")
    ]
    arms = (f"arm {arm}" for arm in range(1, 6))
    title = f"Five arms, before and after arm {THIRD + 1} is duplicated"
    return Table(title, ("", "score", *arms, f"duplicate of arm {THIRD + 1}"), rows)


def seven_arms(seven: PieceResult) -> Table:
    """Return who beats whom by how much, and who wins by the two definitions."""
    winners = leaders(seven["copeland"])
    together = seven["margins"][list(winners)].mean(axis=0)
    rows = [
        [
            f"arm {arm + 1}",
            *(f"{margin:+.1f}" if margin else "0" for margin in margins),
            f"{seven['copeland'][arm]:g}",
            f"{-together[arm]:+z.2f}",
            f"{seven['weights'][arm]:.4f}",
        ]
        for arm, margins in enumerate(seven["margins"])
    ]
    against = (f"against {arm + 1}" for arm in range(len(rows)))
    headings = ("", *against, "Copeland", "against Copeland winners drawn alike", "von Neumann")
    return Table("Seven arms: an arm that is no Copeland winner beats all that are", headings, rows)
