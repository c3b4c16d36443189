import os
from io import BytesIO
from pathlib import Path

import pytest
from arena.content.media_files import FILES, SOUND, gif, jpeg, png, spread, webp
from refusals import names, refused

from duelist.arena.content.media import image_size
from duelist.arena.content.reading import read_material
from duelist.errors import FileError
from duelist.judging.material import Output


def test_a_folder_for_each_arm_has_a_file_for_each_item(tmp_path: Path) -> None:
    files = {
        "modern/10.png": png(),
        "modern/2.txt": b"\xef\xbb\xbf  Two\r\n",
        "old/2.jpg": jpeg(),
        "old/10.gif": gif(),
    }
    path = spread(tmp_path / "designs", files)
    material = read_material(path)
    assert (material.title, material.arms, material.items) == ("designs", ("modern", "old"), ("10", "2"))
    assert material.output("modern", "2") == Output("  Two")
    assert material.output("old", "2") == Output(path=path / "old" / "2.jpg", media_type="image/jpeg")
    assert material.output("modern", "10").media_type == "image/png"
    assert material.prompt("10") == Output("10")
    assert material.notices == ()


@pytest.mark.parametrize("media_type", FILES)
def test_files_are_told_by_what_is_in_them(tmp_path: Path, media_type: str) -> None:
    path = spread(tmp_path, {"a.txt": FILES[media_type], "b.html": FILES[media_type], "c": SOUND})
    material = read_material(path)
    assert material.arms == ("a", "b", "c")
    assert material.items == ()
    assert [material.output(arm, None).media_type for arm in material.arms] == [media_type] * 2 + [
        "audio/mpeg"
    ]


def test_hidden_files_and_those_of_the_arena_are_passed_over(tmp_path: Path) -> None:
    files = {"a/x.txt": b"1", "b/x.txt": b"2", ".git/x.txt": b"3", "a/.DS_Store": b"\0", "read me.md": b"4"}
    own = {"x.votes.db": b"{}", "x.votes.db-wal": b"k", "b/y.votes.db.serving": b""}
    material = read_material(spread(tmp_path, files | own))
    assert (material.arms, material.items) == (("a", "b"), ("x",))
    (notice,) = material.notices
    assert names(notice, "1", "read me.md")


def test_items_that_an_arm_has_no_file_for_are_left_out(tmp_path: Path) -> None:
    material = read_material(
        spread(tmp_path, {"a/x.txt": b"1", "a/y.txt": b"2", "b/y.md": b"3", "b/z.md": b" \n"})
    )
    assert material.items == ("y",)
    (notice,) = material.notices
    assert names(notice, "2 of 3", "item 'x' (a/x.txt)", "arm 'b'")


