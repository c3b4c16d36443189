"""Verdicts: what a paper claims, what came out, and whether it holds."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from duelist import __version__
from duelist.errors import ParameterError
from duelist.laboratory.items import Expected, Item, Paper
from duelist.laboratory.work import Results, Scale

FORMAT = "duelist.reproduction/1"
WORDS = {True: "holds", False: "fails", None: "not judged"}
"""A verdict in words."""


@dataclass(frozen=True)
class Verdict:
    """One claim beside what came out."""

    name: str
    claim: str
    """What the paper says, and where."""
    paper: Any
    """The paper's number or numbers; None where it prints none."""
    tolerance: Any
    why: str
    """Why this tolerance."""
    ours: str
    holds: bool | None
    """None where it cannot be judged, at this scale or on made-up data."""
    note: str


@dataclass(frozen=True)
class Judged:
    """An item with its results and verdicts."""

    paper: Paper
    item: Item
    results: Results
    verdicts: tuple[Verdict, ...]

    @property
    def name(self) -> str:
        """The item, as one types it."""
        return self.paper.name_of(self.item)

    @property
    def expected(self) -> Expected:
        """What `expected.json` says of it."""
        return self.paper.expected[self.item.name]

    @property
    def holds(self) -> bool | None:
        """Whether no claim fails; None where none could be judged."""
        judged = [verdict.holds for verdict in self.verdicts if verdict.holds is not None]
        return all(judged) if judged else None

    @property
    def data(self) -> str:
        """Where the data came from, in words."""
        if not self.item.data:
            return "none needed"
        return "real" if self.results.real else "made up"


def judge(paper: Paper, item: Item, results: Results) -> Judged:
    """Return the verdict on every claim, in the order of `expected.json`."""
    expected = paper.expected[item.name]
    claims, findings = expected["claims"], item.judge(results, expected)
    if claims.keys() != findings.keys():
        differing = ", ".join(sorted(claims.keys() ^ findings.keys()))
        raise ParameterError(
            f"{paper.name_of(item)}: expected.json and the judge must have the same claims; {differing} "
            f"is in one alone."
        )
    verdicts = tuple(
        Verdict(
            name=name,
            claim=claim["claim"],
            paper=claim["paper"],
            tolerance=claim["tolerance"],
            why=claim["why"],
            **asdict(findings[name]),
        )
        for name, claim in claims.items()
    )
    return Judged(paper, item, results, verdicts)


def all_hold(judged: Iterable[Judged]) -> bool:
    """Return whether no claim fails."""
    return not any(one.holds is False for one in judged)


def summary(judged: Sequence[Judged], scale: Scale) -> bytes:
    """Return all verdicts for machines to read, as JSON."""
    facts = {
        "format": FORMAT,
        "version": __version__,
        "scale": scale,
        "all_hold": all_hold(judged),
        "items": [
            {
                "name": one.name,
                "title": one.item.title,
                "citation": one.paper.citation,
                "learners": one.item.learners,
                "data": one.data,
                "holds": one.holds,
                "verdicts": [asdict(verdict) for verdict in one.verdicts],
            }
            for one in judged
        ],
    }
    return json.dumps(facts, indent=1, ensure_ascii=False).encode() + b"\n"
