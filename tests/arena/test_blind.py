"""Blind: nothing that a browser receives before the vote tells which arm is which."""

import re
from pathlib import Path

import pytest
from arena.visitor import VOTER, Visitor, arena, material_of, service

from duelist import Arm, Study
from duelist.arena.content.reading import read_material
from duelist.database import Database
from duelist.judging.material import Material

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6260000002000001e221bc330000000049454e44ae426082"
)


def received(visitor: Visitor, path: str = "/") -> str:
    """Return all that a browser is sent for a page: its head, its body and its cookies."""
    answer = visitor.get(path)
    assert answer.status_code == 200
    return f"{answer.headers}\n{answer.text}"


def test_no_name_before_or_after_the_vote(tmp_path: Path) -> None:
    with arena(tmp_path / "a.db", share=True) as running:
        voter = running.visitor(VOTER)
        for _ in range(6):
            content = received(voter)
            assert "secret" not in content
            assert "arena" not in content.replace("arena.css", "")
            assert "secret" not in voter.vote("left").text


def test_no_name_where_an_arm_has_nothing_to_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # what others wrote is looked for at every request, and not only after a while
    monkeypatch.setattr("duelist.service.live.LOOK_EVERY", -1.0)
    with arena(tmp_path / "a.db", material_of(("secret-a", "secret-b")), share=True) as running:
        voter = running.visitor(VOTER)
        with Database(tmp_path / "a.db") as database:
            study = Study.open(database.journal("arena"))
            study.add_arm("secret-c")
            study.retire_arm("secret-b")
        answer = voter.get("/")
        assert answer.status_code == 503
        assert "secret" not in answer.text


def test_tickets_and_addresses_have_one_length(tmp_path: Path) -> None:
    arms = tuple(f"secret-{arm}" for arm in range(300))
    with arena(tmp_path / "a.db", material_of(arms, items=1), share=True) as running:
        lengths = {
            len(visitor.form(visitor.get("/"), "/vote")["ticket"])
            for visitor in (running.visitor(VOTER) for _ in range(12))
        }
        # numbers below 128 and above 255 are among them, and take other lengths in the ticket
        assert len(lengths) == 1


def images(folder: Path) -> Material:
    for arm in ("secret-a", "secret-b"):
        (folder / arm).mkdir(parents=True)
        for item in ("kitchen", "garden"):
            (folder / arm / f"{item}.png").write_bytes(PIXEL)
    return read_material(folder)


def test_pictures_have_addresses_that_tell_nothing(tmp_path: Path) -> None:
    with arena(tmp_path / "a.db", images(tmp_path / "rooms"), share=True) as running:
        voter = running.visitor(VOTER)
        content = received(voter)
        assert "secret" not in content
        addresses = re.findall(r'src="(/media/[^"]+)"', content)
        assert len({*addresses}) == 2
        assert len({len(address) for address in addresses}) == 1
        picture = voter.get(addresses[0])
        assert picture.content == PIXEL
        assert picture.headers["content-type"] == "image/png"
        assert "secret" not in str(picture.headers)
        # times of files would tell them apart
        assert not {"etag", "last-modified"} & {*picture.headers}
        # the same picture has another address each time, which cannot be compared
        assert not {*addresses} & {*re.findall(r'src="(/media/[^"]+)"', received(voter))}
        for forged in ("x", addresses[0][7:-3], "..%2f..%2fa.db"):
            assert voter.get(f"/media/{forged}").status_code == 404
        assert running.visitor().get(addresses[0]).status_code == 401


def test_pictures_of_a_study(tmp_path: Path) -> None:
    image = "data:image/gif;base64,R0lGODlhAQABAAAAACw="
    with Database(tmp_path / "s.db") as database:
        arms = [
            Arm("secret-a", text="One *text*", image=image),
            Arm("secret-b", link="https://secret.example"),
        ]
        Study(arms=arms, journal=database.journal("home"))
    with service(tmp_path / "s.db") as running:
        voter = running.visitor()
        content = received(voter, "/studies/home/")
        assert "<em>text</em>" in content
        assert "secret-a" not in content
        assert "secret.example" not in content
        [address] = re.findall(r'src="(/studies/home/media/[^"]+)"', content)
        assert voter.get(address).headers["content-type"] == "image/gif"
        assert voter.get("/studies/nowhere/").status_code == 404
        assert voter.get("/studies/home/leaderboard").status_code == 200


def test_sides_are_drawn_at_random(tmp_path: Path) -> None:
    with arena(tmp_path / "a.db", material_of(("secret-a", "secret-b"), items=1)) as running:
        left = [visitor.shown(visitor.get("/"))[0] for visitor in (running.visitor() for _ in range(40))]
    assert 8 <= left.count("Text 0") <= 32


@pytest.mark.parametrize(
    "path", ["/static/0.1.0/style.css", "/static/0.1.0/vote.js", "/static/0.1.0/icon.svg"]
)
def test_files_of_pages(tmp_path: Path, path: str) -> None:
    with arena(tmp_path / "a.db", share=True) as running:
        answer = running.visitor().get(path)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
        for wrong in (
            "/static/0.1.0/nowhere.css",
            "/static/0.1.0/..%2fpage.py",
            "/static/0.1.0/%2e%2e/page.py",
        ):
            assert running.visitor().get(wrong).status_code == 404


def test_a_page_is_light(tmp_path: Path) -> None:
    arms = tuple(f"arm {arm}" for arm in range(30))
    with arena(tmp_path / "a.db", material_of(arms)) as running:
        one = running.visitor()
        files = sum(len(one.get(f"/static/0.1.0/{name}").content) for name in FILES)
        for path in ("/", "/leaderboard", "/dashboard"):
            assert len(one.get(path).content) + files < 100_000


FILES = ("style.css", "arena.css", "voting.css", "vote.js", "live.js", "swap.js", "icon.svg")
