"""Measures of a run by clicks, with intervals that know that propensities are estimates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.aggregation.intervals import PredictionInterval
from rankmark.api.evaluation import evaluate
from rankmark.errors import MeasureError
from rankmark.inputs import read_shared
from rankmark.inputs.click_logs import read_click_log
from rankmark.inputs.roles import columns_said
from rankmark.logs.click_models import MODELS, ClickModelName
from rankmark.logs.click_qrels import Estimator, check_weighing, made_qrels, weighed_clicks
from rankmark.logs.clicking import FEW_CLUSTERS, drawn_clusters, fitted, method_of
from rankmark.progress import counting
from rankmark.rendering.words import counted
from rankmark.statistics.resampling import check_drawn, check_share

if TYPE_CHECKING:
    from rankmark.language.measure import Measure
    from rankmark.results.lists import ListResult
    from rankmark.statistics.resampling import Floats

__all__ = ["evaluate_clicks"]


def evaluate_clicks(
    log: Any,
    run: Any,
    measures: str | Measure | Iterable[str | Measure],
    model: ClickModelName = "position",
    *,
    method: str | None = None,
    estimator: Estimator = "ips",
    clip: float | None = None,
    confidence: float = 0.95,
    resamples: int = 200,
    seed: int = 0,
    columns: Mapping[str, Any] | None = None,
    **choices: Any,
) -> ListResult:
    """Measures of a run by judgements made of clicks, whose intervals hold the error of the propensities.

    The values are those of `evaluate` by `qrels_from_clicks` with what `click_model` makes of the same log.
    Intervals are m ± t·s·√(G/(G − 1)), t Student's quantile with G − 1 degrees of freedom, s the standard
    deviation of the mean over resamples of the log's G queries. In each resample the model is fitted again,
    clicks are weighted anew, and the measures computed again, so that s holds what queries, clicks and
    estimated propensities add. Queries are taken for independent: not where one user has lists of several.

    Args:
        log: as `click_model` takes it.
        run: as `evaluate` takes it.
        measures: likewise, of those that are means over queries; unbiased are those linear in relevance, such
            as DCG.
        model: as for `click_model`.
        method: likewise.
        estimator: as for `qrels_from_clicks`.
        clip: likewise.
        confidence: the share of intervals that hold the true value.
        resamples: how many are drawn.
        seed: of these, and of ``ties="random"``.
        columns: the columns of the log, where their names do not say it; those of the run as ``"run.item"``.
        **choices: those of `evaluate`, and ``like``.

    Raises:
        MeasureError: a measure that is no arithmetic mean over queries.
        ChoiceError: another model, method or estimator, or a number that is none.
        UsageError: several runs, or a file that is not there.
        DataError: a log of which no model can be made.

    Source:
        B. Efron and R. J. Tibshirani, "An introduction to the bootstrap", 1993, chapter 6: what is estimated
        of the data is estimated again of each resample; those of `qrels_from_clicks`.

    Example:
        >>> import polars as pl, rankmark as rm
        >>> shown = [("a", 1, 8), ("b", 2, 2), ("a", 2, 4), ("b", 1, 4)]  # ten lists of each
        >>> rows = [
        ...     {"query": f"q{i % 5}", "list": f"{item}{position}{i}", "item": item, "position": position,
        ...      "click": i < clicks}
        ...     for item, position, clicks in shown for i in range(10)
        ... ]
        >>> run = {f"q{i}": ["a", "b"] for i in range(5)}
        >>> found = rm.evaluate_clicks(pl.DataFrame(rows), run, "DCG@2", resamples=50)
        >>> round(found["DCG@2"], 4), found.intervals["DCG@2"].resamples
        (1.0524, 50)

    """
    import polars as pl

    how = method_of(model, method)
    check_weighing(estimator, clip)
    check_share(confidence=confidence)
    check_drawn(resamples, seed)
    said = dict(columns_said(columns))
    of_run = {key: name for key, name in said.items() if key.startswith("run.")}
    read = read_click_log(log, {key: name for key, name in said.items() if key not in of_run})
    results = read_shared(run, "run", of_run)
    labels = read.clusters("query")
    rows, fitter, found = fitted(read, model, how, labels)
    weighed = weighed_clicks(rows, found.propensities(rows), estimator, clip)
    again = f"estimated again in {counted(resamples, 'resample')} of queries for intervals"
    qrels = made_qrels(read, weighed, f"{MODELS[model]}, {how}, {again}", estimator, clip)

    def evaluated(judged: Any) -> ListResult:
        found: ListResult = evaluate(judged, results, measures, columns=of_run, seed=seed, **choices)
        return found

    whole = evaluated(qrels)
    for measure in whole.measures:
        if not measure.is_mean_of_queries:
            raise MeasureError(f"{measure} is no mean over queries, of which intervals by clicks are")
    items = read.frame.select("query", "item").unique(maintain_order=True)
    queries = items["query"].unique(maintain_order=True).to_list()
    place = {query: number for number, query in enumerate(queries)}  # the number of the cluster
    means = np.full((resamples, len(whole.measures)), math.nan)
    with counting("resampling queries", resamples) as counter:
        for number, drawn in enumerate(drawn_clusters(labels, resamples, seed)):
            looked = fitter(drawn).propensities(rows)
            relevance = weighed_clicks(rows, looked, estimator, clip).relevance
            if (known := ~np.isnan(relevance)).any():
                part = evaluated(items.with_columns(pl.Series("relevance", relevance)).filter(known))
                own = drawn[[place[query] for query in part.query_ids]]
                means[number] = [_mean(part.query_values(each), own) for each in whole.measures]
            counter.done += 1
    return whole.with_intervals_of(
        {
            str(measure): _interval(whole.query_values(measure), means[:, number], confidence)
            for number, measure in enumerate(whole.measures)
        }
    )


def _mean(values: Floats, weights: Floats) -> float:
    """The weighted mean of the values that there are; NaN of none."""
    there = ~np.isnan(values)
    total = float(weights[there].sum())
    return float(values[there] @ weights[there]) / total if total else math.nan


def _interval(values: Floats, drawn: Floats, confidence: float) -> PredictionInterval:
    """T by the standard deviation of what was drawn."""
    from scipy.special import stdtrit

    there = drawn[~np.isnan(drawn)]
    queries = int(np.count_nonzero(~np.isnan(values)))
    low = high = math.nan
    note = f"{counted(queries, 'query', 'queries')}, fewer than {FEW_CLUSTERS}: it can be too short"
    if queries < 2 or len(there) < 2:
        note = "the queries are too few, or their resamples have no values"
    else:
        note = note if queries < FEW_CLUSTERS else ""
        error = float(there.std(ddof=1)) * math.sqrt(queries / (queries - 1))
        reach = float(stdtrit(queries - 1, (1 + confidence) / 2)) * error
        mean = float(np.nanmean(values))
        low, high = mean - reach, mean + reach
    left = len(drawn) - len(there)
    return PredictionInterval(low, high, confidence, "t", "queries", queries, len(drawn), left, note)
