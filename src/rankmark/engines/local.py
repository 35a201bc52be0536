"""Everything in memory, on the threads of this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark import _native
from rankmark.lists import JudgedLists

if TYPE_CHECKING:
    from rankmark.choices import Choices
    from rankmark.inputs import Input

__all__ = ["judged_lists", "observe"]


def observe(qrels: Input, run: Input, choices: Choices, threads: int | None) -> _native.JudgedLists:
    """Matches the run with the judgements and ranks it, once for all measures."""
    return _native.judge_lists(
        _columns(qrels),
        _columns(run),
        ties=choices.ties,
        seed=choices.seed,
        duplicates=choices.duplicates,
        unjudged=choices.unjudged,
        unjudged_queries=choices.unjudged_queries,
        scores=choices.scores,
        threads=threads or 0,
    )


def judged_lists(observed: _native.JudgedLists) -> JudgedLists:
    """What list measures see of it."""
    ties = None
    if observed.tied_first is not None and observed.tied_last is not None:
        ties = (observed.tied_first, observed.tied_last)
    ideal = JudgedLists.perfect(observed.ideal, observed.ideal_offsets)
    return JudgedLists(
        observed.rank, observed.relevance, observed.offsets, observed.retrieved, ties=ties, ideal=ideal
    )


def _columns(table: Input) -> _native.Columns:
    return table.table, table.name, table.query, table.item, table.value, table.rank
