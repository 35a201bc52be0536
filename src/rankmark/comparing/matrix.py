"""Systems compared by values of queries that others computed."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark._native import Table
from rankmark.aggregation.terms import BEYOND, Terms
from rankmark.calling import refuse_unknown
from rankmark.comparing.compare import compare_results
from rankmark.comparing.stored import opened
from rankmark.errors import DataError, UsageError, did_you_mean
from rankmark.inputs.matrices import UNNAMED, GivenValues, MatrixColumns, read_values
from rankmark.language.given_measure import GivenMeasure, known_measure
from rankmark.language.registry import near
from rankmark.rendering.words import counted
from rankmark.results.base import Result
from rankmark.results.given import GivenResult

if TYPE_CHECKING:
    import polars as pl

    from rankmark.comparing.comparison import Comparison
    from rankmark.language.measure import Measure
    from rankmark.language.registry import Better

__all__ = ["compare_matrix", "results_of_matrix"]


def compare_matrix(
    matrix: Any,
    measures: str | Iterable[str] | None = None,
    *,
    better: Better | None = None,
    columns: MatrixColumns | None = None,
    **how: Any,
) -> Comparison:
    """As `compare`, of values of queries that were computed elsewhere.

    Args:
        matrix: a path or a table with a row a query and a column a system (without a column of queries these
            are numbered), or with a row a query and system, in columns such as ``query``, ``system``,
            ``value`` and, if there are several, ``measure``; an array [queries, systems]; or the values of
            each system by its name: a file as ``trec_eval -q`` prints, a path or a table with a column a
            measure, ``{query: value}``, ``{query: {measure: value}}`` as pytrec_eval gives, a Series, values
            by position, or a result. NaN and null stand for a query that is left out.
        measures: which of the measures to compare; all if None, which is refused where there are more than
            eight. Where nothing says what was measured, what it is called.
        better: whether ``more`` of it is better or ``less``; None for what is known of the measure by its
            name, and more of those that are unknown.
        columns: the names of a table's columns: ``query``, and ``systems``, or ``system``, ``value`` and
            ``measure``.
        **how: what else `compare_results` takes: ``baseline``, ``test``, ``correction``, ….

    Raises:
        UsageError: as `compare_results`; or what is no matrix.
        MeasureError: a measure that is no mean or sum of the values of queries.
        DataError: a query has several values of a system; or values that are no numbers.

    Example:
        >>> import rankmark as rm
        >>> matrix = {"old": [0.1] * 8, "new": [0.1, 0.4, 0.3, 0.9, 0.5, 0.2, 0.3, 0.7]}
        >>> comparison = rm.compare_matrix(matrix, "AP", baseline="old")
        >>> pair = comparison.pair("AP", "new")
        >>> round(pair.difference, 4), round(pair.p, 4)
        (0.325, 0.0156)

    """
    _check_how(how)
    return compare_results(results_of_matrix(matrix, measures, better, columns), **how)


def _check_how(how: Mapping[str, Any]) -> None:
    """Refuses what `compare_results` does not take."""
    known = [name for name in inspect.signature(compare_results).parameters if name != "results"]
    refuse_unknown("compare_matrix", how, [*known, "better", "columns"])


def results_of_matrix(
    matrix: Any,
    measures: str | Iterable[str] | None = None,
    better: Better | None = None,
    columns: MatrixColumns | None = None,
) -> dict[str, Result]:
    """The values of each system of a matrix as results; see `compare_matrix`."""
    wanted = [measures] if isinstance(measures, str) else None if measures is None else list(measures)
    if isinstance(matrix, Mapping):
        matrix = {name: _as_table(each) for name, each in matrix.items()}
    given = _named(read_values(matrix, columns), wanted)
    query_ids, queries = _queries(given)
    own: dict[str, dict[str, np.ndarray[Any, Any]]] = {}
    for measure, system, values, _ in given:
        assert measure is not None
        own.setdefault(system, {})[measure] = _aligned(values, queries)
    _check_finite(given)
    kinds: dict[str, Measure] = {
        name: GivenMeasure(name, better) for name in dict.fromkeys(str(each.measure) for each in given)
    }
    table = Table.from_arrow(query_ids.to_frame("query"))
    for system, known in own.items():
        if lacking := [name for name in kinds if name not in known]:
            raise DataError(f"{system!r} has no values of {lacking[0]}, which others have")
    notes = [] if better else list(_taken_for_better(kinds.values()))
    return {system: _result(known, kinds, table, notes) for system, known in own.items()}


def _taken_for_better(measures: Iterable[Measure]) -> Iterator[str]:
    """That more is, of measures which are not known here."""
    for measure in measures:
        name = str(measure)
        if known_measure(name) is None:
            hint = near(name.partition("@")[0])
            yield f"{name} is no measure known here, and more of it is taken for better{hint}"


def _as_table(given: Any) -> Any:
    """A result, or what was saved of one, as the table of its queries, and all else as it is."""
    found = opened(given, Result)
    if not isinstance(found, Result):
        return given
    if found.weighed is not None:
        raise UsageError(
            f"a result weighs queries by {found.weighed.name!r}, and a matrix has their values alone: "
            "compare results with results (compare_results), or give weights= with those that do not weigh"
        )
    return found.per_query


MOST_MEASURES = 8
"""More than these are compared only if they are asked for: p-values are corrected for all of them."""


def _named(given: Sequence[GivenValues], wanted: list[str] | None) -> list[GivenValues]:
    """The values of the measures that are wanted."""
    there = list(dict.fromkeys(each.measure for each in given))
    if there == [None]:
        if wanted is not None and len(wanted) != 1:
            raise UsageError(f"nothing says what was measured; give one name for it, not {len(wanted)}")
        name = UNNAMED if wanted is None else wanted[0]
        return [each._replace(measure=name) for each in given]
    named = [each._replace(measure=each.measure or UNNAMED) for each in given]
    known = list(dict.fromkeys(str(each.measure) for each in named))
    for name in wanted or ():
        if name not in known:
            hint = did_you_mean(name, known) or ";"
            raise UsageError(f"there are no values of {name!r}{hint} there are {', '.join(known)}")
    if wanted is None and len(known) > MOST_MEASURES:
        raise UsageError(
            f"there are values of {len(known)} measures; say which to compare: {', '.join(known)}"
        )
    return [each for each in named if wanted is None or each.measure in wanted]


def _queries(given: Sequence[GivenValues]) -> tuple[pl.Series, dict[Any, int]]:
    """The queries of all, in the order in which they come, and the place of each as it is written."""
    import polars as pl

    types = [each.values["query"].dtype for each in given]
    whole = all(kind.is_integer() for kind in types)
    kind = pl.String if not whole else pl.UInt64 if pl.UInt64 in types else pl.Int64
    ids = pl.concat([each.values["query"].cast(kind) for each in given]).unique(maintain_order=True)
    if ids.null_count():
        raise DataError("there are values without a query")
    return ids, {str(query): place for place, query in enumerate(ids.to_list())}


def _aligned(values: pl.DataFrame, queries: Mapping[Any, int]) -> np.ndarray[Any, Any]:
    import polars as pl

    found = np.full(len(queries), np.nan)
    rows = [queries[query] for query in values["query"].cast(pl.String).to_list()]
    found[rows] = values["value"].cast(pl.Float64).fill_null(np.nan).to_numpy()
    return found


def _check_finite(given: Sequence[GivenValues]) -> None:
    for each in given:
        infinite = each.values.filter(each.values["value"].is_infinite())
        if infinite.height:
            count, first = counted(infinite.height, "infinite value"), infinite["query"][0]
            raise DataError(f"{each.system!r} has {count} by {each.measure}, the first of query {first!r}")


def _result(
    values: Mapping[str, np.ndarray[Any, Any]], kinds: Mapping[str, Measure], ids: Table, notes: Sequence[str]
) -> Result:
    per_query = {kinds[name]: own for name, own in values.items()}
    wholes = {}
    for measure, own in per_query.items():
        terms = Terms.of(measure, own, None)
        wholes[measure] = terms.at(terms.there).value()
    notes = [*notes, *_beyond_bounds(per_query)]
    return GivenResult(values=wholes, per_query_values=per_query, query_ids=ids, notes=notes)


def _beyond_bounds(values: Mapping[Measure, np.ndarray[Any, Any]]) -> Iterator[str]:
    """Which values are none that their measure has, as those in per cent."""
    for measure, own in values.items():
        low, high = (math.nan if end is None else end for end in measure.bounds)
        if beyond := int(np.count_nonzero((own < low - BEYOND) | (own > high + BEYOND))):
            span = f"{'…' if math.isnan(low) else f'{low:g}'} to {'…' if math.isnan(high) else f'{high:g}'}"
            yield (
                f"{counted(beyond, 'value')} of {measure} beyond {span}, up to {np.nanmax(own):g}: is "
                "another measure meant, or per cent?"
            )
