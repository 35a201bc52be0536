"""rankmark measures how good rankings and predictions are: search, recommendation, click prediction.

What is here are the measures, by the names of their pages; what evaluates and compares; what users construct;
and the errors. What is returned is in `rankmark.results`, what takes arrays in `rankmark.statistics`.
"""

from __future__ import annotations

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
    "JudgedLists": "kinds.lists",
    "Measure": "language.measure",
    "MeasureError": "errors",
    "NotEvaluatedError": "errors",
    "PictureError": "errors",
    "PredictionEvaluator": "api.prediction_evaluator",
    "RankmarkError": "errors",
    "Rows": "kinds.rows",
    "SignatureError": "errors",
    "TooLargeError": "errors",
    "ToolMissingError": "errors",
    "Undefined": "kinds.rows",
    "UsageError": "errors",
    "agree": "comparing.agreement",
    "agree_on_labels": "judges.agreeing",
    "agree_on_systems": "comparing.agreement",
    "board": "comparing.leaderboard",
    "catalogue": "inputs.catalogue",
    "check": "checks.checking",
    "check_predictions": "checks.predictions",
    "click_model": "logs.clicking",
    "compare": "comparing.compare",
    "compare_matrix": "comparing.matrix",
    "compare_predictions": "comparing.predictions",
    "compare_results": "comparing.compare",
    "conventions": "language.conventions.convention",
    "correct_sampled": "candidates.correcting",
    "curve": "api.curves",
    "differences": "peers.difference",
    "evaluate": "api.evaluation",
    "evaluate_abstention": "api.abstention",
    "evaluate_answers": "answers.evaluating",
    "evaluate_arrays": "api.arrays",
    "evaluate_clicks": "logs.click_values",
    "evaluate_factors": "api.arrays",
    "evaluate_instructions": "explaining.instructions",
    "evaluate_interleaving": "logs.interleaving",
    "evaluate_logged": "logs.feedback",
    "evaluate_model": "api.models",
    "evaluate_neighbors": "api.neighbors",
    "evaluate_neighbors_by_distance": "api.neighbors",
    "evaluate_predictions": "api.predictions",
    "evaluate_preferences": "preferences.evaluating",
    "evaluate_expected": "judges.expected",
    "evaluate_with_judge": "judges.judging",
    "explain": "explaining.explanation",
    "from_signature": "api.from_signature",
    "gate": "comparing.gating",
    "gate_predictions": "comparing.prediction_gate",
    "identify": "peers.identification",
    "interleave": "logs.interleaving",
    "label_probabilities": "judges.uncertain",
    "labels_to_add": "judges.planning",
    "list_measure": "language.own",
    "load": "loading",
    "parse": "language.names",
    "pool": "pools.pooling",
    "power": "comparing.powering",
    "prepare": "api.preparing",
    "qrels_from_clicks": "logs.click_qrels",
    "rank_by_preferences": "preferences.ranking_systems",
    "rank_correlation": "comparing.agreement",
    "ratio": "kinds.lists",
    "read_qrels": "inputs",
    "read_run": "inputs",
    "report": "reports.report",
    "report_predictions": "reports.report",
    "row_measure": "language.own",
    "sample_candidates": "candidates.sampling",
    "worst_of_groups": "api.groups",
}
"""The module of every name but those of the measures."""
_MODULES = {
    "compat": "compat",
    "hooks": "hooks",
    "pictures": "pictures",
    "results": "results",
    "spark": "api.spark",
    "statistics": "statistics",
}
"""What is a module itself."""
_FORMER: dict[str, tuple[str, str]] = {}
"""Public names that will go: what to write in the place of each, and the version that no longer has it."""


def __getattr__(name: str) -> object:
    if name == "__version__":
        from rankmark._native import __version__

        return __version__
    if name == "__all__":
        return _names()
    if name in _FORMER:
        from rankmark.deprecating import Former, warn_deprecated

        former = Former(*_FORMER[name])
        warn_deprecated(f"rankmark.{name}", former)
        return __getattr__(former.instead.removeprefix("rankmark."))
    if name in _HOME or name in _MODULES:
        found = _looked_up(__name__, name, _HOME, _MODULES)
    elif name.islower() or not _is_measure(name):
        # No measure is written in small letters alone, as modules are, whose import asks here first.
        raise AttributeError(f"module 'rankmark' has no attribute {name!r}{_instead(name)}")
    else:
        from rankmark.language.measure import Measure

        found = Measure(name)
        if found.page.origin:  # of which there may be a newer one
            return found
    globals()[name] = found
    return found


def _instead(name: str) -> str:
    """What a measure is written as that is called so elsewhere."""
    if name.startswith("_"):
        return ""
    from importlib.util import find_spec

    if find_spec(f"rankmark.{name}"):
        return ""
    from rankmark.language.names import written_as

    return written_as(name)


def _is_measure(name: str) -> bool:
    from rankmark.language.registry import page_written

    return page_written(name) is not None


def _names() -> list[str]:
    from rankmark.language.registry import pages

    ours = (name for name, page in pages().items() if page.origin is None)
    return sorted([*_HOME, *_MODULES, *ours])


def __dir__() -> list[str]:
    return _names()
