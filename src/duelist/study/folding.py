"""Folding a journal from its first event."""

from collections.abc import Sequence
from typing import Any

from duelist.errors import FileError
from duelist.journal import Created, LearnerChanged, Recorded, Retracted
from duelist.protocols import Learner
from duelist.study.fold import Fold
from duelist.study.learner_record import read_learner


def fold_events(events: Sequence[Recorded], learners: Sequence[Learner[Any]] = ()) -> Fold:
    """Return the fold of all events of a journal.

    Parameters
    ----------
    events : sequence of Recorded
        From the first.
    learners : sequence of Learner, default ()
        Those that the journal may name although they are not in the registry.
    """
    created = events[0].event if events else None
    if not isinstance(created, Created):
        raise FileError("a journal begins with the event 'created'; this one does not.")
    sources = [
        (place, one.event) for place, one in enumerate(events) if isinstance(one.event, LearnerChanged)
    ]
    begun, source = sources[-1] if sources else (0, created)
    left_out = {one.event.ticket for one in events if isinstance(one.event, Retracted)}
    learner = read_learner(source.learner, learners)
    fold = Fold(created, learner, source.example, len(sources), left_out)
    # what came before the last learner is counted first, and then told to it as if from the start
    fold.follow(events[:begun])
    fold.begin_anew(events[:begun])
    fold.follow(events[begun:])
    while fold.stuck:
        fold.begin_anew(events[: fold.seq])
        fold.follow(events[fold.seq :])
    return fold
