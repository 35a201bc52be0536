"""Measures: a page with parameters and a cutoff.

A measure is written ``nDCG(gain=exp2)@10``, in code, on the command line and in tables alike, and
``parse(str(m)) == m``. Its definition is a page: a function in a module of `rankmark.measures`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

from rankmark.dataclassing import dataclass
from rankmark.errors import MeasureError
from rankmark.language.definition import GREATEST_CUTOFF
from rankmark.language.grammar import read, write
from rankmark.language.parameters import ListMeasure, format_value
from rankmark.language.registry import MEAN, Better, Fact, Looks, Mean, Need, Page, meaning_of

if TYPE_CHECKING:
    from rankmark._native import CompiledMeasure
    from rankmark.kinds.classes import Classes, PerClass
    from rankmark.kinds.decisions import AtThreshold
    from rankmark.kinds.items import RecommendedLists
    from rankmark.kinds.lists import JudgedLists, Values
    from rankmark.kinds.rows import PerQuery, Rows

__all__ = ["Measure", "QueryError", "measure_of_lists", "no_closed_form", "weighing"]

OF_JUDGEMENTS = frozenset(("aspects", "strata", "probabilities"))
"""What judgements can say besides grades."""


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """A measure with its parameters, for example ``nDCG(gain="exp2") @ 10``.

    Calling one with keywords sets parameters, ``@`` the cutoff; either gives a new measure. Called with data
    it gives its value, see `__call__`. Two are equal if they are written alike (and, where a parameter is a
    function, if it is the same function), whatever asked for them.

    Attributes:
        name: the measure's one name, whatever alias it was asked for by.
        parameters: those that were set to something else than their default.
        given: all that were set, those to their default, too; what a convention does not decide.
        cutoff: how many items from the top count; None for all.
        page: the measure's definition.
        last_deciding_rank: the last rank at which the order of items can change the value; 0 if no order can.
        asked: the text that asked for the measure, if it was written otherwise.
        tells_unjudged: whether an unjudged item is told, or may be, from one judged 0.
        label: what results call it: as it was asked for, ``map``, while signatures say ``AP``.
        mean: how the queries' values are averaged, where they are.
        of_aspects: whether it looks at what judgements say besides grades, the aspects or the sample that
            they are of. The value of a query depends on nothing but its own.
        of_all_lists: whether it is computed once the tops of all lists are here, with what is known of their
            items.
        answers: whether it says how well queries are answered, so that one without an answer counts, too.
        is_mean_of_queries: whether its value is the arithmetic mean of the values of queries.
        compiled: what the core computes in the place of the page, if it does: of lists without shared ranks.

    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    cutoff: int | None = None
    asked: str | None = None
    given: Mapping[str, Any] = field(init=False)
    page: Page = field(init=False)
    last_deciding_rank: int = field(init=False)
    tells_unjudged: bool = field(init=False)
    label: str = field(init=False)
    mean: Mean = field(init=False)
    of_aspects: bool = field(init=False)
    of_all_lists: bool = field(init=False)
    answers: bool = field(init=False)
    is_mean_of_queries: bool = field(init=False)
    compiled: CompiledMeasure | None = field(init=False)
    _written: str = field(init=False)
    _called_with: Mapping[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        meaning = meaning_of(self.name)
        self._complete(meaning.page, {**meaning.parameters, **self.parameters})

    @classmethod
    def of(
        cls,
        page: Page,
        parameters: Mapping[str, Any] = MappingProxyType({}),
        cutoff: int | None = None,
        asked: str | None = None,
    ) -> Measure:
        """The measure of a page, whatever its name means now: of a user's own there may be a newer one."""
        made = object.__new__(Measure)
        said = {"name": page.name, "parameters": parameters, "cutoff": cutoff, "asked": asked}
        for name, value in said.items():
            object.__setattr__(made, name, value)
        made._complete(page, parameters)
        return made

    def _complete(self, known: Page, given: Mapping[str, Any]) -> None:
        object.__setattr__(self, "name", known.name)
        object.__setattr__(self, "parameters", known.checked(given))
        self._check_inner(known)
        defaults = {name: known.accepted[name].default for name in given}
        object.__setattr__(self, "given", MappingProxyType({**defaults, **self.parameters}))
        object.__setattr__(self, "cutoff", known.checked_cutoff(self.cutoff))
        object.__setattr__(self, "page", known)
        self._keep_facts()
        object.__setattr__(self, "last_deciding_rank", self._last_deciding_rank())
        object.__setattr__(self, "tells_unjudged", self._tells_unjudged())
        object.__setattr__(self, "_written", write(self.name, self.parameters, self.cutoff))
        object.__setattr__(self, "label", self.asked or self._written)
        object.__setattr__(self, "_called_with", self._keywords())

    def _keep_facts(self) -> None:
        """Keeps what every evaluation asks of the page and the parameters."""
        of_items = self.page.kind == "item"
        of_aspects = of_items and not OF_JUDGEMENTS.isdisjoint(self.needs)
        object.__setattr__(self, "mean", self.parameters.get(MEAN.name, MEAN.default))
        object.__setattr__(self, "of_aspects", of_aspects)
        object.__setattr__(self, "of_all_lists", of_items and not of_aspects)
        object.__setattr__(self, "answers", not of_items or of_aspects)
        mean = self.page.aggregate == "mean" and self.mean == "arithmetic"
        object.__setattr__(self, "is_mean_of_queries", mean)
        compiled = self.page.compiled and self.page.compiled({**self.arguments, "cutoff": self.cutoff})
        object.__setattr__(self, "compiled", compiled)

    def _check_inner(self, known: Page) -> None:
        """Refuses what is no measure of lists where another is made of one."""
        for name, value in self.parameters.items():
            if known.accepted[name].annotation is ListMeasure:
                measure_of_lists(value, self.cutoff)

    @overload
    def __call__(self, **parameters: Any) -> Measure: ...

    @overload
    def __call__(self, labels: Any, /, *scores: Any, **parameters: Any) -> float: ...

    def __call__(self, *data: Any, **parameters: Any) -> Measure | float:
        """The measure with these parameters set, each by its name; or, called with data, its value.

        Data are lists, tuples, arrays or series: for measures of lists the grades of one list in rank order,
        None for an item that is not judged, or grades and scores; for others labels and scores, of classes a
        score of each class in every row, or the predicted class. The value is that of `rankmark.evaluate` of
        the list, and of `rankmark.evaluate_predictions` of labels and scores, to the last bit.

        Besides parameters, these can be said:

        - ``ideal``, of one list: the grades of all its judged items, where it does not hold them all.
        - ``queries``, ``weights``, of labels and scores: one a row; and ``group``, ``positive`` and
          ``classes``, as in `rankmark.evaluate_predictions`.

        Raises:
            UsageError: there is no such parameter, or the measure takes other data.
            DataError: a grade, a label or a score that the measure cannot take.

        Example:
            >>> import rankmark as rm
            >>> round(rm.nDCG([3, 2, 3, 0, 1, 2]), 6), rm.AUC([1, 0, 1, 0], [3, 2, 1, 1])
            (0.960808, 0.625)
            >>> round((rm.nDCG(gain="exp2") @ 3)([3, 2, 0], ideal=[3, 3, 2]), 6)
            0.688482

        """
        if not data:
            return Measure.of(self.page, {**self.given, **parameters}, self.cutoff)
        from rankmark.api.called import BESIDE, value_of

        # A text is no list of grades, but one of nDCG's words for its parameter of the same name.
        said = {
            n: value
            for n, value in parameters.items()
            if n in BESIDE and not (n == "ideal" and isinstance(value, str))
        }
        if self.page.kind == "item":
            raise MeasureError(
                f"{self} looks at which items lists have, and is not called with data: use "
                f'rm.evaluate(qrels, run, "{self}", items=…, train=…)'
            )
        own = {n: value for n, value in parameters.items() if n not in said}
        return value_of(self(**own) if own else self, data, said)

    def __matmul__(self, cutoff: int) -> Measure:
        """The measure over the first `cutoff` items."""
        if cutoff is None:
            raise MeasureError(f"{self.name}@None: the cutoff is a whole number from 1")
        return Measure.of(self.page, self.given, cutoff)

    def asked_as(self, text: str | None) -> Measure:
        """The same, asked for by this text; equal to any other."""
        same = text is None or "".join(text.split()) == "".join(self._written.split())
        return Measure.of(self.page, self.given, self.cutoff, None if same else text)

    @property
    def arguments(self) -> dict[str, Any]:
        """Every parameter of the page with its value, set or default."""
        return {name: self.parameters.get(name, p.default) for name, p in self.page.parameters.items()}

    @property
    def parity(self) -> float | None:
        """The value of groups that are treated alike, where the measure compares groups."""
        return None if self.page.parity is None else self.page.parity(self.arguments)

    @property
    def columns(self) -> dict[str, str]:
        """The columns of the table that parameters name, and what each is for, in words."""
        named = ((value, self.page.accepted[name]) for name, value in self.parameters.items())
        return {
            value: f"for {self}, whose {parameter.name} is {parameter.describe()}"
            for value, parameter in named
            if parameter.names_column(value)
        }

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The least and the greatest value with these parameters, None where there is none."""
        usual = self.page.usual_bounds
        if usual is None:
            return self.page.bounds
        named = self.page.usual_with
        changed = any(
            self.parameters.get(name, parameter.default) != parameter.default
            for name, parameter in self.page.parameters.items()
            if named is None or name in named
        )
        return self.page.bounds if changed else usual

    @property
    def better(self) -> Better:
        """Whether more or less of it is better, or neither, as of how far queries' values spread."""
        return "neither" if self.mean == "std" else self.page.better

    @property
    def expected(self) -> bool:
        """Whether there is a closed form of the mean over all orders of tied items."""
        return self._holds(self.page.expected)

    @property
    def per_query(self) -> bool:
        """Whether a row measure is a value of each query."""
        return self._holds(self.page.per_query)

    @property
    def needs(self) -> tuple[Need, ...]:
        """What has to be known of items for a measure of what is recommended."""
        needs = self.page.needs
        return needs(self.arguments) if callable(needs) else needs

    @property
    def of_samples(self) -> bool:
        """Whether it looks at how items were sampled to be judged."""
        return self.of_aspects and "aspects" not in self.needs

    @property
    def order(self) -> Looks:
        """What of the order of a list the value depends on."""
        order = self.page.order
        return order(self.arguments) if callable(order) else order

    def _last_deciding_rank(self) -> int:
        looks = self.order
        if looks == "nothing" or (looks == "set" and self.cutoff is None):
            return 0
        return GREATEST_CUTOFF if looks == "list" or self.cutoff is None else self.cutoff

    def _holds(self, fact: Fact) -> bool:
        return fact({**self.arguments, "cutoff": self.cutoff}) if callable(fact) else fact

    def _tells_unjudged(self) -> bool:
        gain, rel = self.arguments.get("gain"), self.arguments.get("rel", 1)
        # What a function would make of grade 0 is not known.
        of_zero = gain.get(0, 0) != 0 if isinstance(gain, Mapping) else callable(gain)
        return self._holds(self.page.tells_unjudged) or of_zero or rel <= 0

    def compute(self, lists: JudgedLists) -> Values | tuple[Values, Values]:
        """The measure's value for each query; NaN where the query has no relevant item."""
        if lists.ties is not None and not self.expected:
            raise no_closed_form(str(self))
        value: Values | tuple[Values, Values] = self.page.function(lists, **self._called_with)
        return value

    def compute_items(self, lists: RecommendedLists) -> Values | float:
        """The item measure's value for each query, NaN where there is none, or that of the whole run."""
        value: Values | float = self.page.function(lists, **self._called_with)
        return value

    def compute_rows(self, rows: Rows) -> float | PerQuery | AtThreshold:
        """The row measure's value, that of each query, or the best with its threshold."""
        value: float | PerQuery | AtThreshold = self.page.function(rows, **self._called_with)
        return value

    def compute_classes(self, classes: Classes) -> float | PerClass:
        """The value of a measure of classes, or that of each class with their average."""
        value: float | PerClass = self.page.function(classes, **self._called_with)
        return value

    def signature(self) -> list[str]:
        """The measure and the value of each parameter, the page's defaults included."""
        short = Measure.of(self.page, cutoff=self.cutoff)
        mean = [] if self.mean == MEAN.default else [f"{MEAN.name}:{self.mean}"]
        values = [f"{name}:{format_value(value)}" for name, value in self.arguments.items()]
        return [str(short), *values, *mean, *self.origin()]

    def origin(self) -> list[str]:
        """Where a user's own measure is from, as signatures say it."""
        origin = self.page.origin
        return [f"own:{origin.reference}", f"source:{origin.source}"] if origin else []

    def _keywords(self) -> dict[str, Any]:
        """What the page's function is called with."""
        own = {name: value for name, value in self.parameters.items() if name in self.page.parameters}
        return {**own, "cutoff": self.cutoff} if self.page.takes_cutoff else own

    def __str__(self) -> str:
        return self._written

    def __repr__(self) -> str:
        return self._written

    def _repr_html_(self) -> str:
        """What notebooks show: the measure's page."""
        return self.page.shown(self._written, self.parameters)

    def __reduce__(self) -> tuple[Callable[..., Measure], tuple[Any, ...]]:
        if self.page.origin:
            from rankmark.language.own import found_again

            return found_again, (self.page.origin, dict(self.given), self.cutoff, self.asked)
        plain = {n: dict(v) if isinstance(v, Mapping) else v for n, v in self.given.items()}
        return Measure, (self.name, plain, self.cutoff, self.asked)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Measure):
            return NotImplemented
        functions = [name for name, value in self.parameters.items() if callable(value)]
        same = self._written == other._written and self.page.origin == other.page.origin
        return same and all(self.parameters[name] is other.parameters[name] for name in functions)

    def __hash__(self) -> int:
        return hash(self._written)


