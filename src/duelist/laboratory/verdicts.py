"""Verdicts: a paper's claims, our results, and whether the claims hold."""

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
WORDS = {True: "holds", False: "fails", None: "not judged"}  # the words of verdicts on claims
PARTLY = "partly judged"  # the verdict on an item without failing claims, most of which could not be judged


@dataclass(frozen=True)
class ClaimVerdict:
    """The verdict on one claim.

    Parameters
    ----------
    name : str
        The claim's name in `expected.json`.
    claim : str
        The paper's claim, and where it is made.
    paper : object
        The paper's number or numbers; None if it has none.
    tolerance : object
        The tolerance of the comparison.
    why : str
        The reason for this tolerance.
    ours : str
        Our result.
    holds : bool or None
        None if the claim cannot be judged at this scale or on made-up data.
    note : str
        Remarks.

    Examples
    --------
    >>> ClaimVerdict("lead", "RUCB wins (figure 1)", None, None, "it is exact", "RUCB wins", True, "").word
    'holds'
    """

    name: str
    claim: str
    paper: Any
    tolerance: Any
    why: str
    ours: str
    holds: bool | None
    note: str

    @property
    def word(self) -> str:
        """The verdict in words."""
        return WORDS[self.holds]


@dataclass(frozen=True)
class Judged:
    """An item with its results and verdicts.

    Parameters
    ----------
    paper : Paper
        The paper.
    item : Item
        The item.
    results : ItemResults
        The results.
    verdicts : tuple of ClaimVerdict
        The verdicts.

    Examples
    --------
    >>> from duelist.laboratory import Item, ItemResults, Paper, Scale
    >>> item = Item("figure1", "Regret", 5.0, lambda results: [], lambda *_: {}, lambda *_: [])
    >>> paper = Paper("yue2012", "Yue et al. (2012)", "duelist_reproductions.yue2012", (item,))
    >>> Judged(paper, item, ItemResults(Scale.QUICK, real=False), ()).word
    'not judged'
    """

    paper: Paper
    item: Item
    results: ItemResults
    verdicts: tuple[ClaimVerdict, ...]

    @property
    def name(self) -> str:
        """The item's name on the command line."""
        return self.paper.name_of(self.item)

    @property
    def expected(self) -> Expected:
        """The item's entry in `expected.json`."""
        return self.paper.expected[self.item.name]

    @property
    def holds(self) -> bool | None:
        """Whether no claim fails; None if most could not be judged."""
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
        """The source of the data, in words."""
        if not self.item.data:
            return "none needed"
        return "real" if self.results.real else "made up"


def judge(paper: Paper, item: Item, results: ItemResults) -> Judged:
    """Judge every claim of an item, in the order of `expected.json`.

    Parameters
    ----------
    paper : Paper
        The paper.
    item : Item
        The item.
    results : ItemResults
        Its results.

    Returns
    -------
    Judged
        The verdicts.

    Raises
    ------
    ParameterError
        If the findings and `expected.json` have different claims.

    Examples
    --------
    >>> found = {"wins": Finding("RUCB wins", True)}
    >>> item = Item("figure1", "Regret", 5.0, lambda results: [], lambda *_: found, lambda *_: [])
    >>> paper = Paper("yue2012", "Yue et al. (2012)", "duelist_reproductions.yue2012", (item,))
    >>> claim = {"claim": "RUCB wins.", "paper": None, "tolerance": None, "why": "It is exact."}
    >>> vars(paper)["expected"] = {"figure1": {"claims": {"wins": claim}}}
    >>> judge(paper, item, ItemResults(Scale.QUICK, real=True)).word
    'holds'
    """
    expected = paper.expected[item.name]
    claims, findings = expected["claims"], item.findings(results, expected)
    if claims.keys() != findings.keys():
        differing = ", ".join(sorted(claims.keys() ^ findings.keys()))
        raise ParameterError(
            f"{paper.name_of(item)}: expected.json and the findings must have the same claims; only one of "
            f"them has {differing}."
        )
    verdicts = [compare(name, claim, findings[name], expected, results) for name, claim in claims.items()]
    return Judged(paper, item, results, tuple(verdicts))


def compare(
    name: str, claim: Expected, finding: Finding, expected: Expected, results: ItemResults
) -> ClaimVerdict:
    """Judge one claim; the verdict is open if the results do not meet the claim's needs."""
    # a finding without a value explains itself
    explained = finding.value is None and finding.note
    unmet = None if explained else unmet_need(claim, expected, results)
    holds = None if unmet else agrees(claim, finding.value, finding.limit)
    notes = [finding.note, claim.get("if_fails", "") if holds is False else ""]
    copied = {key: claim[key] for key in ("claim", "paper", "tolerance", "why")}
    note = unmet or " ".join(one for one in notes if one)
    return ClaimVerdict(name, **copied, ours=finding.ours, holds=holds, note=note)


def all_hold(judged: Iterable[Judged]) -> bool:
    """Return whether no claim of any item fails.

    Parameters
    ----------
    judged : iterable of Judged
        The items.

    Returns
    -------
    bool
        Whether no claim fails.

    Examples
    --------
    >>> all_hold([])
    True
    """
    return not any(one.holds is False for one in judged)


def summary(judged: Sequence[Judged], scale: Scale) -> bytes:
    """Return all verdicts as JSON.

    Parameters
    ----------
    judged : sequence of Judged
        The items.
    scale : Scale
        The scale of the experiments.

    Returns
    -------
    bytes
        The JSON text in UTF-8.

    Examples
    --------
    >>> json.loads(summary([], Scale.QUICK))["all_hold"]
    True
    """
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
