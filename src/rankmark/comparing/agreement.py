"""How far two runs, two rankings, or two ways to order systems agree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmark import _native
from rankmark._native import Table
from rankmark.dataclassing import dataclass
from rankmark.engines import local
from rankmark.errors import ChoiceError, DataError, UsageError
from rankmark.forking import need_polars_threads
from rankmark.inputs import align_ids, read_shared
from rankmark.inputs.roles import check_names, columns_said
from rankmark.kinds.pairs import Lists, Pairs, Whole
from rankmark.language.choices import Choices, GivenChoices, RunChoices, given
from rankmark.language.coefficient import Coefficient, coefficients_of, values_of
from rankmark.rendering.blocks import Block, Grid
from rankmark.rendering.formats.json import ByName, NumberColumn
from rankmark.rendering.words import printable
from rankmark.results.saved import Saved

if TYPE_CHECKING:
    import polars as pl

    from rankmark._native import PairedLists
    from rankmark.inputs import Input
    from rankmark.kinds.lists import Values
    from rankmark.language.measure import Measure

__all__ = [
    "COEFFICIENTS",
    "SYSTEM_COEFFICIENTS",
    "Agreement",
    "SystemAgreement",
    "agree",
    "agree_on_systems",
    "rank_correlation",
    "rank_correlations",
]

COEFFICIENTS = ("RBO", "Tau", "TauAP", "Overlap@10", "Jaccard@10")
"""What is computed unless told otherwise."""


class Agreement(Saved):
    """How far two runs agree; ``agreement["RBO(p=0.9)"]`` is the mean over the queries of both.

    `format` and `write` take ``per_query=True`` to show the values of each query, too.

    Attributes:
        coefficients: what was computed, in the order asked for.
        query_ids: the queries of both runs, in the order of the first.
        only: how many queries the first run has alone, and how many the second.

    """

    def __init__(
        self,
        values: Mapping[Coefficient, Values],
        query_ids: Sequence[int | str],
        only: tuple[int, int],
        names: tuple[str, str],
    ) -> None:
        self.coefficients = tuple(values)
        self.query_ids = list(query_ids)
        self.only = only
        self._names = names
        self._per_query = dict(values)

    @property
    def values(self) -> dict[str, float]:
        """Each coefficient's mean over the queries in which it is defined, by its name."""
        return {str(each): _mean(values) for each, values in self._per_query.items()}

    @property
    def per_query(self) -> pl.DataFrame:
        """A row a query: ``query`` and a column a coefficient; null where it is not defined."""
        import polars as pl

        columns = [pl.Series(str(c), values, nan_to_null=True) for c, values in self._per_query.items()]
        return pl.DataFrame({"query": self.query_ids}).with_columns(columns)

    @property
    def averaged(self) -> dict[str, int]:
        """In how many queries each coefficient is defined, by its name."""
        return {str(c): int(np.count_nonzero(~np.isnan(values))) for c, values in self._per_query.items()}

    def query_values(self, coefficient: str | Coefficient) -> Values:
        """One value a query; NaN where it is not defined."""
        (asked,) = coefficients_of(coefficient)
        if str(asked) not in (names := {str(each): each for each in self._per_query}):
            raise UsageError(f"{asked} was not computed; here are {', '.join(names)}")
        return self._per_query[names[str(asked)]]

    def __getitem__(self, coefficient: str | Coefficient) -> float:
        return _mean(self.query_values(coefficient))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value:.4f}" for name, value in self.values.items())
        return f"<Agreement {values}; {len(self.query_ids)} queries>"

    _options = ("per_query",)

    def _blocks(self, digits: int, *, per_query: bool = False) -> Iterator[Block]:
        names = list(map(str, self.coefficients))
        if per_query:
            columns = [values.tolist() for values in self._per_query.values()]
            rows = (
                [printable(str(query)), *(_shown(value, digits) for value in row)]
                for query, *row in zip(self.query_ids, *columns, strict=True)
            )
            yield Grid(1, [["query", *names], *rows], "Queries")
        means = ([name, _shown(self.values[name], digits)] for name in names)
        yield Grid(1, [["coefficient", "value"], *means])
        yield "\n".join(self._notes())

    def _kept(self) -> dict[str, Any]:
        return {
            "values": self._per_query,
            "query_ids": self.query_ids,
            "only": self.only,
            "names": self._names,
        }

    def _notes(self) -> Iterator[str]:
        first = f"{len(self.query_ids):,} {'query' if len(self.query_ids) == 1 else 'queries'} in both runs"
        alone = (
            f"{count:,} in {name} alone" for name, count in zip(self._names, self.only, strict=True) if count
        )
        yield ", ".join([first, *alone])
        for name, count in self.averaged.items():
            if undefined := len(self.query_ids) - count:
                yield f"{name}: not defined in {undefined:,} of them (left out)"

    def _record(self, *, per_query: bool = False) -> dict[str, Any]:
        measured = {n: {"value": v, "averaged": self.averaged[n]} for n, v in self.values.items()}
        queries = {"both": len(self.query_ids), "only_first": self.only[0], "only_second": self.only[1]}
        record: dict[str, Any] = {"runs": list(self._names), "coefficients": measured, "queries": queries}
        if per_query:
            values = ByName((str(c), NumberColumn(each)) for c, each in self._per_query.items())
            record["per_query"] = {"query": self.query_ids, "values": values}
        return record

    def _frame(self, *, per_query: bool = False) -> pl.DataFrame:
        import polars as pl

        if per_query:
            return self.per_query
        return pl.DataFrame(
            {
                "coefficient": list(self.values),
                "value": pl.Series(list(self.values.values()), nan_to_null=True),
            }
        )


