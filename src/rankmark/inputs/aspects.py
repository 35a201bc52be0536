"""Judgements of aspects of queries, which other tools call subtopics or intents."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankmark import _numpy as np
from rankmark._native import Table
from rankmark.errors import ColumnError, DataError, UsageError
from rankmark.forking import need_polars_threads
from rankmark.inputs.column_checks import check_ids
from rankmark.inputs.input import AspectRows, Input
from rankmark.inputs.roles import said_outright
from rankmark.language.measure import OF_JUDGEMENTS, Measure

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import polars as pl

    from rankmark.language.plan import Group

__all__ = [
    "HOW",
    "as_looked_at",
    "by_aspect",
    "check_aspects",
    "has_several",
    "looked_at",
    "no_aspects",
    "noted",
]

HOW = (
    f"a column of aspects, {said_outright('aspect')}; in TREC judgements the second of four fields, "
    'columns={"aspect": "iter"}; or {query: {item: {aspect: grade}}}'
)
"""How judgements of aspects are given, in words."""


def looked_at(groups: Iterable[Group]) -> Measure | None:
    """A measure that looks at judgements of aspects, if one does."""
    for group in groups:
        if group.of_aspects is not None:
            return group.of_aspects
    return None


def as_looked_at(judgements: Input, groups: Iterable[Group]) -> Input:
    """The judgements as the measures look at them: those of aspects `by_aspect`, if one does."""
    measure = looked_at(groups)
    if measure is None:
        return judgements
    others = (each for _, measures in groups for each in measures if each.of_aspects)
    own = OF_JUDGEMENTS & {*measure.needs}
    if other := next((each for each in others if OF_JUDGEMENTS & {*each.needs} != own), None):
        raise UsageError(
            f"{measure} and {other} look at judgements of aspects, of strata or with probabilities, which "
            "are not the same rows: ask for one of them at a time"
        )
    return by_aspect(judgements, measure)


def by_aspect(judgements: Input, measure: object = "columns={…}") -> Input:
    """The same with one judgement an item, its best of all aspects, and those of aspects beside it.

    An item that is judged twice for one aspect of a query is judged twice in both.

    Args:
        judgements: a row an item and aspect.
        measure: what needs the aspects.

    Raises:
        DataError: there is no column of aspects, or nulls in it.

    """
    import polars as pl

    if judgements.aspects is not None:
        return judgements
    if isinstance(measure, Measure) and measure.of_samples:
        from rankmark.inputs.sampled import by_sample

        return by_sample(judgements, measure)
    aspect = _aspect_of(judgements, measure)
    rows = _rows(judgements, aspect)
    if not rows["grade"].is_finite().all():  # NaN and nulls, which whoever matches them refuses
        return judgements
    items, place = _items(rows)
    names = _ordered(rows["aspect"].unique())
    table = pl.DataFrame(judgements.table).drop(aspect)[items["row"]]
    if judgements.value is not None:
        table = table.with_columns(items["grade"].alias(judgements.value))
    first = items["row"].to_numpy()
    return replace(
        judgements,
        table=Table.from_arrow(table),
        rows=first if judgements.rows is None else judgements.rows[first],
        aspect=None,
        aspects=AspectRows(
            place.cast(pl.Int64).to_numpy(),
            rows["aspect"].replace_strict(names, np.arange(len(names)), return_dtype=pl.Int64).to_numpy(),
            rows["grade"].to_numpy(),
            rows["weight"].to_numpy(),
            tuple(names.to_list()),
            aspect,
        ),
    )


def noted(judgements: Input, aspects: Collection[int | str]) -> Input:
    """All judgements, with a note if these aspects, which are all or some of several, are but one."""
    if len(aspects) != 1:
        return judgements
    (alone,) = aspects
    note = f"all judgements of {judgements.name} are of one aspect, {alone!r}"
    return replace(judgements, notes=(*judgements.notes, note))


def _aspect_of(judgements: Input, measure: object) -> str:
    """The column of aspects."""
    if judgements.aspect is None:
        raise no_aspects(judgements.name, measure)
    return judgements.aspect


def no_aspects(where: str, measure: object) -> ColumnError:
    """The error for judgements without a column of aspects, or with several that can be it."""
    return ColumnError(
        f"{measure} needs judgements of aspects (subtopics, intents), and {where} has none that is plain: "
        f"give {HOW}"
    )


def check_aspects(judgements: Input, measure: object) -> None:
    """Refuses judgements of which some have no aspect, or a weight that is none; see `by_aspect`.

    Raises:
        DataError: there are such.

    """
    _rows(judgements, _aspect_of(judgements, measure))


def _rows(judgements: Input, aspect: str) -> pl.DataFrame:
    """A row a judgement: query, item, aspect, grade and weight."""
    import polars as pl

    check_ids(judgements.table, aspect, "aspect", judgements.name)
    need_polars_threads()
    frame = pl.DataFrame(judgements.table)
    if nulls := frame[aspect].null_count():
        first = frame[aspect].is_null().arg_true()[0]
        raise DataError(
            f"{judgements.name}: the aspect column {aspect!r} has {nulls:,} null{'s'[: nulls > 1]}, the "
            f"first in row {first} (from 0); remove those rows"
        )

    def numbers(column: str | None) -> pl.Expr:
        return pl.lit(1.0) if column is None else pl.col(column).cast(pl.Float64)

    rows = frame.select(
        query=pl.col(judgements.query),
        item=pl.col(judgements.item),
        aspect=pl.col(aspect),
        grade=numbers(judgements.value),
        weight=numbers(judgements.aspect_weight),
    )
    if judgements.aspect_weight is not None:
        _check_weights(rows, judgements.name, judgements.aspect_weight)
    return rows


def _items(rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """The first row and the best grade of each item of a query, and which of these each row is of."""
    import polars as pl

    pair = ["query", "item"]
    repeated = rows.select(*pair, "aspect").is_duplicated().any()
    again = pl.int_range(pl.len()).over(*pair, "aspect") if repeated else pl.lit(0)
    each = rows.with_columns(again=again).with_row_index("row")
    items = each.group_by(*pair, "again", maintain_order=True).agg(
        pl.col("row").first(), pl.col("grade").max()
    )
    places = items.select(*pair, "again").with_row_index("place")
    place = each.select(*pair, "again").join(
        places, on=[*pair, "again"], how="left", nulls_equal=True, maintain_order="left"
    )["place"]
    return items, place


def _ordered(names: pl.Series) -> pl.Series:
    """Aspects in ascending order, those that are called by numbers first.

    Which of two comes first depends on no other, so that sums over aspects are the same in any part.
    """
    import polars as pl

    numbers = names.cast(pl.Int64, strict=False).alias("number")
    frame = pl.DataFrame([numbers, names.alias("name")]).sort("number", "name", nulls_last=True)
    return frame["name"]


def _check_weights(rows: pl.DataFrame, where: str, column: str) -> None:
    """Refuses weights that are none, and several of one aspect."""
    import polars as pl

    weight = pl.col("weight")
    wrong = rows.with_row_index("row").filter((weight.is_finite() & (weight >= 0)).fill_null(False).not_())
    if wrong.height:
        raise DataError(
            f"{where}: the aspect_weight {column!r} is {wrong['weight'][0]} in row {wrong['row'][0]} (from "
            "0); weights are numbers from 0"
        )
    several = rows.group_by("query", "aspect", maintain_order=True).agg(weight.unique(maintain_order=True))
    several = several.filter(weight.list.len() > 1)
    if several.height:
        query, aspect, weights = several.row(0)
        raise DataError(
            f"{where}: the aspect_weight {column!r} of aspect {aspect!r} of query {query!r} is "
            f"{weights[0]:g} in one row and {weights[1]:g} in another; give each aspect of a query one"
        )


def has_several(judgements: Input) -> str:
    """What to say of judgements with an item twice that may be of aspects, as ``"; …"``, or nothing."""
    import polars as pl

    aspect = judgements.aspect
    if aspect is None or pl.DataFrame(judgements.table)[aspect].n_unique() < 2:
        return ""
    return (
        f"; if its column {aspect!r} is the aspect (subtopic, intent) that an item is judged for, say "
        f"{said_outright('aspect', aspect)}: then its best grade counts"
    )
