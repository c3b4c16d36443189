"""The appendix's examples: exact findings about the paper's claims, and their numbers."""

from collections.abc import Iterable, Mapping

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory import Expected, Finding, Item, ItemResults, PieceResult, ResultTable
from duelist.preferences import leaders
from duelist_reproductions.dudik2015.clones_sweep import DEFINITIONS, FOURTH, THIRD, plan

CYCLE = {0, 1, 2}
TOP = [0, 1, 2, -1]
"""The arms of the cycle, and the duplicate."""
MIRRORED = [0, 2, 1, 3, 4]
"""Exchange of the second and third of five arms, which the printed sizes of margins do not distinguish."""
SHOWN = {"k": 6, "chance": 1.0}
TOP_COLUMNS = {
    "": "{what}",
    "arm 1 is": "{when}",
    **{f"arm {place + 1}": f"{{row[{place}]:.4g}}" for place in range(3)},
    "duplicate": "{duplicate:.4g}",
}
SCORE_COLUMNS = {
    "von Neumann": "{weights:.4f}",
    "Copeland": "{copeland:g}",
    "Borda": "{borda:.4f}",
    "random walk": "{random_walk:.4f}",
}


def findings(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    examples, five = [one for one in results.values() if "k" in one.setting], results["five-arms"]
    exact = {name: one["tolerance"] for name, one in expected["claims"].items()}
    beyond = np.array(expected["scores minus K"])
    right = [np.array_equal(one["scores_after"][:, TOP], one.setting["k"] + beyond) for one in examples]
    words = "; ".join(", ".join(f"K{score:+g}" for score in row) for row in beyond)
    winners = [set(leaders(row)) for one in examples for row in one["scores_after"]]
    lasting, second = sum(one >= CYCLE for one in winners), sum(1 in one for one in winners)
    after = ", ".join(f"{weight:.4f}" for weight in examples[-1]["weights_after"][TOP])
    margins = five["margins"]
    mirrored = len(margins) == 2 and np.array_equal(margins[0][np.ix_(MIRRORED, MIRRORED)], margins[1])
    ways = f"{len(margins)} of 1,024 ways to set signs"
    return {
        "before": before(examples, exact["before"]),
        "scores": Finding(words if all(right) else "others in some example", right),
        "copeland": Finding(f"all three in {lasting} of {len(winners)} cases", lasting),
        "never": Finding(f"a winner in {second} of {len(winners)} cases", second),
        "von_neumann": Finding(f"weights {after}", [shared(one, exact["von_neumann"]) for one in examples]),
        "signs": Finding(f"{ways}, each the mirror of the other" if mirrored else ways, bool(mirrored)),
        "borda": fourth(five["borda"]),
        "random_walk": fourth(five["random_walk"]),
        "borda_clones": another_borda_winner(five, exact["borda_clones"]),
        "beaten_winners": beaten_winners(results["seven-arms"], exact["beaten_winners"]),
    }


def before(examples: list[PieceResult], exact: float) -> Finding:
    """Check that the arms of the cycle have the largest scores and all weight before the duplication."""
    right = [
        all(set(leaders(row)) == CYCLE and row.max() == one.setting["k"] - 2 for row in one["scores_before"])
        and in_thirds(one["weights_before"], exact)
        for one in examples
    ]
    scores, weights = examples[-1]["scores_before"], examples[-1]["weights_before"][:3]
    words = ", ".join(f"{weight:.4f}" for weight in weights)
    return Finding(
        f"with {scores.shape[1]} arms: score {scores[0].max():g} of three arms, weights {words}", right
    )


def in_thirds(weights: FloatArray, exact: float) -> bool:
    """Return whether each arm of the cycle has a weight of 1/3, and all others 0."""
    return bool(np.abs(weights[:3] - 1.0 / 3.0).max() <= exact and not weights[3:].any())


def joined(weights: FloatArray, arm: int) -> FloatArray:
    """Return the weights after adding that of the duplicate (the last) to its original."""
    together = weights[:-1].copy()
    together[arm] += weights[-1]
    return together


def shared(example: PieceResult, exact: float) -> bool:
    """Return whether the duplicate shares the weight of its original, and all else is unchanged."""
    weights, margins = example["weights_after"], example["margins_after"]
    tied = np.abs(margins[TOP]).max() <= exact and margins[3:-1].min() > 0.0
    return bool(in_thirds(joined(weights, 0), exact) and weights[0] > 0.0 < weights[-1] and tied)


def fourth(scores: FloatArray) -> Finding:
    """Check that only the fourth arm has the largest score."""
    words = "; ".join(", ".join(f"{score:.4f}" for score in row) for row in scores)
    return Finding(words, [leaders(row) == (FOURTH,) for row in scores] or False)


def named(arms: Iterable[int]) -> str:
    return ", ".join(str(arm + 1) for arm in arms)


def another_borda_winner(five: PieceResult, exact: float) -> Finding:
    """Check that a duplicate makes another arm the only Borda winner, but keeps the von Neumann winner."""
    first, second = leaders(five["borda"][0]), leaders(five["borda_after"])
    moved = float(np.abs(joined(five["weights_after"], THIRD) - five["weights"][0]).max())
    ours = (
        f"Borda winner of five arms: {named(first)}, with a duplicate of arm {THIRD + 1}: {named(second)}; "
        f"the von Neumann winner's weights move by {moved:.0e} at most, the duplicate's added to its arm's"
    )
    return Finding(ours, [len(first) == len(second) == 1, first != second, moved <= exact])


def beaten_winners(seven: PieceResult, exact: float) -> Finding:
    """Check that an arm that is not a Copeland winner beats each of several, and their uniform mixture."""
    margins, scores = seven["margins"], seven["copeland"]
    winners = leaders(scores)
    others = [arm for arm in range(len(scores)) if arm not in winners]
    against = margins[np.ix_(winners, others)]
    beating = [arm for arm, column in zip(others, against.T, strict=True) if column.max() < 0.0]
    least = float((seven["weights"] @ margins).min())
    ours = (
        f"of {len(scores)} arms the Copeland winners are {named(winners)}; arm {named(beating) or 'none'} "
        f"beats each of them and all drawn alike, by {-against.mean(axis=0).min():.2f}; the von Neumann "
        f"winner's least margin is {least:.0e}"
    )
    no_condorcet = bool(scores.max() < len(scores) - 1)
    return Finding(ours, [no_condorcet, len(winners) > 1, bool(beating), least >= -exact])


def show(results: ItemResults, expected: Expected) -> list[ResultTable]:
    """Return tables of scores and weights before and after the duplication, and of five and seven arms."""
    (example,), five, seven = results.where(**SHOWN), results["five-arms"], results["seven-arms"]
    kinds = [*(f"Copeland score, {definition}" for definition in DEFINITIONS), "von Neumann weight"]
    rows = []
    for when, state in (("before", "alone"), ("after", "duplicated")):
        scored = [*example[f"scores_{when}"], example[f"weights_{when}"]]
        for what, row in zip(kinds, scored, strict=True):
            duplicate = row[-1] if when == "after" else None
            rows.append({"what": what, "when": state, "row": row, "duplicate": duplicate})
    alone = {name: five[name][0] for name in seven}
    doubled = {name: five[f"{name}_after"] for name in seven}
    return [
        ResultTable.of(
            f"The top arms of {SHOWN['k']}, before and after arm 1 is duplicated", TOP_COLUMNS, rows
        ),
        table("Five arms: margins with their signs restored, and each arm's scores", alone),
        table(f"Five arms, and a duplicate of arm {THIRD + 1} as the last", doubled),
        table("Seven arms: one that is not a Copeland winner beats all Copeland winners", seven),
    ]


def table(title: str, known: Mapping[str, FloatArray]) -> ResultTable:
    """Return a table with one row per arm: its margins, and its score by each definition."""
    k = len(known["margins"])
    columns = {"": "arm {arm}", **{f"against {arm + 1}": f"{{margins[{arm}]:+.2f}}" for arm in range(k)}}
    rows = [{"arm": arm + 1, **{name: values[arm] for name, values in known.items()}} for arm in range(k)]
    return ResultTable.of(title, columns | SCORE_COLUMNS, rows)


ITEM = Item(
    name="clones",
    title="Appendix: a duplicate arm changes the Copeland winners, not the von Neumann winner",
    minutes=0.1,
    plan=plan,
    findings=findings,
    show=show,
)
