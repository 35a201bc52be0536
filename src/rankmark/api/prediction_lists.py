"""Measures of lists of a table of predictions: the rows of a query are its list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankmark import _native
from rankmark.aggregation.rows import need_query
from rankmark.api.arrays import evaluate_scores
from rankmark.api.evaluation import evaluate_tables
from rankmark.errors import ChoiceError, MeasureError
from rankmark.inputs.arrays.judged_items import Sparse
from rankmark.inputs.arrays.libraries import Matrix, as_matrix
from rankmark.inputs.arrays.scored import Scored, read_query_ids
from rankmark.inputs.input import Input
from rankmark.inputs.predictions.labelled import Predictions
from rankmark.kinds.rows import Values
from rankmark.language.choices import Ties
from rankmark.language.measure import Measure, no_closed_form
from rankmark.language.parameters import format_value
from rankmark.language.plan import Plan
from rankmark.results.lists import ListResult

__all__ = ["evaluate_class_lists", "evaluate_lists", "without_items"]


def evaluate_lists(read: Predictions, plan: Plan, ties: Ties | None, threads: int | None) -> ListResult:
    """The measures of lists, of a table that is both judgements and results.

    Args:
        read: the table.
        plan: the measures, and how they are decided.
        ties: the order of equal scores that was asked for, if one was.
        threads: how many threads to use; all cores if None.

    Raises:
        ColumnError: there is no column of queries.
        ChoiceError: an order of equal scores that needs items, where there are none; or a positive label,
            where labels are grades.
        MeasureError: a measure that needs them.

    """
    query = need_query(read, plan.measures[0])
    if read.words is None and read.positive not in (None, 1.0):
        raise ChoiceError(
            f"{plan.measures[0]} takes labels that are numbers for grades, and positive="
            f"{format_value(read.positive)} makes none of them; leave positive out, or make a column that is "
            "1 for relevant rows and 0 for others"
        )
    table, item = read.table, read.columns.item
    if item is None:
        plan = without_items(plan, ties)
        table, item = _numbered(read)
    columns = read.columns
    judgements = Input(table, "qrels", read.name, query, item, columns.label, None, read.text_ids)
    results = Input(table, "run", read.name, query, item, columns.score, None, read.text_ids)
    return evaluate_tables(judgements, results, plan, threads=threads)


def evaluate_class_lists(
    scores: Values, labels: NDArray[np.intp], plan: Plan, ties: Ties | None, threads: int
) -> ListResult:
    """The measures of lists, where each row's classes are its list, and its own class is relevant.

    Args:
        scores: a row of scores, one a class, for each row.
        labels: the number of the class of each.
        plan: the measures, and how they are decided.
        ties: the order of equal scores that was asked for, if one was.
        threads: how many threads to use; 0 for all cores.

    Raises:
        ChoiceError: an order of equal scores that needs items: classes have none.
        MeasureError: a measure that needs them.

    """
    rows = len(labels)
    own = Sparse(np.arange(rows + 1), labels.astype(np.int64), np.ones(rows))
    scored = Scored(Matrix(as_matrix(scores, "scores")), lambda _: own, None, read_query_ids(None, rows))
    return evaluate_scores(scored, without_items(plan, ties), threads=threads or None)


def without_items(plan: Plan, ties: Ties | None) -> Plan:
    """The plan where there are no items: what nothing decides is the mean over all orders of ties."""
    if plan.convention is None:
        _check_without_items(plan.measures, ties)
        return replace(plan, choices=replace(plan.choices, ties=ties or "expected"))
    for measure in plan.measures:
        _check_without_items([measure], plan.own.get(measure, plan.choices).ties)
    return plan


def _check_without_items(asked: Iterable[Measure], ties: Ties | None) -> None:
    """Refuses what only ids of items could decide."""
    if ties not in (None, "expected", "best", "worst", "input"):
        raise ChoiceError(
            f'ties="{ties}" orders equal scores by their items, and there is no column of items: say which '
            'it is with item="…", or choose expected, best, worst or input'
        )
    for measure in asked:
        if ties in (None, "expected") and not measure.expected:
            raise MeasureError(
                f"{no_closed_form(str(measure))}; without a column of items (item=…), which could order "
                "them, that mean is what is computed"
            )


def _numbered(read: Predictions) -> tuple[_native.Table, str]:
    """The table with a column that numbers its rows, and that column's name."""
    import polars as pl

    name = "row"
    while name in read.table.names:
        name += "_"
    return _native.Table.from_arrow(pl.DataFrame(read.table).with_row_index(name).to_struct()), name
