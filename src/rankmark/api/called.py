"""A measure called with data: one list of grades, or labels and scores, in; a number out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from numbers import Real
from typing import Any

import numpy as np

from rankmark.api.evaluation import evaluate
from rankmark.api.predictions import evaluate_predictions
from rankmark.errors import CallError, DataError, MeasureError, UsageError
from rankmark.inputs.arrays.libraries import is_array, is_no_array, is_torch, to_numpy
from rankmark.language.measure import Measure
from rankmark.language.plan import asked_measures
from rankmark.rendering.words import brief

__all__ = ["BESIDE", "value_of"]

BESIDE = ("ideal", "queries", "group", "weights", "positive", "classes")
"""What data come with, besides the measure's parameters."""


def value_of(measure: Measure, data: Sequence[Any], said: Mapping[str, Any]) -> float:
    """The measure's value of one list, or of labels and scores; see `Measure.__call__`.

    Args:
        measure: the measure, its parameters set.
        data: the grades of one list in rank order; or labels, or grades, and scores.
        said: what is said beside them, by the names in `BESIDE`.

    Raises:
        UsageError: other data than the measure takes, or what cannot be said beside them.
        DataError: a grade, a label or a score that it cannot take.

    """
    asked_measures(measure)  # refuses what looks at items
    _check_data(measure, data)
    if len(data) == 2:
        if "ideal" in said:
            raise UsageError(f"{measure}: ideal= is said of one list of grades in rank order, without scores")
        return _of_scores(measure, data[0], data[1], said)
    if measure.page.kind != "list":
        second = "scores" if measure.page.kind == "row" else "scores_or_predicted_classes"
        raise CallError(f"{measure} is called with labels and scores: {_call(measure, 'labels, ' + second)}")
    for name in BESIDE[1:]:
        if name in said:
            raise UsageError(
                f"{measure}: {name}= is said of labels and scores, and here is one list of grades"
            )
    return _of_list(measure, data[0], said.get("ideal"))


def _check_data(measure: Measure, data: Sequence[Any]) -> None:
    """Refuses what is no list or array of one axis, or of two for scores of classes."""
    if len(data) > 2:
        raise CallError(
            f"{measure} is called with {len(data)} lists, and takes one of grades, or labels and scores; "
            f"parameters are set by name: {measure.page.grammar}"
        )
    for values in data:
        if isinstance(values, Mapping) or hasattr(values, "columns"):
            raise UsageError(
                f"{measure} is called with the grades of one list, or labels and scores; a table or dict is "
                f"for rm.evaluate(qrels, run, {_code(measure)}) or "
                f"rm.evaluate_predictions(table, {_code(measure)})"
            )
        if not _is_list(values):
            raise MeasureError(f"{measure.name}({brief(values)}): {_instead(measure, values)}")
    if _axes(data[0]) != 1 or (_axes(data[-1]) != 1 and measure.page.kind == "list"):
        raise UsageError(
            f"{measure} is called with one list; for several rm.evaluate_arrays(scores, grades, "
            f"{_code(measure)}) takes arrays of a row a query, and rm.evaluate(qrels, run, {_code(measure)}) "
            "any tables"
        )


def _instead(measure: Measure, value: Any) -> str:
    """How to say what is no data."""
    cutoff = f"; the cutoff is written rm.{measure.name} @ {value}" if type(value) is int else ""
    other = "; a set has no order" if isinstance(value, Set) else ""
    other = "; make it a list" if hasattr(value, "__next__") else other
    return f"parameters are set by name: {measure.page.grammar}{cutoff}{other}"


def _is_list(values: Any) -> bool:
    """Whether values are several, in an order."""
    shapeless = getattr(values, "shape", None) == ()
    return hasattr(values, "__len__") and not isinstance(values, str | bytes | Set) and not shapeless


def _axes(values: Any) -> int:
    """How many axes values have: 2 of a list of lists, too."""
    if len(getattr(values, "shape", ())) > 1:
        return len(values.shape)
    first = next(iter(values), None)
    return 2 if _is_list(first) and not isinstance(first, Mapping) else 1


def _of_list(measure: Measure, grades: Any, ideal: Any) -> float:
    """The value of one list of grades in rank order."""
    listed = _grades(measure, grades, "grades")
    if not listed:
        raise DataError(
            f"{measure}: the list is empty; what a query without results is, missing= of rm.evaluate decides"
        )
    judged = {place: grade for place, grade in enumerate(listed) if grade is not None}
    unretrieved = [] if ideal is None else _unretrieved(measure, judged.values(), ideal)
    judged |= enumerate(unretrieved, len(listed))
    if not judged:
        raise DataError(f"{measure}: nothing in the list is judged: every grade is None")
    return evaluate({"list": judged}, {"list": list(range(len(listed)))}, measure)[measure]


