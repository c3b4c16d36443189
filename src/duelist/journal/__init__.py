"""Journals: the durable, ordered events of a study. A study is the fold of its journal."""

from duelist.journal.clicks import Clicked, DocumentsClicked, NumberedList, RankedList
from duelist.journal.events import (
    Answered,
    ArmAdded,
    ArmRetired,
    Closed,
    Created,
    Event,
    LearnerChanged,
    Retracted,
    Skipped,
)
from duelist.journal.protocol import Journal, MemoryJournal, Recorded, RepeatedEventError

__all__ = [
    "Answered",
    "ArmAdded",
    "ArmRetired",
    "Clicked",
    "Closed",
    "Created",
    "DocumentsClicked",
    "Event",
    "Journal",
    "LearnerChanged",
    "MemoryJournal",
    "NumberedList",
    "RankedList",
    "Recorded",
    "RepeatedEventError",
    "Retracted",
    "Skipped",
]
