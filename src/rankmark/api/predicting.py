"""Models that predict scores: of all items, asked for when they are needed, or of each user's candidates."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankmark._native import Table
from rankmark.api.recommending import given_ids, users_of
from rankmark.errors import DataError, UsageError, calling
from rankmark.forking import need_polars_threads
from rankmark.inputs import Input, align_ids, read_qrels
from rankmark.inputs.arrays.judged_items import Sparse
from rankmark.inputs.arrays.libraries import is_array, to_numpy
from rankmark.inputs.arrays.scored import Scored
from rankmark.inputs.catalogue import refuse_catalogue
from rankmark.inputs.column_checks import several_types
from rankmark.language.choices import Duplicates
from rankmark.progress import Counter, counting

if TYPE_CHECKING:
    import polars as pl

    from rankmark.inputs.arrays.libraries import RowNumbers

__all__ = ["Judged", "predicted"]

Predict: TypeAlias = Callable[[Any, Any], Any]
"""Gives a user's items their scores."""


class Judged:
    """Judgements by numbers of rows and columns, for a model that predicts the scores of all items.

    Attributes:
        users: the judged queries.
        relevance: the grades; an item that is none of the model's has a column beyond those of the scores.
        excluded: what is in no list.

    """

    def __init__(self, judgements: Input, items: Any, exclude: Any, duplicates: Duplicates) -> None:
        import polars as pl

        if items is None:
            raise UsageError("predict(user, items) needs items: the ids of all that can be recommended")
        need_polars_threads()
        frame = _frame(judgements)
        self.users = users_of(judgements)
        self._items = _catalogue(items)
        self._check_type(judgements)
        of_items = frame[judgements.item].unique().alias("item").cast(self._items.dtype)
        unknown = of_items.filter(~of_items.is_in(self._items.implode()))
        columns = pl.concat([self._items, unknown])
        self._rows = pl.DataFrame({"query": self.users}).with_row_index("row")
        self._columns = pl.DataFrame({"item": columns}).with_row_index("column")
        self.relevance = self._sparse(self._numbered(judgements), judgements.name, duplicates)
        self.excluded = None
        if exclude is not None:
            _, left_out = align_ids(judgements, read_qrels(exclude))
            self._check_type(left_out)
            known = self._numbered(left_out).filter(pl.col("column") < len(self._items))
            self.excluded = self._sparse(known, "exclude", "first")

    @property
    def item_ids(self) -> Any:
        """The type of the items' ids."""
        return "integer" if self._items.dtype.is_integer() else "text"

    def scored(self, predict: Predict, counter: Counter) -> Scored:
        """The scores of all items, which the model is asked for when they are needed."""
        scores = _Predictions(predict, self.users.to_list(), given_ids(self._items), counter)
        query_ids = Table.from_arrow(self.users.to_frame())
        columns = self._columns["item"]
        return Scored(scores, lambda _: self.relevance, self.excluded, query_ids, columns=columns)

    def _check_type(self, table: Input) -> None:
        integers = self._items.dtype.is_integer()
        if integers != (table.table.kind(table.item) == "integer"):
            raise UsageError(
                f"the ids of items are {'integers' if integers else 'text'}, those of {table.name} "
                f"({table.item!r}) are not; make them the same type"
            )

    def _numbered(self, table: Input) -> pl.DataFrame:
        """Row, column and grade of each judgement."""
        import polars as pl

        frame = _frame(table)
        value = pl.lit(1.0) if table.value is None else pl.col(table.value).cast(pl.Float64)
        rows = frame.select(
            query=pl.col(table.query).cast(self.users.dtype, strict=False),
            item=pl.col(table.item).cast(self._items.dtype, strict=False),
            grade=value,
        )
        return rows.join(self._rows, on="query").join(self._columns, on="item")

    def _sparse(self, rows: pl.DataFrame, name: str, duplicates: Duplicates) -> Sparse:
        import polars as pl

        by_best = rows.sort("grade", descending=True, maintain_order=True) if duplicates == "best" else rows
        distinct = by_best.unique(["row", "column"], keep="first", maintain_order=True)
        if duplicates == "error" and len(distinct) < len(rows):
            again = rows.filter(pl.struct("row", "column").is_duplicated())
            raise DataError(
                f"{name}: {len(rows) - len(distinct)} judged again for the same query; the first is item "
                f"{again['item'][0]!r} of query {again['query'][0]!r}; remove them or choose "
                'duplicates="first" or "best"'
            )
        if not distinct["grade"].is_finite().all():
            raise DataError(f"{name}: a relevance is NaN or infinite; remove or replace it")
        ordered = distinct.sort("row", "column")
        counts = np.bincount(ordered["row"].to_numpy(), minlength=len(self.users))
        offsets = np.concatenate(([0], np.cumsum(counts)))
        return Sparse(offsets, ordered["column"].cast(pl.Int64).to_numpy(), ordered["grade"].to_numpy())


