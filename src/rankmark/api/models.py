"""The front door for models: they are asked in batches for what they would recommend."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from rankmark._native import Table
from rankmark.api.arrays import checked_k, evaluate_scores
from rankmark.api.evaluation import evaluate_tables
from rankmark.errors import ChoiceError, DataError, UsageError
from rankmark.inputs import Input, align_ids, read_qrels
from rankmark.inputs.arrays.judged_items import Sparse
from rankmark.inputs.arrays.libraries import RowNumbers, is_array, to_numpy
from rankmark.language.choices import Choices, Duplicates, ModelChoices, given
from rankmark.language.measure import Measure
from rankmark.language.plan import Plan, check_threads, planned
from rankmark.progress import Counter, counting

if TYPE_CHECKING:
    import polars as pl

    from rankmark.results.lists import Result

__all__ = ["evaluate_model"]


def evaluate_model(
    model: Any,
    qrels: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    k: int | None = None,
    batch_size: int = 1024,
    items: Sequence[int] | Sequence[str] | NDArray[Any] | None = None,
    exclude: Any = None,
    columns: Mapping[str, Any] | None = None,
    threads: int | None = None,
    **choices: Unpack[ModelChoices],
) -> Result:
    """Measures how well a model ranks for the judged queries, which it is asked about in batches.

    The model is one of these, tried in this order:

    - an object with ``recommend(users, k)``, or a function ``model(users, k)``: for so many users it gives
      their items, best first, as a list a user or an array of shape [users, k], or a tuple of such items and
      their scores (a tuple is always that). A list may have less than k; of integers -1 stands for none.
    - an object with ``predict(user, items)``: it gives the scores of all `items` for one user.

    Users are the queries of the judgements with their ids as they were read, integers as an array of NumPy
    and text as a list. While it takes longer than a second, a bar on stderr shows how many were asked.

    Args:
        model: what is asked.
        qrels: the judgements, as in `evaluate`.
        measures: as in `evaluate`.
        k: how many items are asked for, by default the largest cutoff; needed if a measure has none. With
            ``predict`` the length at which lists end; if None they do not.
        batch_size: users that ``recommend`` is asked about at once.
        items: the ids of all items, for ``predict``, which is given them in ascending order.
        exclude: results that do not count, for ``predict``: query and item, as a table, a dict of lists …
            (whatever `qrels` can be), such as what the model was trained on. ``recommend`` leaves out
            itself what it should.
        columns: the columns of `qrels` to use, as in `evaluate`.
        threads: how many threads to use; all cores if None.
        **choices: as in `evaluate_arrays`, but for ``unjudged_queries``, which there are not; with
            ``predict`` and ``ties="random"`` the items are known by number.

    Returns:
        The values, those of each query, and the account of the queries.

    Raises:
        UsageError: an unknown measure or choice, or a model that cannot be asked or answers something else.
        DataError: judgements or answers that cannot be evaluated.

    Example:
        >>> import rankmark as rm
        >>> popular = ["a", "b", "c"]
        >>> qrels = {"ann": ["b"], "bob": ["a", "c"]}
        >>> rm.evaluate_model(lambda users, k: [popular[:k] for _ in users], qrels, ["HR@1", "RR@2"]).values
        {'HR@1': 0.5, 'RR@2': 0.75}

    """
    chosen = Choices(**given(choices, ModelChoices, evaluate_model))
    asked = planned(measures, None, {}).measures
    check_threads(threads)
    k = checked_k(k)
    if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size < 1:
        raise ChoiceError(f"batch_size={batch_size!r} is not a whole number from 1")
    recommend = getattr(model, "recommend", None)
    if recommend is None and hasattr(model, "predict"):
        judged = _Judged(read_qrels(qrels, columns), items, exclude, chosen.duplicates)
        with counting("asking the model", len(judged.users)) as counter:
            return evaluate_scores(
                judged.predictions(model, counter),
                judged.relevance,
                judged.excluded,
                asked,
                chosen,
                query_ids=judged.query_ids,
                item_ids=judged.item_ids,
                k=k,
                threads=threads,
            )
    if recommend is None and not callable(model):
        raise UsageError(
            f"the model is of type {type(model).__name__}, which has neither recommend(users, k) nor "
            "predict(user, items) and is no function"
        )
    if exclude is not None or items is not None:
        raise UsageError("items and exclude are for predict(user, items): recommend decides itself on these")
    judgements = read_qrels(qrels, columns)
    results = _recommended(recommend or model, judgements, _depth(k, asked), batch_size)
    return evaluate_tables(*align_ids(judgements, results), Plan(asked, chosen), threads=threads)


def _depth(k: int | None, measures: tuple[Measure, ...]) -> int:
    """How many items to ask for."""
    if k is not None:
        return k
    for measure in measures:
        if measure.cutoff is None:
            raise UsageError(f"{measure} has no cutoff: say with k how many items to ask the model for")
    return max(measure.cutoff or 0 for measure in measures)


def _users(frame: pl.DataFrame, query: str) -> pl.Series:
    """The judged queries in their order, under the name ``query``."""
    return frame[query].unique(maintain_order=True).alias("query")


def _given(ids: pl.Series) -> Any:
    """Ids as a model gets them."""
    import polars as pl

    return ids.to_list() if ids.dtype == pl.String else ids.to_numpy()


def _recommended(recommend: Callable[[Any, int], Any], judgements: Input, k: int, batch_size: int) -> Input:
    """What the model recommends to all users, as a table."""
    import polars as pl

    users = _users(_frame(judgements), judgements.query)
    answers = []
    with counting("asking the model", len(users)) as counter:
        for start in range(0, len(users), batch_size):
            batch = users[start : start + batch_size]
            answers.append(_answer(recommend(_given(batch), k), batch, k))
            counter.done += len(batch)
    scored = {("score" in answer.columns) for answer in answers}
    if len(scored) > 1:
        raise UsageError("the model gives scores for some batches and none for others")
    table = pl.concat(answers, how="vertical_relaxed")
    if table.is_empty():
        raise DataError("the model recommends nothing to any user")
    name = "the model"
    score, rank = ("score", None) if scored.pop() else (None, "rank")
    return Input(Table.from_arrow(table), "run", name, "query", "item", score, rank, text_ids=False)


def _answer(answer: Any, users: pl.Series, k: int) -> pl.DataFrame:
    """What a batch of users is recommended: query, item, and score or rank."""
    import polars as pl

    pair = isinstance(answer, tuple) and len(answer) == 2
    items = _lists(answer[0] if pair else answer, users, k, "items")
    columns = {"query": users, "item": _series("item", items)}
    if pair:
        columns["score"] = _series("score", _lists(answer[1], users, k, "scores"))
        uneven = (columns["score"].list.len() != columns["item"].list.len()).arg_true()
        if len(uneven):
            raise DataError(f"the model gives user {users[int(uneven[0])]!r} not as many scores as items")
    else:
        columns["rank"] = _series("rank", [range(1, len(each) + 1) for each in items])
    frame = pl.DataFrame(columns).filter(pl.col("item").list.len() > 0).explode(*list(columns)[1:])
    return frame.filter(pl.col("item") != -1) if frame["item"].dtype.is_integer() else frame


def _lists(answer: Any, users: pl.Series, k: int, what: str) -> list[Any]:
    if is_array(answer):
        answer = to_numpy(answer)
    if isinstance(answer, str | bytes | Mapping) or not hasattr(answer, "__len__"):
        raise UsageError(
            f"the model gives {what} as {type(answer).__name__}; give a list a user, an array of shape "
            "[users, k], or a tuple of such items and their scores"
        )
    if len(answer) != len(users):
        raise UsageError(f"the model gives the {what} of {len(answer)} users, asked about {len(users)}")
    try:
        lists = [to_numpy(each).tolist() if is_array(each) else list(each) for each in answer]
    except TypeError as error:
        raise UsageError(f"the model does not give a list of {what} a user: {error}") from error
    for user, each in zip(users, lists, strict=True):
        if len(each) > k:
            raise DataError(f"the model gives user {user!r} {len(each)} {what}, asked for {k}")
    return lists


def _series(name: str, lists: Sequence[Sequence[Any]]) -> pl.Series:
    import polars as pl

    kinds = {"score": pl.Float64, "rank": pl.Int64}
    try:
        if name in kinds:
            return pl.Series(name, [list(each) for each in lists], dtype=pl.List(kinds[name]))
        text = any(isinstance(item, str) for each in lists for item in each[:1])
        return pl.Series(name, lists, dtype=pl.List(pl.String if text else pl.Int64))
    except (TypeError, OverflowError, pl.exceptions.PolarsError) as error:
        wanted = "numbers" if name in kinds else "integers or strings, of one type"
        raise UsageError(f"the {name}s that the model gives are not {wanted}: {error}") from error


class _Judged:
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
        frame = _frame(judgements)
        self.users = _users(frame, judgements.query)
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
    def query_ids(self) -> Table:
        """The users as a table of one column."""
        return Table.from_arrow(self.users.to_frame())

    @property
    def item_ids(self) -> Any:
        """The type of the items' ids."""
        return "integer" if self._items.dtype.is_integer() else "text"

    def predictions(self, model: Any, counter: Counter) -> _Predictions:
        """The scores, which the model is asked for when they are needed."""
        return _Predictions(model, self.users.to_list(), _given(self._items), counter)

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

    def __init__(self, model: Any, users: list[Any], items: Any, counter: Counter) -> None:
        self.shape = (len(users), len(items))
        self._model, self._users, self._items, self._counter = model, users, items, counter

    def block(self, rows: RowNumbers) -> NDArray[Any]:
        """The scores of all items for some users."""
        return np.stack([self._predicted(self._users[row]) for row in rows])

    def _predicted(self, user: Any) -> NDArray[Any]:
        answer = self._model.predict(user, self._items)
        scores = to_numpy(answer) if is_array(answer) else np.array(answer)
        if scores.shape != self.shape[1:] or scores.dtype.kind not in "biuf":
            raise UsageError(
                f"the model predicts for user {user!r} {scores.dtype} of shape {scores.shape}, asked for the "
                f"scores of {self.shape[1]} items"
            )
        self._counter.done += 1
        return scores


def _frame(table: Input) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(table.table)


def _catalogue(items: Any) -> pl.Series:
    """The ids of all items in ascending order."""
    import polars as pl

    try:
        column = pl.Series("item", items if isinstance(items, np.ndarray | pl.Series) else list(items))
    except (TypeError, pl.exceptions.PolarsError) as error:
        raise UsageError("items are of several types; ids are all integers or all strings") from error
    if not (column.dtype.is_integer() or column.dtype == pl.String) or column.null_count():
        raise UsageError(
            f"items holds {column.dtype}, with {column.null_count()} None; ids are integers or strings"
        )
    if column.is_duplicated().any():
        raise DataError(f"items: {column.filter(column.is_duplicated())[0]!r} is there more than once")
    return column.sort().cast(pl.Int64 if column.dtype.is_integer() else pl.String)
