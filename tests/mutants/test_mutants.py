"""The kept mutations: each still stands where it says, and a few are met end to end."""

from pathlib import Path

import pytest
from mutants.mutations import ROOT, Mutation, Tree, is_python, read_mutations

MUTATIONS = read_mutations()

QUICK = (
    "winners/scores.py: return leader if",
    "stopping/thresholds.py: thresholds",
    "learners/armed/base.py: duels += met",
)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_a_mutation_applies_and_is_python(mutation: Mutation) -> None:
    text = (ROOT / "src" / "duelist" / mutation.file).read_text()
    assert text.count(mutation.old) == 1
    mutated = mutation.applied(text)
    assert mutated is not None
    assert mutated != text
    assert is_python(mutated)
    paths = [part for part in mutation.tests.split() if part.startswith("tests/")]
    assert paths
    assert all((ROOT / path.partition("::")[0]).exists() for path in paths)


def test_there_are_mutations_of_all_that_matters() -> None:
    rooms = {mutation.file.split("/")[0] for mutation in MUTATIONS}
    assert {"kernels", "learners", "ratings", "stopping", "votes", "winners"} <= rooms
    assert len(set(MUTATIONS)) == len(MUTATIONS) >= 60


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    return Tree(tmp_path_factory.mktemp("mutants"))


@pytest.mark.parametrize("start", QUICK)
def test_quick_ones_are_killed(tree: Tree, start: str) -> None:
    (mutation,) = (one for one in MUTATIONS if str(one).startswith(start))
    path = tree.folder / "src" / "duelist" / mutation.file
    before = path.read_text(), path.stat().st_mtime_ns
    assert tree.fate(mutation) == "killed"
    assert (path.read_text(), path.stat().st_mtime_ns) == before


def test_what_does_no_harm_survives_and_what_cannot_be_applied_is_told(tree: Tree) -> None:
    file, tests = "winners/scores.py", "tests/winners/test_condorcet.py"
    harmless = Mutation(file, "leader = int(np.argmax(defeated))", "leader = int(defeated.argmax())", tests)
    assert tree.fate(harmless) == "survived"
    assert tree.fate(Mutation(file, "no such text", "", tests)) == "does not apply"
    assert tree.fate(Mutation(file, "preferences", "", tests)) == "does not apply"
    assert tree.fate(Mutation(file, "leader = int(", "leader = int((", tests)) == "is no Python"
    assert tree.fate(Mutation("no_such_file.py", "a", "b", tests)) == "does not apply"
    broken = Mutation(harmless.file, harmless.old, harmless.new, "tests/no_such_test.py")
    assert tree.fate(broken) == "tests are broken"


def test_the_working_tree_stays_as_it_is(tree: Tree) -> None:
    assert Path(tree.folder).resolve() != ROOT
    assert not (tree.folder / ".git").exists()
