"""Everything in memory, on the threads of this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark import _native
from rankmark.engines.observed import Observed, Part, measured, merged

if TYPE_CHECKING:
    from rankmark.choices import Choices
    from rankmark.inputs import Input
    from rankmark.measure import Measure

__all__ = ["observe"]


def observe(
    qrels: Input, run: Input, choices: Choices, measures: tuple[Measure, ...], threads: int | None
) -> Observed:
    """Matches the run with the judgements and ranks it once for all measures.

    Each thread judges some queries and computes their measures while their lists are still in its cache.
    """
    parts: list[Part] = []
    first_rows, unjudged_queries = _native.judge_lists(
        _columns(qrels),
        _columns(run),
        lambda lists: parts.append(measured(lists, measures)),
        ties=choices.ties,
        seed=choices.seed,
        duplicates=choices.duplicates,
        unjudged=choices.unjudged,
        unjudged_queries=choices.unjudged_queries,
        scores=choices.scores,
        threads=threads or 0,
    )
    return merged(parts, first_rows, unjudged_queries)


def _columns(table: Input) -> _native.Columns:
    return table.table, table.name, table.query, table.item, table.value, table.rank
