import gzip
import json
import os
import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from arena.content.media_files import png, spread
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import names, refused

from duelist import Study
from duelist.arena.content.reading import read_material
from duelist.errors import FileError, UnknownNameError
from duelist.judging.material import Material, Output

OUTPUTS = {
    ("Why?", "a"): "Because.",
    ("Why?", "b"): "# So\n\n- it, is",
    ("How?", "a"): "Thus",
    ("How?", "b"): "1",
}
LINES = [{"item": item, "arm": arm, "output": output} for (item, arm), output in OUTPUTS.items()]
SPELLINGS = {
    "o.jsonl": "\n\n".join(map(json.dumps, LINES)),
    "o.json": "\n".join(
        json.dumps({"MODEL": line["arm"], "Question": line["item"], "response": line["output"] + "\r\n"})
        for line in LINES
    ),
    "long.csv": 'Item,arm,OUTPUT\nWhy?,a,Because.\nWhy?,b,"# So\n\n- it, is"\n\nHow?,b,1\nHow?,a,Thus\n',
    "long.tsv": 'answer\tquestion\tmodel\nBecause.\tWhy?\ta\n"# So\n\n- it, is"\tWhy?\tb\n'
    "1\tHow?\tb\nThus\tHow?\ta",
    "wide.csv": 'what,a,b\r\nWhy?,Because.,"\r\n# So\r\n\r\n- it, is"\r\nHow?,Thus,1\r\n',
    "array.json": json.dumps([dict.fromkeys(("item", "arm", "output")) | line for line in LINES], indent=1),
    "wide.json": json.dumps(
        [{"item": item, "a": OUTPUTS[item, "a"], "b": OUTPUTS[item, "b"]} for item in ("Why?", "How?")]
    ),
    "wide": '\ufeffa;item;b\nBecause.;Why?;"# So\n\n- it, is"\nThus;How?;1\n',
    "o.jsonl.gz": "\n".join(map(json.dumps, LINES)),
}


def written(folder: Path, text: str | bytes, name: str = "outputs.jsonl") -> Path:
    path = folder / name
    content = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


def lines(*rows: dict[str, Any]) -> str:
    return "\n".join(map(json.dumps, rows))


def texts(material: Material) -> dict[tuple[str, str], str | None]:
    return {(item, arm): material.output(arm, item).text for item in material.items for arm in material.arms}


@pytest.mark.parametrize("name", SPELLINGS)
def test_outputs_are_read_in_every_spelling(tmp_path: Path, name: str) -> None:
    material = read_material(written(tmp_path, SPELLINGS[name], name))
    assert sorted(material.arms) == ["a", "b"]
    assert material.items == ("Why?", "How?")
    assert texts(material) == OUTPUTS
    assert material.prompt("Why?") == Output("Why?")
    assert material.notices == ()
    assert material.title == name.partition(".")[0]


def test_a_prompt_is_shown_and_its_item_is_a_name(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"item": 7, "arm": 1, "output": "x", "prompt": "*Long* story"},
        {"item": "7", "arm": "2", "output": "y"},
    ]
    for order in (rows, rows[::-1]):
        material = read_material(written(tmp_path, lines(*order)))
        assert material.items == ("7",)
        assert material.prompt("7") == Output("*Long* story")
    wide = read_material(written(tmp_path, "id,prompt,x,y\n7,*Long* story,1,2\n", "wide.csv"))
    assert (wide.arms, wide.items, wide.prompt("7")) == (("x", "y"), ("7",), Output("*Long* story"))


def test_without_items_arms_are_compared_as_they_are(tmp_path: Path) -> None:
    for text, name in ((lines({"arm": "a", "output": "x"}, {"arm": "b", "output": "y"}), "o.jsonl"),
                       ("arm,output\na,x\nb,y\n", "o.csv")):  # fmt: skip
        material = read_material(written(tmp_path, text, name))
        assert (material.items, material.prompt(None)) == ((), None)
        assert (material.output("a", None).text, material.output("b", None).text) == ("x", "y")


