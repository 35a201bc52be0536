"""The front doors for arrays: scores of all items, products of factors, lists of candidates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from rankmark.aggregation.finish import finished
from rankmark.aggregation.refusals import OfArrays, refuse_other_columns
from rankmark.api.evaluation import departing, evaluate_tables, refuse_bounds, result_of, with_known
from rankmark.api.finishing import Finish
from rankmark.engines import dense
from rankmark.errors import ChoiceError, DataError, UsageError
from rankmark.inputs import read_qrels
from rankmark.inputs.arrays.candidates import (
    Listed,
    Stored,
    read_candidates,
    read_scores,
    tables_of_candidates,
)
from rankmark.inputs.arrays.judged_items import (
    Sparse,
    is_sparse,
    lists_like_grades,
    read_excluded,
    read_listed,
    read_relevance,
)
from rankmark.inputs.arrays.libraries import Array, Factors, Masked, as_matrix, is_array
from rankmark.inputs.arrays.scored import Scored, read_query_ids
from rankmark.inputs.clusters import ClustersBy
from rankmark.inputs.places import Places
from rankmark.inputs.sampling import mark_of
from rankmark.inputs.slicing import By
from rankmark.inputs.weights import Weighting, WeightsBy
from rankmark.language.choices import ORDERS, ArrayChoices, FactorChoices, given
from rankmark.language.measure import Measure
from rankmark.language.plan import AskedBounds, Plan, check_threads, planned
from rankmark.rendering.words import brief
from rankmark.results.runs import Runs
from rankmark.statistics.intervals import IntervalName

if TYPE_CHECKING:
    from rankmark._native import Table
    from rankmark.inputs.arrays.judged_items import Grades
    from rankmark.inputs.arrays.libraries import Scores
    from rankmark.inputs.catalogue import Catalogue
    from rankmark.language.signature import ItemIds
    from rankmark.results.lists import ListResult

__all__ = ["check_column_order", "checked_k", "evaluate_arrays", "evaluate_factors", "evaluate_scores"]


def evaluate_arrays(
    scores: Array,
    relevance: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    like: str | None = None,
    exclude: Any = None,
    items: Array | None = None,
    lengths: Array | None = None,
    mask: Array | None = None,
    queries: Sequence[int] | Sequence[str] | NDArray[Any] | None = None,
    k: int | None = None,
    threads: int | None = None,
    bounds: AskedBounds = False,
    by: By = None,
    attributes: Any = None,
    weights: WeightsBy | Weighting = None,
    intervals: bool | IntervalName = False,
    confidence: float = 0.95,
    clusters: ClustersBy = None,
    resamples: int = 10_000,
    catalogue: Any = None,
    train: Any = None,
    **choices: Unpack[ArrayChoices],
) -> ListResult:
    """Measures how well an array of scores ranks what is relevant.

    The values are those of `evaluate` on the same data as tables, to the last bit. Each row is a query's
    list: all its items by score, but for those excluded and those of score -inf, which are never in a list
    (so masks written into the scores do the same as `exclude`). The numbers of the columns are the items'
    ids, by which ties are broken.

    Scores in this machine's memory (NumPy, torch and JAX on the CPU) are read where they are. Those on
    another device stay there: only the ranks of the judged items travel. With `k` these are counted among the
    highest scores of each row, which takes little more than selecting them; without it among all scores, once
    for each judged item.

    Args:
        scores: shape [queries, items], of NumPy, torch, JAX, CuPy or another library of the array API. NaN is
            an error, +inf is a score like others. Or a sparse matrix of SciPy: what it stores is in the
            lists, zeros that are stored, too, and nothing else is.
        relevance: the grades: a sparse matrix of SciPy of the same shape, in which what is stored is judged,
            zeros too; a list with the relevant items of each row; or a dense array of the same shape, in
            which everything is judged but NaN. A row in which nothing is judged is an unjudged query.
        measures: as in `evaluate`.
        like: a convention, as in `evaluate`. One that takes item ids as text orders the numbers of columns
            otherwise than they are here: it needs `items`, or ``ties`` that do not look at ids.
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
        bounds: which bounds to find, for `Result.bounds`; as in `evaluate`.
        by: what to slice the queries by, for `Result.slices`: a list, an array or a series of a value a row;
            ``{query: slice}``, a pandas Series with the queries in its index, or a function of a query; or
            columns of `attributes`.
        attributes: a path or table with a column of queries, for `by`, `weights` and `clusters`.
        weights: how much each query counts in means, as in `evaluate`: a value a row, ``{query: weight}``, a
            pandas Series with the queries in its index, or a column of `attributes`.
        intervals: whether to give confidence intervals, for `Result.intervals`, as in `evaluate`.
        confidence: the share of intervals that hold the true value, 0 to 1.
        clusters: what a query belongs to, such as its user, over which intervals are then: a column of
            `attributes`, or ``{query: user}``; two of these in a list for clusters of two kinds.
        resamples: how many, for intervals that draw.
        catalogue: for measures of what is recommended, the items that can be, and what they are like, as
            `items` of `evaluate`: ids are the numbers of columns.
        train: for these measures the interactions before: as `exclude`, or as in `evaluate`.
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
    plan = planned(measures, like, given(choices, ArrayChoices, evaluate_arrays), items=True)
    check_threads(threads)
    matrix = read_scores(scores)
    candidates = read_candidates(matrix, lengths, mask, items)
    ids = read_query_ids(queries, matrix.shape[0])
    plan, known = with_known(plan, catalogue, interactions_of(train, ids, matrix.shape), argument="catalogue")
    refuse_bounds(plan, bounds=bounds)
    duplicates = plan.choices.duplicates
    finish = Finish.asked(
        plan,
        _places(ids, attributes),
        by=by,
        weights=weights,
        intervals=intervals,
        confidence=confidence,
        clusters=clusters,
        resamples=resamples,
        threads=threads,
        bounds=bounds,
    )
    if items is not None or isinstance(matrix, Stored):
        if k is not None:
            raise UsageError("k ends lists of all items; lists of candidates end where they do: take k out")
        tables = tables_of_candidates(matrix, candidates, items, ids, relevance, exclude, duplicates)
        return finish.of(evaluate_tables(*tables, plan, threads=threads, bounds=bounds, known=known))
    grades = read_relevance(relevance, matrix.shape, duplicates, candidates)
    arrays = _scored(candidates or matrix, grades, relevance, exclude, ids)
    refuse_other_columns(arrays, plan.chosen)
    return finish.of(evaluate_scores(arrays, plan, k=k, threads=threads, bounds=bounds, known=known))


