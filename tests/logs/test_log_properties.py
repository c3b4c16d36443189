"""No spelling of a file of duels changes what is read from it."""

import random
import tempfile
from pathlib import Path
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from duelist.logs import DuelLog, load_duels
from duelist.logs.duels import ROLES

LETTERS = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"])
NAMES = st.text(LETTERS, min_size=1, max_size=6).filter(
    lambda name: name == name.strip() and len(name.splitlines()) == 1
)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
WORDS = {"left": 1.0, "Right": 0.0, "TIE": 0.5}
QUIET = settings(deadline=None, max_examples=40)


class Duels(NamedTuple):
    actions: list[str]
    columns: list[str]
    rows: list[dict[str, str]]

    def table(self) -> list[tuple[object, ...]]:
        """Return the rows as a log has them."""
        return [
            (
                *(float(row[column]) for column in self.columns),
                row["left"],
                row["right"],
                WORDS.get(row["outcome"], row["outcome"]),
                float(row["propensity"]),
            )
            for row in self.rows
        ]


@st.composite
def duels(draw: st.DrawFn) -> Duels:
    actions = draw(st.lists(NAMES, min_size=2, max_size=4, unique=True))
    columns = draw(st.lists(NAMES.filter(lambda name: name not in ROLES), max_size=3, unique=True))
    row = st.fixed_dictionaries(
        {
            **dict.fromkeys(columns, NUMBERS.map(repr)),
            **dict.fromkeys(("left", "right"), st.sampled_from(actions)),
            "outcome": st.sampled_from(list(WORDS)),
            "propensity": st.floats(0.0, 1.0, exclude_min=True).map(repr),
        }
    )
    return Duels(actions, columns, draw(st.lists(row, min_size=1, max_size=6)))


def read(text: str, actions: list[str]) -> DuelLog:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "duels.csv"
        path.write_bytes(text.encode())
        return load_duels(path, actions)


def rows_of(log: DuelLog, columns: list[str]) -> list[tuple[object, ...]]:
    order = [log.columns.index(column) for column in columns]
    return [
        (*context[order].tolist(), log.actions[left], log.actions[right], outcome, propensity)
        for context, left, right, outcome, propensity in zip(
            log.contexts,
            log.left.tolist(),
            log.right.tolist(),
            log.outcomes.tolist(),
            log.propensities.tolist(),
            strict=True,
        )
    ]


def spelled(name: str, separator: str, shuffler: random.Random) -> str:
    """Return a field as it is, or in quotes, which it may need."""
    needed = any(letter in name for letter in f'",;#{separator}') or shuffler.random() < 0.5
    return '"' + name.replace('"', '""') + '"' if needed else name


@QUIET
@given(
    duels(),
    st.sampled_from(",;\t"),
    st.sampled_from(["", "\ufeff"]),
    st.sampled_from(["\n", "\r\n"]),
    st.randoms(),
)
def test_no_spelling_of_a_log_changes_it(
    said: Duels, separator: str, mark: str, ending: str, shuffler: random.Random
) -> None:
    header = shuffler.sample([*said.columns, *ROLES], len(said.columns) + len(ROLES))
    lines = [
        separator.join(spelled(row[column], separator, shuffler) for column in header)
        for row in [{column: column for column in header}, *said.rows]
    ]
    for _ in range(shuffler.randrange(4)):
        blank = shuffler.choice(["", "  ", separator * (len(header) - 1), "# why", "  # why"])
        lines.insert(shuffler.randrange(len(lines) + 1), blank)
    log = read(mark + ending.join(lines) + shuffler.choice(["", ending]), said.actions)
    assert log.actions == tuple(said.actions)
    assert log.columns == tuple(column for column in header if column not in ROLES)
    assert rows_of(log, said.columns) == said.table()


@settings(deadline=None, max_examples=60)
@given(duels())
def test_what_is_written_reads_back_to_the_last_bit(said: Duels) -> None:
    actions = {name: place for place, name in enumerate(said.actions)}
    log = DuelLog(
        [[float(row[column]) for column in said.columns] for row in said.rows],
        [actions[row["left"]] for row in said.rows],
        [actions[row["right"]] for row in said.rows],
        [WORDS[row["outcome"]] for row in said.rows],
        [float(row["propensity"]) for row in said.rows],
        said.actions,
        said.columns,
    )
    with tempfile.TemporaryDirectory() as folder:
        back = load_duels(log.to_csv(Path(folder) / "duels.csv"), said.actions)
    assert (back.actions, back.columns) == (log.actions, log.columns)
    for field in ("contexts", "left", "right", "outcomes", "propensities"):
        assert getattr(back, field).tobytes() == getattr(log, field).tobytes()