def _mean(values: Values) -> float:
    defined = np.ascontiguousarray(values[~np.isnan(values)])
    return _native.exact_sum(defined) / len(defined) if len(defined) else math.nan


def agree(
    run_a: Any,
    run_b: Any,
    coefficients: str | Coefficient | Iterable[str | Coefficient] = COEFFICIENTS,
    *,
    columns: Mapping[str, Any] | None = None,
    **choices: Unpack[RunChoices],
) -> Agreement:
    """How far two runs agree in how they rank items, query by query and on average.

    The coefficients are ``Tau``, ``WeightedTau``, ``TauAP``, ``Spearman``, ``Footrule``, ``KendallDistance``,
    ``Jaccard``, ``Overlap`` and ``RBO``, with parameters and a cutoff written as those of measures:
    ``RBO(p=0.98,ties=a)@100``, ``Tau(items=union)@10``. With a cutoff they see the first items of each list.
    Where a coefficient knows ties, items with equal scores are tied; where it does not (Jaccard, Overlap,
    KendallDistance, any cutoff), `ties` orders them.

    Args:
        run_a: the results of one system, as `evaluate` takes them; for TauAP the reference.
        run_b: those of the other.
        coefficients: one or several.
        columns: the columns to use, where their names do not say it.
        **choices: ``ties``, the order of equal scores where one is needed, ``seed``, ``duplicates`` and
            ``scores``, as in `evaluate`.

    Returns:
        The means over the queries that both runs have, those of each query, and how many there are.

    Raises:
        UsageError: an unknown coefficient, parameter or choice, or a file that is not there.
        DataError: a table that cannot be read, or runs without a common query.

    Example:
        >>> import rankmark as rm
        >>> a = {"q": ["a", "b", "c", "d"]}
        >>> b = {"q": ["b", "a", "c", "x"]}
        >>> agreement = rm.agree(a, b, ["Tau", "Overlap@2", "RBO(p=0.5)"])
        >>> [round(value, 4) for value in agreement.values.values()]
        [0.3333, 1.0, 0.4688]

    """
    chosen = Choices(**given(choices, RunChoices, agree))
    if chosen.ties in ("best", "worst", "expected"):
        raise ChoiceError(
            f"ties={chosen.ties!r} needs judgements; two runs are compared under item-desc, item-asc, input, "
            "random"
        )
    asked = coefficients_of(coefficients)
    first, second = (read_shared(run, "run", columns) for run in (run_a, run_b))
    said = {role: name for role, name in columns_said(columns).items() if not role.endswith("items")}
    check_names(said, {"qrels": (), "run": [*first.names, *second.names]})
    first, second = align_ids(first, second)
    names = first.name, "other run" if first.name == second.name else second.name
    return Agreement(*_computed(first, second, asked, chosen), names)


