"""Models that recommend: what they say is a table of results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from rankmark._native import Table
from rankmark.errors import DataError, UsageError, calling
from rankmark.inputs import Input
from rankmark.inputs.arrays.libraries import is_array, to_numpy
from rankmark.inputs.tables.several import is_table
from rankmark.progress import counting

if TYPE_CHECKING:
    import polars as pl

__all__ = ["given_ids", "recommended", "users_of"]


def users_of(table: Input) -> pl.Series:
    """The judged queries in their order, under the name ``query``."""
    import polars as pl

    queries = pl.DataFrame(table.table)[table.query]
    return queries.unique(maintain_order=True).alias("query")


def given_ids(ids: pl.Series) -> Any:
    """Ids as a model gets them."""
    import polars as pl

    return ids.to_list() if ids.dtype == pl.String else ids.to_numpy()


def recommended(recommend: Callable[[Any, int], Any], judgements: Input, k: int, batch_size: int) -> Input:
    """What the model recommends to all users, as a table."""
    import polars as pl

    users = users_of(judgements)
    answers = []
    with counting("asking the model", len(users)) as counter:
        for start in range(0, len(users), batch_size):
            batch = users[start : start + batch_size]
            with calling(recommend, "model", f"the {len(batch)} users from {batch[0]!r} on"):
                answer = recommend(given_ids(batch), k)
            answers.append(_answer(answer, batch, k))
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
    if is_array(answer) and not is_table(answer):
        answer = to_numpy(answer)
    if isinstance(answer, str | bytes | Mapping) or is_table(answer) or not hasattr(answer, "__len__"):
        raise UsageError(
            f"the model gives {what} as {type(answer).__name__}; give a list a user, an array of shape "
            "[users, k], or a tuple of such items and their scores"
        )
    if len(answer) != len(users):
        raise UsageError(f"the model gives the {what} of {len(answer)} users, asked about {len(users)}")
    lists = [_list(each, user, what) for user, each in zip(users, answer, strict=True)]
    for user, each in zip(users, lists, strict=True):
        if len(each) > k:
            raise DataError(f"the model gives user {user!r} {len(each)} {what}, asked for {k}")
    return lists


def _list(each: Any, user: Any, what: str) -> list[Any]:
    """What one user is given."""
    if is_array(each) and len(each.shape) == 1:
        return to_numpy(each).tolist()  # type: ignore[no-any-return]
    if isinstance(each, str | bytes | Mapping) or is_table(each) or not isinstance(each, Iterable):
        kind = type(each).__name__
        raise UsageError(f"the model does not give a list of {what} a user: user {user!r} has one {kind}")
    return list(each)


def _series(name: str, lists: Sequence[Sequence[Any]]) -> pl.Series:
    import polars as pl

    kinds = {"score": pl.Float64, "rank": pl.Int64}
    text = any(isinstance(item, str) for each in lists for item in each[:1])
    try:
        if name in kinds:
            return pl.Series(name, [list(each) for each in lists], dtype=pl.List(kinds[name]))
        return pl.Series(name, lists, dtype=pl.List(pl.String if text else pl.Int64))
    except (TypeError, OverflowError, pl.exceptions.PolarsError) as error:
        wanted = "numbers" if name in kinds else "integers or strings, of one type"
        strange = _strange(lists, int | float if name in kinds else str if text else int)
        raise UsageError(f"the {name}s that the model gives are not {wanted}{strange}") from error


def _strange(lists: Sequence[Sequence[Any]], kind: Any) -> str:
    """The first value that is none of the kind, for messages."""
    for value in chain.from_iterable(lists):
        if value is not None and not isinstance(value, kind):
            return f": one is {value!r}, of type {type(value).__name__}"
    return ", or not of 64 bits"
