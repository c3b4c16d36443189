"""Events for tests of journals: how one begins, an answer, and one event of each kind."""

from duelist.journal import (
    Answered,
    ArmAdded,
    ArmRetired,
    Clicked,
    Closed,
    Created,
    Event,
    LearnerChanged,
    NumberedList,
    Retracted,
    Skipped,
)

BEGINNING = Created(
    format=1,
    study="0123456789abcdef" * 2,
    seed=2**64,
    learner={"name": "RUCB", "alpha": 0.51},
    choices={"arms": ["tea", "coffee"]},
    package="0.1.0",
    time=1789000000.125,
)
ONE_OF_EACH: tuple[Event, ...] = (
    BEGINNING,
    ArmAdded(arm="Käse & 🧀", time=1789000001.0),
    Answered(
        ticket="dB1_-xyz",
        left=0,
        right=2,
        outcome=0.5,
        voter="Ann",
        flipped=True,
        propensity=(0.1, 1.0),
        round=17.0,
        note=[0.1 + 0.2, 5e-324, -0.0],
        context={"query": "tea", "weights": [1, 2.5, None, True]},
        learner=2,
        late=True,
    ),
    Answered(ticket="points", left=[0.1, -3.0], right=[1e300, 2.0], outcome=1.0),
    Skipped(ticket="skipped", left=1, right=0, voter="Ben"),
    Retracted(ticket="dB1_-xyz"),
    ArmRetired(arm="tea"),
    LearnerChanged(learner={"name": "Uniform"}, example={"k": 3}),
    Closed(time=1789000002.5),
    Clicked(
        ticket="list",
        left=0,
        right=2,
        shown=NumberedList(
            (0, 1), (1, 2), documents=(1, 2, 0), teams=(1, 0, -1), propensities=(0.5, 1.0, 0.3)
        ),
        places=(0, 2),
        voter="Ann",
        flipped=True,
        propensity=(0.1, 1.0),
        round=17.0,
        note=[0.1],
        context={"query": "tea"},
        learner=2,
        late=True,
        time=1789000003.0,
    ),
    ArmAdded(
        arm="tea", text="green\n\t½", link="https://a.example/?b=[1]#c", image="data:image/png;base64,AA=="
    ),
    Answered(ticket="list", left=0, right=2, outcome=0.0, clicked=(0, 2)),
)
"""Every kind of event, with every field somewhere."""


def answer(ticket: str, outcome: float = 1.0) -> Answered:
    """Return an answer to look for."""
    return Answered(ticket=ticket, left=0, right=1, outcome=outcome)
