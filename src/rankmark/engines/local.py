"""Everything in memory, on the threads of this machine."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark import _native
from rankmark.aggregation import observed
from rankmark.aggregation.observed import Block, Measured, Observed, measured, merged
from rankmark.aggregation.refusals import some_of
from rankmark.aggregation.state import Observation
from rankmark.errors import DataError
from rankmark.inputs import extent_of, read_inputs, with_text_items
from rankmark.inputs.aspects import by_aspect, has_several
from rankmark.inputs.looked_at import TablesLookedAt
from rankmark.language.own import QueryError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from rankmark.inputs import Input
    from rankmark.inputs.catalogue import Catalogue, Numbered
    from rankmark.inputs.roles import ColumnNames
    from rankmark.kinds.lists import JudgedLists
    from rankmark.language.choices import Choices
    from rankmark.language.measure import Measure
    from rankmark.language.plan import Group

__all__ = ["depth_of", "judged_lists", "observation", "observe", "observe_sources"]

TWICE = 'duplicates="first" or "best"'
"""How it ends what the core says of an item that is judged twice."""
WHOLE = 2**31 - 1
"""More items than any list has."""


def observe(
    qrels: Input,
    run: Input,
    groups: Sequence[Group],
    threads: int | None,
    items: Numbered | None = None,
) -> Block:
    """Matches the run with the judgements and ranks it, once for each group of measures.

    Measures of items need `items`, by whose numbers the tops of lists are kept.
    """
    observed = []
    for choices, measures in groups:
        each, first_rows, unjudged_queries = _observed(qrels, run, choices, measures, threads, items)
        observed.append(each)
    # Which queries there are does not depend on the choices.
    return Block(qrels.table.take(qrels.query, first_rows, "query"), observed, first_rows, unjudged_queries)


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
) -> Observation:
    """Reads both tables whole; the arguments are those of `rankmark.evaluate`.

    Raises:
        DataError: a table that cannot be evaluated as it is.

    """
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
    if needing := [each for _, measures in groups for each in measures if "aspects" in each.needs]:
        qrels = by_aspect(qrels, needing[0])
    inputs: dict[str, str] = {table.side: _digest(table) for table in (qrels, run)} if hash_inputs else {}
    items = None
    if known is not None:
        from rankmark.inputs.catalogue import Numbered

        items = Numbered(known, integer=run.item_ids == "integer")
    block = observe(qrels, run, groups, threads, items)
    if items is not None:
        block = block.with_items(items, run.name)
    looked_at = TablesLookedAt(qrels, run)
    return Observation(block, (qrels, run), inputs, lambda: (extent_of(qrels), extent_of(run)), looked_at)


def _digest(table: Input) -> str:
    from rankmark.inputs.digest import digest  # which needs polars

    return digest(table)


def _observed(
    qrels: Input,
    run: Input,
    choices: Choices,
    measures: tuple[Measure, ...],
    threads: int | None,
    items: Numbered | None = None,
) -> tuple[Observed, NDArray[np.uint32], int]:
    """What a group of measures gives, the queries' first rows, and how many others have results.

    Each thread judges some queries and computes their measures while their lists are still in its cache.
    """
    parts: list[Measured] = []
    failed: list[QueryError] = []
    of_items = [measure for measure in measures if measure.page.kind == "item"]
    top = (items.numbers, depth_of(of_items)) if items is not None and of_items else None

    def consume(lists: _native.JudgedLists) -> None:
        try:
            parts.append(measured(lists, measures))
        except QueryError as error:  # whose query has an id once all have been judged
            failed.append(error)

    first_rows, unjudged_queries = _judge(qrels, run, choices, consume, threads=threads or 0, top=top)
    if failed:
        first = min(failed, key=lambda error: error.number)
        ids = qrels.table.take(qrels.query, first_rows[first.number : first.number + 1], "query")
        raise first.named(some_of(ids, np.ones(1, dtype=np.bool_)).ids[0]) from first.__cause__
    observed = merged(parts, len(first_rows))
    if items is not None and top is not None:
        from rankmark.kinds.items import together

        tops = together(
            [(part.numbers, part.tops) for part in parts if part.tops is not None], len(first_rows)
        )
        judged = cache(lambda: items.judged(qrels, best=choices.duplicates == "best"))
        observed = replace(observed, tops=tops, judged=judged if qrels.judges else None)
    return observed, first_rows, unjudged_queries


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
    try:
        return _native.judge_lists(
            _columns(qrels),
            _columns(run),
            consume,
            ties=choices.ties,
            seed=choices.seed,
            duplicates=choices.duplicates,
            unjudged=choices.unjudged,
            unjudged_queries=choices.unjudged_queries,
            scores=choices.scores,
            whole=whole,
            threads=threads,
            top=top,
        )
    except DataError as error:
        # The core counts items where the table has a list in each row.
        message = run.in_own_rows(qrels.in_own_rows(str(error)))
        twice = message.startswith(f"{qrels.name}:") and message.endswith(TWICE)
        raise type(error)(message + (has_several(qrels) if twice else "")) from None


def _columns(table: Input) -> _native.Columns:
    item = table.item if table.judges else None
    return table.table, table.name, table.query, item, table.value, table.rank