def _computed(
    first: Input, second: Input, asked: Sequence[Coefficient], choices: Choices
) -> tuple[dict[Coefficient, Values], list[Any], tuple[int, int]]:
    """The values of the queries that both runs have, the queries' ids, and how many each run has alone.

    The core ranks the lists of both and finds their common items, of some queries at a time; what it does not
    compute of these is computed while they are in its cache.
    """
    parts: list[list[NDArray[Any]]] = []

    def consume(queries: NDArray[np.uint32], known: list[Values | None], lists: PairedLists | None) -> None:
        computed: Iterator[Values] = iter(())
        if lists is not None:
            a, b, common = lists
            others = [each for each, values in zip(asked, known, strict=True) if values is None]
            computed = iter(values_of(others, Pairs(Lists(*a), Lists(*b), *common)))
        parts.append([queries, *(next(computed) if values is None else values for values in known)])

    columns = local.columns_of(first), local.columns_of(second)
    compiled = [each.compiled for each in asked]
    try:
        first_rows, only = _native.pair_lists(*columns, compiled, consume, choices)
    except DataError:
        _refuse(first, second, choices)
        raise
    if not parts:
        raise DataError(
            f"{first.name} and {second.name} have no query in common: theirs are such as "
            f"{first.first_query!r} and {second.first_query!r}"
        )
    numbers, *values = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(numbers, kind="stable")
    query_ids = first.table.take(first.query, first_rows, "query").column_values("query")
    return {each: own[order] for each, own in zip(asked, values, strict=True)}, query_ids, only


def _refuse(first: Input, second: Input, choices: Choices) -> None:
    """Says what is wrong with runs that cannot be ranked, and where, as judgements of each other are."""
    for judged, run in ((first, first), (second, second), (first, second)):
        local.judged_lists(_numbered(judged), run, choices)


def _numbered(run: Input) -> Input:
    """A run as judgements, the grades of which are the numbers of its rows."""
    import polars as pl

    need_polars_threads()
    frame = pl.DataFrame(run.table).select(query=run.query, item=run.item)
    frame = frame.with_columns(number=pl.int_range(pl.len()).cast(pl.Float64))
    table = Table.from_arrow(frame.to_struct())
    return replace(run, table=table, side="qrels", query="query", item="item", value="number", rank=None)


# --- Two rankings ------------------------------------------------------------------------------------------

Ranking = Mapping[Any, float] | Sequence[Any] | ArrayLike
"""Scores of items by their names, scores in a fixed order of items, or items, best first."""


@overload
def rank_correlation(  # type: ignore[overload-overlap]  # a str is an iterable of str
    x: Ranking, y: Ranking, coefficients: str | Coefficient = "Tau"
) -> float: ...
@overload
def rank_correlation(
    x: Ranking, y: Ranking, coefficients: Iterable[str | Coefficient]
) -> dict[str, float]: ...
def rank_correlation(
    x: Ranking, y: Ranking, coefficients: str | Coefficient | Iterable[str | Coefficient] = "Tau"
) -> float | dict[str, float]:
    """How far two rankings agree: of systems by two measures, or by two sets of judgements, or of anything.

    Args:
        x: a dict of scores, the greater the better; or scores alone, of the same items in the same order as
            those of `y`; or texts, the items themselves, best first. For TauAP the reference.
        y: the same of the other ranking.
        coefficients: one, or several; as in `agree`.

    Returns:
        The value, or of several coefficients each one's value by its name. NaN where it is not defined: a τ
        of one item, or where all are equal.

    Raises:
        UsageError: an unknown coefficient, or rankings of different kinds.
        DataError: scores that are no numbers, or numbers of them that differ; an item that stands twice.

    Example:
        >>> import rankmark as rm
        >>> bm25, dense = [0.31, 0.28, 0.25, 0.11], [0.40, 0.42, 0.33, 0.10]
        >>> round(rm.rank_correlation(bm25, dense), 4)
        0.6667
        >>> rm.rank_correlation(["a", "b", "c"], ["b", "a", "d"], ["Overlap@2", "Jaccard"])
        {'Overlap@2': 1.0, 'Jaccard': 0.5}

    """
    asked = coefficients_of(coefficients)
    pairs = _pair(_scores(x, "x"), _scores(y, "y"))
    values = {str(each): float(each.compute(pairs)[0]) for each in asked}
    if not isinstance(coefficients, str | Coefficient):
        return values
    if len(values) > 1:
        raise UsageError(f"{coefficients!r} are {len(values)} coefficients; give several as a list")
    return next(iter(values.values()))