class _FactorOptions(FactorChoices, total=False):
    """The keyword arguments of `evaluate_factors` but for candidates."""

    like: str | None
    exclude: Any
    queries: Sequence[int] | Sequence[str] | NDArray[Any] | None
    k: int | None
    threads: int | None
    bounds: AskedBounds
    by: By
    attributes: Any
    weights: WeightsBy | Weighting
    intervals: bool | IntervalName
    confidence: float
    clusters: ClustersBy
    resamples: int
    catalogue: Any
    train: Any


@overload
def evaluate_factors(
    query_factors: Array,
    item_factors: Array,
    relevance: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    candidates: str | None = None,
    **options: Unpack[_FactorOptions],
) -> ListResult: ...


@overload
def evaluate_factors(
    query_factors: Array,
    item_factors: Array,
    relevance: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    candidates: Any,
    **options: Unpack[_FactorOptions],
) -> Runs: ...


def evaluate_factors(
    query_factors: Array,
    item_factors: Array,
    relevance: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    like: str | None = None,
    exclude: Any = None,
    candidates: Any = None,
    queries: Sequence[int] | Sequence[str] | NDArray[Any] | None = None,
    k: int | None = None,
    threads: int | None = None,
    bounds: AskedBounds = False,
    by: By = None,
    attributes: Any = None,
    weights: WeightsBy | Weighting = None,
    intervals: bool | IntervalName = False,
    confidence: float = 0.95,
    clusters: ClustersBy = None,
    resamples: int = 10_000,
    catalogue: Any = None,
    train: Any = None,
    **choices: Unpack[FactorChoices],
) -> ListResult | Runs:
    """Measures a model whose scores are the products of the queries' factors with the items'.

    The scores are made a block of rows at a time, where the factors live and in their type, and never all at
    once. A bias is one more factor, which on the other side is 1. How a library adds up a product may depend
    on the size of a block in the last bits.

    Args:
        query_factors: shape [queries, factors].
        item_factors: shape [items, factors], of the same library and type.
        relevance: as in `evaluate_arrays`, of shape [queries, items].
        measures: as in `evaluate`.
        like: a convention, as in `evaluate_arrays`.
        exclude: as in `evaluate_arrays`; so are the others.
        candidates: what is ranked besides all items, side by side with these: what `sample_candidates` gave,
            or a table or file of queries and items, by the ids of rows and the numbers of items; or as
            `exclude`. A text says alone what was ranked, as of `evaluate`.
        queries: the id of each row.
        k: ends each list.
        threads: how many threads to use besides those of the product; all cores if None.
        bounds: which bounds to find; as in `evaluate`.
        by: what to slice the queries by.
        attributes: a path or table with a column of queries, for `by`, `weights` and `clusters`.
        weights: how much each query counts in means.
        intervals: whether to give confidence intervals, for `Result.intervals`.
        confidence: the share of intervals that hold the true value, 0 to 1.
        clusters: what a query belongs to, such as its user, over which intervals are then.
        resamples: how many, for intervals that draw.
        catalogue: what is known of items, for measures of what is recommended; ids are the numbers of rows of
            `item_factors`.
        train: the interactions before, for these measures.
        **choices: as in `evaluate_arrays`.

    Returns:
        The values, those of each query, and the account of the queries; with candidates those among all items
        and among these by name.

    Raises:
        UsageError: an unknown measure or choice, or arrays that do not fit together.
        DataError: NaN, items without a column, or what a choice refuses.

    Example:
        >>> import numpy as np, rankmark as rm
        >>> users, items = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[0.2, 0.9], [0.7, 0.1], [0.5, 0.5]])
        >>> rm.evaluate_factors(users, items, [[2], [0]], "RR").query_values("RR").tolist()
        [0.5, 1.0]

    """
    said = given(choices, FactorChoices, evaluate_factors)
    marked = candidates if isinstance(candidates, str) else None
    plan = planned(measures, like, said | {"candidates": marked}, items=True)
    check_threads(threads)
    of_queries = as_matrix(query_factors, "query_factors")
    of_items = as_matrix(item_factors, "item_factors")
    if of_queries.shape[1] != of_items.shape[1]:
        raise UsageError(
            f"query_factors has {of_queries.shape[1]} factors and item_factors {of_items.shape[1]}; their "
            "shapes are [queries, factors] and [items, factors]"
        )
    scores = Factors(of_queries, of_items)
    ids = read_query_ids(queries, scores.shape[0])
    plan, known = with_known(plan, catalogue, interactions_of(train, ids, scores.shape), argument="catalogue")
    refuse_bounds(plan, bounds=bounds)
    grades = read_relevance(relevance, scores.shape, plan.choices.duplicates, None)

    def result(scores: Scores, plan: Plan) -> ListResult:
        finish = Finish.asked(
            plan,
            _places(ids, attributes),
            by=by,
            weights=weights,
            intervals=intervals,
            confidence=confidence,
            clusters=clusters,
            resamples=resamples,
            threads=threads,
            bounds=bounds,
        )
        arrays = _scored(scores, grades, relevance, exclude, ids)
        return finish.of(evaluate_scores(arrays, plan, k=k, threads=threads, bounds=bounds, known=known))

    if candidates is None or isinstance(candidates, str):
        return result(scores, plan)
    mark = mark_of(candidates)
    listed = Listed(_candidates_of(candidates, ids, scores.shape), scores.shape[1])
    among = planned(measures, like, said | {"candidates": mark}, items=True)
    among, _ = with_known(among, catalogue, interactions_of(train, ids, scores.shape), argument="catalogue")
    return Runs(
        {
            "all items": result(scores, plan),
            mark or "candidates": result(Masked(scores, listed), among),
        }
    )


