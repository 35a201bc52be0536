"""The front doors for arrays: scores of all items, products of factors, lists of candidates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from rankmark import _native
from rankmark.aggregation.settled import some_queries
from rankmark.api.evaluation import evaluate_tables, finished
from rankmark.engines import dense
from rankmark.errors import ChoiceError, DataError, UsageError
from rankmark.inputs import Input
from rankmark.inputs.arrays.judged_items import (
    Grades,
    Sparse,
    is_dense,
    read_excluded,
    read_grades,
    read_relevance,
)
from rankmark.inputs.arrays.libraries import Array, Factors, Masked, Matrix, Scores, as_matrix, to_numpy
from rankmark.inputs.roles import Side
from rankmark.kinds.lists import Values
from rankmark.language.choices import ArrayChoices, Choices, Duplicates, given
from rankmark.language.measure import Measure
from rankmark.language.plan import Plan, check_threads, planned

if TYPE_CHECKING:
    from rankmark.aggregation.observed import Observed
    from rankmark.language.plan import Group
    from rankmark.language.signature import ItemIds
    from rankmark.results.lists import Result

__all__ = [
    "checked_k",
    "evaluate_arrays",
    "evaluate_factors",
    "evaluate_scores",
    "observe_arrays",
    "read_query_ids",
    "tables_of_arrays",
]


def evaluate_arrays(
    scores: Array,
    relevance: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    exclude: Any = None,
    items: Array | None = None,
    lengths: Array | None = None,
    mask: Array | None = None,
    queries: Sequence[int] | Sequence[str] | NDArray[Any] | None = None,
    k: int | None = None,
    threads: int | None = None,
    bounds: bool = False,
    **choices: Unpack[ArrayChoices],
) -> Result:
    """Measures how well an array of scores ranks what is relevant.

    The values are those of `evaluate` on the same data as tables, to the last bit. Each row is a query's
    list: all its items by score, but for those excluded and those of score -inf, which are never in a list
    (so masks written into the scores do the same as `exclude`). The numbers of the columns are the items'
    ids, by which ties are broken.

    Scores in this machine's memory (NumPy, torch and JAX on the CPU) are read where they are. Those on
    another device stay there: only the ranks of the judged items travel.

    Args:
        scores: shape [queries, items], of NumPy, torch, JAX, CuPy or another library of the array API. NaN is
            an error, +inf is a score like others.
        relevance: the grades: a sparse matrix of SciPy of the same shape, in which what is stored is judged,
            zeros too; a list with the relevant items of each row; or a dense array of the same shape, in
            which everything is judged but NaN. A row in which nothing is judged is an unjudged query.
        measures: as in `evaluate`.
        exclude: items that are not to be in a query's list, such as those it was trained on: a sparse matrix,
            in which what is stored is left out, or a list with the items of each row.
        items: for lists of candidates, the item that each score is of: integers of the shape of `scores`.
            A dense `relevance` then has a grade a candidate.
        lengths: how many candidates each row has, the others being padding; one a row.
        mask: which scores are of candidates, the others being padding; booleans of the shape of `scores`.
        queries: the id of each row; row numbers from 0 if None.
        k: ends each list after so many items, as in a table of the first k results: a measure with a greater
            cutoff or none sees these. The whole list if None. Under ``ties="expected"``, which `bounds` needs
            too, no list can end between equal scores: there each measure needs a cutoff up to k.
        threads: how many threads to use; all cores if None.
        bounds: whether to evaluate under other orders of ties as well, for `Result.bounds`.
        **choices: ``ties``, the order of equal scores, by the number of the column (``input`` is that of the
            columns), ``seed``, ``missing`` (what a judged query is whose list is empty), ``unjudged_queries``
            (what a row is in which nothing is judged), ``no_relevant``, ``duplicates`` (what an item judged
            twice in a row is, or one that is a candidate twice), ``unjudged``, and ``precision``, in which
            scores are compared: `scores` of `evaluate`, where all are described.

    Returns:
        The values, those of each query, and the account of the queries.

    Raises:
        UsageError: an unknown measure or choice, or arrays that do not fit together.
        DataError: NaN, items without a column, or what a choice refuses.

    Example:
        >>> import numpy as np, rankmark as rm
        >>> scores = np.array([[0.9, 0.1, 0.8], [0.3, 0.2, 0.1]])
        >>> result = rm.evaluate_arrays(scores, [[2], [0, 1]], ["RR", "nDCG@2"], exclude=[[], [0]])
        >>> result.query_values("RR").tolist(), round(result["nDCG@2"], 4)
        ([0.5, 1.0], 0.622)

    """
    chosen = Choices(**given(choices, ArrayChoices, evaluate_arrays))
    asked = planned(measures, None, {}).measures
    check_threads(threads)
    matrix = Matrix(as_matrix(scores, "scores"))
    candidates = _candidates(matrix, lengths, mask)
    ids = read_query_ids(queries, matrix.shape[0])
    if items is not None:
        if k is not None:
            raise UsageError("k ends lists of all items; lists of candidates end where they do: take k out")
        tables = tables_of_arrays(
            scores,
            relevance,
            items,
            query_ids=ids,
            exclude=exclude,
            lengths=lengths,
            mask=mask,
            duplicates=chosen.duplicates,
        )
        return evaluate_tables(*tables, Plan(asked, chosen), threads=threads, bounds=bounds)
    grades = read_relevance(relevance, matrix.shape, chosen.duplicates, candidates)
    excluded = read_excluded(exclude, matrix.shape)
    listed = candidates or matrix
    return evaluate_scores(
        listed, grades, excluded, asked, chosen, query_ids=ids, k=k, threads=threads, bounds=bounds
    )


def evaluate_factors(
    query_factors: Array,
    item_factors: Array,
    relevance: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    exclude: Any = None,
    queries: Sequence[int] | Sequence[str] | NDArray[Any] | None = None,
    k: int | None = None,
    threads: int | None = None,
    bounds: bool = False,
    **choices: Unpack[ArrayChoices],
) -> Result:
    """Measures a model whose scores are the products of the queries' factors with the items'.

    The scores are made a block of rows at a time, where the factors live and in their type, and never all at
    once. A bias is one more factor, which on the other side is 1. How a library adds up a product may depend
    on the size of a block in the last bits.

    Args:
        query_factors: shape [queries, factors].
        item_factors: shape [items, factors], of the same library and type.
        relevance: as in `evaluate_arrays`, of shape [queries, items].
        measures: as in `evaluate`.
        exclude: as in `evaluate_arrays`; so are the others.
        queries: the id of each row.
        k: ends each list.
        threads: how many threads to use besides those of the product; all cores if None.
        bounds: whether to evaluate under other orders of ties as well.
        **choices: as in `evaluate_arrays`.

    Returns:
        The values, those of each query, and the account of the queries.

    Raises:
        UsageError: an unknown measure or choice, or arrays that do not fit together.
        DataError: NaN, items without a column, or what a choice refuses.

    Example:
        >>> import numpy as np, rankmark as rm
        >>> users, items = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[0.2, 0.9], [0.7, 0.1], [0.5, 0.5]])
        >>> rm.evaluate_factors(users, items, [[2], [0]], "RR").query_values("RR").tolist()
        [0.5, 1.0]

    """
    chosen = Choices(**given(choices, ArrayChoices, evaluate_factors))
    asked = planned(measures, None, {}).measures
    check_threads(threads)
    of_queries = as_matrix(query_factors, "query_factors")
    of_items = as_matrix(item_factors, "item_factors")
    if of_queries.shape[1] != of_items.shape[1]:
        raise UsageError(
            f"query_factors has {of_queries.shape[1]} factors and item_factors {of_items.shape[1]}; their "
            "shapes are [queries, factors] and [items, factors]"
        )
    scores = Factors(of_queries, of_items)
    grades = read_relevance(relevance, scores.shape, chosen.duplicates, None)
    excluded = read_excluded(exclude, scores.shape)
    ids = read_query_ids(queries, scores.shape[0])
    return evaluate_scores(
        scores, grades, excluded, asked, chosen, query_ids=ids, k=k, threads=threads, bounds=bounds
    )


def evaluate_scores(
    scores: Scores,
    relevance: Grades,
    excluded: Sparse | None,
    asked: tuple[Measure, ...],
    choices: Choices,
    *,
    query_ids: _native.Table,
    item_ids: ItemIds = "integer",
    k: int | None = None,
    threads: int | None = None,
    bounds: bool = False,
) -> Result:
    """As `evaluate_arrays`, of what has been read and checked."""
    k = checked_k(k)
    judged = np.flatnonzero(relevance.counts)
    _check_judged(len(relevance.counts), len(judged), choices)

    def observe(choices: Choices, measures: tuple[Measure, ...]) -> Observed:
        cut = _cut(k, choices, measures)
        return dense.observe(
            scores, relevance, excluded, query_ids, choices, measures, k=cut, threads=threads
        )

    plan = Plan(asked, choices)
    groups = plan.observed_groups(bounds=bounds)
    observations = [observe(choices, measures) for choices, measures in groups]
    observed = observations[0]
    of_judged = query_ids.take("query", observed.first_rows, "query")
    _check_answered(observed, of_judged, choices)
    return finished(
        plan,
        observations,
        of_judged,
        item_ids=item_ids,
        k=k,
        bounds=bounds,
        notes=_notes(observed, asked, k),
    )


def observe_arrays(
    scores: Array,
    relevance: Any,
    groups: Iterable[Group],
    *,
    query_ids: _native.Table,
    exclude: Any,
    lengths: Array | None,
    mask: Array | None,
    threads: int | None,
) -> list[Observed]:
    """What groups of measures make of the rows of an array; the arguments are as in `evaluate_arrays`."""
    matrix = Matrix(as_matrix(scores, "scores"))
    candidates = _candidates(matrix, lengths, mask)
    excluded = read_excluded(exclude, matrix.shape)
    observed = []
    for choices, measures in groups:
        grades = read_relevance(relevance, matrix.shape, choices.duplicates, candidates)
        _check_judged(len(grades.counts), int(np.count_nonzero(grades.counts)), choices)
        lists = candidates or matrix
        observed.append(dense.observe(lists, grades, excluded, query_ids, choices, measures, threads=threads))
    return observed


def tables_of_arrays(
    scores: Array,
    relevance: Any,
    items: Array,
    *,
    query_ids: _native.Table,
    exclude: Any,
    lengths: Array | None,
    mask: Array | None,
    duplicates: Duplicates,
) -> tuple[Input, Input]:
    """Lists of candidates as judgements and results; the arguments are as in `evaluate_arrays`."""
    matrix = Matrix(as_matrix(scores, "scores"))
    candidates = _candidates(matrix, lengths, mask)
    lists = Candidates(candidates or matrix, _item_numbers(items, matrix.shape), query_ids)
    return lists.judgements(relevance, candidates, duplicates), lists.results(exclude)


def _notes(observed: Observed, asked: tuple[Measure, ...], k: int | None) -> Iterator[str]:
    if not observed.hits:
        yield "no judged item is in the list of its query"
    if k is not None and any(each.cutoff is None or each.cutoff > k for each in asked):
        yield f"lists end after {k:,} items"


def checked_k(k: int | None) -> int | None:
    """The length of a list, or an error for what is none."""
    if k is None:
        return None
    if isinstance(k, bool) or not hasattr(k, "__index__") or k.__index__() < 1:
        raise ChoiceError(f"k={k!r} is not a whole number from 1")
    return k.__index__()


def _cut(k: int | None, choices: Choices, measures: tuple[Measure, ...]) -> int | None:
    """Where lists are cut: under ties="expected" nowhere, if no measure sees what is beyond k.

    Raises:
        UsageError: one does, and there is no one list of the first k.

    """
    if k is None or choices.ties != "expected":
        return k
    for measure in measures:
        within = measure.cutoff is not None and measure.cutoff <= k and measure.page.order != "list"
        if not within and measure.page.order != "nothing":
            raise UsageError(
                f'{measure} sees all of a list, and under ties="expected" none can end between equal scores: '
                f"give the measure a cutoff up to {k}, or leave out k"
            )
    return None


def _check_judged(rows: int, judged: int, choices: Choices) -> None:
    if not judged:
        raise DataError(f"relevance: nothing is judged in any of the {rows} rows")
    if judged < rows and choices.unjudged_queries == "error":
        raise DataError(
            f"relevance: nothing is judged in {rows - judged} of {rows} rows; choose "
            'unjudged_queries="skip", or leave these rows out'
        )


def _check_answered(observed: Observed, query_ids: _native.Table, choices: Choices) -> None:
    unanswered: NDArray[np.intp] = np.flatnonzero(~observed.answered)
    if len(unanswered) == len(observed.answered):
        raise DataError("scores: every list is empty, because all items are excluded or have the score -inf")
    if len(unanswered) and choices.missing == "error":
        raise DataError(
            f"scores: the list is empty of {some_queries(query_ids, unanswered)}, because all items are "
            'excluded or have the score -inf; choose missing="zero" or "skip"'
        )


def _candidates(matrix: Matrix, lengths: Array | None, mask: Array | None) -> Masked | None:
    """The scores with what is padding taken out."""
    if lengths is not None and mask is not None:
        raise UsageError("give lengths or a mask, not both")
    if lengths is not None:
        return Masked(matrix, _lengths(lengths, matrix.shape))
    if mask is None:
        return None
    present = to_numpy(as_matrix(mask, "mask"))
    if present.shape != matrix.shape or present.dtype != np.bool_:
        raise UsageError(
            f"mask holds {present.dtype} of shape {present.shape}; it needs booleans of the shape of the "
            f"scores, {matrix.shape}"
        )
    return Masked(matrix, present)


def _lengths(lengths: Array, shape: tuple[int, int]) -> NDArray[np.int64]:
    numbers = to_numpy(lengths) if hasattr(lengths, "shape") else np.array(lengths)
    if numbers.shape != shape[:1] or numbers.dtype.kind not in "iu":
        raise UsageError(
            f"lengths holds {numbers.dtype} of shape {numbers.shape}; it needs a whole number for each of "
            f"the {shape[0]} rows"
        )
    wrong = np.flatnonzero((numbers < 0) | (numbers > shape[1]))
    if len(wrong):
        raise DataError(
            f"lengths: {len(wrong)} are not from 0 to {shape[1]}, the first is {numbers[wrong[0]]} in row "
            f"{wrong[0]} (from 0)"
        )
    return numbers.astype(np.int64)


def read_query_ids(queries: Sequence[int] | Sequence[str] | NDArray[Any] | None, rows: int) -> _native.Table:
    """The rows' ids as a table of one column."""
    import polars as pl

    values = np.arange(rows) if queries is None else queries
    try:
        column = pl.Series("query", values if isinstance(values, np.ndarray) else list(values))
    except (TypeError, pl.exceptions.PolarsError) as error:
        raise UsageError("queries are of several types; ids are all integers or all strings") from error
    if len(column) != rows:
        raise UsageError(f"queries has {len(column)} ids and the scores have {rows} rows")
    if not (column.dtype.is_integer() or column.dtype == pl.String):
        raise UsageError(f"queries holds {column.dtype}; ids are integers or strings")
    if column.null_count():
        raise UsageError(f"queries: {column.null_count()} are None; each row needs an id")
    again = column.is_duplicated().arg_true()
    if len(again):
        raise DataError(
            f"queries: {column[int(again[0])]!r} is the id of several rows, such as {again[0]} and "
            f"{again[1]} (from 0)"
        )
    return _native.Table.from_arrow(column.to_frame())


