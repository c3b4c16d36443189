"""Difficult texts and bodies: rejected with a clear error, or stored and returned exactly."""

import gzip
import json
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest
from refusals import names
from service.caller import PlainCaller, plainly_serving

KEPT = [
    "<script>alert(1)</script>",
    "\"'`&lt;&#x27;--></style>",
    "'; DROP TABLE studies; --",
    "{{7*7}} ${7*7} %s %n",
    "\u202eright to left\u202c",
    "שלום عليكم",
    "👩‍👩‍👧‍👦🏳️‍🌈",
    "zero\u200bwidth\ufeff",
    " leading and trailing ",
    "\u00a0",
    "=cmd|' /C calc'!A0",
    "../../etc/passwd",
    "null",
    "a" * 200,
]
"""Valid names."""
REFUSED = ["", "\0", "a\nb", "a\rb", "\x1b[31m", "\x7f", "\u2028", "\u0085", "a" * 201, "a" * 100_000]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlainCaller]:
    with plainly_serving(str(tmp_path_factory.mktemp("service") / "studies.db")) as client:
        assert client.post("/api/studies", name="home", arms=["a", "b", "c"]).status_code == 201
        yield client


def rejected(answer: Any, *statuses: int) -> str:
    """Return the message of an error, which has the form of errors."""
    assert answer.status_code in statuses, answer.text[:300]
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    content = answer.json()
    assert content.keys() == {"error", "detail"}
    assert content["detail"]
    assert len(content["detail"]) <= 3000
    assert "Traceback" not in content["detail"]
    return str(content["detail"])


def test_names_and_texts_are_kept_exactly(client: PlainCaller) -> None:
    texts = {name: f"{name}\n\t{name}" for name in KEPT}
    arms = [{"name": name, "text": text} for name, text in texts.items()]
    begun = client.post("/api/studies", name="texts", arms=arms)
    assert begun.status_code == 201, begun.text
    read = client.get("/api/studies/texts").json()["arms"]
    assert {arm["name"]: arm["text"] for arm in read} == texts
    duels = client.post("/api/studies/texts/ask", n=60).json()["duels"]
    assert {side for duel in duels for side in (duel["left"], duel["right"])} <= set(KEPT)
    for voter in KEPT:
        duel = client.post("/api/studies/texts/ask", voter=voter).json()
        ranking = {"rankings": {duel["left"]: [*KEPT, 7], duel["right"]: [-7, *reversed(KEPT)]}, "length": 99}
        page = client.post("/api/studies/texts/interleave", ticket=duel["ticket"], **ranking).json()
        assert set(page["documents"]) == {*KEPT, 7, -7}
        done = client.post(
            "/api/studies/texts/clicks", ticket=page["ticket"], clicked=page["documents"][:1], final=True
        )
        assert done.status_code == 200
    votes = [json.loads(line) for line in client.get("/api/studies/texts/votes").text.splitlines()]
    assert [vote["voter"] for vote in votes] == KEPT
    report = client.get("/api/studies/texts/report")
    assert report.json()["arms"] == KEPT
    assert report.headers["content-type"] == "application/json"


@pytest.mark.parametrize("name", REFUSED, ids=[repr(name[:9]) for name in REFUSED])
def test_names_that_cannot_be_shown_are_refused(name: str, client: PlainCaller) -> None:
    rejected(client.post("/api/studies", name="refused", arms=["a", name]), 422)
    rejected(client.post("/api/studies", name="refused", arms=["a", {"name": name}]), 422)
    rejected(client.post("/api/studies/home/arms", name=name), 422)
    rejected(client.post("/api/studies/home/ask", voter=name), 422)
    knobs, learner = {name: {"low": 0, "high": 1}}, {"name": "PreferentialOptimization"}
    rejected(client.post("/api/studies", name="refused", knobs=knobs, learner=learner), 422)
    assert client.get("/api/studies/refused").status_code == 404
    assert len(client.get("/api/studies/home").json()["arms"]) == 3


@pytest.mark.parametrize(
    "name",
    ["", ".", "-a", "a b", "ä", "a/b", "a%2fb", "<b>", "a\n", "a\0", "a" * 101, "\U0001d49c"],
)
def test_names_of_studies_are_plain(name: str, client: PlainCaller) -> None:
    rejected(client.post("/api/studies", name=name, arms=["a", "b"]), 422)
    answer = client.request("GET", "/api/studies/" + "".join(f"%{byte:02x}" for byte in name.encode()))
    assert answer.status_code in (404, 422), answer.text


def test_what_an_arm_shows_has_its_form(client: PlainCaller) -> None:
    for field, wrong in (
        ("link", "javascript:alert(1)"),
        ("link", "file:///etc/passwd"),
        ("link", "https://" + "a" * 2000),
        ("image", "data:text/html;base64,PHNjcmlwdD4="),
        ("image", "data:image/svg+xml;base64,PHN2Zz4="),
        ("text", "a" * 100_001),
        ("text", "\0"),
        ("text", "\x1b[2J"),
    ):
        rejected(client.post("/api/studies/home/arms", name="new", **{field: wrong}), 422)
    long = "a" * 100_000
    begun = client.post("/api/studies", name="long", arms=["a", {"name": "b", "text": long}])
    assert begun.status_code == 201
    assert client.get("/api/studies/long").json()["arms"][1]["text"] == long


