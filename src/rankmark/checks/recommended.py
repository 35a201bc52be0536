"""What the table of items lacks, or does not say of items; users of whom nothing is known before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankmark.checks.data import CheckedPair, CheckedTable
from rankmark.checks.finding import EXAMPLES, Finding, effects, examples, share
from rankmark.errors import DataError
from rankmark.inputs.catalogue import Catalogue
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    import polars as pl

    from rankmark.language.measure import Measure

__all__ = [
    "attributes_missing",
    "complete",
    "evaluable",
    "judged_elsewhere",
    "not_in_items",
    "strange_users",
    "train_elsewhere",
]


def complete(known: Catalogue, measures: Iterable[Measure]) -> Catalogue:
    """What is known without the items of which something is not that these measures look at.

    Raises:
        DataError: nothing is left.

    """
    items = known.items
    lacking = [] if items is None else [_without(items, each) for each in _refusing(known, measures)]
    if items is None or not any(each.any() for each in lacking):
        return known
    items = items.filter(~np.logical_or.reduce(lacking))
    if items.is_empty():
        raise DataError("of no item is known what the measures look at; leave them out, or give it")
    return Catalogue(items, known.train, closed=known.closed)


def evaluable(pair: CheckedPair, known: Catalogue) -> tuple[CheckedPair, CheckedPair]:
    """The pair with the measures that `evaluate` takes, and with all, without the items that they refuse.

    Args:
        pair: with all that is known.
        known: what `complete` left of it.

    """
    asked = _of_items(pair.measures)
    if known.items is None or not asked:
        return pair, pair
    incomplete = known is not pair.known
    run = _among(pair.run, known.items) if known.closed or incomplete else pair.run
    if run.frame.height == pair.run.frame.height and not incomplete:
        return pair, pair
    if run.frame.is_empty():
        raise DataError(
            f"{pair.where}: the table of items has none of its items, such as {pair.run.frame['item'][0]!r}; "
            f"its own are such as {known.items['item'][0]!r}"
        )
    own = tuple(measure for measure in pair.measures if measure not in asked)
    return replace(pair, measures=own), pair.with_tables(run=run, known=known)


def not_in_items(run: CheckedTable, pair: CheckedPair, whole: CheckedPair) -> Iterator[Finding]:
    """Results of items that the table of items lacks; the pairs are those of `evaluable`."""
    items, closed = pair.known.items, pair.known.closed
    assert items is not None
    found = _others(run, items)
    if found.is_empty():
        return
    yield Finding(
        "results-not-in-items",
        "serious" if closed else "worth knowing",
        run.where,
        f"{share(found.height, run.frame.height, 'result')} of "
        f"{counted(found['item'].n_unique(), 'item')} that the table of items lacks",
        found.height,
        run.examples(found),
        "evaluate refuses measures of what is recommended, unless others than these items can be, too "
        "(closed=False, --open-catalogue)"
        if closed
        else "measures by what items are like refuse them",
        effects(pair.result, {"without": whole.with_tables(run=_among(whole.run, items)).result}),
    )


def judged_elsewhere(pair: CheckedPair) -> Iterator[Finding]:
    """Relevant items that cannot be recommended, as the table of items lacks them."""
    import polars as pl

    items = pair.known.items
    assert items is not None
    relevant = pair.qrels.frame.filter(pl.col("value") >= 1) if pair.qrels.has_values else pair.qrels.frame
    found = _others(pair.qrels.with_frame(relevant), items)
    if not pair.known.closed or found.is_empty():
        return
    there = _among(pair.qrels, items)
    left = pair.with_tables(qrels=there).result if there.frame.height else None
    yield Finding(
        "judged-not-in-items",
        "worth knowing",
        pair.qrels.where,
        f"{share(found.height, relevant.height, 'relevant judgement')} of "
        f"{counted(found['item'].n_unique(), 'item')} that the table of items lacks",
        found.height,
        pair.qrels.examples(found),
        "what cannot be recommended cannot be found",
        effects(pair.result, {"without": left}),
    )


def train_elsewhere(train: CheckedTable, pair: CheckedPair) -> Iterator[Finding]:
    """Interactions with items that the table of items lacks."""
    items, before = pair.known.items, pair.known.train
    assert items is not None
    assert before is not None
    found = _others(train, items)
    if found.is_empty():
        return
    kept = before.filter(before["item"].is_in(_ids(items, before["item"].dtype).implode()))
    known = Catalogue(items, kept, closed=pair.known.closed)
    yield Finding(
        "train-not-in-items",
        "worth knowing",
        train.where,
        f"{share(found.height, train.frame.height, 'interaction')} with "
        f"{counted(found['item'].n_unique(), 'item')} that the table of items lacks",
        found.height,
        train.examples(found),
        "they count among what users had before",
        effects(pair.result, {"without": pair.with_tables(known=known).result if kept.height else None}),
    )


def strange_users(train: CheckedTable, pair: CheckedPair) -> Iterator[Finding]:
    """Queries of which the training data have nothing."""
    asked = pair.run.ids("query")
    known = train.ids("query").select(_as_in(train.frame["query"], asked["query"].dtype).unique())
    found = asked.join(known, on="query", how="anti", maintain_order="left")
    if found.is_empty():
        return
    of_known = pair.with_tables(
        run=pair.run.with_frame(pair.run.frame.join(known, on="query", how="semi", maintain_order="left")),
        qrels=pair.qrels.with_frame(pair.qrels.frame.join(known, on="query", how="semi")),
    )
    left = of_known.result if of_known.judged == pair.judged and of_known.run.frame.height else None
    yield Finding(
        "users-not-in-train",
        "worth knowing",
        pair.where,
        f"{share(found.height, asked.height, 'query', 'queries')} of which the training data have nothing",
        found.height,
        examples(found),
        "new users, or ids that differ: measures of what users had before have no value of them",
        effects(pair.result, {"without": left}),
    )


def attributes_missing(pair: CheckedPair, whole: CheckedPair) -> Iterator[Finding]:
    """Columns of which some items have nothing; the pairs are those of `evaluable`."""
    known, items = pair.known, pair.known.items
    assert items is not None
    refusing = _refusing(known, whole.measures)
    looked_at = {column for measure in _of_items(whole.measures) for column in _columns(measure)}
    lacking = {name: _without(items, name) for name in known.names}
    for column in sorted(looked_at):
        without = lacking[column]
        if without.any():
            refused = column in refusing
            yield Finding(
                "missing-attributes",
                "serious" if refused else "worth knowing",
                "items",
                f"{share(int(without.sum()), items.height, 'item')} without {column!r}",
                int(without.sum()),
                _named(items.filter(without)),
                "evaluate refuses the measures that look at it; the values are those without such items"
                if refused
                else "measures by it take them as unknown= says",
                effects(pair.result, {"without": whole.result}) if refused else (),
            )
    others = {name: int(each.sum()) for name, each in lacking.items() if name not in looked_at}
    if some := {name: count for name, count in others.items() if count}:
        said = ", ".join(f"{name!r} {count:,}" for name, count in some.items())
        anything = np.logical_or.reduce([lacking[name] for name in some])
        yield Finding(
            "missing-attributes",
            "fine",
            "items",
            f"{share(int(anything.sum()), items.height, 'item')} of which something is not known: {said}",
            int(anything.sum()),
            _named(items.filter(anything)),
            "no measure that is asked for looks at it",
        )


def _of_items(measures: Iterable[Measure]) -> list[Measure]:
    return [measure for measure in measures if measure.page.kind == "item"]


def _columns(measure: Measure) -> list[str]:
    """The columns of items that a measure looks at."""
    if not {"items", "groups"} & {*measure.needs}:
        return []
    by = measure.arguments["by"]
    return [by] if isinstance(by, str) else list(by)


def _refusing(known: Catalogue, measures: Iterable[Measure]) -> set[str]:
    """The columns without which measures refuse an item."""
    return {
        column
        for measure in _of_items(measures)
        if measure.arguments.get("unknown", "refuse") == "refuse"
        for column in _columns(measure)
        if column in known.names
    }


def _without(items: pl.DataFrame, column: str) -> pl.Series:
    """Of which items nothing stands in a column: null, NaN, or a list of nothing."""
    import polars as pl

    values = items[column]
    if isinstance(values.dtype, pl.List | pl.Array):
        values = values.cast(pl.List(values.dtype.inner))
        return values.list.drop_nulls().list.len().fill_null(0) == 0
    return (
        values.is_null() | values.is_nan().fill_null(value=False)
        if values.dtype.is_float()
        else (values.is_null())
    )


def _as_in(ids: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Ids in the type of others, null where they cannot be."""
    return ids.cast(dtype, strict=False)


def _ids(items: pl.DataFrame, dtype: pl.DataType) -> pl.Series:
    return _as_in(items["item"], dtype).drop_nulls()


def _others(rows: CheckedTable, items: pl.DataFrame) -> pl.DataFrame:
    """The rows of items that the table of items lacks."""
    known = _ids(items, rows.frame.schema["item"]).to_frame()
    return rows.frame.join(known, on="item", how="anti", maintain_order="left")


def _among(rows: CheckedTable, items: pl.DataFrame) -> CheckedTable:
    """The rows of items that it has."""
    known = _ids(items, rows.frame.schema["item"]).to_frame()
    return rows.with_frame(rows.frame.join(known, on="item", how="semi", maintain_order="left"))


def _named(items: pl.DataFrame) -> tuple[dict[str, object], ...]:
    """The first few items."""
    return tuple({"item": item} for item in items["item"].head(EXAMPLES))
