"""The tables that fits extract from a log, and the errors of models."""

import numpy as np
from refusals import refused

from duelist.clicks import ClickLog, perfect
from duelist.clicks.browsing import counted, last_clicks
from duelist.clicks.fitted import numbered_pairs
from duelist.clicks.log import log_of_pages
from duelist.clicks.model import as_chances
from duelist.clicks.user import user_for
from duelist.errors import ParameterError


def test_pairs_of_a_log_are_numbered() -> None:
    names, pages = numbered_pairs(ClickLog.from_records([("svm", ["b", "a"], [0, 1]), ("svm", ["a"], [0])]))
    assert names == {("svm", "b"): 0, ("svm", "a"): 1}
    assert pages.tolist() == [[0, 1], [1, -1]]


def test_clicks_under_a_habit_are_counted() -> None:
    log = ClickLog.from_records([("svm", ["a"], [1]), ("svm", ["a"], [0]), ("svm", ["a"], [1])])
    counts = counted(log.documents, np.zeros_like(log.documents), log)
    assert [part.tolist() for part in counts] == [[0], [0], [2.0], [1.0]]


def test_the_last_click_above_each_place_is_known() -> None:
    log = ClickLog.from_records([("svm", list("abcd"), [0, 1, 0, 1])])
    assert last_clicks(log).tolist() == [[0, 0, 2, 2]]


def test_refusals_name_what_is_wrong() -> None:
    with refused(ParameterError, "line 7", "clicked", 2, 1):
        log_of_pages([("line 7", "svm", ["a", "b"], [1])])
    with refused(ParameterError, "attraction[1]", 1.2, 0, 1):
        as_chances("attraction", [0.1, 1.2])
    with refused(ParameterError, "clicks", "2 grades", 3, "grades=3"):
        user_for(perfect(2), grades=3)
