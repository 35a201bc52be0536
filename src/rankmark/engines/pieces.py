"""A file of results that is judged while it is read, so that neither waits and no memory holds all of it.

It is right only where the rows of each query stand together, as they do in most such files. Where a query
comes back, and where anything is refused, whoever called reads the file whole.
"""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from rankmark.aggregation.observed import Block, Observed
from rankmark.aggregation.state import Observation
from rankmark.engines.local import columns_of
from rankmark.errors import RankmarkError
from rankmark.inputs import align_ids, extent_of, read_inputs, read_shared
from rankmark.inputs.flowing import flow_of, without_rows
from rankmark.inputs.looked_at import TablesLookedAt
from rankmark.inputs.roles import check_names
from rankmark.language.conventions.limits import Extent, spanning
from rankmark.progress import counting_rows

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from rankmark._native import CompiledGroup
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
) -> Observation | None:
    """As `rankmark.engines.local.observe_sources`; None where both tables have to be read whole."""
    group = groups[0]
    if len(groups) > 1 or group.compiled is None or group.choices.candidates != "all":
        return None
    if (flow := flow_of(run, columns)) is None:
        return None
    try:
        return _observed(qrels, run, flow, group.compiled, columns, threads, extents=extents)
    except RankmarkError:  # of which those who have all rows can say where it is
        return None


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
    pieces = flow.start()  # it is read while judgements are
    judged = read_shared(qrels, "qrels", columns)
    check_names(columns, {"qrels": judged.names, "run": flow.names})
    first = next(pieces)
    judged, aligned = align_ids(judged, first)
    # Tables with as many rows may be one that was given twice, which is told by whole ones.
    if (
        aligned is not first
        or judged.aspects is not None
        or judged.table.num_rows in (flow.rows, first.table.num_rows)
    ):
        return None
    if (lists := compiled.in_pieces(columns_of(judged), threads or 0)) is None:
        return None
    extent: Extent | None = None
    with counting_rows("evaluating") as rows:
        for piece in chain([first], pieces):
            if not lists.add(columns_of(piece)):
                return None
            if extents:
                extent = spanning(extent, extent_of(piece))
            count = piece.table.num_rows
            rows.advance(count, (rows.count + count) / flow.rows)
    unjudged_queries, queries, values = lists.finish(columns_of(without_rows(first)))
    ids = queries.ids(judged.table, judged.query)
    return Observation(
        Block(queries, ids, [Observed(queries, values)], unjudged_queries),
        (judged, first),
        {},
        lambda: (extent_of(judged), extent),
        TablesLookedAt(cache(lambda: read_inputs(judged, run, columns))),
    )
