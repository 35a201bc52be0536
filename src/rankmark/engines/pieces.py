"""A file of results that is judged while it is read, so that neither waits and no memory holds all of it.

It is right only where the rows of each query stand together, as they do in most such files. Where a query
comes back, and where anything is refused, whoever called reads the file whole.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from rankmark.aggregation.observed import Block, Observed
from rankmark.aggregation.oddities import SAMPLED
from rankmark.aggregation.state import Observation
from rankmark.engines.local import columns_of
from rankmark.errors import RankmarkError
from rankmark.inputs import Input, align_ids, extent_of, read_inputs, read_shared
from rankmark.inputs.flowing import flow_of, together
from rankmark.inputs.looked_at import TablesLookedAt
from rankmark.inputs.roles import check_names
from rankmark.inputs.tables.several import is_path
from rankmark.language.conventions.limits import Extent, spanning
from rankmark.panics import hidden_panics
from rankmark.progress import counting_rows

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from rankmark._native import CompiledGroup, Table
    from rankmark.inputs.flowing import Flow
    from rankmark.inputs.roles import ColumnNames
    from rankmark.language.plan import Group

__all__ = ["observation"]


def observation(
    qrels: Any,
    run: str | os.PathLike[str],
    groups: Sequence[Group],
    *,
    columns: ColumnNames | None,
    threads: int | None,
    extents: bool,
) -> tuple[Any, Observation | None]:
    """As `rankmark.engines.local.observe_sources`.

    Returns:
        The judgements, read where they may be there but once; and None where both tables have to be read
        whole.

    """
    group = groups[0]
    if len(groups) > 1 or group.compiled is None or group.choices.candidates != "all":
        return qrels, None
    if (flow := flow_of(run, columns)) is None:
        return qrels, None
    if not is_path(qrels):
        if columns and not isinstance(qrels, Input):  # of which both tables are asked before one is read
            return qrels, None
        qrels = read_shared(qrels, "qrels", columns)
    try:
        with hidden_panics():  # of what reads in the background, where it is interrupted
            return qrels, _observed(qrels, run, flow, group.compiled, columns, threads, extents=extents)
    except RankmarkError:  # of which those who have all rows can say where it is
        return qrels, None


def _observed(
    qrels: Any,
    run: str | os.PathLike[str],
    flow: Flow,
    compiled: CompiledGroup,
    columns: ColumnNames | None,
    threads: int | None,
    *,
    extents: bool,
) -> Observation | None:
    tables = flow.start(threads)  # it is read while judgements are
    judged = read_shared(qrels, "qrels", columns)
    check_names(columns, {"qrels": judged.names, "run": flow.names})
    if (begin := next(tables, None)) is None:
        return None
    first = flow.read(begin)
    judged, aligned = align_ids(judged, first)
    # Tables with as many rows may be one that was given twice, which is told by whole ones.
    if (
        aligned is not first
        or judged.aspects is not None
        or judged.table.num_rows in (flow.rows, SAMPLED + 1)
    ):
        return None
    if (lists := compiled.in_pieces(columns_of(judged), threads or 0)) is None:
        return None
    seen, names = _Seen(first), columns_of(first)[1:]
    with counting_rows("evaluating") as rows:
        for table in chain([begin], tables):
            if not lists.add((table, *names)):
                return None
            seen.add(table, extents=extents)
            rows.advance(table.num_rows, seen.rows / flow.rows)
    if seen.rows != flow.rows:  # the end of a damaged file, or of one that was changed
        return None
    if (found := lists.finish()) is None:
        return None
    unjudged_queries, queries, values = found
    ids = queries.ids(judged.table, judged.query)
    return Observation(
        Block(queries, ids, [Observed(queries, values)], unjudged_queries),
        (judged, replace(first, table=together(seen.head, SAMPLED + 1))),
        {},
        lambda: (extent_of(judged), seen.extent),
        TablesLookedAt(cache(lambda: read_inputs(judged, run, columns))),
    )


class _Seen:
    """What is kept of pieces: how many rows they have, the first ones, and the extent of all."""

    def __init__(self, first: Input) -> None:
        self.rows = 0
        self.head: list[Table] = []
        self.extent: Extent | None = None
        self._first = first

    def add(self, table: Table, *, extents: bool) -> None:
        """Takes in the next one."""
        # What is said of the first rows looks at no more of them, but whether there are more.
        if self.rows <= SAMPLED:
            self.head.append(table)
        self.rows += table.num_rows
        if extents:
            self.extent = spanning(self.extent, extent_of(replace(self._first, table=table)))
