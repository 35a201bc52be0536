"""The gate for predictions: a new model passes unless it is worse than it may be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rankmark.aggregation.intervals import UPWARD, Labelled, OfSums, Sample, Sampling, Unit, is_auc
from rankmark.aggregation.terms import Terms
from rankmark.api.evaluated import Evaluated
from rankmark.api.systems import evaluate_systems
from rankmark.comparing.conditions import Conditions, Judged, Limits
from rankmark.comparing.deciding import (
    Decider,
    Ends,
    OfCalibration,
    OfQueries,
    OfSamples,
    OfSpreads,
    OfValues,
)
from rankmark.comparing.gates import Gate, Side
from rankmark.comparing.predictions import check_options
from rankmark.comparing.stored import check_stored, opened
from rankmark.comparing.systems import check_systems
from rankmark.errors import UsageError
from rankmark.inputs.predictions.systems import SystemScores, asked_systems, is_one_table
from rankmark.language.measure import Measure
from rankmark.results.predictions import PredictionResult
from rankmark.statistics.resampling import Floats, check_drawn

__all__ = ["gate_predictions"]

SUCH = ', such as baseline="old" of scores={"old": "old_score", "new": "new_score"}'
"""How a baseline is given."""


def gate_predictions(
    table: Any,
    scores: str | Mapping[str, str] | None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    baseline: str | PredictionResult | None = None,
    max_drop: float | str | None = None,
    at_least: Limits = None,
    at_most: Limits = None,
    confidence: float | None = None,
    resamples: int | None = None,
    seed: int = 0,
    hash_inputs: bool = False,
    **options: Any,
) -> Gate:
    """Says whether a system's predictions are worse than a baseline's by no more than is allowed.

    As `gate`, of systems that scored the same rows: the drop is b − c, or (b − c) / b; of a measure of which
    less is better, such as LogLoss, its negative. With `confidence` the one-sided bound decides, over queries
    where there is a column of them, else over rows: of AUC by DeLong's variance, or where it is greater by
    pairs as bad as can be none of which was seen; of shares of rows (accuracy, precision) exactly; of means
    over queries (GAUC, measures of lists) by Gaffke's bound with the worst value of the measure; of functions
    of sums over rows (LogLoss, Brier, …) by the same of what each adds, with the worst that was seen for the
    worst there is; of ECE and ACE by what their bins are off by, of other errors of calibration by none; of
    all else (AveragePrecision, KS) by that of what the jackknife says each adds, or the bootstrap's (BCa)
    where that is greater. Of Brier and Accuracy the worst is a row as bad as can be, or a query as
    large as the largest, all of whose rows are; so it is of LogLoss, by its clip, where too few differ. Of
    fewer than 25 where the worst is not known, and of AUC, there is no bound, nor where the worst is not
    known and fewer than 10 differ, and the gate fails. A gate is true if it passes.

    Args:
        table: as for `compare_predictions`; or with one system one table.
        scores: as for `compare_predictions`; or with one system its column, or None for the usual names.
        measures: as for `evaluate_predictions`; by none of them it may drop.
        baseline: the system of two that there is; or what `evaluate_predictions` gave for it, or a path
            where that was saved, whose values alone are known; or None, with limits.
        max_drop: a number in the measure's unit (0.005), or a share of the baseline's value as text
            (``"0.5%"``).
        at_least: the least value of a measure that passes, ``{"AUC": 0.7}``.
        at_most: the greatest, for measures of which less is better, or neither, ``{"PCOPC": 1.05}``.
        confidence: above 0.5 and below 1, such as 0.95.
        resamples: as for `evaluate_predictions`.
        seed: of the resamples and of ``ties="random"``.
        hash_inputs: whether to hash what the tables hold, for `Gate.inputs`.
        **options: what else `evaluate_predictions` takes: ``label``, ``query``, ``item``, ``weight``,
            ``positive``, ``ties``, ``no_relevant``, ``duplicates``, ``short_lists``, ``like``, ``threads``.

    Raises:
        UsageError: as `gate`; or several candidates.
        DataError: as `gate`; or tables that are not of the same rows.

    Example:
        >>> import rankmark as rm
        >>> table = {"label": [1, 1, 1, 0, 0, 0], "old": [4, 1, 3, 2, 6, 5], "new": [6, 5, 2, 3, 1, 4]}
        >>> decided = rm.gate_predictions(
        ...     table, {"old": "old", "new": "new"}, "AUC", baseline="old", max_drop="1%"
        ... )
        >>> print(decided.reason(decided.measures[0]))
        passed: AUC 0.2222 → 0.7778, better by 250%; allowed 1%; decided by the point estimate on 6 rows
        >>> bool(rm.gate_predictions(table, "new", at_least={"AUC": 0.8}))
        False

    """
    check_options("gate_predictions", options)
    limits: dict[Side, Limits] = {"least": at_least, "most": at_most}
    baseline = opened(baseline, PredictionResult)
    asked = _asked(table, scores, baseline)
    conditions = Conditions.of(
        measures, max_drop, limits, confidence, has_baseline=baseline is not None, such=SUCH
    )
    check_drawn(1 if resamples is None else resamples, seed, options.get("threads"))
    stored = baseline if isinstance(baseline, PredictionResult) else None
    if any(each.of_classes for each in asked.values()):
        raise UsageError("a gate decides of one score in a row, and here are scores of classes")
    sampling = None
    if confidence is not None:
        sampling = Sampling(None, confidence, resamples, seed, options.get("threads") or 0)
    how = {**options, "seed": seed, "hash_inputs": hash_inputs}
    found = evaluate_systems(asked, conditions.asked, sampling, how)
    (new,) = (each for name, each in found.systems.items() if name != baseline)
    old = found.systems[baseline] if isinstance(baseline, str) else None
    if stored is not None:
        check_stored("the baseline", stored, new.result, map(new.result._find, conditions.measures))
    return conditions.decided(_OfPredictions(old, stored, new, sampling, found.notes), seed)


def _asked(table: Any, scores: str | Mapping[str, str] | None, baseline: object) -> dict[str, SystemScores]:
    """The candidate's table and column, and the baseline's if that is a system."""
    if baseline is None or isinstance(baseline, PredictionResult):
        if not isinstance(scores, Mapping) and is_one_table(table):
            return {"candidate": SystemScores(table, scores)}
        asked = asked_systems(table, scores)
        if len(asked) == 2:
            first, second = asked
            raise UsageError(f"which of {first}, {second} is the baseline? say baseline={first!r}")
        return _of_one(asked)
    asked = asked_systems(table, scores)
    check_systems(asked, baseline)  # type: ignore[arg-type]
    return _of_one(asked)


def _of_one(asked: dict[str, SystemScores]) -> dict[str, SystemScores]:
    """Refuses more systems than a candidate and a baseline."""
    if len(asked) > 2:
        raise UsageError(
            f"a gate decides of one candidate; here are {len(asked)} systems: {', '.join(asked)}"
        )
    return asked


def _of_same_queries(samples: Sequence[Sample]) -> list[Terms]:
    """What queries add to each value, where these are means over the same ones; else nothing."""
    terms = [each.queries for each in samples if isinstance(each, OfSums) and each.queries is not None]
    places = [each.places for each in samples if isinstance(each, OfSums) and each.places is not None]
    known = len(terms) == len(places) == len(samples)
    return terms if known and all(np.array_equal(each, places[0]) for each in places) else []


MEANS_OF_ROWS = ("LogLoss", "Brier", "BinaryAccuracy", "BinaryErrorRate")
"""Measures that are the mean of a value of each row."""


def _ends(measure: Measure, rows: Labelled) -> Ends:
    """The least and the greatest value of a row, of means over rows that weigh the same."""
    if measure.name not in MEANS_OF_ROWS or np.ptp(rows.weight):
        return None, None
    if measure.name != "LogLoss":
        return measure.bounds
    clip, unit = measure.arguments["clip"], measure.arguments["unit"]
    if not isinstance(clip, float) or not 0 < clip < 1:  # that of the scores' precision
        return None, None
    return 0.0, -math.log(clip) / (math.log(2) if unit == "bits" else 1)


def _sizes(rows: Labelled) -> Floats:
    """How many rows each unit has."""
    return np.ones(rows.count) if rows.query is None else np.bincount(rows.query).astype(np.float64)


class _OfPredictions(Judged):
    """Of systems that scored the same rows."""

    def __init__(
        self,
        old: Evaluated | None,
        stored: PredictionResult | None,
        new: Evaluated,
        sampling: Sampling | None,
        notes: Iterable[str],
    ) -> None:
        before = old.result if old else stored
        super().__init__([] if before is None else [before], [new.result], stored=stored is not None)
        self._systems = [new] if old is None else [old, new]
        self._sampling, self._notes = sampling, notes

    def both(self, measure: Measure) -> Decider:
        """As `Judged.both`."""
        if self.stored:
            assert self.old is not None
            return self._of_values(measure, [self.old[measure], self.new[measure]])
        return self._decider(measure, self._systems)

    def candidate(self, measure: Measure) -> Decider:
        """As `Judged.candidate`."""
        return self._decider(measure, self._systems[-1:])

    def _decider(self, measure: Measure, systems: list[Evaluated]) -> Decider:
        values = [each.result[measure] for each in systems]
        labelled = systems[0].labelled
        if self._sampling is None or labelled is None or not all(map(math.isfinite, values)):
            return self._of_values(measure, values)
        if is_auc(measure):
            spreads = [each.labelled.spread() for each in systems if each.labelled]
            return OfSpreads(spreads, labelled.units, labelled.unit)
        samples = [each.samples[measure] for each in systems]
        if terms := _of_same_queries(samples):
            return OfQueries(terms)
        if measure.name in UPWARD:
            return OfCalibration(values, samples, self._sampling, labelled.unit)
        unit: Unit = "queries" if measure.page.kind == "list" else labelled.unit
        worst = _ends(measure, labelled), _sizes(labelled), measure.name != "LogLoss"
        return OfSamples(values, samples, self._sampling, unit, *worst)

    def _of_values(self, measure: Measure, values: list[float]) -> OfValues:
        """Of as many queries as have a value, or of all rows."""
        if measure in self.new.query_measures:
            return OfValues(
                values, int(np.count_nonzero(~np.isnan(self.new.query_values(measure)))), "queries"
            )
        assert isinstance(self.new, PredictionResult)
        return OfValues(values, self.new.counts.rows, "rows")

    def notes(self) -> Iterator[str]:
        """As `Judged.notes`."""
        yield from super().notes()
        yield from self._notes
