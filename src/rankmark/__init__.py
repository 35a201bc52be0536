"""rankmark measures how good rankings and predictions are: search, recommendation, click prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankmark.aggregation.bounds import Bounds
    from rankmark.aggregation.counts import Counts, MeasureCounts, PredictionCounts, RowMeasureCounts
    from rankmark.aggregation.intervals import PredictionInterval
    from rankmark.api import spark
    from rankmark.api.arrays import evaluate_arrays, evaluate_factors
    from rankmark.api.curves import CurveTable, curve
    from rankmark.api.evaluation import evaluate
    from rankmark.api.evaluator import Evaluator
    from rankmark.api.from_signature import Evaluation, from_signature
    from rankmark.api.models import evaluate_model
    from rankmark.api.prediction_evaluator import PredictionEvaluator
    from rankmark.api.predictions import evaluate_predictions
    from rankmark.checks.checking import check
    from rankmark.checks.finding import Effect, Finding
    from rankmark.checks.report import CheckReport
    from rankmark.comparing.agreement import (
        Agreement,
        SystemAgreement,
        agree,
        agree_on_systems,
        rank_correlation,
    )
    from rankmark.comparing.compare import compare, compare_results
    from rankmark.comparing.comparison import Comparison
    from rankmark.comparing.gating import Gate, gate
    from rankmark.comparing.pairs import Pair
    from rankmark.comparing.predictions import PredictionComparison, PredictionPair, compare_predictions
    from rankmark.errors import (
        ChoiceError,
        ColumnError,
        DataError,
        FileMissingError,
        FormatError,
        IdTypeError,
        MeasureError,
        NotEvaluatedError,
        RankmarkError,
        SignatureError,
        UsageError,
    )
    from rankmark.explaining.explanation import ExplainedDifference, Explanation, explain
    from rankmark.inputs import Input, read_qrels, read_run
    from rankmark.language.coefficient import Coefficient
    from rankmark.language.conventions.convention import Convention, conventions
    from rankmark.language.measure import Measure
    from rankmark.language.names import parse
    from rankmark.peers.difference import Difference, Differences, differences
    from rankmark.results.lists import Result
    from rankmark.results.prediction_slices import PredictionSlice, PredictionSlices
    from rankmark.results.predictions import PredictionResult
    from rankmark.results.slices import Slice, Slices

    ACE: Measure
    AP: Measure
    AUC: Measure
    AveragePrecision: Measure
    BPM: Measure
    BalancedAccuracy: Measure
    BinaryAccuracy: Measure
    BinaryF: Measure
    BinaryPrecision: Measure
    BinaryRecall: Measure
    Bpref: Measure
    Brier: Measure
    BrierReliability: Measure
    BrierResolution: Measure
    BrierUncertainty: Measure
    CG: Measure
    COPC: Measure
    CalibrationIntercept: Measure
    CalibrationSlope: Measure
    Compatibility: Measure
    Confusion: Measure
    DCG: Measure
    ECE: Measure
    ERR: Measure
    ExplainedVariance: Measure
    F: Measure
    FallOut: Measure
    G: Measure
    GAUC: Measure
    Gini: Measure
    HR: Measure
    HitRatio: Measure
    INSQ: Measure
    INST: Measure
    IPrec: Measure
    Judged: Measure
    KS: Measure
    Kappa: Measure
    Kendall: Measure
    Lift: Measure
    ListAUC: Measure
    LogLoss: Measure
    MAE: Measure
    MAPE: Measure
    MCC: Measure
    MCE: Measure
    MPR: Measure
    MSE: Measure
    MaxRank: Measure
    MeanP: Measure
    MeanR: Measure
    MeanRank: Measure
    MulticlassAUC: Measure
    MulticlassAccuracy: Measure
    MulticlassF: Measure
    MulticlassKappa: Measure
    MulticlassLogLoss: Measure
    MulticlassMCC: Measure
    MulticlassPrecision: Measure
    MulticlassRecall: Measure
    NCU: Measure
    NE: Measure
    NearlyERR: Measure
    NumNonrelRet: Measure
    NumQ: Measure
    NumRel: Measure
    NumRelRet: Measure
    NumRet: Measure
    OMeasure: Measure
    OPA: Measure
    P: Measure
    PCOPC: Measure
    PMeasure: Measure
    PPlus: Measure
    PRAUC: Measure
    PartialAUC: Measure
    Pearson: Measure
    QMeasure: Measure
    R: Measure
    R2: Measure
    RBP: Measure
    RBPResidual: Measure
    RIG: Measure
    RMSE: Measure
    RR: Measure
    RankingLoss: Measure
    RnDCG: Measure
    Rprec: Measure
    SDCG: Measure
    SMAPE: Measure
    SetAP: Measure
    Spearman: Measure
    Specificity: Measure
    Unjudged: Measure
    Utility: Measure
    binG: Measure
    infAP: Measure
    nDCG: Measure
    nDCG_rel: Measure
    nERR: Measure

__all__ = [
    "ACE",
    "AP",
    "AUC",
    "BPM",
    "CG",
    "COPC",
    "DCG",
    "ECE",
    "ERR",
    "GAUC",
    "HR",
    "INSQ",
    "INST",
    "KS",
    "MAE",
    "MAPE",
    "MCC",
    "MCE",
    "MPR",
    "MSE",
    "NCU",
    "NE",
    "OPA",
    "PCOPC",
    "PRAUC",
    "R2",
    "RBP",
    "RIG",
    "RMSE",
    "RR",
    "SDCG",
    "SMAPE",
    "Agreement",
    "AveragePrecision",
    "BalancedAccuracy",
    "BinaryAccuracy",
    "BinaryF",
    "BinaryPrecision",
    "BinaryRecall",
    "Bounds",
    "Bpref",
    "Brier",
    "BrierReliability",
    "BrierResolution",
    "BrierUncertainty",
    "CalibrationIntercept",
    "CalibrationSlope",
    "CheckReport",
    "ChoiceError",
    "Coefficient",
    "ColumnError",
    "Comparison",
    "Compatibility",
    "Confusion",
    "Convention",
    "Counts",
    "CurveTable",
    "DataError",
    "Difference",
    "Differences",
    "Effect",
    "Evaluation",
    "Evaluator",
    "ExplainedDifference",
    "ExplainedVariance",
    "Explanation",
    "F",
    "FallOut",
    "FileMissingError",
    "Finding",
    "FormatError",
    "G",
    "Gate",
    "Gini",
    "HitRatio",
    "IPrec",
    "IdTypeError",
    "Input",
    "Judged",
    "Kappa",
    "Kendall",
    "Lift",
    "ListAUC",
    "LogLoss",
    "MaxRank",
    "MeanP",
    "MeanR",
    "MeanRank",
    "Measure",
    "MeasureCounts",
    "MeasureError",
    "MulticlassAUC",
    "MulticlassAccuracy",
    "MulticlassF",
    "MulticlassKappa",
    "MulticlassLogLoss",
    "MulticlassMCC",
    "MulticlassPrecision",
    "MulticlassRecall",
    "NearlyERR",
    "NotEvaluatedError",
    "NumNonrelRet",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "OMeasure",
    "P",
    "PMeasure",
    "PPlus",
    "Pair",
    "PartialAUC",
    "Pearson",
    "PredictionComparison",
    "PredictionCounts",
    "PredictionEvaluator",
    "PredictionInterval",
    "PredictionPair",
    "PredictionResult",
    "PredictionSlice",
    "PredictionSlices",
    "QMeasure",
    "R",
    "RBPResidual",
    "RankingLoss",
    "RankmarkError",
    "Result",
    "RnDCG",
    "RowMeasureCounts",
    "Rprec",
    "SetAP",
    "SignatureError",
    "Slice",
    "Slices",
    "Spearman",
    "Specificity",
    "SystemAgreement",
    "Unjudged",
    "UsageError",
    "Utility",
    "agree",
    "agree_on_systems",
    "binG",
    "check",
    "compare",
    "compare_predictions",
    "compare_results",
    "conventions",
    "curve",
    "differences",
    "evaluate",
    "evaluate_arrays",
    "evaluate_factors",
    "evaluate_model",
    "evaluate_predictions",
    "explain",
    "from_signature",
    "gate",
    "infAP",
    "nDCG",
    "nDCG_rel",
    "nERR",
    "parse",
    "rank_correlation",
    "read_qrels",
    "read_run",
    "spark",
]

_HOME = {
    "Convention": "language.conventions.convention",
    "conventions": "language.conventions.convention",
    "CurveTable": "api.curves",
    "curve": "api.curves",
    "Difference": "peers.difference",
    "Differences": "peers.difference",
    "differences": "peers.difference",
    "CheckReport": "checks.report",
    "check": "checks.checking",
    "Effect": "checks.finding",
    "Finding": "checks.finding",
    "evaluate": "api.evaluation",
    "Evaluator": "api.evaluator",
    "PredictionComparison": "comparing.predictions",
    "PredictionCounts": "aggregation.counts",
    "PredictionEvaluator": "api.prediction_evaluator",
    "PredictionInterval": "aggregation.intervals",
    "PredictionPair": "comparing.predictions",
    "PredictionResult": "results.predictions",
    "PredictionSlice": "results.prediction_slices",
    "PredictionSlices": "results.prediction_slices",
    "RowMeasureCounts": "aggregation.counts",
    "evaluate_predictions": "api.predictions",
    "Agreement": "comparing.agreement",
    "SystemAgreement": "comparing.agreement",
    "agree": "comparing.agreement",
    "agree_on_systems": "comparing.agreement",
    "rank_correlation": "comparing.agreement",
    "Coefficient": "language.coefficient",
    "ExplainedDifference": "explaining.explanation",
    "Explanation": "explaining.explanation",
    "explain": "explaining.explanation",
    "Comparison": "comparing.comparison",
    "compare": "comparing.compare",
    "compare_predictions": "comparing.predictions",
    "compare_results": "comparing.compare",
    "Gate": "comparing.gating",
    "gate": "comparing.gating",
    "evaluate_arrays": "api.arrays",
    "evaluate_factors": "api.arrays",
    "evaluate_model": "api.models",
    "Input": "inputs",
    "read_qrels": "inputs",
    "read_run": "inputs",
    "Measure": "language.measure",
    "parse": "language.names",
    "Pair": "comparing.pairs",
    "Bounds": "aggregation.bounds",
    "Counts": "aggregation.counts",
    "MeasureCounts": "aggregation.counts",
    "Result": "results.lists",
    "Evaluation": "api.from_signature",
    "from_signature": "api.from_signature",
    "Slice": "results.slices",
    "Slices": "results.slices",
}
"""The module of every name that is neither an error nor a measure."""


def __getattr__(name: str) -> Any:
    # Names are looked up when first used, so that `import rankmark` costs next to nothing.
    if name == "__version__":
        from rankmark._native import __version__

        return __version__
    if name not in __all__:
        raise AttributeError(f"module 'rankmark' has no attribute {name!r}")
    from importlib import import_module

    if name.endswith("Error"):
        found = getattr(import_module("rankmark.errors"), name)
    elif name == "spark":
        found = import_module("rankmark.api.spark")
    elif name in _HOME:
        found = getattr(import_module(f"rankmark.{_HOME[name]}"), name)
    else:
        found = import_module("rankmark.language.measure").Measure(name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