def test_every_line_of_a_text_file_is_an_arm(tmp_path: Path) -> None:
    long = "What nobody told you about " + "very " * 40 + "long headlines"
    text = f"  Short one \n\n{long}\n{long}!\nShort one\n"
    material = read_material(written(tmp_path, text, "headlines.txt"))
    assert material.items == ()
    assert [material.output(arm, None).text for arm in material.arms] == ["Short one", long, f"{long}!"]
    assert material.arms[0] == "Short one"
    assert all(arm.startswith("What nobody") and len(arm) <= 100 for arm in material.arms[1:])
    (notice,) = material.notices
    assert names(notice, "1", "line 5")
    assert set(Study(arms=list(material.arms)).arms) == set(material.arms)
    assert read_material(written(tmp_path, text, "headlines.txt.gz")).arms == material.arms


def test_items_without_an_output_of_every_arm_are_left_out_and_named(tmp_path: Path) -> None:
    rows = [
        *LINES,
        {"item": "Who?", "arm": "a", "output": "I"},
        {"item": "When?", "arm": "b", "output": "\n"},
    ]
    material = read_material(written(tmp_path, lines(*rows)))
    assert texts(material) == OUTPUTS
    (notice,) = material.notices
    assert names(notice, "2 of 4", "item 'Who?' (line 5)", "arm 'b'")
    with refused(UnknownNameError, "'Who?'"):
        material.prompt("Who?")
    wide = read_material(written(tmp_path, "item,a,b\nWhy?,,x\nHow?,y,z\n", "o.csv"))
    assert wide.items == ("How?",)
    assert names(wide.notices[0], "item 'Why?' (line 2)", "arm 'a'")


def test_the_order_of_lines_changes_no_output(tmp_path: Path) -> None:
    rows = [
        {"item": f"q{item}", "arm": f"m{arm}", "output": f"{item} {arm}"}
        for item in range(9)
        for arm in range(4)
    ]
    expected = texts(read_material(written(tmp_path, lines(*rows))))
    random.Random(1).shuffle(rows)
    assert texts(read_material(written(tmp_path, lines(*rows)))) == expected


def test_long_questions_have_names_of_their_own(tmp_path: Path) -> None:
    questions = ["Translate:\n" + "word " * 100 + str(number) for number in range(300)]
    rows = [{"item": item, "arm": arm, "output": arm + item[-3:]} for item in questions for arm in "ab"]
    material = read_material(written(tmp_path, lines(*rows)))
    assert len(set(material.items)) == 300
    assert all(len(name) <= 200 and name.isprintable() for name in material.items)
    for name, question in zip(material.items, questions, strict=True):
        assert material.prompt(name) == Output(question)
        assert material.output("b", name).text == "b" + question[-3:]
    random.Random(2).shuffle(rows)
    assert set(read_material(written(tmp_path, lines(*rows))).items) == set(material.items)


def test_images_and_sounds_lie_beside_the_file(tmp_path: Path) -> None:
    spread(tmp_path, {"pictures/a.bin": png(), "b.png": b"fLaC\0\0\0\x22"})
    rows = [
        {"item": "q", "arm": "a", "image": "pictures/a.bin"},
        {"item": "q", "arm": "b", "audio": "./b.png"},
    ]
    material = read_material(written(tmp_path, lines(*rows)))
    picture, sound = material.output("a", "q"), material.output("b", "q")
    assert (picture.media_type, sound.media_type) == ("image/png", "audio/flac")
    assert picture.path is not None
    assert picture.path.read_bytes() == png()
    assert picture.text is None


@pytest.mark.parametrize("ending", ["parquet", "xlsx"])
def test_frames_that_were_written_are_read(tmp_path: Path, ending: str) -> None:
    frame = pd.DataFrame([*LINES, {"item": "Why?", "arm": "c", "output": 7.0}, {"item": "How?", "arm": "c"}])
    path = tmp_path / f"outputs.{ending}"
    if ending == "xlsx":
        frame.to_excel(path, index=False)
    else:
        frame.astype({"output": "string"}).to_parquet(path)
    material = read_material(path)
    assert (material.arms, material.items) == (("a", "b", "c"), ("Why?",))
    assert material.output("b", "Why?").text == OUTPUTS["Why?", "b"]
    wide = frame.iloc[:4].pivot(index="item", columns="arm", values="output").reset_index()
    wide.to_excel(path, index=False) if ending == "xlsx" else wide.to_parquet(path)
    assert texts(read_material(path)) == OUTPUTS


