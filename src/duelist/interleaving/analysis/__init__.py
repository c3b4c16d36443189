"""What the outcomes and logs of an interleaving experiment say."""

from duelist.interleaving.analysis.absolute import AbsoluteReport, MetricComparison, compare_absolute
from duelist.interleaving.analysis.anytime import AnytimePath, AnytimeReport, AnytimeTest, draw_anytime
from duelist.interleaving.analysis.anytime_kernels import AnytimeState
from duelist.interleaving.analysis.overlap import (
    Overlap,
    OverlapReport,
    analyze_overlap,
    measure_overlap,
    rank_biased_overlap,
)
from duelist.interleaving.analysis.preference import PreferenceReport, UnitPreference, analyze_preference
from duelist.interleaving.analysis.sensitivity import (
    Sensitivity,
    SensitivityReport,
    compare_sensitivity,
    impressions_needed,
)

__all__ = [
    "AbsoluteReport",
    "AnytimePath",
    "AnytimeReport",
    "AnytimeState",
    "AnytimeTest",
    "MetricComparison",
    "Overlap",
    "OverlapReport",
    "PreferenceReport",
    "Sensitivity",
    "SensitivityReport",
    "UnitPreference",
    "analyze_overlap",
    "analyze_preference",
    "compare_absolute",
    "compare_sensitivity",
    "draw_anytime",
    "impressions_needed",
    "measure_overlap",
    "rank_biased_overlap",
]
