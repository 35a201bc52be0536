"""Several systems that scored the same rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rankmark.aggregation.rows import RowsOf
from rankmark.api.labelled import Evaluated, Work, check_one_score
from rankmark.api.prediction_plans import Plans
from rankmark.inputs.predictions.systems import SystemScores, read_systems
from rankmark.language.measure import Measure, weighing
from rankmark.language.plan import check_threads

if TYPE_CHECKING:
    from rankmark.aggregation.intervals import Sampling

__all__ = ["evaluate_systems"]

ROLES = ("label", "query", "item", "weight")


def evaluate_systems(
    systems: Mapping[str, SystemScores],
    measures: str | Measure | Iterable[str | Measure],
    sampling: Sampling,
    options: Mapping[str, Any],
) -> tuple[dict[str, Evaluated], tuple[str, ...]]:
    """Evaluates the scores of several systems, each with what of it can be drawn again.

    Args:
        systems: each system's table and column of scores.
        measures: as for `evaluate_predictions`.
        sampling: how intervals are made.
        options: what else `evaluate_predictions` takes: ``label``, ``query``, ``item``, ``weight``,
            ``positive``, ``ties``, ``no_relevant``, ``duplicates``, ``short_lists``, ``like``, ``threads``.

    Returns:
        Each system's values, and what a reader should know of how the tables were brought together.

    """
    threads = options.get("threads")
    given = {name: options.get(name) for name in ("ties", "no_relevant", "duplicates", "short_lists")}
    plans = Plans(measures, options.get("like"), {**given, "seed": sampling.seed or None})
    check_threads(threads)
    work = Work.of(plans, sampling, threads)
    said = {role: options.get(role) for role in ROLES}
    read = read_systems(systems, said, options.get("positive"), weighing(work.plan.measures))
    for own in read.predictions.values():
        check_one_score(own, work.plan.measures)
    tables = {name: RowsOf.of_table(own, threads or 0) for name, own in read.predictions.items()}
    return {name: work.evaluated(rows) for name, rows in tables.items()}, read.notes