class _Predictions:
    """The scores that a model predicts."""

    local = True

    def __init__(self, predict: Predict, users: list[Any], items: Any, counter: Counter) -> None:
        self.shape = (len(users), len(items))
        self._predict, self._users, self._items, self._counter = predict, users, items, counter

    def block(self, rows: RowNumbers) -> NDArray[Any]:
        """The scores of all items for some users."""
        return np.stack([self._predicted(self._users[row]) for row in rows])

    def _predicted(self, user: Any) -> NDArray[Any]:
        scores = _scores(self._predict, user, self._items)
        self._counter.done += 1
        return scores


def _scores(predict: Predict, user: Any, items: Any) -> NDArray[Any]:
    """What a model predicts for a user."""
    with calling(predict, "model", f"user {user!r}"):
        answer = predict(user, items)
    scores = to_numpy(answer) if is_array(answer) else np.array(answer)
    if scores.shape != (len(items),) or scores.dtype.kind not in "biuf":
        raise UsageError(
            f"the model predicts for user {user!r} {scores.dtype} of shape {scores.shape}, asked for the "
            f"scores of {len(items)} items"
        )
    return scores


def predicted(predict: Predict, judgements: Input, candidates: Any, exclude: Any) -> Input:
    """What a model predicts for the candidates of each judged user, as a table of results.

    Args:
        predict: what gives a user's items their scores.
        judgements: whose users are asked about.
        candidates: query and item, as a table, a dict of lists …; ``"test"`` for the judged items.
        exclude: the same of what is no candidate; None for nothing.

    Raises:
        UsageError: the model predicts something else than a score of each item.
        DataError: no judged user has a candidate, or a score is NaN.

    """
    import polars as pl

    need_polars_threads()
    is_test = isinstance(candidates, str) and candidates == "test"
    judgements, table = align_ids(judgements, judgements if is_test else read_qrels(candidates))
    pairs = _pairs(table)
    if exclude is not None:
        _, left_out = align_ids(judgements, read_qrels(exclude))
        pairs = pairs.join(_pairs(left_out), on=["query", "item"], how="anti", maintain_order="left")
    lists = pairs.group_by("query", maintain_order=True).agg("item")
    users = _as_ids(users_of(judgements))
    lists = users.to_frame().join(lists, on="query", maintain_order="left")
    if lists.is_empty():
        raise DataError(
            f"candidates: none of the {len(users)} judged users has any; users are such as {users[0]!r}"
        )
    scores = []
    with counting("asking the model", len(lists)) as counter:
        for user, items in zip(lists["query"].to_list(), lists["item"], strict=True):
            given = _scores(predict, user, given_ids(items)).astype(np.float64)
            if np.isnan(given).any():
                item = items[int(np.isnan(given).argmax())]
                raise DataError(f"the model predicts NaN for user {user!r}, item {item!r}")
            scores.append(given)
            counter.done += 1
    scored = lists.explode("item").with_columns(score=np.concatenate(scores))
    results = scored.filter(pl.col("score") > -np.inf)
    return Input(
        Table.from_arrow(results), "run", "the model", "query", "item", "score", None, text_ids=False
    )


def _pairs(table: Input) -> pl.DataFrame:
    """Each query with each of its items once."""
    import polars as pl

    frame = _frame(table)
    columns = {"query": _as_ids(frame[table.query]), "item": _as_ids(frame[table.item])}
    return pl.DataFrame(columns).unique(maintain_order=True)


def _as_ids(ids: pl.Series) -> pl.Series:
    """Ids of one of the two types that can be compared."""
    import polars as pl

    return ids.cast(pl.Int64 if ids.dtype.is_integer() else pl.String)


def _frame(table: Input) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(table.table)


def _catalogue(items: Any) -> pl.Series:
    """The ids of all items in ascending order."""
    import polars as pl

    refuse_catalogue(items)
    try:
        column = pl.Series("item", items if isinstance(items, np.ndarray | pl.Series) else list(items))
    except (TypeError, pl.exceptions.PolarsError) as error:
        raise UsageError(f"items {several_types(items)}") from error
    if not (column.dtype.is_integer() or column.dtype == pl.String) or column.null_count():
        raise UsageError(
            f"items holds {column.dtype}, with {column.null_count()} None; ids are integers or strings"
        )
    if column.is_duplicated().any():
        raise DataError(f"items: {column.filter(column.is_duplicated())[0]!r} is there more than once")
    return column.sort().cast(pl.Int64 if column.dtype.is_integer() else pl.String)
