"""What every evaluation gives, whatever it measured: values, those of each query, counts, signatures."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from rankmark._native import QueryValues, Table, __version__
from rankmark.errors import MeasureError, NotEvaluatedError, UsageError, did_you_mean
from rankmark.language.conventions.convention import UNLIKE, meant
from rankmark.language.measure import Measure
from rankmark.language.registry import LISTS_FIRST, Kind
from rankmark.rendering.records import Entries
from rankmark.results.runs import OfRuns

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self, Unpack

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from rankmark.aggregation.bounds import Bounds
    from rankmark.aggregation.counts import Counts, PredictionCounts
    from rankmark.aggregation.intervals import PredictionInterval
    from rankmark.aggregation.query_weights import QueryWeights
    from rankmark.aggregation.terms import Terms
    from rankmark.inputs.weights import Weighting, WeightsBy
    from rankmark.kinds.lists import Values
    from rankmark.language.signature import Recipe
    from rankmark.results.by_class import ByClass
    from rankmark.results.runs import FormatOptions
    from rankmark.results.sliced import Sliced
    from rankmark.results.slices import Slices

__all__ = ["Result"]

T = TypeVar("T")


class _OfMeasures(Entries[T]):
    """What is known of measures, by what each was asked for as; any other name of one finds it, too.

    So one that was asked for by two names, and is shown once, has both.
    """

    __slots__ = ("_find",)

    def __init__(self, known: Mapping[str, T], find: Callable[[str], Measure]) -> None:
        super().__init__(known)
        self._find = find

    def __missing__(self, name: str) -> T:
        try:
            label = self._find(name).label
        except NotEvaluatedError:
            raise
        except MeasureError as error:  # as of any key that is not there
            raise NotEvaluatedError(str(error)) from None
        if label == name:
            raise KeyError(name)
        return self[label]

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


class _Arrays(Mapping[Measure, "Values"]):
    """Arrays that nobody writes to; those that are still in the core are made when somebody looks at them."""

    __slots__ = ("_arrays",)

    def __init__(self, arrays: Mapping[Measure, Values | QueryValues]) -> None:
        self._arrays = dict(arrays)
        for each in self._arrays.values():
            if not isinstance(each, QueryValues):
                each.setflags(write=False)

    def __getitem__(self, measure: Measure) -> Values:
        found = self._arrays[measure]
        if isinstance(found, QueryValues):
            found = self._arrays[measure] = found.array
            found.setflags(write=False)
        return found

    def __iter__(self) -> Iterator[Measure]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)


class Result(OfRuns):
    """The values of one run or of one table of predictions, with what is needed to trust them.

    ``result["nDCG@10"]`` is a value; any alias of the measure's name will do. ``print(result)`` shows a
    table and, beneath it, what happened to the queries or rows. What is of lists alone a `ListResult` has,
    what is of predictions alone a `PredictionResult`.
    """

    __slots__ = (
        "_convention",
        "_inputs",
        "_notes",
        "_parts",
        "_per_query",
        "_query_ids",
        "_slices",
        "_values",
        "_version",
        "_weights",
    )

    counted: ClassVar[str]
    """What `counts` counts, in JSON."""

    def __init__(
        self,
        *,
        values: Mapping[Measure, float],
        per_query_values: Mapping[Measure, Values | QueryValues],
        parts: Mapping[Measure, tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = MappingProxyType({}),
        query_ids: Table | None,
        convention: str | None = None,
        inputs: Mapping[str, str] = MappingProxyType({}),
        notes: Iterable[str] = (),
        slices: Sliced | None = None,
        weights: QueryWeights | None = None,
        version: str = __version__,
    ) -> None:
        self._values = dict(values)
        self._per_query: Mapping[Measure, Values] = _Arrays(per_query_values)
        self._parts = dict(parts)
        for each in (part for both in self._parts.values() for part in both):
            each.setflags(write=False)
        self._query_ids = query_ids
        self._convention = convention
        self._inputs = dict(inputs)
        self._slices = slices
        self._notes = tuple(notes)
        self._version = version
        self._weights = weights

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kind of measure of which a name is understood first."""
        return LISTS_FIRST

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures evaluated, in the order asked for."""
        return tuple(self._values)

    @property
    def values(self) -> dict[str, float]:
        """Each measure's value, by what it was asked for as; ``values["AP"]`` finds ``map``, too."""
        return _OfMeasures({each.label: value for each, value in self._values.items()}, self._find)

    def _by_label(self, known: Mapping[str, T]) -> dict[str, T]:
        """What is known of measures by their canonical names, by what they were asked for as."""
        return _OfMeasures({m.label: known[str(m)] for m in self._values if str(m) in known}, self._find)

    @property
    def per_query(self) -> pl.DataFrame:
        """A row a query: ``query`` and a column a measure; null where a query is left out of the mean."""
        import polars as pl

        columns = [pl.Series(m.label, values, nan_to_null=True) for m, values in self._per_query.items()]
        return pl.DataFrame([*pl.DataFrame(self.query_table), *columns])

    @property
    def query_measures(self) -> tuple[Measure, ...]:
        """The measures that have a value for each query."""
        return tuple(self._per_query)

    @property
    def query_ids(self) -> list[int] | list[str]:
        """The judged queries, in the order of the per-query values."""
        return [] if self._query_ids is None else self._query_ids.column_values("query")

    @property
    def query_table(self) -> Table:
        """The same as a table with a column ``query``."""
        if self._query_ids is not None:
            return self._query_ids
        import polars as pl

        return Table.from_arrow(pl.DataFrame(schema={"query": pl.String}))

    def query_values(self, measure: str | Measure) -> np.ndarray[Any, Any]:
        """One value a judged query; NaN where a query is left out of the mean.

        Raises:
            NotEvaluatedError: the measure was not evaluated, or queries have no value of it.

        """
        found = self._find(measure)
        if found.page.aggregate == "run":
            raise NotEvaluatedError(
                f"{found} is of the whole run, and queries have no value of it: leave it out where queries "
                "are compared, drawn or shown one by one"
            )
        return self._per_query[found]

    @property
    def query_parts(self) -> dict[Measure, tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
        """Of measures that are ratios of sums over queries, what each judged query adds to both."""
        return dict(self._parts)

    def query_terms(self, measure: str | Measure) -> Terms:
        """What each judged query adds to the measure's value, to have this of some of them alone.

        Raises:
            NotEvaluatedError: the measure was not evaluated, or only what queries come to is here.

        """
        found = self._find(measure)
        values = self.query_values(found)
        if self._weights is not None:
            return self._weights.terms(found, values)
        if found.page.aggregate == "ratio" and found not in self._parts:
            raise NotEvaluatedError(
                f"{found} is a ratio of sums over queries, and this result does not say what each adds to "
                "them; evaluate the files in memory or in batches, or compare a measure that is a mean"
            )
        from rankmark.aggregation.terms import Terms

        return Terms.of(found, values, self._parts.get(found))

    def run_terms(
        self,
        measure: Measure,
        query_ids: Sequence[Any] | None = None,  # noqa: ARG002 - of those that have lists
        labels: NDArray[Any] | None = None,  # noqa: ARG002 - likewise
    ) -> Terms:
        """What blocks of queries add to a measure of the whole run; see `aggregation.whole_runs`.

        Args:
            measure: the one.
            query_ids: of these alone; None for all.
            labels: the cluster of each, which stay together; None where each stands for itself.

        Raises:
            NotEvaluatedError: the lists are not here.

        """
        raise NotEvaluatedError(f"{measure} is of the whole run, whose lists are not here")

    @property
    def weights(self) -> Mapping[Any, float] | None:
        """The weight of each judged query; None where all count alike."""
        if self._weights is None:
            return None
        return MappingProxyType(dict(zip(self.query_ids, self._weights.values.tolist(), strict=True)))

    @property
    def weighed(self) -> QueryWeights | None:
        """The same as they stand beside the values: what they are called, and the weights in their order."""
        return self._weights

    def with_weights(self, weights: WeightsBy | Weighting) -> Self:
        """The same result with means that weigh queries, Σ w·v / Σ w; see `rankmark.evaluate`.

        Intervals, slices and comparisons of it go by these means.

        Args:
            weights: ``{query: weight}``, a pandas Series with the queries in its index, or values in the
                order of `query_ids`; 0 or more.

        Raises:
            MeasureError: a measure that is no mean over queries.
            DataError: a query without a weight, or with one below 0; or all are 0.
            UsageError: there are intervals, slices or bounds already, which do not weigh; or these are
                predictions.

        Example:
            >>> import rankmark as rm
            >>> result = rm.evaluate({"p": {"a": 1}, "q": {"a": 1}}, {"p": ["a"], "q": ["b", "a"]}, "RR")
            >>> result["RR"], result.with_weights({"p": 1, "q": 3})["RR"]
            (0.75, 0.625)

        """
        if self.counted != "queries":
            raise UsageError("queries of predictions weigh as their rows do, and as measures say")
        from rankmark.aggregation.query_weights import QueryWeights, check_weighable

        check_weighable(self.measures)
        if self.intervals or self.slices or self.bounds:
            raise UsageError("weights come first: intervals, slices and bounds of this result do not weigh")
        again = cast("Self", copy(self._here()))
        if not again._per_query:
            raise NotEvaluatedError("this result has no values of queries, of which to weigh some more")
        from rankmark.inputs.places import Places
        from rankmark.inputs.weights import Weighting

        found = Weighting.of(weights, Places(), again.query_ids)
        if found is None:
            raise UsageError("weights=None: give {query: weight}")
        again._weights = QueryWeights(found.name, found.values(again.query_ids))
        again._notes = (*again._notes, *found.notes)
        for measure in again.measures:
            terms = again.query_terms(measure)
            again._values = again._values | {measure: terms.at(terms.there).value()}
        return again

    @property
    @abstractmethod
    def counts(self) -> Counts | PredictionCounts:
        """How many queries or rows there are, and what became of them in each measure."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know of how the tables were understood."""
        return self._notes

    @property
    @abstractmethod
    def choices(self) -> dict[str, Any]:
        """How ties, duplicates, missing queries … were decided."""

    @abstractmethod
    def choices_of(self, measure: str | Measure) -> dict[str, Any]:
        """The same for one measure, for which a convention can decide otherwise."""

    @property
    def bounds(self) -> dict[str, Bounds]:
        """What equal scores can make of each measure, by its name in `values`; empty unless asked for."""
        return {}

    @property
    def intervals(self) -> Mapping[str, PredictionInterval]:
        """The confidence interval of each measure, by its name in `values`; empty unless asked for."""
        return MappingProxyType({})

    @property
    def shows_confusion(self) -> bool:
        """Whether a confusion matrix is shown without being asked for again: it was what was measured."""
        return False

    @property
    def by_class(self) -> ByClass:
        """What there is of each class, in a result of `rankmark.evaluate_predictions`."""
        raise NotEvaluatedError("there are lists here, and no classes")

    @property
    def convention(self) -> str | None:
        """The convention that was followed, such as ``ranx-0.3.21``; None for the standard."""
        return self._convention

    @property
    def version(self) -> str:
        """The version of rankmark that computed the values."""
        return self._version

    def _likeness(self) -> str:
        """That the numbers are a tool's, unless notes say what keeps them from being so."""
        departs = any(note.startswith(UNLIKE) for note in self.notes)
        return (
            f", by the rules of {self.convention}, but see below" if departs else f", as in {self.convention}"
        )

    @property
    def inputs(self) -> dict[str, str]:
        """A hash of the judgements (``qrels``) and one of the results (``run``); empty unless asked for.

        The order of rows, their columns' names and types and the files' format do not count.
        """
        return dict(self._inputs)

    def signature(self, measure: str | Measure, *, short: bool = False) -> str:
        """Everything that decides the value of `measure`, on one line, to be quoted beside it.

        With ``short=True`` what is not the standard, and the version. `rankmark.from_signature` reads both.
        """
        return self.evaluation(measure).signature(short=short)

    @abstractmethod
    def evaluation(self, measure: str | Measure) -> Recipe:
        """The same as a record, of which `rankmark.from_signature` makes what evaluates other tables so."""

    @abstractmethod
    def account(self) -> list[str]:
        """What happened to the queries or rows: a line, and others if there is something to notice."""

    def cautions(self) -> Iterator[str]:
        """What makes a measure easily misunderstood, whatever the data are."""
        yield from ()

    @property
    def slices(self) -> Sliced | None:
        """The measures in slices of the queries or rows; None unless they were asked for, by `by`."""
        return self._slices

    def by(self, attributes: Any, *columns: str, confidence: float = 0.95) -> Slices:
        """The measures in slices of the queries, each beside the other queries, from `per_query` alone.

        Args:
            attributes: a path or a table with a column of queries; or the slices of the queries, as
                ``{"q1": "DE"}``, a pandas Series with the queries in its index, a function of a query, or
                values in the order of `query_ids`.
            *columns: the columns to slice by, each for itself; all but the query if none is named.
            confidence: the share of the intervals that hold the true value.

        Returns:
            For each slice and measure the number of queries, the value with its interval (see
            `rankmark.statistics.auto_interval`), and its difference from the value of all other queries, with
            its interval and p-value (see `Slice`), which is corrected for all slices and measures together
            (Holm). Queries without a value are a slice.

        Raises:
            DataError: a query has several values, or none of the queries has one.

        Example:
            >>> import rankmark as rm
            >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
            >>> run = {f"q{i}": ["a", "x"] if i < 3 else ["x", "a"] for i in range(6)}
            >>> result = rm.evaluate(qrels, run, "RR")
            >>> slices = result.by({"q0": "DE", "q1": "DE", "q2": "FR", "q3": "FR", "q4": "DE", "q5": "FR"})
            >>> [(row.slice, row.queries, round(row.value, 4)) for row in slices.rows]
            [('DE', 3, 0.8333), ('FR', 3, 0.6667)]

        """
        from rankmark.results.slices import slices_of

        return slices_of(self, attributes, columns, confidence=confidence)

    def with_slices(self, slices: Sliced) -> Self:
        """The same result with these slices."""
        again = copy(self)
        again._slices = slices
        return again

    def __getitem__(self, measure: str | Measure) -> float:
        return self._values[self._find(measure)]

    def __contains__(self, measure: str | Measure) -> bool:
        return self._known(measure) is not None

    def __iter__(self) -> Iterator[Measure]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def _runs(self) -> Mapping[str, Result]:
        return {"": self}

    def _kept(self) -> dict[str, Any]:
        """The arguments that make it again."""
        return {
            "values": self._values,
            "per_query_values": dict(self._per_query),
            "parts": self._parts,
            "query_ids": self._query_ids,
            "inputs": self._inputs,
            "slices": self._slices,
            "version": self._version,
        }

    def __reduce__(self) -> tuple[Any, ...]:
        import polars as pl

        whole = self._here()
        kept = whole._kept()
        ids = kept.pop("query_ids")
        return _restored, (type(whole), None if ids is None else pl.DataFrame(ids), kept)

    def format(  # type: ignore[override] # takes these options alone
        self, name: str = "table", digits: int | None = None, **options: Unpack[FormatOptions]
    ) -> str:
        """The result as text.

        Args:
            name: ``table``, ``json``, ``csv``, ``markdown``, ``latex``, ``typst``, ``trec`` or ``html``,
                as in `formats`.
            digits: how many are shown after the point, 4 if None (JSON and CSV show all).
            **options: ``per_query=True`` adds the values of each query, ``per_class=True`` those of each
                class, ``confusion=True`` the confusion matrix of classes, ``signatures=True`` each measure's
                signature, ``signatures="short"`` its short form; in LaTeX and Typst those of `to_latex`, too.

        """
        return super().format(name, digits, **options)

    def write(  # type: ignore[override] # takes these options alone
        self,
        path: str | Path,
        name: str | None = None,
        digits: int | None = None,
        **options: Unpack[FormatOptions],
    ) -> None:
        """Write this result to a file, whole or not at all; the path's ending says how unless `name` does.

        A file ``.parquet`` has the values of each query, as `per_query`.
        """
        super().write(path, name, digits, **options)

    def _find(self, measure: str | Measure) -> Measure:
        known = self._known(measure)
        if known is None:
            found = meant(measure, self._convention, self.kinds)
            here = list(self.values)
            hint = did_you_mean(str(found), here)
            raise NotEvaluatedError(f"{found} was not evaluated; here are {', '.join(here)}{hint}")
        return known

    def _known(self, measure: str | Measure) -> Measure | None:
        """The measure as it was evaluated: by its name here, or by what the convention calls it."""
        evaluated = {each: each for each in self._values}
        if isinstance(measure, Measure) and measure in evaluated:
            return evaluated[measure]
        written = {name: each for each in self._values for name in (str(each), each.label)}
        if measure in written:
            return written[str(measure)]
        return evaluated.get(meant(measure, self._convention, self.kinds))


def _restored(kind: type[Result], query_ids: pl.DataFrame | None, kept: Mapping[str, Any]) -> Result:
    """A result that was pickled or copied."""
    return kind(query_ids=None if query_ids is None else Table.from_arrow(query_ids), **kept)