def _item_numbers(items: Array, shape: tuple[int, int]) -> NDArray[np.int64]:
    numbers = to_numpy(as_matrix(items, "items"))
    if numbers.shape != shape or numbers.dtype.kind not in "iu":
        raise UsageError(
            f"items holds {numbers.dtype} of shape {numbers.shape}; it needs the number of each candidate, "
            f"integers of the shape of the scores, {shape}"
        )
    return numbers.astype(np.int64)


class Candidates:
    """Lists of candidates: few, and each row has others, so that they become tables."""

    def __init__(self, scores: Scores, items: NDArray[np.int64], query_ids: _native.Table) -> None:
        self._scores = to_numpy(scores.block(np.arange(scores.shape[0])))
        self._items, self._query_ids = items, query_ids
        rows, columns = np.nonzero(self._scores != self._scores)  # NaN alone is not itself
        if len(rows):
            raise DataError(
                f"scores: {len(rows)} NaN, the first in row {rows[0]}, column {columns[0]} (from 0); replace "
                "them, with -inf where there is no candidate"
            )

    def results(self, exclude: Any) -> Input:
        """The candidates that are in the lists."""
        listed = self._scores > -np.inf
        excluded = read_excluded(exclude, (len(listed), None))
        if excluded is not None:
            listed &= ~self._among(excluded)
        row, _ = np.nonzero(listed)
        return self._table("run", row, self._items[listed], self._scores[listed].astype(np.float64))

    def judgements(self, relevance: Any, candidates: Masked | None, duplicates: Duplicates) -> Input:
        """The judged items: by their numbers, or those of dense grades the candidates."""
        if is_dense(relevance):
            grades = read_relevance(relevance, self._items.shape, duplicates, candidates)
            judged = grades.take(np.arange(len(self._items)))
            items = self._items[judged.row, judged.items]
        else:
            judged = read_grades(relevance, (len(self._items), None), duplicates)
            items = judged.items
        if not len(items):
            raise DataError(f"relevance: nothing is judged in any of the {len(self._items)} rows")
        return self._table("qrels", judged.row, items, judged.grades)

    def _among(self, excluded: Sparse) -> NDArray[np.bool_]:
        """Which candidates are excluded."""
        known = np.unique(np.concatenate((excluded.items, self._items.ravel())))
        keys = np.searchsorted(known, self._items) + len(known) * np.arange(len(self._items))[:, None]
        return np.isin(keys, np.searchsorted(known, excluded.items) + len(known) * excluded.row)

    def _table(self, side: Side, row: NDArray[np.intp], items: NDArray[np.int64], values: Values) -> Input:
        import polars as pl

        name, value = ("relevance", "relevance") if side == "qrels" else ("scores", "score")
        ids = pl.DataFrame(self._query_ids.take("query", row.astype(np.uint32), "query"))
        table = ids.with_columns(pl.Series("item", items), pl.Series(value, values))
        return Input(
            _native.Table.from_arrow(table), side, name, "query", "item", value, None, text_ids=False
        )
