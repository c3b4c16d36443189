from pathlib import Path

import numpy as np
from real_data import DATA, needs_rankings
from refusals import refused

from duelist.errors import FileError
from duelist.laboratory.sources import Sources
from duelist.ranking.linear import LinearRanker
from duelist_reproductions.documents import FILES, load_documents


def test_made_up_documents_come_in_three_parts_of_different_queries() -> None:
    documents = load_documents(Sources(None))
    parts = (documents.training, documents.validation, documents.test)
    names = np.concatenate([part.queries for part in parts])
    assert len(set(names.tolist())) == len(names)
    assert len(parts[0]) > 2 * len(parts[1]) > len(parts[2])


@needs_rankings
def test_real_documents_are_the_first_fold_without_queries_that_all_rank_alike() -> None:
    documents = load_documents(Sources(DATA))
    parts = (documents.training, documents.validation, documents.test)
    assert [len(part) for part in parts] == [339, 120, 105]
    assert documents.training.d == 46


def test_a_folder_without_the_documents_is_named(tmp_path: Path) -> None:
    with refused(FileError, "S1.txt"):
        load_documents(Sources(tmp_path))
    assert [Path(name).name for name in FILES] == [f"S{place}.txt" for place in range(1, 6)]


def test_a_ranker_is_measured_on_every_query_of_every_part() -> None:
    documents = load_documents(Sources(None))
    found = documents.qualities(LinearRanker(np.ones(documents.training.d)))
    assert {name: len(values) for name, values in found.items()} == {
        "training": len(documents.training),
        "validation": len(documents.validation),
        "test": len(documents.test),
    }
    assert all(((values >= 0.0) & (values <= 1.0)).all() for values in found.values())
