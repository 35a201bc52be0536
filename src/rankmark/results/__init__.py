"""What users hold: values with what is needed to trust them.

Everything that is returned, and no user constructs, is here by its name: ``rankmark.results.Result``.
"""

from __future__ import annotations

from rankmark.naming import face_of as _face_of

_HOME = {
    "Agreement": "comparing.agreement",
    "Alike": "peers.difference",
    "Allowance": "comparing.gates",
    "Board": "comparing.boards",
    "BoardPair": "comparing.boards",
    "BoardRow": "comparing.boards",
    "Bounds": "aggregation.bounds",
    "ByClass": "results.by_class",
    "Candidate": "peers.identification",
    "CheckReport": "checks.report",
    "Comparison": "comparing.comparison",
    "ComparisonSlices": "comparing.slices",
    "Convention": "language.conventions.convention",
    "Counts": "aggregation.counts",
    "CurveTable": "api.curves",
    "Difference": "peers.difference",
    "Differences": "peers.difference",
    "Disparity": "results.disparity",
    "Effect": "checks.finding",
    "Evidence": "statistics.chance",
    "ExplainedDifference": "explaining.explanation",
    "Explanation": "explaining.explanation",
    "Figure": "figures.figure",
    "Finding": "checks.finding",
    "Gate": "comparing.gates",
    "GivenResult": "results.given",
    "Identification": "peers.identification",
    "Inequality": "results.disparity",
    "LimitGate": "comparing.gates",
    "ListResult": "results.lists",
    "MeasureCounts": "aggregation.counts",
    "GateMover": "comparing.gates",
    "MeasureGate": "comparing.gates",
    "Mover": "comparing.compared",
    "Pair": "comparing.pairs",
    "Power": "comparing.compared",
    "PowerRow": "comparing.powers",
    "PredictionComparison": "comparing.predictions",
    "PredictionCounts": "aggregation.counts",
    "PredictionInterval": "aggregation.intervals",
    "PredictionPair": "comparing.predictions",
    "PredictionResult": "results.predictions",
    "PredictionSlice": "results.prediction_slices",
    "PredictionSlices": "results.prediction_slices",
    "Report": "reports.page",
    "Result": "results.base",
    "RowMeasureCounts": "aggregation.counts",
    "Runs": "results.runs",
    "Slice": "results.slices",
    "SlicedPair": "comparing.slices",
    "Slices": "results.slices",
    "SparkResult": "api.spark_results",
    "SystemAgreement": "comparing.agreement",
    "TableCounts": "checks.report",
    "TopicSetSize": "comparing.powers",
}
"""The module of every name."""

__getattr__, __dir__ = _face_of(__name__, _HOME)