def _candidates_of(candidates: Any, ids: Table, shape: tuple[int, int]) -> Sparse:
    """The candidates of each row, of a table of queries and items or given as excluded items are."""
    if is_sparse(candidates) or (isinstance(candidates, list) and all(map(_lists_items, candidates))):
        return read_listed(candidates, shape, "candidates")
    import polars as pl

    read = read_qrels(candidates)
    table = pl.DataFrame(read.table).select(query=read.query, item=read.item)
    rows = pl.DataFrame(ids).select("query").with_row_index("row")
    number = pl.col("item").cast(pl.Int64, strict=False)
    listed = table.with_columns(pl.col("query").cast(rows["query"].dtype, strict=False), number)
    if outside := listed.filter(
        pl.col("item").is_null() | ~pl.col("item").is_between(0, shape[1] - 1)
    ).height:
        raise DataError(
            f"candidates: {outside:,} of {len(listed):,} items are no numbers of the {shape[1]:,} rows of "
            "item_factors"
        )
    own = rows.join(listed.unique(), on="query").sort("row", "item")
    if not len(own):
        raise DataError("candidates: none of the queries has any; queries= says the id of each row")
    counts = np.bincount(own["row"].to_numpy(), minlength=shape[0])
    offsets = np.concatenate(([0], np.cumsum(counts)))
    return Sparse(offsets, own["item"].to_numpy(), np.ones(len(own)))