def test_names_that_differ_only_in_form_are_one(client: PlainCaller) -> None:
    composed, apart = (unicodedata.normalize(form, "café") for form in ("NFC", "NFD"))
    assert composed != apart
    assert names(rejected(client.post("/api/studies", name="twins", arms=[composed, apart]), 422), composed)
    assert names(rejected(client.post("/api/studies", name="twins", arms=["a", "b", "a"]), 422), "'a'")
    assert client.post("/api/studies", name="twins", arms=[apart, "b"]).status_code == 201
    assert client.get("/api/studies/twins").json()["arms"][0]["name"] == composed
    row = {"left": apart, "right": "b", "outcome": "left"}
    assert client.post("/api/studies/twins/votes", votes=[row]).json() == {"new": 1}
    first = client.post("/api/studies/twins/ask", voter=composed).json()
    assert client.post("/api/studies/twins/ask", voter=apart).json() == first


def test_no_more_arms_than_the_service_allows(client: PlainCaller) -> None:
    many = [f"{number}" for number in range(10_000)]
    for few in (many, many[:1001]):
        answer = client.post("/api/studies", name="many", arms=few)
        assert names(rejected(answer, 422), "1,000", f"{len(few):,}")
    rejected(client.post("/api/studies", name="many", arms=["only"]), 422)


BODIES = {
    "a field twice": b'{"voter": "a", "voter": "b"}',
    "a field twice inside": b'{"votes": [{"left": "a", "left": "b"}]}',
    "NaN": b'{"context": [NaN]}',
    "Infinity": b'{"context": [-Infinity]}',
    "too large a float": b'{"context": [1e400]}',
    "10,000 lists": b'{"context": ' + b"[" * 10_000 + b"]" * 10_000 + b"}",
    "10,000 objects": b'{"a": ' * 10_000 + b"1" + b"}" * 10_000,
    "900 lists": b'{"learner": {"name": "RUCB", "alpha": ' + b"[" * 900 + b"]" * 900 + b"}}",
    "a huge number": b'{"n": ' + b"9" * 5_000 + b"}",
    "a long number": b'{"n": 99999999999999999999}',
    "no number": b'{"n": 0x10}',
    "wrong types": b'{"voter": 7, "n": "5", "ticket": 7, "votes": {}, "arms": "ab", "learner": []}',
    "a list": b"[]",
    "a text": b'"ask"',
    "null": b"null",
    "nothing": b"",
    "half of it": b'{"voter": "a',
    "two of them": b"{}{}",
    "no JSON": b"voter=a",
    "invalid UTF-8": b'{"voter": "\xff\xfe"}',
    "an overlong NUL": b'{"voter": "\xc0\x80"}',
    "UTF-16": '{"voter": "a"}'.encode("utf-16"),
    "half a surrogate pair": b'{"voter": "\\ud800", "name": "\\udfff", "ticket": "\\ud800"}',
    "a name of half a pair": b'{"\\ud800": 1}',
    "NUL": b'{"voter": "\\u0000", "name": "\\u0000", "ticket": "\\u0000"}',
    "unknown fields": b'{"__proto__": {}, "constructor": {}}',
}
WRITES = ("ask", "tell", "skip", "retract", "votes", "learner", "arms", "arms/retire", "interleave", "clicks")
ROUTES = ["", *(f"/home/{last}" for last in (*WRITES, "best"))]


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_bodies_that_make_trouble(
    body: bytes, client: PlainCaller, capfd: pytest.CaptureFixture[str]
) -> None:
    before = client.get("/api/studies/home").json()
    for route in ROUTES:
        rejected(client.send(f"/api/studies{route}", body), 400, 422)
    assert client.get("/api/studies/home").json() == before
    assert capfd.readouterr().err == ""


def test_refusals_say_what_to_do(client: PlainCaller) -> None:
    ask = "/api/studies/home/ask"
    for body, *facts in (
        ("a field twice", "'voter'"),
        ("invalid UTF-8", "UTF-8", "byte 11"),
        ("half of it", "line 1, column 11"),
        ("10,000 lists", "nested"),
        ("a huge number", "19 digits"),
        ("NaN", "NaN"),
    ):
        assert names(rejected(client.send(ask, BODIES[body]), 400), *facts), body
    packed = client.send(ask, gzip.compress(b"{}"), **{"content-encoding": "gzip"})
    assert names(rejected(packed, 415), "Content-Encoding")
    assert client.send(ask, b"\xef\xbb\xbf{}").status_code == 200  # a byte order mark is ignored
    assert client.send(ask, b"{}", **{"content-encoding": "identity"}).status_code == 200
