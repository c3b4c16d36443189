"""Verdicts: what a paper claims, what came out, and whether it holds."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from duelist import __version__
from duelist.errors import ParameterError
from duelist.laboratory.comparisons import agrees, unmet_need
from duelist.laboratory.items import Expected, Finding, Item, Paper
from duelist.laboratory.work import ItemResults, Scale

FORMAT = "duelist.reproduction/2"
WORDS = {True: "holds", False: "fails", None: "not judged"}  # a verdict on a claim in words
PARTLY = "partly judged"  # of an item of which no claim fails, but most could not be judged


@dataclass(frozen=True)
class ClaimVerdict:
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

    @property
    def word(self) -> str:
        """The verdict in words."""
        return WORDS[self.holds]


@dataclass(frozen=True)
class Judged:
    """An item with its results and verdicts."""

    paper: Paper
    item: Item
    results: ItemResults
    verdicts: tuple[ClaimVerdict, ...]

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
        """Whether no claim fails; None where most could not be judged."""
        return {WORDS[True]: True, WORDS[False]: False}.get(self.word)

    @property
    def word(self) -> str:
        """The verdict in words."""
        verdicts = [verdict.holds for verdict in self.verdicts]
        if False in verdicts:
            return WORDS[False]
        if True not in verdicts:
            return WORDS[None]
        return PARTLY if 2 * verdicts.count(None) > len(verdicts) else WORDS[True]

    @property
    def data(self) -> str:
        """Where the data came from, in words."""
        if not self.item.data:
            return "none needed"
        return "real" if self.results.real else "made up"


def judge(paper: Paper, item: Item, results: ItemResults) -> Judged:
    """Return the verdict on every claim, in the order of `expected.json`."""
    expected = paper.expected[item.name]
    claims, findings = expected["claims"], item.findings(results, expected)
    if claims.keys() != findings.keys():
        differing = ", ".join(sorted(claims.keys() ^ findings.keys()))
        raise ParameterError(
            f"{paper.name_of(item)}: expected.json and the findings must have the same claims; {differing} "
            f"is in one alone."
        )
    verdicts = [compare(name, claim, findings[name], expected, results) for name, claim in claims.items()]
    return Judged(paper, item, results, tuple(verdicts))


def compare(
    name: str, claim: Expected, finding: Finding, expected: Expected, results: ItemResults
) -> ClaimVerdict:
    """Return the verdict on one claim: not judged where it needs what these results are not."""
    # a finding that cannot be told says itself why
    explained = finding.value is None and finding.note
    unmet = None if explained else unmet_need(claim, expected, results)
    holds = None if unmet else agrees(claim, finding.value, finding.limit)
    notes = [finding.note, claim.get("if_fails", "") if holds is False else ""]
    told = {key: claim[key] for key in ("claim", "paper", "tolerance", "why")}
    note = unmet or " ".join(one for one in notes if one)
    return ClaimVerdict(name, **told, ours=finding.ours, holds=holds, note=note)


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
                "verdict": one.word,
                "verdicts": [asdict(verdict) for verdict in one.verdicts],
            }
            for one in judged
        ],
    }
    return json.dumps(facts, indent=1, ensure_ascii=False).encode() + b"\n"