class _Doc:
    """What `help` shows: of the class what it is, of a measure its page."""

    def __init__(self, of_class: str | None) -> None:
        self._of_class = of_class

    def __get__(self, measure: Measure | None, _: type[Measure]) -> str | None:
        return self._of_class if measure is None else str(measure.page)


Measure.__doc__ = _Doc(Measure.__doc__)  # type: ignore[assignment]


def measure_of_lists(text: str, cutoff: int | None) -> Measure:
    """The measure of lists that another is made of, down to the cutoff of that.

    Raises:
        MeasureError: it is none, or one that has no value of each query, or the text has a cutoff of its own.

    """
    written = read(text)
    meaning = meaning_of(written.name)
    found = Measure.of(meaning.page, {**meaning.parameters, **written.parameters})
    if found.page.kind != "list" or not found.is_mean_of_queries:
        raise MeasureError(f"{text!r} is no measure of lists with a value of each query, such as nDCG")
    if written.cutoff is not None:
        raise MeasureError(f"{text!r} has a cutoff, which is that of the whole: IA(of={found.name})@10")
    return found if cutoff is None else found @ cutoff


def weighing(measures: Iterable[Measure]) -> dict[str, str]:
    """The columns that measures weigh queries by, and what each is for, in words."""
    return {name: purpose for measure in measures for name, purpose in measure.columns.items()}


def no_closed_form(measure: str) -> MeasureError:
    """The error for a measure asked for under ``ties="expected"`` that cannot give it."""
    return MeasureError(
        f"{measure} has no closed form of its mean over the orders of tied items; "
        'use ties="best" and ties="worst" for its range, or ties="random" with several seeds'
    )


class QueryError(MeasureError):
    """What is wrong with the value that a user's function gives for one query.

    Attributes:
        number: that of the query.
        function: what the function is called.
        problem: what is wrong, in words.

    """

    def __init__(self, number: int, function: str, problem: str) -> None:
        super().__init__(f"{function} {problem} for query number {number + 1}")
        self.number, self.function, self.problem = number, function, problem

    def numbered(self, number: int) -> QueryError:
        """The same of the query that has another number where there are more queries."""
        return QueryError(number, self.function, self.problem)

    def named(self, query: int | str) -> MeasureError:
        """The same with the query's id."""
        return MeasureError(f"{self.function} {self.problem} for query {query!r}")

    def __reduce__(self) -> tuple[type[QueryError], tuple[int, str, str]]:
        return QueryError, (self.number, self.function, self.problem)
