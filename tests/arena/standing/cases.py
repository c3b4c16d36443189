"""Studies of every kind that a page must be able to show."""

from functools import cache

from arena.standing.crowd import crowd_study, honest, vote

from duelist import Duel, Study
from duelist.learners import Uniform

HOSTILE = [
    "<script>alert(1)</script>" + "<b>\"'&" * 130,
    "\u202e</td></table>" + "x" * 980,
    "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
    "\U0001f469\u200d\U0001f467" * 300,
    "{{ 7 * 7 }}{% raw %}",
    "w" * 1000,
]


def no_votes() -> Study:
    return Study(Uniform(), arms=["haiku", "limerick"])


def one_vote() -> Study:
    study = no_votes()
    study.tell(Duel("haiku", "limerick"), "left", voter="ann")
    return study


def decided() -> Study:
    study = no_votes()
    for number in range(30):
        study.tell(Duel("haiku", "limerick"), "right" if number == 9 else "left", voter=f"voter {number}")
    return study


def ties_only() -> Study:
    study = no_votes()
    for _ in range(9):
        study.tell(Duel("haiku", "limerick"), "tie")
    return study


def unnamed() -> Study:
    study, person, rng = crowd_study(1, people=0)
    vote(study, None, person, 80, rng)
    return study


def closed() -> Study:
    study, *_ = crowd_study(1)
    study.close()
    return study


def changed() -> Study:
    study, *_ = crowd_study(1)
    study.retire_arm("arm 2")
    study.add_arm("newcomer")
    return study


def thirty() -> Study:
    return crowd_study(2, k=30, people=40, votes=150, spread=0.12)[0]


@cache
def hundred() -> Study:
    return crowd_study(3, k=100, people=60, votes=150, spread=0.03)[0]


def hostile() -> Study:
    study, *_, rng = crowd_study(0, people=0)
    study = Study(Uniform(), arms=HOSTILE)
    for number, name in enumerate(["judge: <i>", *HOSTILE * 2]):
        vote(study, f"{name[:980]} {number}", honest([0.5 * place for place in range(6)]), 40, rng)
    return study


def all_hostile() -> Study:
    """Return the heaviest that a study of 30 arms can be."""
    rng = crowd_study(0, people=0)[2]
    study = Study(Uniform(), arms=[f"{place}" + "\"'" * 499 for place in range(30)])
    for number in range(60):
        vote(study, f"{number}" + "\"'" * 499, honest([0.1 * place for place in range(30)]), 60, rng)
    return study


STUDIES = (
    no_votes,
    one_vote,
    decided,
    ties_only,
    unnamed,
    closed,
    changed,
    thirty,
    hundred,
    hostile,
    all_hostile,
)
