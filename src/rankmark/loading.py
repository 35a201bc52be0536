"""What was saved, opened again."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankmark.results.archive import first_part
from rankmark.results.saved import HEADER, read_saved

if TYPE_CHECKING:
    from rankmark.api.evaluator import Evaluator
    from rankmark.api.prediction_evaluator import PredictionEvaluator
    from rankmark.results.saved import Saved

__all__ = ["is_saved", "load"]

WITHIN: Mapping[str, str] = {
    "Basis": "results.predictions",
    "Cells": "kinds.classes",
    "Choices": "language.choices",
    "ComparisonPlan": "comparing.plan",
    "Friedman": "statistics.friedman",
    "Interval": "statistics.intervals",
    "OpenDifference": "comparing.open_differences",
    "PairPosterior": "comparing.posteriors",
    "RankInterval": "statistics.groups",
    "Made": "statistics.intervals",
    "QueryWeights": "aggregation.query_weights",
    "Sampling": "aggregation.intervals",
}
"""The module of every record within results that has no public name."""
EVALUATORS: Mapping[str, tuple[str, str]] = {
    "evaluator.json": ("api.evaluator", "Evaluator"),
    "predictions.json": ("api.prediction_evaluator", "PredictionEvaluator"),
}
"""The class of what another header is of."""


def load(path: str | Path) -> Saved | Evaluator | PredictionEvaluator:
    """Reads what `save` of a result, a comparison, a gate … wrote, or of an evaluator.

    What was saved is had again to the last bit, and so are its signatures, which name the version that
    computed the values. Nothing in the file is executed.

    Raises:
        FileMissingError: there is no such file.
        FormatError: nothing was saved in it by rankmark, it is damaged, or of a later version.

    Example:
        >>> import rankmark as rm, tempfile
        >>> result = rm.evaluate({"q1": {"a": 1}}, {"q1": ["b", "a"]}, "RR")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result.save(f"{folder}/monday.rankmark")
        ...     again = rm.load(f"{folder}/monday.rankmark")
        >>> again["RR"], again.query_ids
        (0.5, ['q1'])

    """
    header = first_part(path)
    if header is not None and header in EVALUATORS:
        module, name = EVALUATORS[header]
        evaluator: Evaluator = getattr(import_module(f"rankmark.{module}"), name).load(path)
        return evaluator
    return read_saved(path, _class_of)


def is_saved(path: Any) -> bool:
    """Whether there is a file at `path` in which a result was saved, as far as its beginning says."""
    return isinstance(path, str | Path) and first_part(path) == HEADER


def _class_of(name: Any) -> type:
    found: type
    results = import_module("rankmark.results")
    if name in WITHIN:
        found = getattr(import_module(f"rankmark.{WITHIN[name]}"), name)
    elif name in dir(results):
        found = getattr(results, name)
    else:
        raise LookupError(f"this version of rankmark knows no record {name!r}")
    return found