def _scores(ranking: Ranking, name: str) -> Mapping[Any, float]:
    """Scores by item; items that are numbers of places where they have no names."""
    if isinstance(ranking, Mapping):
        items, scores = list(ranking), list(ranking.values())
    elif isinstance(ranking, str) or not hasattr(ranking, "__len__"):
        raise UsageError(f"{name}={ranking!r} is neither a dict of scores, nor scores, nor items, best first")
    else:
        values = list(ranking)  # type: ignore[arg-type]
        if any(isinstance(value, str) for value in values):
            items, scores = values, list(range(len(values), 0, -1))
        else:
            items, scores = list(range(len(values))), values
    if len(set(items)) < len(items):
        twice = next(item for at, item in enumerate(items) if item in items[:at])
        raise DataError(f"{name} has {twice!r} twice")
    try:
        numbers = np.array(scores, dtype=np.float64).reshape(len(items))
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} is not a row of numbers: {error}") from error
    if np.isnan(numbers).any():
        raise DataError(f"{name} has {np.isnan(numbers).sum()} scores that are not numbers (NaN)")
    return dict(zip(items, numbers.tolist(), strict=True))


def _pair(x: Mapping[Any, float], y: Mapping[Any, float]) -> Pairs:
    """Two rankings as the lists of one query."""
    named = [any(isinstance(item, str) for item in ranking) for ranking in (x, y)]
    if named[0] != named[1] and x and y:
        raise UsageError("one ranking has items and the other scores alone; give both in the same way")
    if not any(named) and len(x) != len(y) and set(x) == set(range(len(x))):
        raise DataError(
            f"x has {len(x)} scores and y {len(y)}; they are of the same items, in the same order"
        )
    (a, place_a), (b, place_b) = _ranked(x), _ranked(y)
    common = sorted(place_a.keys() & place_b.keys(), key=place_a.__getitem__)
    ranks = (np.array([place[item] for item in common], dtype=np.int64) for place in (place_a, place_b))
    return Pairs(a, b, np.array([0, len(common)]), *ranks)


def _ranked(scores: Mapping[Any, float]) -> tuple[Lists, dict[Any, int]]:
    """The list, best first, equal scores in the order given; and each item's rank."""
    items, values = list(scores), -np.array(list(scores.values()), dtype=np.float64)
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = np.searchsorted(ordered, ordered, side="left") + 1
    last = np.searchsorted(ordered, ordered, side="right")
    lists = Lists(np.array([0, len(items)]), first.astype(np.int64), last.astype(np.int64))
    return lists, {items[place]: rank for rank, place in enumerate(order.tolist(), 1)}


def rank_correlations(x: NDArray[Any], y: NDArray[Any], coefficient: str | Coefficient) -> Values:
    """`rank_correlation` of the rows of two arrays of scores, a row of `x` and the row of `y` beside it."""
    (asked,) = coefficients_of(coefficient)
    offsets = np.arange(len(x) + 1) * x.shape[1]
    (a, order), (b, other) = (_ranked_rows(scores, offsets) for scores in (x, y))
    place = np.argsort(other, axis=1) + 1
    ranks = np.tile(np.arange(1, x.shape[1] + 1), len(x))
    return asked.compute(Pairs(a, b, offsets, ranks, np.take_along_axis(place, order, axis=1).ravel()))


def _ranked_rows(scores: NDArray[Any], offsets: Whole) -> tuple[Lists, NDArray[np.int64]]:
    """The list of each row, best first, equal scores in their order; and the places of the scores in it."""
    order = np.argsort(-scores, axis=1, kind="stable")
    ordered = np.take_along_axis(scores, order, axis=1)
    ranks = np.broadcast_to(np.arange(1, scores.shape[1] + 1), scores.shape)
    differs = np.diff(ordered, axis=1) != 0
    edge = np.ones((len(scores), 1), dtype=np.bool_)
    first = np.maximum.accumulate(np.where(np.hstack((edge, differs)), ranks, 0), axis=1)
    ends = np.where(np.hstack((differs, edge)), ranks, scores.shape[1])
    last = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    return Lists(offsets, first.ravel().astype(np.int64), last.ravel().astype(np.int64)), order


