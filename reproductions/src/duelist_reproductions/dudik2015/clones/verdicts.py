"""What the examples say about the paper's claims; all of them are exact."""

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory.items import Expected, Finding
from duelist.laboratory.work import ItemResults, PieceResult
from duelist.preferences import leaders
from duelist_reproductions.dudik2015.clones.sweep import DEFINITIONS, FOURTH, THIRD

CYCLE = {0, 1, 2}
MIRRORED = [0, 2, 1, 3, 4]
"""The second and the third of five arms exchanged, which the printed sizes of margins do not tell apart."""


def judge(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Return a finding for every claim."""
    duplicated = [one for name, one in results.items() if name.startswith("k=")]
    five = results["five-arms"]
    exact = {name: one["tolerance"] for name, one in expected["claims"].items()}
    return {
        "before": before(duplicated, exact["before"]),
        "scores": table(duplicated, np.array(expected["scores minus K"])),
        "copeland": not_all_three(duplicated),
        "never": never_second(duplicated),
        "von_neumann": same_lottery(duplicated, exact["von_neumann"]),
        "signs": signs(five),
        "borda": fourth(five["borda"]),
        "random_walk": fourth(five["random_walk"]),
        "borda_clones": another_borda_winner(results["five-arms-duplicate"], exact["borda_clones"]),
        "beaten_winners": beaten_winners(results["seven-arms"], exact["beaten_winners"]),
    }


def before(examples: list[PieceResult], exact: float) -> Finding:
    """Judge the example as it was before an arm was duplicated."""
    right = all(
        all(set(leaders(row)) == CYCLE and row.max() == one.setting["k"] - 2 for row in one["scores_before"])
        and np.abs(one["weights_before"][:3] - 1.0 / 3.0).max() <= exact
        and not one["weights_before"][3:].any()
        for one in examples
    )
    largest = examples[-1]
    weights = ", ".join(f"{weight:.4f}" for weight in largest["weights_before"][:3])
    score, k = largest["scores_before"][0].max(), largest["scores_before"].shape[1]
    return Finding(f"with {k} arms: score {score:g} of three arms, weights {weights}", right)


def top_arms(example: PieceResult) -> FloatArray:
    """Return the scores of the first three arms and of the duplicate, a row for each definition."""
    scores = example["scores_after"]
    return np.column_stack([scores[:, :3], scores[:, -1]])


def table(examples: list[PieceResult], beyond: FloatArray) -> Finding:
    """Judge the Copeland scores after an arm was duplicated."""
    right = all(np.array_equal(top_arms(one), one.setting["k"] + beyond) for one in examples)
    found = "; ".join(", ".join(f"K{score:+g}" for score in row) for row in beyond)
    return Finding(found if right else "others in some example", right)


def winners_after(examples: list[PieceResult]) -> list[set[int]]:
    """Return the Copeland winners after an arm was duplicated, by every example and definition."""
    return [set(leaders(row)) for one in examples for row in one["scores_after"]]


def not_all_three(examples: list[PieceResult]) -> Finding:
    """Judge whether some arm of the cycle is no Copeland winner any more."""
    lasting = sum(winners >= CYCLE for winners in winners_after(examples))
    ours = f"all three in {lasting} of {len(DEFINITIONS) * len(examples)} cases"
    return Finding(ours, lasting == 0)


def never_second(examples: list[PieceResult]) -> Finding:
    """Judge whether the arm that the duplicated one beats is never a Copeland winner."""
    often = sum(1 in winners for winners in winners_after(examples))
    return Finding(f"a winner in {often} of {len(DEFINITIONS) * len(examples)} cases", often == 0)


def same_lottery(examples: list[PieceResult], exact: float) -> Finding:
    """Judge whether the duplicate shares its arm's weight, and all else is as it was."""
    right = all(
        abs(one["weights_after"][0] + one["weights_after"][-1] - 1.0 / 3.0) <= exact
        and one["weights_after"][0] > 0.0 < one["weights_after"][-1]
        and np.abs(one["weights_after"][1:3] - 1.0 / 3.0).max() <= exact
        and not one["weights_after"][3:-1].any()
        and np.abs(one["margins_after"][[0, 1, 2, -1]]).max() <= exact
        and one["margins_after"][3:-1].min() > 0.0
        for one in examples
    )
    weights = examples[-1]["weights_after"][[0, 1, 2, -1]]
    return Finding(f"weights {', '.join(f'{weight:.4f}' for weight in weights)}", right)


def signs(five: PieceResult) -> Finding:
    """Judge whether signs were found, and the same but for the order of the second and third arm."""
    margins = five["margins"]
    mirrored = len(margins) == 2 and np.array_equal(margins[0][np.ix_(MIRRORED, MIRRORED)], margins[1])
    ours = f"{len(margins)} of 1,024 ways to set signs, " + (
        "each the mirror of the other" if mirrored else ""
    )
    return Finding(ours.removesuffix(", "), bool(mirrored))


def fourth(scores: FloatArray) -> Finding:
    """Judge whether the fourth arm alone has the largest score."""
    right = len(scores) > 0 and all(leaders(row) == (FOURTH,) for row in scores)
    return Finding("; ".join(", ".join(f"{score:.4f}" for score in row) for row in scores), right)


def another_borda_winner(five: PieceResult, exact: float) -> Finding:
    """Judge whether a duplicate makes another arm the only Borda winner, and leaves the lottery as it was."""
    first, second = (leaders(five[name]) for name in ("borda_before", "borda_after"))
    together = five["weights_after"][:-1].copy()
    together[THIRD] += five["weights_after"][-1]
    moved = float(np.abs(together - five["weights_before"]).max())
    names = [", ".join(str(arm + 1) for arm in arms) for arms in (first, second)]
    ours = (
        f"Borda winner of five arms: {names[0]}, with a duplicate of arm {THIRD + 1}: {names[1]}; the von "
        f"Neumann winner's weights move by {moved:.0e} at most, the duplicate's added to its arm's"
    )
    return Finding(ours, len(first) == len(second) == 1 and first != second and moved <= exact)


def beaten_winners(seven: PieceResult, exact: float) -> Finding:
    """Judge whether an arm that is no Copeland winner beats each of several and all of them drawn alike."""
    margins, scores = seven["margins"], seven["copeland"]
    winners = leaders(scores)
    others = [arm for arm in range(len(scores)) if arm not in winners]
    against = margins[np.ix_(winners, others)]
    beating = (against < 0.0).all(axis=0) & (against.mean(axis=0) < 0.0)
    least = float((seven["weights"] @ margins).min())
    names = [
        ", ".join(str(arm + 1) for arm in arms)
        for arms in (winners, [arm for arm, beats in zip(others, beating, strict=True) if beats])
    ]
    ours = (
        f"of {len(scores)} arms the Copeland winners are {names[0]}; arm {names[1] or 'none'} beats each of "
        f"them and all drawn alike, by {-against.mean(axis=0).min():.2f}; the von Neumann winner's least "
        f"margin is {least:.0e}"
    )
    no_condorcet = scores.max() < len(scores) - 1
    return Finding(ours, bool(no_condorcet and len(winners) > 1 and beating.any() and least >= -exact))
