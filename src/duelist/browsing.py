"""People who read a page from the top and click, as kernels see them.

One form holds the cascade, position-based, dependent-click and user-browsing models: a place is looked at
with a chance that depends on it and on the last click above it, a document looked at is clicked with a chance
that depends on its grade, and after a click the person may leave.
"""

from typing import NamedTuple

from numpy.random import Generator

from duelist.compiled import compiled
from duelist.types import BoolArray, FloatArray, IntArray


class User(NamedTuple):
    """What a person does, in chances."""

    attraction: FloatArray  # of each grade: the chance that a document looked at is clicked
    examination: FloatArray  # [place, 1 + place of the last click or 0]: the chance that it is looked at
    stop: FloatArray  # [place, grade]: the chance to leave after a click there


@compiled
def browse(user: User, grades: IntArray, shown: int, clicked: BoolArray, rng: Generator) -> None:
    """Write which of the shown documents, given by their grades, are clicked.

    Places beyond those a person has habits for are treated like the last of these.
    """
    last = 0
    gone = False
    habits, exits = len(user.examination), len(user.stop)
    for place in range(shown):
        clicked[place] = False
        if gone:
            continue
        grade = grades[place]
        look = user.examination[min(place, habits - 1), min(last, user.examination.shape[1] - 1)]
        if rng.random() < look * user.attraction[grade]:
            clicked[place] = True
            last = place + 1
            gone = rng.random() < user.stop[min(place, exits - 1), grade]
