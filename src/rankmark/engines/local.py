"""Everything in memory, on the threads of this machine."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import chain, groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from rankmark import _native
from rankmark import _numpy as np
from rankmark.aggregation import observed
from rankmark.aggregation.observed import (
    Block,
    Measured,
    Observed,
    measured,
    merged,
    with_aspects,
)
from rankmark.aggregation.refusals import some_of
from rankmark.aggregation.state import Observation
from rankmark.errors import DataError, MeasureError
from rankmark.inputs import extent_of, read_inputs, with_text_items
from rankmark.inputs.aspects import as_looked_at, has_several, noted
from rankmark.inputs.looked_at import TablesLookedAt
from rankmark.inputs.tables.several import is_path
from rankmark.language.measure import QueryError
from rankmark.language.plan import Group

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from rankmark.inputs import Input
    from rankmark.inputs.catalogue import Catalogue, Numbered
    from rankmark.inputs.roles import ColumnNames
    from rankmark.kinds.lists import JudgedLists
    from rankmark.language.choices import Choices
    from rankmark.language.measure import Measure

__all__ = ["columns_of", "depth_of", "judged_lists", "observation", "observe", "observe_sources"]

TWICE = 'duplicates="first" or "best"'
"""How it ends what the core says of an item that is judged twice."""
WHOLE = 2**31 - 1
"""More items than any list has."""
CHOICES = attrgetter("choices")


def observe(
    qrels: Input,
    run: Input,
    groups: Sequence[Group],
    threads: int | None,
    items: Numbered | None = None,
) -> Block:
    """Matches the run with the judgements and ranks it, once for groups of measures with the same choices.

    Measures of items need `items`, by whose numbers the tops of lists are kept; those of aspects judgements
    `rankmark.inputs.aspects.as_looked_at`.
    """
    observed: list[Observed] = []
    for group, parts in _together(groups):
        if (whole := _in_any_order(group.choices, parts, groups, observed)) is None:
            whole, unjudged_queries = _observed(qrels, run, group, threads, items)
        observed.extend(_apart(whole, parts))
    queries = observed[0].queries
    return Block(queries, queries.ids(qrels.table, qrels.query), observed, unjudged_queries)


def _together(groups: Sequence[Group]) -> Iterable[tuple[Group, list[tuple[Measure, ...]]]]:
    """Groups of the same choices that follow one another as one, and the measures of each."""
    if len(groups) == 1:
        return [(groups[0], [groups[0].measures])]
    each = [(choices, [group.measures for group in alike]) for choices, alike in groupby(groups, key=CHOICES)]
    return [(Group(choices, tuple(chain.from_iterable(parts))), parts) for choices, parts in each]


def _in_any_order(
    choices: Choices,
    parts: Sequence[tuple[Measure, ...]],
    groups: Sequence[Group],
    observed: Sequence[Observed],
) -> Observed | None:
    """What was observed in another order of equal scores, where these decide nothing; else None."""
    if choices.ties not in ("best", "worst", "expected"):
        return None
    for (others, measures), known in zip(groups, observed, strict=False):
        if (
            [measures] == parts
            and others.ties != "expected"
            and replace(others, ties=choices.ties) == choices
            and _is_in_any_order(known, measures, choices)
        ):
            return known._replace(values=[values.copy() for values in known.values])
    return None


def _is_in_any_order(known: Observed, measures: tuple[Measure, ...], choices: Choices) -> bool:
    """Whether measures have the same values in another order of equal scores.

    Where these decide nothing, under the best and the worst order there is the same grade at each rank, and
    so the same value: to the last bit, but for BPM and INST, which add up the ranks between judged items at
    once, and an item judged 0 may be at another of them. The mean over all orders is added up otherwise
    where equal grades share ranks, and where none do it is known to be the same of what the core computes.
    """
    if choices.ties == "expected":
        return known.queries.apart and all(measure.compiled is not None for measure in measures)
    return not (
        known.queries.ties
        # What a measure of one's own looks at is not known.
        or any(m.tells_unjudged or m.page.kind == "item" or m.page.origin for m in measures)
    )


def _apart(observed: Observed, groups: Sequence[tuple[Measure, ...]]) -> list[Observed]:
    """What was observed of the measures of all groups at once, for each group."""
    if len(groups) == 1:
        return [observed]
    values = iter(observed.values)
    sizes = [sum(each.page.arrays for each in group if not each.of_all_lists) for group in groups]
    return [observed._replace(values=list(islice(values, size))) for size in sizes]


def observe_sources(
    qrels: Any,
    run: Any,
    groups: Sequence[Group],
    *,
    columns: ColumnNames | None = None,
    text_items: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,  # noqa: ARG001 - it takes what it needs
    hash_inputs: bool = False,
    known: Catalogue | None = None,
    extents: bool = False,
) -> Observation:
    """Reads both tables, a large file of results piece by piece.

    The arguments are those of `rankmark.evaluate`.

    Raises:
        DataError: a table that cannot be evaluated as it is.

    """
    if is_path(run) and known is None and not (text_items or hash_inputs):
        from rankmark.engines import pieces

        qrels, found = pieces.observation(
            qrels, run, groups, columns=columns, threads=threads, extents=extents
        )
        if found is not None:
            return found
    tables = read_inputs(qrels, run, columns)
    return observation(
        *tables, groups, text_items=text_items, threads=threads, hash_inputs=hash_inputs, known=known
    )


def observation(
    qrels: Input,
    run: Input,
    groups: Sequence[Group],
    *,
    text_items: bool,
    threads: int | None,
    hash_inputs: bool,
    known: Catalogue | None = None,
) -> Observation:
    """The same of tables that have been read and whose ids have the same types."""
    if text_items:
        qrels, run = with_text_items(qrels), with_text_items(run)
    qrels = as_looked_at(qrels, groups)
    inputs: dict[str, str] = {table.side: _digest(table) for table in (qrels, run)} if hash_inputs else {}
    items = None
    if known is not None:
        from rankmark.inputs.catalogue import Numbered

        items = Numbered(known, integer=run.item_ids == "integer")
    if qrels.aspects is not None and qrels.aspects.column not in (qrels.stratum, qrels.probability):
        qrels = noted(qrels, qrels.aspects.names)
    block = observe(qrels, run, groups, threads, items)
    if items is not None:
        block = block.with_items(items, run.name)
    tables = qrels, run
    looked_at = TablesLookedAt(lambda: tables)
    return Observation(block, tables, inputs, lambda: (extent_of(qrels), extent_of(run)), looked_at)


def _digest(table: Input) -> str:
    from rankmark.inputs.digest import digest  # which needs polars

    return digest(table)


def _observed(
    qrels: Input,
    run: Input,
    group: Group,
    threads: int | None,
    items: Numbered | None = None,
) -> tuple[Observed, int]:
    """What a group of measures gives for the judged queries, and how many others have results.

    Each thread judges some queries and computes their measures while their lists are still in its cache.
    """
    if group.compiled is not None:
        return _computed(qrels, run, group.compiled, threads or 0)
    choices, measures = group
    parts: list[Measured] = []
    failed: list[QueryError] = []
    of_items = [measure for measure in measures if measure.page.kind == "item"]
    of_all = [measure for measure in of_items if measure.of_all_lists]
    numbered = items
    if numbered is None and of_items:
        from rankmark.inputs.catalogue import numbered_alone

        numbered = numbered_alone(integer=run.item_ids == "integer")
    top = (numbered.numbers, depth_of(of_items)) if numbered is not None and of_items else None

    def consume(lists: _native.JudgedLists) -> None:
        try:
            parts.append(measured(lists, measures, choices))
        except QueryError as error:  # whose query has an id once all have been judged
            failed.append(error)

    first_rows, unjudged_queries = _judge(qrels, run, choices, consume, threads=threads or 0, top=top)

    def named(error: QueryError) -> MeasureError:
        ids = qrels.table.take(qrels.query, first_rows[error.number : error.number + 1], "query")
        return error.named(some_of(ids, np.ones(1, dtype=np.bool_)).ids[0])

    if failed:
        first = min(failed, key=lambda error: error.number)
        raise named(first) from first.__cause__
    observed = merged(parts, first_rows)
    if numbered is not None and top is not None:
        from rankmark.kinds.items import together

        tops = together(
            [(part.numbers, part.tops) for part in parts if part.tops is not None], len(first_rows)
        )
        best = choices.duplicates == "best"
        if len(of_all) < len(of_items):
            try:
                observed = with_aspects(observed, numbered.with_aspects(tops, qrels, best=best), measures)
            except QueryError as error:
                raise named(error) from None
        if of_all:
            judged = cache(lambda: numbered.judged(qrels, best=best))
            tops = tops.down_to(depth_of(of_all))
            observed = observed._replace(tops=tops, judged=judged if qrels.judges else None)
    return observed, unjudged_queries


def _computed(
    qrels: Input, run: Input, compiled: _native.CompiledGroup, threads: int
) -> tuple[Observed, int]:
    """The same of measures that the core computes."""
    tables = columns_of(qrels), columns_of(run)
    try:
        unjudged_queries, queries, values = compiled.observe(*tables, threads)
    except DataError as error:
        raise _in_own_rows(error, qrels, run) from None
    return Observed(queries, values), unjudged_queries


def depth_of(measures: Iterable[Measure]) -> int:
    """How many items from the top measures look at."""
    return max(WHOLE if measure.cutoff is None else min(measure.cutoff, WHOLE) for measure in measures)


def judged_lists(
    qrels: Input, run: Input, choices: Choices
) -> tuple[JudgedLists, NDArray[np.bool_], NDArray[np.uint32]]:
    """The lists of all queries at once, whether each has results, and its first row in the judgements."""
    parts: list[_native.JudgedLists] = []
    first_rows, _ = _judge(qrels, run, choices, parts.append, whole=True)
    (lists,) = parts
    return observed.judged_lists(lists), lists.answered, first_rows[lists.queries]


def _judge(
    qrels: Input,
    run: Input,
    choices: Choices,
    consume: Callable[[_native.JudgedLists], None],
    *,
    whole: bool = False,
    threads: int = 0,
    top: tuple[_native.ItemNumbers, int] | None = None,
) -> tuple[NDArray[np.uint32], int]:
    tables = columns_of(qrels), columns_of(run)
    try:
        return _native.judge_lists(*tables, consume, choices, whole=whole, threads=threads, top=top)
    except DataError as error:
        raise _in_own_rows(error, qrels, run) from None


def _in_own_rows(error: DataError, qrels: Input, run: Input) -> DataError:
    """What the core says, which counts items where a table has a list in each row."""
    message = run.in_own_rows(qrels.in_own_rows(str(error)))
    twice = message.startswith(f"{qrels.name}:") and message.endswith(TWICE)
    return type(error)(message + (has_several(qrels) if twice else ""))


def columns_of(table: Input) -> _native.Columns:
    """A table as the core takes it."""
    item = table.item if table.judges else None
    return table.table, table.name, table.query, item, table.value, table.rank
