"""Operations are declared once: body and answer follow from the handler."""

import pytest
from refusals import refused

from duelist.errors import ParameterError
from duelist.service.app import OPERATIONS
from duelist.service.operations import Operations, as_sent, read_json
from duelist.wire import (
    Asked,
    ContextSent,
    DuelAnswer,
    DuelsAnswer,
    Margins,
    NothingSent,
    RecordedAnswer,
    Told,
)


def test_a_declaration_says_what_the_annotations_say() -> None:
    operations = Operations("voting", "/api/studies/{name}")

    @operations.declare("POST", "/tell", "play", errors=(409,))
    async def tell(request: object, told: Told) -> RecordedAnswer:
        return RecordedAnswer(recorded=True)

    @operations.declare("POST", "/close", "admin")
    async def close(request: object, sent: NothingSent | None) -> None: ...

    one, other = operations
    assert (one.path, one.methods, one.role, one.tag) == (
        "/api/studies/{name}/tell",
        {"POST"},
        "play",
        "voting",
    )
    assert (one.sent, one.is_optional, one.answers, one.errors) == (
        Told,
        False,
        {200: RecordedAnswer},
        (409,),
    )
    assert (other.sent, other.is_optional, other.answers) == (NothingSent, True, {200: None})
    assert one.handler is tell


def test_no_two_operations_are_found_at_one_place() -> None:
    places = [(one.method, one.path) for one in OPERATIONS]
    assert len({*places}) == len(places)
    [ask] = [one for one in OPERATIONS if one.path.endswith("/ask")]
    assert (ask.sent, ask.answers) == (Asked, {200: DuelAnswer | DuelsAnswer})


@pytest.mark.parametrize(
    ("content", "field"),
    [
        ({"voter": 7}, "voter"),
        ({"n": "5"}, "n"),
        ({"n": 0}, "n"),
        ({"items": ["a", ""]}, "items"),
        ({"stranger": 1}, "stranger"),
        ([], "body"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_field(content: object, field: str) -> None:
    with refused(ParameterError, field):
        as_sent(content, Asked)


def test_a_query_is_of_texts_and_a_body_is_not() -> None:
    assert as_sent({"delta": "0.2", "other": "x"}, Margins, strict=False) == Margins(delta=0.2)
    with pytest.raises(ParameterError):
        as_sent({"delta": "nan"}, Margins, strict=False)
    with pytest.raises(ParameterError):
        as_sent({"context": ["0.2"]}, ContextSent)
    assert as_sent(read_json(b'{"context": [1, 0.5]}'), ContextSent) == ContextSent([1.0, 0.5])