def test_spaces_and_hashes_in_tables_are_kept(tmp_path: Path) -> None:
    path = written(tmp_path, 'output,arm\n"# Title\n\n  text",a\n"    indented","b"\n', "o.csv")
    material = read_material(path)
    assert material.output("a", None).text == "# Title\n\n  text"
    assert material.output("b", None).text == "    indented"
    assert read_material(written(tmp_path, "#,a,b\n1,x,y\n", "o.csv")).arms == ("a", "b")


def test_fields_may_differ_from_row_to_row_and_columns_not_used_are_said(tmp_path: Path) -> None:
    spread(tmp_path, {"b.png": png()})
    rows: list[dict[str, Any]] = [
        {"item": "q", "arm": "a", "output": "x"},
        {"question": "q", "model": "b", "image": "b.png", "score": 3},
        {"id": "q", "arm": "c", "answer": 7},
    ]
    material = read_material(written(tmp_path, lines(*rows)))
    assert (material.items, material.arms) == (("q",), ("a", "b", "c"))
    assert material.output("b", "q").media_type == "image/png"
    assert material.output("c", "q").text == "7"
    assert material.notices == ("Not used: 1 column (score).",)
    table = read_material(written(tmp_path, "arm,image,output\na,,x\nb,b.png,\n# note\n", "o.csv"))
    assert table.output("b", None).media_type == "image/png"
    assert table.notices == ("Left out: 1 comment line (line 4).",)


