"""Choosing items of the papers that are installed, and doing what they plan, on any executor."""

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

GROUP = "duelist.reproductions"  # the group of entry points: the name is the paper's, the object a `Paper`
PACKAGE = "duelist-reproductions"
TIMES = "times.json"  # how long every piece took; the one file that differs from run to run


def find_papers(names: Sequence[str] = ()) -> list[Paper]:
    """Return the papers of these names; without names all that are installed, by name."""
    offered = {one.name: one for one in sorted(entry_points(group=GROUP), key=lambda one: one.name)}
    if not offered:
        raise MissingPackageError("duelist reproduce", PACKAGE)
    for name in names:
        require_known("paper", name, offered)
    return [offered[name].load() for name in names or offered]


def choose(wanted: Sequence[str]) -> list[tuple[Paper, Item]]:
    """Return what is wanted, each item once and a paper's together: PAPER or PAPER/ITEM, by default all."""
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
    """A piece of work with all that a worker needs for it."""

    piece: Piece
    sources: Sources
    files: tuple[str, ...]
    data: str  # what tells the files' data from other data, where the job comes from


def do(job: Job) -> tuple[Arrays, float]:
    """Return what comes out of a piece of work, with the same data as everyone, and the seconds it took."""
    if job.sources.fingerprint(job.files) != job.data:
        raise WorkersError(
            f"{job.sources.folder} on {gethostname()} has other data than where the work comes from; give "
            "every machine the same files."
        )
    begun = perf_counter()
    arrays = job.piece.do(job.sources)
    return arrays, perf_counter() - begun


@dataclass
class ItemWork:
    """An item being worked on: what is known, and what is wanted next."""

    paper: Paper
    item: Item
    store: ResultStore
    results: ItemResults
    missing: list[Piece] = field(default_factory=list)
    share: float = 0.0

    @property
    def name(self) -> str:
        """The item, as one types it."""
        return self.paper.name_of(self.item)

    def look(self) -> None:
        """Take what is in the store, plan by plan, until something is missing."""
        self.results = ItemResults(self.results.scale, self.results.real)
        pieces = list[Piece]()
        for plan in (self.item.plan, *self.item.then):
            pieces += plan(self.results)
            counts = Counter(piece.name for piece in pieces)
            if twice := ", ".join(sorted(name for name, times in counts.items() if times > 1)):
                raise ParameterError(
                    f"the plan of {self.name} has several pieces named {twice}; rename them."
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
        """Keep a result; after the last that was missing, go on to the next plan."""
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
    """Do all that is planned and not yet on the store; `finished` is called with each item as it is complete.

    All items' pieces go to the executor together, so that no worker waits for the end of an item. Pieces that
    are planned only when others are known go in a next round. Nobody else may be writing to the folder.
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
        for place, (arrays, seconds) in executor.as_completed(do, tasks):
            work, piece = jobs[place]
            work.receive(piece, arrays)
            times.setdefault(work.name, {})[piece.name] = round(seconds, 3)
            write_whole(out / TIMES, json.dumps(times, indent=1, sort_keys=True).encode() + b"\n")
            show_progress(show, works)
            hand_over_if_complete(work)


def work_for(paper: Paper, item: Item, scale: Scale, sources: Sources, out: Path) -> ItemWork:
    """Return an item's work, with nothing on it yet."""
    store = ResultStore(out / "results" / paper.name / item.name, sources.fingerprint(item.data))
    remove_temporary_files(store.folder)
    return ItemWork(paper, item, store, ItemResults(scale, real=sources.real or not item.data))


def read_times(out: Path) -> dict[str, dict[str, float]]:
    """Return how long pieces took before."""
    try:
        times = json.loads((out / TIMES).read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return times if isinstance(times, dict) else {}


def show_progress(show: Show, works: Sequence[ItemWork]) -> None:
    """Show how far every item is, and all of them by the time they take."""
    total = sum(work.item.minutes for work in works)
    show("everything", sum(work.share * work.item.minutes for work in works) / total)
    for work in works:
        if 0.0 < work.share < 1.0:
            show(work.name, work.share)