def _scored(scores: Scores, grades: Grades, relevance: Any, exclude: Any, ids: Table) -> Scored:
    """Scores of all items with their grades and what is not to be in lists."""
    excluded = read_excluded(exclude, scores.shape)
    return Scored(scores, lambda _: grades, excluded, ids, lists_like_grades(relevance, scores.shape[1]))


def interactions_of(train: Any, ids: Table, shape: tuple[int, int]) -> Any:
    """The interactions before, where they are given as excluded items are, as a table of them."""
    if not (is_sparse(train) or (isinstance(train, list) and all(map(_lists_items, train)))):
        return train
    import polars as pl

    had = read_excluded(train, shape)
    assert had is not None
    return pl.DataFrame({"query": pl.DataFrame(ids)["query"].gather(had.row), "item": had.items})


def _lists_items(own: Any) -> bool:
    """Whether it is the items of a row, and not a row of two ids or more."""
    return isinstance(own, list) or is_array(own)


def _places(ids: Table, attributes: Any) -> Places:
    """Where slices of rows are to be found."""
    return Places(attributes=attributes, rows=ids.column_values("query"))


def evaluate_scores(
    arrays: Scored,
    plan: Plan,
    *,
    item_ids: ItemIds = "integer",
    k: int | None = None,
    threads: int | None = None,
    bounds: AskedBounds = False,
    known: Catalogue | None = None,
) -> ListResult:
    """As `evaluate_arrays`, of what has been read and checked."""
    k = checked_k(k)
    if item_ids == "integer":
        check_column_order(plan)
    watched = dense.Watched(arrays.scores)
    arrays = replace(arrays, scores=watched) if plan.convention else arrays
    numbered = None
    if known is not None:
        from rankmark.inputs.catalogue import Numbered

        numbered = Numbered(known, integer=item_ids == "integer")
    seen = dense.observe(arrays, plan.observed_groups(bounds=bounds), k=k, threads=threads, items=numbered)
    if numbered is not None:
        seen = seen.with_items(numbered, "scores")
    made = finished(plan, seen, OfArrays(arrays.scores.shape[0]), k=k, bounds=bounds)
    beyond = k is not None and any(each.cutoff is None or each.cutoff > k for each in plan.measures)
    notes = (*arrays.notes, *made.notes)
    notes = (*notes, f"lists end after {k:,} items") if beyond else notes
    if plan.convention:
        grades = dense.grade_extent(arrays.grades(plan.choices.duplicates))
        notes = (*notes, *departing(plan, made, lambda: (grades, watched.extent)))
    taken = "text" if plan.text_items else item_ids
    return result_of(plan, made, item_ids=taken, k=k, notes=notes)


def check_column_order(plan: Plan) -> None:
    """Refuses a convention that orders equal scores by ids as text, where ids are the numbers of columns.

    Raises:
        UsageError: it does.

    """
    if plan.text_items and any(ORDERS[choices.ties].by_ids for choices, _ in plan.groups()):
        raise UsageError(
            f"{plan.convention} orders equal scores by item ids as text, and the columns of an array are "
            'numbers; give tables, or another order, such as ties="expected"'
        )


MOST_ITEMS = 10**9
"""More than an array has columns, and what signatures read back."""


def checked_k(k: int | None) -> int | None:
    """The length of a list, or an error for what is none."""
    if k is None:
        return None
    if isinstance(k, bool) or not hasattr(k, "__index__") or not 1 <= k.__index__() <= MOST_ITEMS:
        raise ChoiceError(f"k={brief(k)} is not a whole number from 1 to {MOST_ITEMS:,}")
    return k.__index__()
