"""Selection of items of the installed papers, and the execution of their plans on any executor."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path
from socket import gethostname
from time import perf_counter
from typing import NamedTuple

from duelist.errors import MissingPackageError, ParameterError, UnknownNameError, WorkersError, require_known
from duelist.files import remove_temporary_files, write_whole
from duelist.laboratory.items import Item, Paper
from duelist.laboratory.result_store import ResultStore
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, ItemResults, Piece, Scale
from duelist.parallel import Executor, Show

GROUP = (
    "duelist.reproductions"  # the group of entry points; each is named after its paper and loads a `Paper`
)
PACKAGE = "duelist-reproductions"
TIMES = "times.json"  # the duration of every piece; the only file that differs from run to run


def find_papers(names: Sequence[str] = ()) -> list[Paper]:
    """Return installed papers.

    Parameters
    ----------
    names : sequence of str, default ()
        The names of the papers; all by default.

    Returns
    -------
    list of Paper
        The papers.

    Raises
    ------
    MissingPackageError
        If no papers are installed.
    UnknownNameError
        If there is no paper of a name.

    Examples
    --------
    >>> [paper.name for paper in find_papers(["yue2012"])]  # doctest: +SKIP
    ['yue2012']
    """
    offered = {one.name: one for one in sorted(entry_points(group=GROUP), key=lambda one: one.name)}
    if not offered:
        raise MissingPackageError("duelist reproduce", PACKAGE)
    for name in names:
        require_known("paper", name, offered)
    return [offered[name].load() for name in names or offered]


def choose(wanted: Sequence[str]) -> list[tuple[Paper, Item]]:
    """Return the selected items, without duplicates and grouped by paper.

    Parameters
    ----------
    wanted : sequence of str
        The names, PAPER or PAPER/ITEM; empty for all items.

    Returns
    -------
    list of tuple of Paper and Item
        The items with their papers.

    Raises
    ------
    UnknownNameError
        If there is no such paper or item.

    Examples
    --------
    >>> [item.name for _, item in choose(["yue2012/figure1"])]  # doctest: +SKIP
    ['figure1']
    """
    parts: dict[str, list[str]] = {}
    for name in wanted:
        of, _, part = name.partition("/")
        parts.setdefault(of, []).append(part)
    chosen = dict[str, tuple[Paper, Item]]()
    for source in find_papers(list(parts)):
        known = {item.name: item for item in source.items}
        for part in parts.get(source.name, [""]):
            if part and part not in known:
                raise UnknownNameError(f"item of {source.name}", part, known)
            items = [known[part]] if part else source.items
            chosen |= {source.name_of(item): (source, item) for item in items}
    return list(chosen.values())


class Job(NamedTuple):
    """A piece of work with everything that a worker needs for it."""

    piece: Piece
    sources: Sources
    files: tuple[str, ...]
    data: str  # the fingerprint of the files on the submitting machine


def do(job: Job) -> tuple[Arrays, float]:
    """Run a piece of work after checking its data; return its arrays and the duration in seconds."""
    if job.sources.fingerprint(job.files) != job.data:
        raise WorkersError(
            f"{job.sources.folder} on {gethostname()} has different data from the machine that submitted "
            "the work; give every machine the same files."
        )
    begun = perf_counter()
    arrays = job.piece.do(job.sources)
    return arrays, perf_counter() - begun


@dataclass
class ItemWork:
    """The work on an item: its results so far, and the missing pieces."""

    paper: Paper
    item: Item
    store: ResultStore
    results: ItemResults
    missing: list[Piece] = field(default_factory=list)
    share: float = 0.0

    @property
    def name(self) -> str:
        return self.paper.name_of(self.item)

    def look(self) -> None:
        """Load results from the store, plan by plan, until pieces are missing."""
        self.results = ItemResults(self.results.scale, self.results.real)
        pieces = list[Piece]()
        for plan in (self.item.plan, *self.item.then):
            pieces += plan(self.results)
            counts = Counter(piece.name for piece in pieces)
            if repeated := ", ".join(sorted(name for name, times in counts.items() if times > 1)):
                raise ParameterError(
                    f"the plan of {self.name} has several pieces named {repeated}; rename them."
                )
            kept = {piece.name: self.store.take(piece) for piece in pieces}
            found = {name: one for name, one in kept.items() if one is not None}
            self.missing = [piece for piece in pieces if piece.name not in found]
            self.results = ItemResults(self.results.scale, self.results.real, found)
            if self.missing:
                break
        total = sum(piece.cost for piece in pieces)
        self.share = 1.0 - sum(piece.cost for piece in self.missing) / total if total else 1.0

    def receive(self, piece: Piece, arrays: Arrays) -> None:
        """Store a result; after the last missing one, continue with the next plan."""
        self.store.put(piece, arrays)
        self.share += (1.0 - self.share) * piece.cost / sum(one.cost for one in self.missing)
        self.missing.remove(piece)
        if not self.missing:
            self.look()


def carry_out(
    chosen: Sequence[tuple[Paper, Item]],
    scale: Scale,
    sources: Sources,
    out: Path,
    executor: Executor,
    show: Show,
    finished: Callable[[Paper, Item, ItemResults], None],
) -> None:
    """Run all planned pieces that are not in the store, and report items as they are completed.

    The pieces of all items go to the executor together, so no worker waits for the end of an item. Pieces
    that depend on other results run in a later round. No other process may write to the folder.

    Parameters
    ----------
    chosen : sequence of tuple of Paper and Item
        The items, as from `choose`.
    scale : Scale
        The scale of the experiments.
    sources : Sources
        The data.
    out : path
        The folder of results.
    executor : Executor
        Runs the pieces.
    show : Show
        Shows the progress.
    finished : callable
        Called with the paper, the item and its results once they are complete.

    Raises
    ------
    FileError
        If a data file is missing, or a stored result is damaged.
    WorkersError
        If a worker is lost or has other data.

    Examples
    --------
    >>> import tempfile
    >>> from duelist.parallel import Processes, silence
    >>> item = Item("figure1", "Regret", 5.0, lambda results: [], lambda *_: {}, lambda *_: [])
    >>> chosen = [(Paper("yue2012", "Yue et al. (2012)", "duelist_reproductions.yue2012", (item,)), item)]
    >>> def finished(paper, item, results):
    ...     print(paper.name_of(item), len(results))
    >>> with tempfile.TemporaryDirectory() as out:
    ...     carry_out(chosen, Scale.QUICK, Sources(None), Path(out), Processes(1), silence, finished)
    yue2012/figure1 0
    """
    if sources.real:
        sources.require(file for _, item in chosen for file in item.data)
    remove_temporary_files(out)
    works = [work_for(paper, item, scale, sources, out) for paper, item in chosen]
    times = read_times(out)

    def hand_over_if_complete(work: ItemWork) -> None:
        if not work.missing:
            show(work.name, 1.0)
            finished(work.paper, work.item, work.results)

    for work in works:
        work.look()
        hand_over_if_complete(work)
    while jobs := [(work, piece) for work in works for piece in work.missing]:
        show_progress(show, works)
        tasks = [Job(piece, sources, work.item.data, work.store.data) for work, piece in jobs]
        for index, (arrays, seconds) in executor.as_completed(do, tasks):
            work, piece = jobs[index]
            work.receive(piece, arrays)
            times.setdefault(work.name, {})[piece.name] = round(seconds, 3)
            write_whole(out / TIMES, json.dumps(times, indent=1, sort_keys=True).encode() + b"\n")
            show_progress(show, works)
            hand_over_if_complete(work)


def work_for(paper: Paper, item: Item, scale: Scale, sources: Sources, out: Path) -> ItemWork:
    store = ResultStore(out / "results" / paper.name / item.name, sources.fingerprint(item.data))
    remove_temporary_files(store.folder)
    return ItemWork(paper, item, store, ItemResults(scale, real=sources.real or not item.data))


def read_times(out: Path) -> dict[str, dict[str, float]]:
    try:
        times = json.loads((out / TIMES).read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return times if isinstance(times, dict) else {}


def show_progress(show: Show, works: Sequence[ItemWork]) -> None:
    """Show the progress of every item, and of all items weighted by their duration."""
    total = sum(work.item.minutes for work in works)
    show("everything", sum(work.share * work.item.minutes for work in works) / total)
    for work in works:
        if 0.0 < work.share < 1.0:
            show(work.name, work.share)
