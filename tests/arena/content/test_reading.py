import gzip
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from arena.content.media_files import png, spread
from hypothesis import given, settings
from hypothesis import strategies as st

from duelist import Study
from duelist.arena.content.material import Material, Output
from duelist.arena.content.reading import read_material
from duelist.errors import FileError, UnknownNameError

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
    assert material.notices == ("Counted once: 1 output that came before, word for word. The first: line 5.",)
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
    assert material.notices == (
        "Left out: 2 of 4 items, because all arms are compared on the same items. The first: item 'Who?' "
        "(line 5) has no output of arm 'b'. Where an arm gave nothing, write what voters should see, such as "
        "(no answer).",
    )
    with pytest.raises(UnknownNameError, match="no item named 'Who"):
        material.prompt("Who?")
    wide = read_material(written(tmp_path, "item,a,b\nWhy?,,x\nHow?,y,z\n", "o.csv"))
    assert wide.items == ("How?",)
    assert "item 'Why?' (line 2) has no output of arm 'a'" in wide.notices[0]


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


GOOD = {"item": "q", "arm": "a", "output": "x"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty; give JSON lines"),
        (" \n\t\n", "the file is empty"),
        (b"\x89PNG\r\n\x1a\n", "byte 0 is not UTF-8"),
        (b"\x1f\x8b\x08 broken", "the gzipped file is damaged"),
        ("{", "line 1: this is not JSON"),
        ("[" + lines(GOOD) + "]", "line 1: this is not a JSON object; give one on each line"),
        (lines(GOOD) + "\n{" * 3, "line 2: this is not JSON"),
        ('{"a":' * 100_000, "line 1: this is not JSON"),
        (
            lines(GOOD, {**GOOD, "score": 3}),
            "line 2: 'score' is not known; remove it. Known: item, prompt, arm",
        ),
        (lines({**GOOD, "answer": "y"}), "line 1: 'output' and 'answer' both mean the output; keep one"),
        (
            lines({**GOOD, "image": "y.png"}),
            "line 1: give one of output, image and audio; found output and image",
        ),
        (lines({"item": "q", "arm": "a"}), "line 1: give one of output, image and audio; found none of them"),
        (lines({"item": "q", "output": "a"}), 'line 1: there is no "arm"; say which'),
        (lines({**GOOD, "arm": "  "}), 'line 1: there is no "arm"'),
        (lines({**GOOD, "arm": "a\nb"}), r"line 1: arm holds the character '\\n'"),
        (lines({**GOOD, "arm": ["a"]}), r"line 1: arm must be a text; got \['a'\]"),
        (lines({**GOOD, "arm": True}), "line 1: arm must be a text; got True"),
        (lines({**GOOD, "output": 3}), "line 1: output must be a text; got 3"),
        (lines({**GOOD, "item": 1.5}), "line 1: item must be a text; got 1.5"),
        (
            lines({**GOOD, "output": "x" * 100_001}),
            "line 1: output: text has 100,001 characters; at most 100,000",
        ),
        (
            lines(GOOD, {**GOOD, "output": "a\0b"}),
            r"line 2: output: text holds the control character '\\x00' at 1",
        ),
        (lines({**GOOD, "output": "\x1b[31m"}), r"line 1: output: text holds the control character '\\x1b'"),
        ('{"arm": "a", "output": "\\ud800"}', "line 1: output: text holds the control character"),
        (
            lines(GOOD, {**GOOD, "output": "y"}),
            "line 2: arm 'a' has another output for item 'q' at line 1; remove",
        ),
        (
            lines({**GOOD, "prompt": "One"}, {**GOOD, "arm": "b", "prompt": "Two"}),
            "line 2: item 'q' has another prompt at line 1; give an item one prompt",
        ),
        (lines(GOOD, {"arm": "b", "output": "x"}), "line 2: some outputs have an item and some have none"),
        (lines(GOOD), "there is only arm 'a'; give the outputs of two arms or more"),
        (
            lines(GOOD, {"item": "r", "arm": "b", "output": "y"}),
            r"item 'q' \(line 1\) has no output of arm 'b'; item 'r' \(line 2\) has no output of arm 'a'",
        ),
        (
            lines({"arm": "a", "output": "x"}, {"arm": "b", "output": ""}),
            "there is no output of arm 'b'; give",
        ),
    ],
)
def test_json_lines_that_cannot_be_compared_are_refused(
    tmp_path: Path, text: str | bytes, message: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(FileError, match=message) as refused:
        read_material(path)
    assert str(refused.value).startswith(str(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,arm,output\n", "line 1: no row follows the header"),
        ("item,a,b\n\n", "line 1: no row follows the header"),
        ("item,arm,output,score\nq,a,x,1\n", "line 1: 'score' is not known; remove it"),
        ("item,arm,model,output\n", "line 1: 'arm' and 'model' both mean the arm"),
        (
            "question,model,score\nq,a,1\n",
            "line 1: column 'model' means the arm, but no column means the output",
        ),
        ("item,a,answer\nq,1,2\n", "line 1: column 'answer' means the output, but no column means the arm"),
        ("arm,output,image\na,x,y\n", "line 1: column 'image': tables hold texts"),
        ("item,a,b,a\nq,1,2,3\n", "line 1: two columns are called 'a'; name each arm once"),
        ("item,a,\nq,1,2\n", "line 1: column 3 has no name; name it or remove it"),
        ("item,a,b\nq,1\n", "line 2: 2 fields where the header has 3"),
        ('item,a,b\nq,"1\n2",x\nq,1,2,3', "line 4: 4 fields where the header has 3"),
        ('item,a,b\nq,1,"2', "line 2: unexpected end of data; check the quotes"),
        ("item,a,b\nq,1,2\nq,1,3\n", "line 3: arm 'b' has another output for item 'q' at line 2"),
        ('item,a,b\nq,1,"2\n3"\nq,1,3\n', "line 4: arm 'b' has another output for item 'q' at line 2"),
        (
            "left,right,outcome\na,b,left\n",
            "line 1: these are votes, not outputs; `duelist analyze` reads them",
        ),
        ("winner,loser,tie\na,b,0\n", "line 1: these are votes"),
        ("item,a,b\n,1,2\n", "line 2: column 'item' is empty; name the item"),
        ("item,arm,output\nq,,x\n", "line 2: arm must be a name, a text that is not empty"),
        (f"item,a,b\nq,1,2\nr,{'x' * 100_001},3\n", "line 3: a: text has 100,001 characters"),
        (f"item,a,b\nq,1,{'x' * 140_000}\n", "line 2: field larger than field limit"),
        ("item,a,b\nq,1,x\x07\n", r"line 2: b: text holds the control character '\\x07'"),
        ("item,a\nq,1\n", "there is only arm 'a'"),
        ("just some words\nin a file\n", "line 1: no column is of an arm; give a row"),
    ],
)
def test_tables_that_cannot_be_compared_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, text, "outputs.csv")
    with pytest.raises(FileError, match=message) as refused:
        read_material(path)
    assert str(refused.value).startswith(str(path))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("../secret.png", "leads out of the folder"),
        ("below/../../secret.png", "leads out of the folder"),
        ("..\\secret.png", "leads out of the folder"),
        ("{outside}/secret.png", "is an absolute path"),
        ("C:\\secret.png", "is an absolute path"),
        ("link.png", "is a link that leads out of the folder"),
        ("linked/secret.png", "is a link that leads out of the folder"),
        ("loop.png", "is not there"),
        ("none.png", "is not there"),
        ("below", "is not a plain file"),
        ("pipe.png", "is not a plain file"),
        ("words.png", "is not known as an image"),
        ("sound.png", "holds audio/flac, not an image"),
        ("a\0b.png", "holds the control character"),
    ],
)
def test_files_outside_the_folder_and_of_other_kinds_are_refused(
    tmp_path: Path, given: str, message: str
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
    with pytest.raises(FileError, match=f"line 1: .*{message}"):
        read_material(written(inside, lines(row)))


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, message in (
        (tmp_path / "none.csv", "No such file or directory; give JSON lines"),
        (tmp_path / "pipe", "is neither a file nor a folder"),
        (Path("/dev/zero"), "is neither a file nor a folder"),
        ("a\0b", "null"),
    ):
        with pytest.raises(FileError, match=message):
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
