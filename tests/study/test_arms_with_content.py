"""Arms with a text, a link or an image: kept by the journal, replaced when they come back, and checked."""

from base64 import b64encode
from pathlib import Path
from typing import Any, cast

import pytest
from refusals import refused
from study.world import answer_some, begin_with, change, fresh, known, same_folds

import duelist
from duelist import Arm, PreferentialOptimization, Study
from duelist.errors import FileError, ParameterError, UnknownNameError
from duelist.journal import ArmAdded
from duelist.journal.content import LONGEST_IMAGE, LONGEST_LINK, LONGEST_TEXT
from duelist.study import Parameter, live_fold
from duelist.study.storage import DifferentStudyError

PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACw="
CREATED = (
    '{"event":"created","format":1,"study":"00000000000000000000000000000000","seed":0,"learner":'
    '{"name":"Uniform","parameters":{}},"package":"0","choices":{"arms":["a","b"],"about":%s}}\n'
)


def test_arms_show_what_they_were_made_with(tmp_path: Path) -> None:
    path = tmp_path / "votes.db"
    arms: list[str | Arm] = ["a", Arm("b", text="Roses are red,\n\tviolets …"), Arm("c", image=PIXEL)]
    study = Study(arms=arms, journal=path)
    study.add_arm(Arm("d", "words", "https://d.example/?a=1&b=%20#there", "http://d.example/d.png"))
    study.add_arm("e")
    assert duelist.Arm is Arm
    assert study.arms == ("a", "b", "c", "d", "e")
    for other in (study, Study.open(path), Study.load(study.save(tmp_path / "study.json"))):
        assert other.arm("a") == Arm("a")
        assert other.arm("b") == arms[1]
        assert other.arm("c") == Arm("c", image=PIXEL)
        assert other.arm("d")[1:] == ("words", "https://d.example/?a=1&b=%20#there", "http://d.example/d.png")
        assert other.arm("e") == Arm("e")
        assert same_folds(known(other), fresh(study._journal))
    duel = study.ask()
    assert {duel.left, duel.right} <= {*study.arms}, "a duel has names"


def test_an_arm_that_comes_back_may_show_something_new(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_fold, "EVERY", 4)
    study = Study(arms=["a", "b", Arm("c", text="old", link="https://c.example")])
    study.retire_arm("c")
    assert study.arm("c").text == "old"
    study.add_arm("c")
    assert study.arm("c") == Arm("c", text="old", link="https://c.example")
    study.retire_arm("c")
    study.add_arm(Arm("c", text="new"))
    assert study.arm("c") == Arm("c", text="new")
    answer_some(study, 9)
    # folded again from a snapshot
    study.retract(study.votes()[-1].ticket)
    assert study.arm("c") == Arm("c", text="new")
    assert same_folds(known(study), fresh(study._journal))
    with refused(ParameterError, "'c'"):
        study.add_arm(Arm("c", text="newer"))


def test_snapshots_keep_what_arms_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_fold, "EVERY", 5)
    path = tmp_path / "votes.db"
    study = Study(arms=["a", Arm("b", text="old")], journal=path)
    study.add_arm(Arm("c", image=PIXEL))
    study.retire_arm("b")
    study.add_arm(Arm("b", text="new"))
    answer_some(study, 8)
    # only a snapshot still knows the line as it was
    change(path, """UPDATE events SET event = replace(event, '"text":"new"', '"text":"odd"')""")
    assert Study.open(path).arm("b").text == "new"
    change(path, "DELETE FROM snapshots")
    assert Study.open(path).arm("b").text == "odd"
    assert Study.open(path).arm("c").image == PIXEL


def test_a_study_is_gone_on_with_by_the_same_arms(tmp_path: Path) -> None:
    path = tmp_path / "votes.db"
    Study(arms=["a", Arm("b", text="words")], journal=path)
    assert Study(arms=[Arm("a"), Arm("b", text="words")], journal=path).answers == 0
    for other in ("b", Arm("b", text="other words"), Arm("b", text="long " * 1000)):
        with refused(DifferentStudyError, "arms") as caught:
            Study(arms=["a", other], journal=path)
        assert len(str(caught.value)) < 700
    plain = tmp_path / "plain.db"
    Study(arms=["a", Arm("b")], journal=plain)
    [(line,)] = change(plain, "SELECT event FROM events")
    assert "about" not in line, "what shows nothing is written as before"