# --- The order of systems ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class SystemAgreement(Saved):
    """How far measures, or judgements, agree in how they order systems.

    Attributes:
        systems: a row a system: ``system``, and a column for each way to measure them.
        rows: a row for every two ways: ``a``, ``b``, and a column a coefficient.

    """

    systems: pl.DataFrame
    rows: pl.DataFrame

    def __repr__(self) -> str:
        return f"<SystemAgreement of {self.systems.width - 1} ways to order {self.systems.height} systems>"

    def _blocks(self, digits: int) -> Iterator[Block]:
        for frame, names, caption in ((self.systems, 1, "Systems"), (self.rows, 2, "Agreement")):
            cells = ([_shown(value, digits) for value in row] for row in frame.iter_rows())
            yield Grid(names, [frame.columns, *cells], caption)
        yield f"{self.systems.height} systems"

    def _record(self) -> dict[str, Any]:
        return {"systems": self.systems.to_dicts(), "agreement": self.rows.to_dicts()}

    def _frame(self) -> pl.DataFrame:
        return self.rows


def _shown(value: Any, digits: int) -> str:
    if not isinstance(value, float):
        return printable(str(value))
    return "" if math.isnan(value) else f"{value:.{digits}f}"


SYSTEM_COEFFICIENTS = ("Tau", "TauAP")
"""What is computed of systems unless told otherwise."""


def agree_on_systems(
    qrels: Mapping[str, Any],
    runs: Mapping[str, Any],
    measures: str | Measure | Iterable[str | Measure],
    coefficients: str | Coefficient | Iterable[str | Coefficient] = SYSTEM_COEFFICIENTS,
    *,
    like: str | None = None,
    columns: Mapping[str, Any] | None = None,
    **choices: Unpack[GivenChoices],
) -> SystemAgreement:
    """How far measures, or sets of judgements, agree in how they order systems.

    Every measure against every set of judgements is one way to order the systems, by their values, the best
    first; the coefficients compare every two ways, `rank_correlation` what else is to be compared.

    Args:
        qrels: judgements by name, each as `evaluate` takes them; one or several.
        runs: the results of at least two systems, by name.
        measures: one or several.
        coefficients: one or several, as in `agree`; for TauAP the way named first is the reference.
        like: a convention, as in `evaluate`.
        columns: the columns to use, where their names do not say it.
        **choices: those of `evaluate`: ``ties``, ``missing``, ….

    Raises:
        UsageError: fewer than two systems, or than two ways; and whatever `evaluate` raises.
        DataError: a table that cannot be evaluated, or a system without a value.

    Example:
        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "b": 1, "c": 1}}
        >>> runs = {"one": {"q": ["a", "x", "b", "c"]}, "two": {"q": ["a", "b"]}, "three": {"q": ["x", "y"]}}
        >>> agreement = rm.agree_on_systems({"old": qrels}, runs, ["P@2", "R@4"], "Tau")
        >>> round(agreement.rows["Tau"][0], 4)
        0.3333

    """
    import polars as pl

    from rankmark.api.evaluation import evaluate

    if len(runs) < 2:
        raise UsageError(f"{len(runs)} run given: at least two systems have an order")
    asked = coefficients_of(coefficients)
    chosen = given(choices, GivenChoices, agree_on_systems)
    values: dict[str, list[float]] = {}
    systems: dict[str, list[float]] = {}
    for name, judgements in qrels.items():
        judged = read_shared(judgements, "qrels", columns)
        results = [
            evaluate(judged, run, measures, like=like, columns=columns, **chosen) for run in runs.values()
        ]
        for measure in results[0]:
            way = f"{measure.label} ({name})" if len(qrels) > 1 else measure.label
            systems[way] = [result[measure] for result in results]
            sign = -1.0 if measure.better == "less" else 1.0
            values[way] = [sign * value for value in systems[way]]
    if len(values) < 2:
        raise UsageError(
            "one measure against one set of judgements orders systems in one way; give another of either"
        )
    rows = [
        {"a": a, "b": b} | {str(each): _correlation(values, a, b, each) for each in asked}
        for a, b in combinations(values, 2)
    ]
    return SystemAgreement(pl.DataFrame({"system": list(runs), **systems}), pl.DataFrame(rows))


def _correlation(values: Mapping[str, list[float]], a: str, b: str, coefficient: Coefficient) -> float:
    return float(coefficient.compute(_pair(_scores(values[a], a), _scores(values[b], b)))[0])