@pytest.mark.parametrize(
    ("files", "facts"),
    [
        ({}, ["arm"]),
        ({"a.txt": b"1"}, ["'a'"]),
        ({"a.txt": b"1", "a.md": b"2"}, ["a.txt", "'a'", "a.md"]),
        ({"a/x.png": png(), "a/x.gif": gif()}, ["a/x.png", "'a'", "'x'", "a/x.gif"]),
        (
            {"a/x.txt": b"1", "b/y.txt": b"1"},
            ["item 'x' (a/x.txt)", "arm 'b'", "item 'y' (b/y.txt)", "arm 'a'"],
        ),
        ({"a/.x": b"1", "b/.x": b"1"}, ["empty"]),
        ({"a/x.txt": b"1", "b/.x": b""}, ["item 'x' (a/x.txt)", "arm 'b'"]),
        ({"a/x/y.txt": b"1"}, ["a/x", "folder"]),
        ({"a.svg": b'<?xml version="1.0"?>\n<!-- x -->\n<SVG onload="alert(1)"/>'}, ["a.svg", "SVG"]),
        ({"a.png": b"<svg xmlns='http://www.w3.org/2000/svg'/>"}, ["a.png", "SVG"]),
        ({"a.png": b"\xef\xbb\xbf \n<!DOCTYPE  html><p>"}, ["a.png", "HTML"]),
        ({"a.htm": b"<script>1</script>"}, ["a.htm", "HTML"]),
        ({"a.docx": b"PK\x03\x04"}, ["a.docx", "png", "mp3"]),
        ({"a.py": b"print()"}, ["a.py", ".txt", ".md"]),
        ({"a.heic": b"\0\0\0\x20ftypheic"}, ["a.heic", "jpeg"]),
        ({"a.png": b""}, ["a.png", "jpeg"]),
        ({"a.txt": b"\xe9"}, ["a.txt", "byte 0", "UTF-8"]),
        ({"a.txt": b"a\0"}, ["a.txt"]),
        ({"a.txt": b"a\x07"}, ["a.txt", r"'\x07'"]),
        ({"a.txt": b"x" * 100_001}, ["a.txt", "100,001", "100,000"]),
        ({"a.md": b"x" * 400_001}, ["a.md", "100,000"]),
        ({"a.png": png()[:20]}, ["a.png", "damaged", "image/png"]),
        ({"a.png": png(0, 5)}, ["a.png", "damaged"]),
        ({"a.jpg": jpeg()[:26]}, ["a.jpg", "damaged"]),
        ({"a.jpg": b"\xff\xd8" + b"\xff\xe0\0\x02" * 2_000 + jpeg()[2:]}, ["a.jpg", "damaged"]),
        ({"a.jpg": b"\xff\xd8\xff\xe0\0\0" + jpeg()[2:]}, ["a.jpg", "damaged"]),
        ({"a.webp": webp(b"????")}, ["a.webp", "damaged"]),
        ({"a.png": png(50_000, 1_001)}, ["a.png", "50,000 x 1,001", "50,000,000"]),
        ({"a.jpg": jpeg(65_535, 65_535)}, ["a.jpg", "65,535 x 65,535"]),
        ({"a\nb.txt": b"1", "c.txt": b"2"}, ["arm", r"'\n'"]),
    ],
)
def test_folders_that_cannot_be_compared_are_refused(
    tmp_path: Path, files: dict[str, bytes], facts: list[str]
) -> None:
    with refused(FileError, *facts) as caught:
        read_material(spread(tmp_path, files))
    assert str(caught.value).startswith(str(tmp_path))


@pytest.mark.parametrize(("content", "largest"), [(png(), 20_000_000), (SOUND, 50_000_000)])
def test_large_files_are_refused(tmp_path: Path, content: bytes, largest: int) -> None:
    path = spread(tmp_path, {"a": content, "b": content})
    os.truncate(path / "a", largest)
    assert read_material(path).arms == ("a", "b")
    os.truncate(path / "a", largest + 1)
    with refused(FileError, str(path / "a"), f"{largest + 1:,}", f"{largest:,}"):
        read_material(path)


def test_links_may_not_leave_the_folder_and_pipes_are_not_waited_for(tmp_path: Path) -> None:
    spread(tmp_path, {"out/x.txt": b"secret", "in/a/x.txt": b"1", "in/b/x.txt": b"2"})
    inside = tmp_path / "in"
    (inside / "b" / "y.txt").symlink_to(inside / "a" / "x.txt")
    assert read_material(inside).items == ("x",)
    for link, target in (("b/z.txt", "out/x.txt"), ("c", "out")):
        (inside / link).symlink_to(tmp_path / target)
        with refused(FileError, str(inside / link), "link"):
            read_material(inside)
        (inside / link).unlink()
    os.mkfifo(inside / "a" / "z.txt")
    with refused(FileError, str(inside / "a" / "z.txt")):
        read_material(inside)


@pytest.mark.parametrize(
    ("media_type", "content"),
    [
        ("image/png", png(700, 1_300)),
        ("image/gif", gif(700, 1_300)),
        ("image/jpeg", jpeg(700, 1_300)),
        ("image/webp", webp(b"VP8 ", 700, 1_300)),
        ("image/webp", webp(b"VP8L", 700, 1_300)),
        ("image/webp", webp(b"VP8X", 700, 1_300)),
    ],
)
def test_sizes_are_read_from_the_first_bytes(media_type: str, content: bytes) -> None:
    assert image_size(media_type, BytesIO(content)) == (700, 1_300)
    for length in range(len(content)):
        assert image_size(media_type, BytesIO(content[:length])) in (None, (700, 1_300))
