"""rankmark measures how good rankings and predictions are: search, recommendation, click prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankmark import spark
    from rankmark.convention import Convention, conventions
    from rankmark.difference import Difference, Differences, differences
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
    from rankmark.evaluation import evaluate
    from rankmark.inputs import Input, read_qrels, read_run
    from rankmark.measure import Measure, parse
    from rankmark.result import Bounds, Counts, MeasureCounts, Result
    from rankmark.signature import Evaluation, from_signature

    AP: Measure
    AUC: Measure
    BPM: Measure
    Bpref: Measure
    CG: Measure
    Compatibility: Measure
    DCG: Measure
    ERR: Measure
    F: Measure
    FallOut: Measure
    G: Measure
    HR: Measure
    HitRatio: Measure
    INSQ: Measure
    INST: Measure
    IPrec: Measure
    Judged: Measure
    MPR: Measure
    MaxRank: Measure
    MeanP: Measure
    MeanR: Measure
    MeanRank: Measure
    NCU: Measure
    NearlyERR: Measure
    NumNonrelRet: Measure
    NumQ: Measure
    NumRel: Measure
    NumRelRet: Measure
    NumRet: Measure
    OMeasure: Measure
    OPA: Measure
    P: Measure
    PMeasure: Measure
    PPlus: Measure
    PartialAUC: Measure
    QMeasure: Measure
    R: Measure
    RBP: Measure
    RBPResidual: Measure
    RR: Measure
    RankingLoss: Measure
    RnDCG: Measure
    Rprec: Measure
    SDCG: Measure
    SetAP: Measure
    Unjudged: Measure
    Utility: Measure
    binG: Measure
    infAP: Measure
    nDCG: Measure
    nDCG_rel: Measure
    nERR: Measure

__all__ = [
    "AP",
    "AUC",
    "BPM",
    "CG",
    "DCG",
    "ERR",
    "HR",
    "INSQ",
    "INST",
    "MPR",
    "NCU",
    "OPA",
    "RBP",
    "RR",
    "SDCG",
    "Bounds",
    "Bpref",
    "ChoiceError",
    "ColumnError",
    "Compatibility",
    "Convention",
    "Counts",
    "DataError",
    "Difference",
    "Differences",
    "Evaluation",
    "F",
    "FallOut",
    "FileMissingError",
    "FormatError",
    "G",
    "HitRatio",
    "IPrec",
    "IdTypeError",
    "Input",
    "Judged",
    "MaxRank",
    "MeanP",
    "MeanR",
    "MeanRank",
    "Measure",
    "MeasureCounts",
    "MeasureError",
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
    "PartialAUC",
    "QMeasure",
    "R",
    "RBPResidual",
    "RankingLoss",
    "RankmarkError",
    "Result",
    "RnDCG",
    "Rprec",
    "SetAP",
    "SignatureError",
    "Unjudged",
    "UsageError",
    "Utility",
    "binG",
    "conventions",
    "differences",
    "evaluate",
    "from_signature",
    "infAP",
    "nDCG",
    "nDCG_rel",
    "nERR",
    "parse",
    "read_qrels",
    "read_run",
    "spark",
]

_HOME = {
    "Convention": "convention",
    "conventions": "convention",
    "Difference": "difference",
    "Differences": "difference",
    "differences": "difference",
    "evaluate": "evaluation",
    "Input": "inputs",
    "read_qrels": "inputs",
    "read_run": "inputs",
    "Measure": "measure",
    "parse": "measure",
    "Bounds": "result",
    "Counts": "result",
    "MeasureCounts": "result",
    "Result": "result",
    "Evaluation": "signature",
    "from_signature": "signature",
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
        found = import_module("rankmark.spark")
    elif name in _HOME:
        found = getattr(import_module(f"rankmark.{_HOME[name]}"), name)
    else:
        found = import_module("rankmark.measure").Measure(name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
