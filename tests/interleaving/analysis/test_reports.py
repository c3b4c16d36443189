import json
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from duelist.interleaving import analysis
from duelist.interleaving.analysis import (
    AnytimeTest,
    analyze_overlap,
    analyze_preference,
    compare_absolute,
    compare_sensitivity,
)

OUTCOMES = [1, 1, 0, 0.5, 1] * 8
CLICKS_A, CLICKS_B = [[0], [], [1, 3], [0]] * 10, [[2], [], [1], []] * 10
REPORTS = [
    analyze_preference(OUTCOMES, sessions=[*range(20)] * 2, users=[*range(10)] * 4),
    AnytimeTest().report(AnytimeTest().update(AnytimeTest().init(), OUTCOMES)),
    analyze_overlap([["a", "b"]] * 40, [["b", "a"]] * 40, OUTCOMES, CLICKS_A),
    compare_absolute(CLICKS_A, CLICKS_B),
    compare_sensitivity(OUTCOMES, CLICKS_A, CLICKS_B),
]


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: type(report).__name__)
def test_a_report_is_frozen_goes_into_json_and_fits_a_screen(report: Any) -> None:
    content = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert content["confidence" if hasattr(report, "confidence") else "depth"] in (0.95, 10)
    lines = str(report).splitlines()
    assert 2 <= len(lines) <= 20
    assert all(line.isprintable() for line in lines)
    field = next(iter(content))
    with pytest.raises(FrozenInstanceError):
        setattr(report, field, None)


def test_tables_are_aligned() -> None:
    header, *rows = str(REPORTS[0]).splitlines()[:4]
    assert [row.split()[0] for row in rows] == ["impression", "session", "user"]
    assert {len(row) for row in rows} == {len(header)}
    assert [row.split()[1] for row in rows] == ["40", "20", "10"]


def test_exported_names_are_sorted_and_there() -> None:
    assert analysis.__all__ == sorted(analysis.__all__)
    assert all(hasattr(analysis, name) for name in analysis.__all__)
