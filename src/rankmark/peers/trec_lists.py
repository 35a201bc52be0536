"""The lists of all judged queries, as trec_eval sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankmark._native import Table
from rankmark.dataclassing import dataclass
from rankmark.engines import local
from rankmark.errors import DataError
from rankmark.kinds.lists import JudgedLists
from rankmark.language.choices import Choices, Duplicates, Scores
from rankmark.peers.trec_arithmetic import Settings
from rankmark.peers.trec_files import Files, shown
from rankmark.peers.trec_plan import NOT_COMPUTED, Line, TrecEvalError

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from rankmark.inputs import Input
    from rankmark.kinds.lists import Values

__all__ = ["WALKING", "Judged"]

NOT_JUDGED = -1
POOLED = -2
"""The grades that trec_eval gives an item that nobody judged, and one that is judged below 0."""

WALKING = {
    "map", "gm_map", "Rprec", "recip_rank", "iprec_at_recall", "P", "recall", "Rprec_mult", "11pt_avg",
    "binG", "map_cut", "relative_P", "success", "yaap",
}  # fmt: skip
"""The measures that with a level below 0 find items relevant which are not judged."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The lists of all judged queries, as trec_eval sees them.

    Attributes:
        names: the queries'.
        answered: whether each has results.
        lists: their lists; a query without results has none.
        blank: the same, but a query without results has a list of one item that nobody judged.
        settings: which items and queries count.
        repeated: for each query with an item that stands there twice, what is wrong.

    """

    names: Sequence[str]
    answered: NDArray[np.bool_]
    lists: JudgedLists
    blank: JudgedLists
    settings: Settings
    repeated: Mapping[str, str]

    @classmethod
    def of(cls, files: Files, settings: Settings) -> Judged:
        """Matches results with judgements."""
        try:
            return cls._matched(files, settings, "error", {})
        except DataError:
            files, repeated = _without_repeated(files, settings)
            return cls._matched(files, settings, "first", repeated)

    @classmethod
    def _matched(
        cls, files: Files, settings: Settings, duplicates: Duplicates, repeated: Mapping[str, str]
    ) -> Judged:
        scores: Scores = "float32" if settings.version == 9 else "float64"
        lists, answered, rows = local.judged_lists(
            files.qrels, files.run, Choices(duplicates=duplicates, scores=scores, ties=settings.ties)
        )
        queries = files.qrels.table.take(files.qrels.query, rows, "query").column_values("query")
        if settings.level < 0:
            lists = _changed(lists, ideal=_without_negative(lists.ideal))
        blank = _changed(lists, retrieved=np.where(answered, lists.retrieved, 1))
        seen = [_seen(each, settings) for each in (lists, blank)]
        return cls([str(query) for query in queries], answered, seen[0], seen[1], settings, repeated)

    def evaluated(self, *, with_lists: bool) -> tuple[Sequence[int], TrecEvalError | None]:
        """The queries that are evaluated, in trec_eval's order, and what ends it before the next.

        Args:
            with_lists: whether anything is asked for that needs a query's list.

        """
        order = sorted(range(len(self.names)), key=self.names.__getitem__)
        if self.settings.answered_only:
            order = [query for query in order if self.answered[query]]
        graded = self.lists.ideal.sum(self.lists.ideal.relevance >= 0) > 0
        begun = False
        for place, query in enumerate(order):
            begun |= bool(graded[query])
            wrong = self._missing(query)
            if with_lists and not wrong:
                wrong = self.repeated.get(self.names[query]) or self._ungraded(
                    query, graded=graded[query], begun=begun
                )
            if wrong:
                return order[:place], TrecEvalError(wrong, NOT_COMPUTED)
        return order, None

    def _missing(self, query: int) -> str | None:
        if self.answered[query] or self.settings.complete:
            return None
        missing = len(self.names) - np.count_nonzero(self.answered)
        return (
            f"no results for query {shown(self.names[query])}, the first of {missing} judged without any; "
            "trec_eval 10.0 ends here: -c counts them as 0, --answered leaves them out, as trec_eval 9 did"
        )

    def _ungraded(self, query: int, *, graded: bool, begun: bool) -> str | None:
        if graded or (begun and self.settings.level >= 0):
            return None
        why = "-l below 0 has no meaning for it" if begun else "trec_eval cannot begin with such a query"
        return f"query {shown(self.names[query])} has no judgement of 0 or above, and {why}"

    def seen_by(self, line: Line) -> JudgedLists:
        """The lists that a line is computed of."""
        # These trec_eval leaves at 0 where there are no results, unless they have parameters.
        at_zero = line.known.name in ("num_ret", "unj") or (
            line.known.name in ("relstring", "utility", "rbp_resid") and not line.asked
        )
        lists = self.lists if at_zero else self.blank
        return _with_all_grades(lists) if self._finds_unjudged(line) else lists

    def settings_of(self, line: Line) -> Settings:
        """What holds for a line."""
        return (
            self.settings
            if self._finds_unjudged(line)
            else replace(self.settings, level=max(self.settings.level, 0))
        )

    def _finds_unjudged(self, line: Line) -> bool:
        return self.settings.level < 0 and line.known.name in WALKING


def _seen(lists: JudgedLists, settings: Settings) -> JudgedLists:
    """The lists as they are with -M and -J."""
    if settings.most is not None:
        kept = lists.rank <= settings.most
        lists = _kept(lists, kept, np.minimum(lists.retrieved, settings.most))
    if settings.judged_only:
        judged = lists.relevance >= 0
        lists = _kept(lists, judged, lists.sum(judged).astype(np.int64))
        lists = _changed(lists, rank=lists.place)
    return lists


def _with_all_grades(lists: JudgedLists) -> JudgedLists:
    """The lists with the grades that trec_eval gives items without one."""
    grades = np.where(lists.relevance < 0, POOLED, lists.relevance)
    every = _changed(lists, relevance=grades).with_unjudged(NOT_JUDGED)
    return _changed(every, ideal=lists.ideal)


def _without_negative(lists: JudgedLists) -> JudgedLists:
    """The judgements of 0 and above, best first."""
    kept = lists.where(lists.relevance >= 0)
    return JudgedLists.perfect(kept.relevance, kept.offsets)


def _kept(lists: JudgedLists, keep: NDArray[np.bool_], retrieved: NDArray[np.int64]) -> JudgedLists:
    return _changed(lists.where(keep), retrieved=retrieved)


def _changed(
    lists: JudgedLists,
    *,
    rank: NDArray[np.int64] | None = None,
    relevance: Values | None = None,
    retrieved: NDArray[np.int64] | None = None,
    ideal: JudgedLists | None = None,
) -> JudgedLists:
    """The lists with something else in the place of what is given."""
    return JudgedLists(
        lists.rank if rank is None else rank,
        lists.relevance if relevance is None else relevance,
        lists.offsets,
        lists.retrieved if retrieved is None else retrieved,
        ideal=lists.ideal if ideal is None else ideal,
    )


# --- Items that stand there twice --------------------------------------------------------------------------


def _without_repeated(files: Files, settings: Settings) -> tuple[Files, Mapping[str, str]]:
    """The files without repeated items below -M, and for each query with others what is wrong."""
    import polars as pl

    wrong: dict[str, str] = {}
    for table, what in ((files.qrels, "judged"), (files.run, "retrieved")):
        frame = pl.DataFrame(table.table)
        keys = [table.query, table.item]
        if not frame.select(pl.struct(keys).is_duplicated().any()).item():
            continue
        if table.side == "run" and settings.most is not None:
            frame = _first(frame, table, settings)
            files = replace(files, run=replace(table, table=Table.from_arrow(frame.to_struct())))
        twice = frame.filter(pl.struct(keys).is_duplicated())
        for query, item in twice.select(keys).iter_rows():
            wrong.setdefault(str(query), f"item {shown(item)} is {what} twice for query {shown(query)}")
    return files, wrong


def _first(frame: pl.DataFrame, run: Input, settings: Settings) -> pl.DataFrame:
    """The first rows of each list, equal scores in the order of their items."""
    import polars as pl

    by = [run.value or run.rank or run.item, run.item]
    ranked = frame.sort(by, descending=[run.value is not None, settings.ties == "item-desc"])
    # A query keeps a row, by which it is known to have results.
    return ranked.filter(pl.int_range(pl.len()).over(run.query) < max(settings.most or 0, 1))
