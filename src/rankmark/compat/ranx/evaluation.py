"""ranx's `evaluate`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from rankmark.api.evaluation import evaluate as evaluate_lists
from rankmark.compat.ranx.tables import Qrels, Run
from rankmark.errors import CallError, MeasureError, NotHereError
from rankmark.kinds.lists import Values
from rankmark.language.conventions.convention import convention
from rankmark.language.measure import Measure
from rankmark.language.plan import check_threads
from rankmark.rendering.words import brief

__all__ = ["evaluate", "query_values"]


def evaluate(
    qrels: Qrels | Mapping[str, Mapping[str, int]],
    run: Run | Mapping[str, Mapping[str, float]],
    metrics: list[str] | str,
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,
    save_results_in_run: bool = True,
    make_comparable: bool = False,
) -> Any:
    """The value of each metric: of one the value alone, of several a dict.

    Args:
        qrels: the judgements.
        run: the results.
        metrics: names such as ``ndcg@10``, ``map``, ``hit_rate@5-l2``, ``rbp.95``.
        return_mean: whether to give means, and not a value a query in the order of the queries.
        return_std: whether to give ``{"mean": …, "std": …}``.
        threads: how many threads to use; 0 for all cores.
        save_results_in_run: whether a `Run` keeps the values: ``scores``, ``mean_scores``, ``std_scores``.
        make_comparable: whether judged queries without results count as 0, and others are dropped.

    Raises:
        AssertionError: queries in one of both only, or metrics that are no texts.
        ValueError: a metric that there is not.

    Example:
        >>> from rankmark.compat.ranx import Qrels, Run, evaluate
        >>> run = Run({"q1": {"b": 0.9, "a": 0.8}})
        >>> evaluate(Qrels({"q1": {"a": 1}}), run, "mrr"), run.mean_scores["mrr"]
        (np.float64(0.5), np.float64(0.5))

    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    values = query_values(qrels, run, names, threads=threads, make_comparable=make_comparable)
    return_std = return_std and return_mean
    if isinstance(run, Run) and save_results_in_run:
        for name, of_queries in values.items():
            run.mean_scores[name] = np.float64(np.mean(of_queries))
            if return_std:
                run.std_scores[name] = np.float64(np.std(of_queries))
            run.scores[name] |= dict(zip(run.get_query_ids(), of_queries.tolist(), strict=True))
    found: dict[str, Any] = dict(values)
    if return_std:
        found = {
            name: {"mean": np.float64(np.mean(each)), "std": np.float64(np.std(each))}
            for name, each in values.items()
        }
    elif return_mean:
        found = {name: np.float64(np.mean(each)) for name, each in values.items()}
    return found[names[0]] if len(names) == 1 else found


def query_values(
    qrels: Any, run: Any, names: list[str], *, threads: int = 0, make_comparable: bool = False
) -> dict[str, Values]:
    """The value of each metric for each query, in the order of the queries."""
    if not names or not all(isinstance(name, str) for name in names):
        raise AssertionError(f"metrics are {brief(names)}; give names, such as 'ndcg@10'")
    check_threads(threads or None)
    judgements, results = _lists(qrels, Qrels, "qrels"), _lists(run, Run, "run")
    if make_comparable and isinstance(qrels, Qrels) and isinstance(run, Run):
        results = run.make_comparable(qrels).run
    if judgements.keys() != results.keys():
        odd = sorted(judgements.keys() ^ results.keys())
        raise AssertionError(
            f"{len(odd)} queries are in one of qrels and run only, such as {odd[0]!r}; make_comparable=True "
            "counts those without results as 0 and drops those without judgements"
        )
    measures = {name: _measure(name) for name in names}
    result = evaluate_lists(
        judgements, results, list(dict.fromkeys(measures.values())), ties="input", threads=threads or None
    )
    place = {query: where for where, query in enumerate(result.query_ids)}
    order = [place[query] for query in results]
    return {name: result.query_values(measure)[order] for name, measure in measures.items()}


def _lists(table: Any, kind: type[Qrels | Run], name: str) -> Mapping[str, Mapping[str, Any]]:
    if isinstance(table, kind):
        return table.to_dict()
    if isinstance(table, dict):
        return kind(table).to_dict()
    raise CallError(f"{name} is a {type(table).__name__}; give {kind.__name__} or a dict of dicts")


def _measure(name: str) -> Measure:
    """What a metric of ranx's is here."""
    text = re.sub(r"^rbp@", "rbp.", name)
    if found := re.fullmatch(r"(n?dcg(?:_burges)?(?:@\d+)?)-l(\d+)", text):
        of_all, level = convention("ranx").measure(found[1]), int(found[2])
        exponential = of_all.arguments["gain"] == "exp2"
        return of_all(gain=_gain_from(level, exponential=exponential)).asked_as(name)
    if re.match(r"bpref-l(?!1$)", text):
        raise NotHereError(f"{name}: ranx takes other items for not relevant than rm.Bpref(rel=2) does")
    try:
        return convention("ranx").measure(text.removesuffix("-l1"))
    except MeasureError as error:
        raise MeasureError(f"metric {name!r}: {error}") from error


def _gain_from(level: int, *, exponential: bool) -> Any:
    """The gain of grades that count from a level on only."""

    def gain(grade: float) -> float:
        if grade < max(level, 1):
            return 0.0
        return 2.0**grade - 1 if exponential else grade

    gain.__name__ = f"{'exp2' if exponential else 'linear'}_from_{level}"
    return gain