def _unretrieved(measure: Measure, listed: Any, ideal: Any) -> list[float]:
    """The grades of the judged items that are not in the list."""
    if not _is_list(ideal) or isinstance(ideal, Mapping) or _axes(ideal) != 1:
        raise UsageError(
            f"{measure}: ideal={brief(ideal)} is no list; give the grades of all judged items, [3, 3, 2]"
        )
    rest = Counter(_grades(measure, ideal, "ideal"))
    for grade, count in Counter(listed).items():
        if grade > 0 and count > rest[grade]:
            raise DataError(
                f"{measure}: ideal holds the grades of all judged items, those in the list, too; it has "
                f"grade {grade:g} {rest[grade]} times, and the list {count} times"
            )
    return list((rest - Counter(listed)).elements())


def _grades(measure: Measure, values: Any, name: str) -> list[Any]:
    """Grades as floats; None for what is not judged."""
    found: list[float | None] = []
    for place, value in enumerate(_here(values).tolist() if hasattr(values, "tolist") else values):
        if value is None and name == "grades":
            found.append(None)
            continue
        if not isinstance(value, Real | np.bool_):
            raise DataError(
                f"{measure}: {name} holds {brief(value)} at place {place} (from 0), a {type(value).__name__}"
                "; grades are numbers"
            )
        if not math.isfinite(value):
            raise DataError(
                f"{measure}: {name} holds {value} at place {place} (from 0); a grade is a finite number, and "
                "None is an item of the list that is not judged"
            )
        found.append(float(value))
    return found


def _of_scores(measure: Measure, labels: Any, scores: Any, said: Mapping[str, Any]) -> float:
    """The value of labels, or grades, and scores."""
    _check_lengths(measure, labels, scores, said)
    if _look_swapped(measure, labels, scores):
        raise DataError(
            f"{measure} is called with labels first, {_call(measure, 'labels, scores')}: here the first are "
            "fractions and the second 0 and 1; if that is what they are, give "
            f"rm.evaluate_predictions({{'label': …, 'score': …}}, {_code(measure)})"
        )
    decided = measure.page.kind == "class" and _axes(scores) == 1
    second = "predicted" if decided else "score"
    table = {"label": _here(labels), second: _here(scores)}
    if "queries" in said:
        if "group" in said:
            raise UsageError(f"{measure}: queries= and group= both say which query each row is of; give one")
        table["query"] = _here(said["queries"])
    elif "group" in said:
        pass
    elif measure.page.kind == "list":
        table["query"] = np.zeros(len(labels), dtype=np.int64)
    elif measure.per_query:
        raise UsageError(
            f"{measure} is a value of each query: say which query each row is of, "
            f"{_call(measure, 'labels, scores, queries=users')}"
        )
    if "weights" in said:
        table["weight"] = _here(said["weights"])
    result = evaluate_predictions(
        table,
        measure,
        label="label",
        score=None if decided else "score",
        predicted="predicted" if decided else None,
        query="query" if "query" in table else "",
        item="",
        weight="weight" if "weight" in table else "",
        group=said.get("group"),
        positive=said.get("positive"),
        classes=said.get("classes"),
    )
    return result[measure]


def _check_lengths(measure: Measure, labels: Any, scores: Any, said: Mapping[str, Any]) -> None:
    """Refuses what has not one for each row."""
    values = {"labels": labels, "scores": scores} | {n: said[n] for n in ("queries", "weights") if n in said}
    for name, each in values.items():
        if not _is_list(each):
            raise UsageError(f"{measure}: {name}={brief(each)} is no list of one for each row")
        if len(each) != len(labels):
            raise DataError(
                f"{measure}: there are {len(labels)} labels and {len(each)} {name}; give one a row"
            )
    if not len(labels):
        raise DataError(f"{measure}: there are no labels and no scores")


def _look_swapped(measure: Measure, labels: Any, scores: Any) -> bool:
    """Whether scores stand where the labels are to be: they are fractions, and the others 0 and 1."""
    if measure.page.kind == "class" or (measure.page.kind == "row" and measure.page.labels != "binary"):
        return False
    first, second = np.asarray(_here(labels)), np.asarray(_here(scores))
    numbers = all(each.dtype.kind in "biuf" and each.ndim == 1 for each in (first, second))
    return numbers and bool((first % 1 != 0).any() and np.isin(second, (0, 1)).all())


def _here(values: Any) -> Any:
    """An array of any library as one of NumPy's; everything else as it is."""
    if not is_array(values) or is_no_array(values):
        return values
    return to_numpy(values.detach() if is_torch(values) else values)


def _call(measure: Measure, arguments: str) -> str:
    """The call as it is written in code."""
    called = _code(measure)
    return f"({called})({arguments})" if measure.cutoff is not None else f"{called}({arguments})"


def _code(measure: Measure) -> str:
    """The measure as it is written in code, its parameters aside."""
    return f"rm.{measure.name}" + (f" @ {measure.cutoff}" if measure.cutoff is not None else "")
