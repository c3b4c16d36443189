from pathlib import Path

from refusals import refused

from duelist.arena.content.reading import read_material, write_example
from duelist.errors import FileError


def test_the_example_can_be_compared(tmp_path: Path) -> None:
    material = read_material(write_example(tmp_path / "example.jsonl"))
    assert (len(material.arms), len(material.items), material.notices) == (4, 8, ())
    shown = {material.output(arm, item).text for arm in material.arms for item in material.items}
    assert len(shown) == 32
    assert all(text is not None and 40 < len(text) < 400 for text in shown)


def test_the_example_is_written_over_nothing(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text("mine")
    with refused(FileError, str(path)):
        write_example(path)
    assert path.read_text() == "mine"
    for wrong in (tmp_path, tmp_path / "none" / "example.jsonl"):
        with refused(FileError, str(wrong)):
            write_example(wrong)
    assert [*tmp_path.iterdir()] == [path]
