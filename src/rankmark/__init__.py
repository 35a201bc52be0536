"""rankmark measures how good rankings and predictions are: search, recommendation, click prediction.

What is here are the measures, by the names of their pages; what evaluates and compares; what users construct;
and the errors. What is returned is in `rankmark.results`, what takes arrays in `rankmark.statistics`.
"""

from __future__ import annotations

from typing import Any

from rankmark import forking as _forking  # noqa: F401 - which has to be there before a process forks
from rankmark.naming import looked_up as _looked_up

# `__init__.pyi` says the same to type checkers, and a test that it does.
_HOME = {
    "CallError": "errors",
    "ChoiceError": "errors",
    "Coefficient": "language.coefficient",
    "ColumnError": "errors",
    "DataError": "errors",
    "Evaluation": "api.from_signature",
    "Evaluator": "api.evaluator",
    "FileMissingError": "errors",
    "FormatError": "errors",
    "IdTypeError": "errors",
    "Input": "inputs",
    "Measure": "language.measure",
    "MeasureError": "errors",
    "NotEvaluatedError": "errors",
    "PredictionEvaluator": "api.prediction_evaluator",
    "RankmarkError": "errors",
    "SignatureError": "errors",
    "TooLargeError": "errors",
    "ToolMissingError": "errors",
    "UsageError": "errors",
    "agree": "comparing.agreement",
    "agree_on_systems": "comparing.agreement",
    "board": "comparing.leaderboard",
    "check": "checks.checking",
    "check_predictions": "checks.predictions",
    "compare": "comparing.compare",
    "compare_matrix": "comparing.matrix",
    "compare_predictions": "comparing.predictions",
    "compare_results": "comparing.compare",
    "conventions": "language.conventions.convention",
    "curve": "api.curves",
    "differences": "peers.difference",
    "evaluate": "api.evaluation",
    "evaluate_arrays": "api.arrays",
    "evaluate_factors": "api.arrays",
    "evaluate_model": "api.models",
    "evaluate_predictions": "api.predictions",
    "explain": "explaining.explanation",
    "from_signature": "api.from_signature",
    "gate": "comparing.gating",
    "gate_predictions": "comparing.prediction_gate",
    "identify": "peers.identification",
    "load": "loading",
    "parse": "language.names",
    "power": "comparing.powering",
    "rank_correlation": "comparing.agreement",
    "read_qrels": "inputs",
    "read_run": "inputs",
}
"""The module of every name but those of the measures."""
_MODULES = {
    "compat": "compat",
    "hooks": "hooks",
    "results": "results",
    "spark": "api.spark",
    "statistics": "statistics",
}
"""What is a module itself."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from rankmark._native import __version__

        return __version__
    if name == "__all__":
        return _names()
    if name in _HOME or name in _MODULES:
        found = _looked_up(__name__, name, _HOME, _MODULES)
    elif name.islower() or name not in _names():
        # No measure is written in small letters alone, as modules are, whose import asks here first.
        raise AttributeError(f"module 'rankmark' has no attribute {name!r}{_instead(name)}")
    else:
        from rankmark.language.measure import Measure

        found = Measure(name)
    globals()[name] = found
    return found


def _instead(name: str) -> str:
    """What a measure is written as that is called so elsewhere."""
    from importlib.util import find_spec

    if name.startswith("_") or find_spec(f"rankmark.{name}"):
        return ""
    from rankmark.language.names import written_as

    return written_as(name)


def _names() -> list[str]:
    from rankmark.language.registry import pages

    return sorted([*_HOME, *_MODULES, *pages()])


def __dir__() -> list[str]:
    return _names()