@pytest.mark.parametrize(
    ("content", "facts"),
    [
        ({"text": ""}, ["text"]),
        ({"text": 5}, ["text", "5"]),
        ({"text": "a\0b"}, ["text", r"'\x00'", "1"]),
        ({"text": "a\r\nb"}, ["text", r"'\r'", "1"]),
        ({"text": "\x85"}, ["text"]),
        ({"text": "\ud800"}, ["text"]),
        ({"text": "a" * (LONGEST_TEXT + 1)}, ["text", "100,001", "100,000"]),
        ({"link": "javascript:alert(1)"}, ["link", "https://"]),
        ({"link": "data:text/html,x"}, ["link", "https://"]),
        ({"link": "//a.example"}, ["link", "https://"]),
        ({"link": "https://"}, ["link", "https://"]),
        ({"link": "https:///path"}, ["link", "https://"]),
        ({"link": "https://a.example/a b"}, ["link", "https://"]),
        ({"link": "https://a.example\n"}, ["link", "https://"]),
        ({"link": " https://a.example"}, ["link", "https://"]),
        ({"link": "https:\\\\a.example"}, ["link", "https://"]),
        ({"link": "https://good.example\\@a.example"}, ["link", "https://"]),
        ({"link": "https://[a.example"}, ["link", "https://"]),
        ({"link": b"https://a.example"}, ["link", "https://"]),
        ({"link": "https://a.example/" + "a" * LONGEST_LINK}, ["link", "2,018", "2,000"]),
        ({"image": "data:image/svg+xml;base64,AAAA"}, ["image", "png", "jpeg", "gif", "webp"]),
        ({"image": "data:image/png,AAAA"}, ["image", "png"]),
        ({"image": "data:text/html;base64,AAAA"}, ["image", "png"]),
        ({"image": "data:image/png;base64,"}, ["image", "base64"]),
        ({"image": "data:image/png;base64,AAA"}, ["image", "base64"]),
        ({"image": "data:image/png;base64,AA AA"}, ["image", "base64"]),
        ({"image": 'data:image/png;base64,AAAA" onload="x'}, ["image", "base64"]),
        ({"image": "javascript:alert(1)"}, ["image", "https://"]),
        ({"image": "https://a.example/" + "a" * LONGEST_LINK}, ["image", "2,018", "2,000"]),
        ({"image": PIXEL + "A" * LONGEST_IMAGE}, ["image", "1,000,000"]),
        ({"image": 7}, ["image", "https://"]),
    ],
)
def test_what_cannot_be_shown_is_refused(content: dict[str, Any], facts: list[str]) -> None:
    with refused(ParameterError, *facts) as caught:
        Study(arms=["a", Arm("b", **content)])
    assert str(caught.value).startswith("arms[1]: ")
    assert len(str(caught.value)) < 300
    study = Study(arms=["a", "b"])
    with refused(ParameterError, *facts):
        study.add_arm(Arm("c", **content))
    with refused(ParameterError, *facts):
        ArmAdded(arm="c", **content)
    assert len(study._journal.read()) == 1


def test_the_largest_fits_into_a_journal(tmp_path: Path) -> None:
    head = "data:image/jpeg;base64,"
    image = head + b64encode(bytes(range(256)) * 3000).decode()[: (LONGEST_IMAGE - len(head)) // 4 * 4]
    text = "ü" * LONGEST_TEXT
    path = tmp_path / "votes.db"
    study = Study(arms=["a", Arm("b", text=text, image=image)], journal=path)
    study.add_arm(Arm("c", text=text, image=image))
    answer_some(study, 3)
    again = Study.open(path)
    assert again.arm("b")[1:] == again.arm("c")[1:] == (text, None, image)
    assert again.answers == 3


def test_arms_that_there_are_not() -> None:
    with refused(UnknownNameError, "'c'"):
        Study(arms=["a", "b"]).arm("c")
    with refused(ParameterError, "parameters", "arms"):
        Study(PreferentialOptimization(), parameters={"warmth": Parameter(0.0, 1.0)}).arm("a")
    with refused(ParameterError, "arms", "Arm"):
        Study(arms=cast("Any", Arm("a", "b")))
    names: list[Any] = ["", "a\nb", 5]
    for name in names:
        with refused(ParameterError, "arm"):
            Study(arms=["a", "b"]).add_arm(Arm(name))


@pytest.mark.parametrize(
    "about",
    [
        "5",
        '["a"]',
        '{"a":"words"}',
        '{"a":{"words":"words"}}',
        '{"a":{"name":"b"}}',
        '{"c":{"text":"words"}}',
        '{"a":{"text":5}}',
        '{"a":{"link":"javascript:alert(1)"}}',
    ],
)
def test_a_journal_that_was_tampered_with_is_refused_in_words(about: str, tmp_path: Path) -> None:
    path = tmp_path / "votes.db"
    begin_with(path, CREATED % '{"a":{"text":"words"}}')
    assert Study.open(path).arm("a").text == "words"
    other = tmp_path / "other.db"
    begin_with(other, CREATED % about)
    with pytest.raises((FileError, ParameterError)):
        Study.open(other)
