"""The chances of a team-draft duel, by listing everything that can happen."""

from itertools import product
from typing import Any

import numpy as np

from duelist.problems import RankerDuel
from duelist.ranking import RankingData

# four documents of two queries; feature 0 is right, feature 1 wrong, feature 2 half right
TINY = RankingData(
    [[4, 1, 3], [3, 2, 4], [2, 3, 1], [1, 4, 2], [9, 1, 5], [1, 9, 9], [5, 5, 1]],
    [1, 0, 0, 0, 1, 0, 0],
    ["a", "b"],
    [0, 4, 7],
)


def exact_chances(problem: RankerDuel, left: int, right: int, length: int) -> dict[float, float]:
    """Return the chance of each outcome by listing queries, coins of the draft, and clicks of a cascade."""
    model: Any = problem.clicks
    chances = {0.0: 0.0, 0.5: 0.0, 1.0: 0.0}
    data = problem.data
    for query in range(len(data)):
        rows = data.rows(query)
        lists = [problem.orders[arm, rows].tolist() for arm in (left, right)]
        room = min(length, len(lists[0]))
        assert room % 2 == 0
        for coins in product((0, 1), repeat=room // 2):
            page, teams = list[int](), list[int]()
            for coin in coins:
                for team in (coin, 1 - coin):
                    page.append(next(document for document in lists[team] if document not in page))
                    teams.append(team)
            grades = data.labels[rows][page]
            for clicked in product((False, True), repeat=room):
                chance = float(np.exp(model.log_chance(grades, clicked)))
                lead = sum(1 - 2 * team for team, click in zip(teams, clicked, strict=True) if click)
                chances[0.5 + 0.5 * float(np.sign(lead))] += chance / len(data) / 2 ** len(coins)
    return chances
