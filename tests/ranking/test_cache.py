"""Caches of files: used while the content is the same, rewritten otherwise, never partially written."""

import gzip
import mmap
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forked import Forked

from duelist.files import write_whole
from duelist.ranking import RankingData, load_ranking_data
from duelist.ranking import loading as loading_module
from duelist.ranking import reading as reading_module
from duelist.ranking.reading import RankingFile

TEXT = "2 qid:a 1:0.5 3:0.1\n0 qid:a 2:1\n1 qid:bé 1:3 4:1e-3\n"


@pytest.fixture(autouse=True)
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the user's caches of rankings, which is not there yet."""
    monkeypatch.setenv("DUELIST_CACHE_DIR", str(tmp_path / "user"))
    return tmp_path / "user" / "rankings"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "data" / "train.txt.gz"
    path.parent.mkdir()
    path.write_bytes(gzip.compress(TEXT.encode()))
    return path


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Note every file whose text is read."""
    noted: list[object] = []

    def noting(path: Path, grouped: bool) -> RankingFile:
        noted.append(path)
        return reading_module.read_documents(path, grouped)

    monkeypatch.setattr(loading_module, "read_documents", noting)
    return noted


def kept(folder: Path) -> Path:
    """Return the one file that is kept."""
    [place] = folder.iterdir()
    return place


def replace(path: Path, content: bytes | bytearray) -> None:
    """Put another file there: one that is mapped must not be cut."""
    path.unlink()
    path.write_bytes(content)


def assert_same(left: RankingData, right: RankingData) -> None:
    for name in ("features", "labels", "queries", "offsets"):
        one, other = getattr(left, name), getattr(right, name)
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()


def is_mapped(array: Any) -> bool:
    while array is not None and not isinstance(array, mmap.mmap):
        array = getattr(array, "base", None)
    return array is not None


def test_the_second_load_reads_no_text_and_maps_the_features(
    source: Path, reads: list[object], caches: Path
) -> None:
    plain = load_ranking_data(source, cache=False)
    assert not caches.exists()
    first, second = load_ranking_data(source), load_ranking_data(source)
    assert reads == [source, source]
    assert_same(first, plain)
    assert_same(second, plain)
    assert not is_mapped(plain.features)
    assert is_mapped(first.features)
    assert is_mapped(second.features)


def test_blocks_of_different_widths_are_kept_alike(
    source: Path, reads: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading_module, "CHUNK_BYTES", 30)
    plain = load_ranking_data(source, cache=False)
    assert_same(load_ranking_data(source), plain)
    assert plain.features.tolist()[1] == [0.0, 1.0, 0.0, 0.0]


def test_changes_of_the_features_stay_in_the_process(source: Path) -> None:
    data = load_ranking_data(source)
    data.features[0, 0] = 9.0
    assert load_ranking_data(source).features[0, 0] == 0.5


def test_normalised_features_are_not_what_is_kept(source: Path) -> None:
    normalised = load_ranking_data(source, normalise=True)
    assert_same(normalised, load_ranking_data(source, cache=False).normalised())
    assert load_ranking_data(source).features[2, 0] == 3.0


@pytest.mark.parametrize("change", ["time", "size", "content alone"])
def test_a_changed_source_is_read_again(
    change: str, tmp_path: Path, reads: list[object], caches: Path
) -> None:
    source = tmp_path / "train.txt"
    source.write_text(TEXT)
    load_ranking_data(source)
    before = source.stat()
    source.write_text(TEXT.replace("0.5", "0.70" if change == "size" else "0.7"))
    moved = 1 if change == "time" else 0
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns + moved))
    if change == "content alone":
        after = source.stat()
        assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert load_ranking_data(source).features[0, 0] == np.float32(0.7)
    assert load_ranking_data(source).features[0, 0] == np.float32(0.7)
    assert len(reads) == 2
    assert len(list(caches.iterdir())) == 1  # what was kept before is gone


def test_a_source_with_a_new_time_and_the_same_content_is_not_read_again(
    source: Path, reads: list[object]
) -> None:
    load_ranking_data(source)
    os.utime(source, ns=(10**18, 10**18))
    load_ranking_data(source)
    assert len(reads) == 1


def test_nothing_is_written_or_read_beside_the_source(
    source: Path, reads: list[object], caches: Path
) -> None:
    load_ranking_data(source)
    sidecar = source.with_name(f"{source.name}.duelist")
    kept(caches).rename(sidecar)  # where earlier versions kept it
    load_ranking_data(source)
    assert len(reads) == 2
    sidecar.unlink()
    load_ranking_data(source)
    assert len(reads) == 2
    assert list(source.parent.iterdir()) == [source]


@pytest.mark.skipif(os.name != "posix", reason="rights to folders")
def test_only_its_owner_can_look_into_the_folder(source: Path, caches: Path) -> None:
    load_ranking_data(source)
    assert caches.stat().st_mode & 0o777 == 0o700


def test_caches_of_files_that_are_gone_are_removed(source: Path, tmp_path: Path, caches: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text(TEXT)
    mapped = load_ranking_data(other)
    gone, own = kept(caches), caches / "notes.txt"
    own.write_text("mine")
    old, new = (caches / f".train.txt.{digits}.draft" for digits in ("00000000", "11111111"))
    old.touch()
    new.touch()
    os.utime(old, (0, 0))
    other.unlink()
    load_ranking_data(source)
    left = {path.name for path in caches.iterdir()} - {own.name, new.name}
    assert gone.name not in left
    assert [name.split(".")[0] for name in left] == ["train"]
    assert mapped.features[0, 0] == 0.5


def test_a_folder_of_ones_own_is_not_cleaned(source: Path, tmp_path: Path) -> None:
    folder, other = tmp_path / "mine", tmp_path / "other.txt"
    other.write_text(TEXT)
    load_ranking_data(other, cache=folder)
    other.unlink()
    load_ranking_data(source, cache=folder)
    assert len(list(folder.iterdir())) == 2


def test_another_version_is_made_anew(
    source: Path, reads: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    load_ranking_data(source)
    monkeypatch.setattr(loading_module, "VERSION", loading_module.VERSION + 1)
    load_ranking_data(source)
    load_ranking_data(source)
    assert len(reads) == 2


def test_a_changed_group_file_is_read_again(tmp_path: Path) -> None:
    lines, groups = tmp_path / "train.txt", tmp_path / "train.group"
    lines.write_text("1 1:1\n0 1:2\n2 1:3\n")
    groups.write_text("1\n2\n")
    assert load_ranking_data(lines, groups=groups).offsets.tolist() == [0, 1, 3]
    groups.write_text("2\n1\n\n")
    assert load_ranking_data(lines, groups=groups).offsets.tolist() == [0, 2, 3]


def test_every_damaged_byte_but_a_feature_s_is_noticed(
    source: Path, reads: list[object], caches: Path
) -> None:
    whole = load_ranking_data(source)
    place = kept(caches)
    content = place.read_bytes()
    features = content.index(whole.features.tobytes())
    tables_end = content.index(whole.queries.tobytes()) + whole.queries.nbytes
    for byte in range(tables_end):
        damaged = bytearray(content)
        damaged[byte] ^= 1
        replace(place, damaged)
        assert_same(load_ranking_data(source), whole)
        assert len(reads) == byte + 2
        assert place.read_bytes() == content
    assert features + whole.features.nbytes == len(content)


def test_a_cut_or_longer_file_is_made_anew(source: Path, caches: Path) -> None:
    whole = load_ranking_data(source)
    place = kept(caches)
    content = place.read_bytes()
    for damaged in [content[:stop] for stop in range(0, len(content), 7)] + [content + b"\0", b"junk" * 99]:
        replace(place, damaged)
        assert_same(load_ranking_data(source), whole)
        assert place.read_bytes() == content


def test_a_mapped_file_survives_being_replaced(source: Path) -> None:
    old = load_ranking_data(source)
    source.write_bytes(gzip.compress(b"1 qid:z 1:7\n"))
    assert load_ranking_data(source).features.tolist() == [[7.0]]
    assert old.features[0, 0] == 0.5


def test_an_interrupted_write_leaves_what_was_there(
    source: Path, caches: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_ranking_data(source)
    content = kept(caches).read_bytes()
    source.write_bytes(gzip.compress(b"1 qid:z 1:7\n"))

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(loading_module, "_write_padded", interrupted)
    with pytest.raises(KeyboardInterrupt):
        load_ranking_data(source)
    assert kept(caches).read_bytes() == content


def test_a_full_disk_costs_only_the_cache(
    source: Path, caches: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(loading_module, "_write_padded", full)
    assert_same(load_ranking_data(source), load_ranking_data(source, cache=False))
    assert not list(caches.iterdir())


def test_a_folder_that_cannot_be_made_costs_only_the_cache(
    source: Path, caches: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = load_ranking_data(source, cache=False)
    assert_same(load_ranking_data(source, cache=source / "below a file"), plain)
    monkeypatch.setenv("DUELIST_CACHE_DIR", str(source / "below a file"))
    assert_same(load_ranking_data(source), plain)
    assert list(source.parent.iterdir()) == [source]
    assert not caches.exists()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="rights that are not looked at")
def test_a_folder_that_cannot_be_written_costs_only_the_cache(source: Path, caches: Path) -> None:
    caches.mkdir(parents=True)
    caches.chmod(0o500)
    assert_same(load_ranking_data(source), load_ranking_data(source, cache=False))
    assert not list(caches.iterdir())


def test_without_a_home_nothing_is_kept(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless(_: Path) -> Path:
        raise RuntimeError("no home")

    monkeypatch.delenv("DUELIST_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "expanduser", homeless)
    assert not is_mapped(load_ranking_data(source).features)


def test_a_source_that_changes_while_it_is_read_is_not_kept(
    source: Path, caches: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meddling(path: Path, grouped: bool) -> RankingFile:
        documents = reading_module.read_documents(path, grouped)
        path.write_bytes(b"1 qid:z 1:7\n")
        return documents

    monkeypatch.setattr(loading_module, "read_documents", meddling)
    load_ranking_data(source)
    assert not list(caches.iterdir())


def test_another_folder_keeps_files_of_the_same_name_apart(tmp_path: Path, reads: list[object]) -> None:
    paths = [tmp_path / fold / "train.txt" for fold in ("one", "two")]
    for number, path in enumerate(paths):
        path.parent.mkdir()
        path.write_text(f"1 qid:{number} 1:{number}.5\n")
        os.utime(path, ns=(10**18, 10**18))
    folder = tmp_path / "caches" / "letor"
    for _ in range(2):
        for number, path in enumerate(paths):
            assert load_ranking_data(path, cache=folder).features.tolist() == [[number + 0.5]]
    assert reads == paths
    assert len(list(folder.iterdir())) == 2
    assert all(len(list(path.parent.iterdir())) == 1 for path in paths)


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="pipes have no path here")
def test_a_pipe_is_read_and_not_kept(tmp_path: Path) -> None:
    for value in (7.0, 8.0):
        reading_end, writing_end = os.pipe()
        os.write(writing_end, f"1 qid:z 1:{value}\n".encode())
        os.close(writing_end)
        assert load_ranking_data(f"/dev/fd/{reading_end}", cache=tmp_path).features.tolist() == [[value]]
        os.close(reading_end)
    assert not list(tmp_path.iterdir())


def test_loads_at_the_same_time_agree(source: Path, caches: Path) -> None:
    expected = load_ranking_data(source, cache=False)
    with ThreadPoolExecutor(8) as pool:
        for data in pool.map(lambda _: load_ranking_data(source), range(40)):
            assert_same(data, expected)
    assert kept(caches).suffix == ".duelist"


def load_often(pipe: Any, source: Path, times: int) -> None:
    for _ in range(times):
        pipe.send(load_ranking_data(source).features.tolist())


def test_processes_that_load_while_the_source_changes_get_what_it_had(tmp_path: Path, caches: Path) -> None:
    source, texts = tmp_path / "train.txt", ("1 qid:z 1:7\n", "1 qid:z 1:8\n")
    source.write_text(texts[0])
    loading = [Forked(load_often, source, 30) for _ in range(2)]
    for turn in range(60):
        write_whole(source, texts[turn % 2].encode())
        os.utime(source, ns=(10**18, 10**18))
        assert load_ranking_data(source).features.tolist() == [[7.0 + turn % 2]]
    for process in loading:
        assert all(features in ([[7.0]], [[8.0]]) for features in process.sent())
        assert process.end() == 0
    assert kept(caches).suffix == ".duelist"
