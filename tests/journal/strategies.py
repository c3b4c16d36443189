"""Events of every kind, as hypothesis makes them up."""

from base64 import b64encode
from typing import Any

from hypothesis import strategies as st

from duelist.journal import (
    Answered,
    ArmAdded,
    ArmRetired,
    Clicked,
    Closed,
    Created,
    DocumentsClicked,
    Event,
    LearnerChanged,
    NumberedList,
    RankedList,
    Retracted,
    Skipped,
    content,
)
from duelist.journal.events import RESERVED, UNFIT

FINITE = st.floats(allow_nan=False, allow_infinity=False)
TICKETS = st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True).filter(lambda ticket: ticket not in RESERVED)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
NAMES = TEXTS.filter(lambda name: name != "" and not UNFIT.search(name))
TIMES = st.just(0.0) | FINITE
PLAIN: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**200), 2**200) | FINITE | TEXTS,
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(TEXTS, inside, max_size=4),
    max_leaves=10,
)
OBJECTS = st.dictionaries(TEXTS, PLAIN, max_size=4)
ARMS = st.integers(0, 2**63 - 1)
SIDES = st.tuples(ARMS, ARMS) | st.integers(1, 4).flatmap(
    lambda d: st.tuples(*[st.lists(FINITE, min_size=d, max_size=d)] * 2)
)
CHANCES = st.floats(0.0, 1.0, exclude_min=True)


def as_image(content: bytes) -> str:
    return f"data:image/webp;base64,{b64encode(content).decode()}"


PLACES = st.sets(st.integers(0, 2**40), min_size=1, max_size=5).map(lambda places: tuple(sorted(places)))


@st.composite
def answers(draw: st.DrawFn) -> Answered:
    left, right = draw(SIDES)
    return Answered(
        ticket=draw(TICKETS),
        left=left,
        right=right,
        outcome=draw(st.floats(0.0, 1.0)),
        voter=draw(st.none() | NAMES),
        flipped=draw(st.booleans()),
        propensity=draw(st.none() | st.tuples(CHANCES, CHANCES)),
        round=draw(st.none() | FINITE),
        note=draw(PLAIN),
        context=draw(PLAIN),
        learner=draw(st.integers(0, 3)),
        late=draw(st.booleans()),
        clicked=draw(st.none() | PLACES),
        time=draw(TIMES),
    )


@st.composite
def clicks(draw: st.DrawFn) -> Clicked:
    left = draw(st.lists(st.integers(0, 9), unique=True, min_size=1))
    right = draw(st.lists(st.integers(5, 14), unique=True))
    documents = draw(st.permutations(sorted({*left, *right})))[: draw(st.integers(1, 9))]
    n = len(documents)
    places = draw(st.sets(st.integers(0, n - 1), min_size=1))
    sides = draw(SIDES)
    return Clicked(
        ticket=draw(TICKETS),
        left=sides[0],
        right=sides[1],
        shown=NumberedList(
            tuple(left),
            tuple(right),
            tuple(documents),
            tuple(draw(st.lists(st.integers(-1, 1), min_size=n, max_size=n))),
            tuple(draw(st.lists(CHANCES, min_size=n, max_size=n))),
        ),
        places=tuple(sorted(places)),
        voter=draw(st.none() | NAMES),
        propensity=draw(st.none() | st.tuples(CHANCES, CHANCES)),
        round=draw(st.none() | FINITE),
        note=draw(PLAIN),
        late=draw(st.booleans()),
        time=draw(TIMES),
    )


@st.composite
def clicks_on_documents(draw: st.DrawFn) -> DocumentsClicked:
    documents = draw(st.lists(st.integers(0, 2**60), unique=True, min_size=1, max_size=9))
    final = draw(st.booleans())
    places = draw(st.sets(st.integers(0, len(documents) - 1), min_size=0 if final else 1))
    return DocumentsClicked(
        ticket=draw(TICKETS),
        shown=RankedList(tuple(documents), draw(st.binary(max_size=40))),
        places=tuple(sorted(places)),
        voter=draw(st.none() | NAMES),
        learner=draw(st.integers(0, 3)),
        late=draw(st.booleans()),
        final=final,
        time=draw(TIMES),
    )


@st.composite
def skips(draw: st.DrawFn) -> Skipped:
    left, right = draw(SIDES)
    return Skipped(
        ticket=draw(TICKETS), left=left, right=right, voter=draw(st.none() | NAMES), time=draw(TIMES)
    )


EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(
        Created,
        format=st.just(1),
        study=st.from_regex(r"[0-9a-f]{32}", fullmatch=True),
        seed=st.integers(0, 2**200),
        learner=OBJECTS,
        choices=OBJECTS,
        package=NAMES,
        example=OBJECTS,
        interleaving=NAMES,
        time=TIMES,
    ),
    st.builds(
        ArmAdded,
        arm=NAMES,
        text=st.none() | TEXTS.filter(lambda text: text != "" and not content.UNFIT.search(text)),
        link=st.none() | st.sampled_from(["http://a.example", "https://ä.example:8/?q=%20#[{"]),
        image=st.none() | st.binary(min_size=1).map(as_image),
        time=TIMES,
    ),
    st.builds(ArmRetired, arm=NAMES, time=TIMES),
    st.builds(LearnerChanged, learner=OBJECTS, example=OBJECTS, time=TIMES),
    answers(),
    clicks(),
    clicks_on_documents(),
    skips(),
    st.builds(Retracted, ticket=TICKETS, time=TIMES),
    st.builds(Closed, time=TIMES),
)