GOOD = {"item": "q", "arm": "a", "output": "x"}


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("", ["empty"]),
        (" \n\t\n", ["empty"]),
        (b"\x89PNG\r\n\x1a\n", ["byte 0", "UTF-8"]),
        (b"\x1f\x8b\x08 broken", ["damaged"]),
        ("{", ["line 1", "JSON"]),
        ("[3]", ["record 1", "3"]),
        (lines(GOOD) + "\n{" * 3, ["line 2", "JSON"]),
        ('{"a":' * 100_000, ["line 1", "JSON"]),
        (lines({**GOOD, "answer": "y"}), ["line 1", "'output'", "'answer'"]),
        (lines({**GOOD, "image": "y.png"}), ["line 1", "output", "image"]),
        (lines({"item": "q", "arm": "a"}), ["column 'arm'", "output"]),
        (lines({"item": "q", "output": "a"}), ["column 'output'", "arm"]),
        (lines(GOOD, {**GOOD, "arm": "  "}), ["line 2", "arm"]),
        (lines({**GOOD, "arm": "a\nb"}), ["line 1", "arm", r"'\n'"]),
        (lines({**GOOD, "arm": ["a"]}), ["line 1", 'column "arm"', "['a']"]),
        (lines({**GOOD, "output": {"text": 3}}), ["line 1", 'column "output"']),
        (lines({**GOOD, "output": "x" * 100_001}), ["line 1", "output", "100,001", "100,000"]),
        (lines(GOOD, {**GOOD, "output": "a\0b"}), ["line 2", "output", r"'\x00'", "1"]),
        (lines({**GOOD, "output": "\x1b[31m"}), ["line 1", "output", r"'\x1b'"]),
        ('{"arm": "a", "output": "\\ud800"}', ["line 1", "output"]),
        (lines(GOOD, {**GOOD, "output": "y"}), ["line 2", "'a'", "'q'", "line 1"]),
        (
            lines({**GOOD, "prompt": "One"}, {**GOOD, "arm": "b", "prompt": "Two"}),
            ["line 2", "'q'", "prompt", "line 1"],
        ),
        (lines(GOOD, {"arm": "b", "output": "x"}), ["line 2", "item"]),
        (lines(GOOD), ["'a'"]),
        (
            lines(GOOD, {"item": "r", "arm": "b", "output": "y"}),
            ["item 'q' (line 1)", "arm 'b'", "item 'r' (line 2)", "arm 'a'"],
        ),
        (lines({"arm": "a", "output": "x"}, {"arm": "b", "output": ""}), ["arm 'b'"]),
        ("item,arm,output\n", ["header", "row", "column"]),
        ("item,a,b\n\n", ["header", "row", "column"]),
        ("item,arm,model,output\nq,a,b,x\n", ["line 2", "'arm'", "'model'"]),
        ("question,model,score\nq,a,1\n", ["column 'model'", "arm", "output"]),
        ("item,a,answer\nq,1,2\n", ["column 'answer'", "output", "arm"]),
        ("item,a,b,a\nq,1,2,3\n", ["'a'"]),
        ("item,a,\nq,1,2\n", ["column 3"]),
        ("item,a,b\nq,1\n", ["line 2", "2"]),
        ('item,a,b\nq,"1\n2",x\nq,1,2,3', ["line 4", "4"]),
        ('item,a,b\nq,1,"2\n\n', ["line 2"]),
        ("item,a,b\nq,1,2\nq,1,3\n", ["line 3", "arm 'b'", "item 'q'", "line 2"]),
        ('item,a,b\nq,1,"2\n3"\nq,1,3\n', ["line 4", "arm 'b'", "item 'q'", "line 2"]),
        ("left,right,outcome\na,b,left\n", ["duelist analyze"]),
        ("winner,loser,tie\na,b,0\n", ["duelist analyze"]),
        ("item,a,b\n,1,2\n", ["line 2", 'column "item"']),
        ("item,arm,output\nq,,x\n", ["line 2", "arm"]),
        (f"item,a,b\nq,1,2\nr,{'x' * 140_000},3\n", ["line 3", "a", "140,000"]),
        ("item,a,b\nq,1,x\x07\n", ["line 2", "b", r"'\x07'"]),
        ("item,a\nq,1\n", ["'a'"]),
        ("just some words\nin a file\n", ["item", "arm", "output"]),
    ],
)
def test_what_cannot_be_compared_is_refused(tmp_path: Path, text: str | bytes, facts: list[str]) -> None:
    path = written(tmp_path, text)
    with refused(FileError, *facts) as caught:
        read_material(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("given", "facts"),
    [
        ("../secret.png", ["'../secret.png'"]),
        ("below/../../secret.png", ["'below/../../secret.png'"]),
        ("..\\secret.png", [r"'..\\secret.png'"]),
        ("{outside}/secret.png", ["absolute"]),
        ("C:\\secret.png", [r"'C:\\secret.png'", "absolute"]),
        ("link.png", ["in/link.png", "link"]),
        ("linked/secret.png", ["in/linked/secret.png", "link"]),
        ("loop.png", ["in/loop.png"]),
        ("none.png", ["in/none.png"]),
        ("below", ["in/below", "regular"]),
        ("pipe.png", ["in/pipe.png", "regular"]),
        ("words.png", ["'words.png'", "image", "png"]),
        ("sound.png", ["'sound.png'", "audio/flac", "image"]),
        ("a\0b.png", [r"'\x00'", "1"]),
    ],
)
def test_files_outside_the_folder_and_of_other_kinds_are_refused(
    tmp_path: Path, given: str, facts: list[str]
) -> None:
    spread(
        tmp_path, {"secret.png": png(), "in/below/x": b"", "in/words.png": b"words", "in/sound.png": b"fLaC"}
    )
    inside = tmp_path / "in"
    (inside / "link.png").symlink_to(tmp_path / "secret.png")
    (inside / "linked").symlink_to(tmp_path)
    (inside / "loop.png").symlink_to(inside / "loop.png")
    os.mkfifo(inside / "pipe.png")
    row = {"item": "q", "arm": "a", "image": given.replace("{outside}", str(tmp_path))}
    with refused(FileError, "line 1", *facts):
        read_material(written(inside, lines(row)))


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, fact in (
        (tmp_path / "none.csv", "none.csv"),
        (tmp_path / "pipe", "pipe"),
        (Path("/dev/zero"), "/dev/zero"),
        ("a\0b", "null"),
    ):
        with refused(FileError, fact):
            read_material(path)


@settings(max_examples=25)
@given(st.lists(st.tuples(*[st.text(max_size=9)] * 3), max_size=6), st.floats(0.0, 1.0))
def test_whatever_is_in_a_file_it_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]], place: float
) -> None:
    folder = tmp_path_factory.mktemp("any")
    text = lines(*({"item": item, "arm": arm, "output": output} for item, arm, output in rows))
    cut = int(place * len(text))
    for content in (text, text[:cut] + text[cut + 1 :]):
        for name in ("o.jsonl", "o.csv", "o.txt"):
            try:
                material = read_material(written(folder, content, name))
            except FileError:
                continue
            Study(arms=list(material.arms))
            assert all(material.output(arm, item).text for item in material.items for arm in material.arms)
