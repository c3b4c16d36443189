"""Analysis of interleaving experiments: preferences, sequential tests, overlap and sensitivity."""

from duelist.interleaving.analysis.absolute import (
    AbsoluteReport,
    MetricComparison,
    Sensitivity,
    SensitivityReport,
    compare_absolute,
    compare_sensitivity,
    impressions_needed,
)
from duelist.interleaving.analysis.anytime import (
    AnytimePath,
    AnytimeReport,
    AnytimeState,
    AnytimeTest,
    draw_anytime,
)
from duelist.interleaving.analysis.overlap import (
    Overlap,
    OverlapReport,
    analyze_overlap,
    measure_overlap,
    rank_biased_overlap,
)
from duelist.interleaving.analysis.preference import (
    CreditedClicks,
    PreferenceReport,
    UnitPreference,
    analyze_preference,
    credit_clicks,
)

__all__ = [
    "AbsoluteReport",
    "AnytimePath",
    "AnytimeReport",
    "AnytimeState",
    "AnytimeTest",
    "CreditedClicks",
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
    "credit_clicks",
    "draw_anytime",
    "impressions_needed",
    "measure_overlap",
    "rank_biased_overlap",
]
