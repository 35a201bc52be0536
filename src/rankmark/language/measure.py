"""Measures: their names, their parameters, and the registry of their pages.

A measure is written ``nDCG(gain=exp2)@10``, in code, on the command line and in tables alike, and
``parse(str(m)) == m``. Its definition is a page: a function in a module of `rankmark.measures`.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, get_type_hints

from rankmark.errors import MeasureError, did_you_mean
from rankmark.language.parameters import Parameter, format_value, parse_value

if TYPE_CHECKING:
    from rankmark.kinds.classes import Classes, PerClass
    from rankmark.kinds.decisions import AtThreshold
    from rankmark.kinds.lists import JudgedLists, Values
    from rankmark.kinds.rows import PerQuery, Rows

__all__ = [
    "CLASSES_FIRST",
    "LISTS_FIRST",
    "ROWS_FIRST",
    "Kind",
    "Measure",
    "Page",
    "as_measure",
    "is_known",
    "list_measure",
    "namesakes",
    "no_closed_form",
    "page",
    "pages",
    "parse",
    "row_measure",
    "split_measures",
    "weighing",
]

Kind: TypeAlias = Literal["list", "row", "class"]
"""What a measure looks at: the list of each query, all rows of a table of labelled scores, or all rows of one
that has a score for each class."""

LISTS_FIRST: tuple[Kind, ...] = ("list", "row", "class")
ROWS_FIRST: tuple[Kind, ...] = ("row", "class", "list")
CLASSES_FIRST: tuple[Kind, ...] = ("class", "row", "list")
"""In which kind of measure a name is looked for first: a name can mean one measure in each."""

Aggregate: TypeAlias = Literal["mean", "sum", "ratio", "rows"]
Better: TypeAlias = Literal["more", "less", "neither"]
Mean: TypeAlias = Literal["arithmetic", "geometric"]
ListFunction: TypeAlias = "Callable[..., Values | tuple[Values, Values]]"
RowFunction = TypeVar("RowFunction", bound="Callable[..., float | PerQuery | PerClass | AtThreshold]")
Labels: TypeAlias = Literal["binary", "numbers", "classes"]
"""What a row measure takes a label for: positive or not, a number, or one of the classes that have scores."""
ScoreKind: TypeAlias = Literal["any", "probability", "greatest"]
"""What a row measure takes a score for: whatever orders the rows, or a probability; or it sees no more of the
scores of classes than which is the greatest."""
Fact: TypeAlias = bool | Callable[[Mapping[str, Any]], bool]
"""What holds of a page whatever the arguments, or what says of them, the cutoff included, whether it does."""

Looks: TypeAlias = Literal["top", "list", "set", "nothing"]
"""What of the order of a list a value depends on: on which item is at which rank of the ``top``, down to the
cutoff, or of the whole ``list``; on the ``set`` of items down to the cutoff; on ``nothing`` of it."""


MEAN = Parameter("mean", Mean, "arithmetic")
"""How the queries' values are averaged: ``AP(mean=geometric)`` is GMAP.

Every averaged measure that is never negative takes it; no page sees it, since a page gives one value a query.
"""


@dataclass(frozen=True, slots=True)
class Page:
    """A measure's definition, read off the function that computes it."""

    name: str
    kind: Kind
    function: Callable[..., Any]
    aliases: tuple[str, ...]
    variants: Mapping[str, Mapping[str, Any]]
    bounds: tuple[float | None, float | None]
    cite: str
    aggregate: Aggregate
    expected: Fact
    better: Better
    parameters: Mapping[str, Parameter]
    takes_cutoff: bool
    order: Looks = "nothing"
    tells_unjudged: Fact = False
    labels: Labels = "numbers"
    scores: ScoreKind = "any"
    per_query: Fact = False

    def __str__(self) -> str:
        from rankmark.language.manual import page_text

        return page_text(self)

    @property
    def doc(self) -> str:
        """The page as a reader sees it: the function's docstring."""
        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        """The page's first line."""
        return self.doc.partition("\n")[0]

    @property
    def accepted(self) -> Mapping[str, Parameter]:
        """The parameters that the measure takes: the function's, and `MEAN` where it can be averaged so."""
        low = self.bounds[0]
        averaged = self.aggregate == "mean" and low is not None and low >= 0
        return {**self.parameters, MEAN.name: MEAN} if averaged else self.parameters

    @property
    def grammar(self) -> str:
        """How the measure is written, with its defaults: ``AP(rel=1,denominator=relevant)@k``."""
        written = ",".join(f"{p.name}={format_value(p.default)}" for p in self.parameters.values())
        return self.name + (f"({written})" if written else "") + ("@k" if self.takes_cutoff else "")


_PAGES: dict[str, Page] = {}


def list_measure(
    name: str,
    *,
    aliases: tuple[str, ...] = (),
    variants: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    bounds: tuple[float | None, float | None],
    cite: str,
    aggregate: Aggregate = "mean",
    expected: Fact = True,
    better: Better = "more",
    order: Looks = "top",
    tells_unjudged: Fact = False,
) -> Callable[[ListFunction], ListFunction]:
    """Makes a function the page of a list measure.

    The function takes `JudgedLists` and returns one value a query: NaN where the query has no relevant item
    and the value would be 0 / 0. Its keyword arguments are the measure's parameters; `cutoff` is what stands
    after the ``@``.

    Args:
        name: the measure's one name.
        aliases: other names that are understood, besides those that differ only in case, hyphens and
            underscores. One that several pages claim is ambiguous: asking for it says what it can mean.
        variants: names of the measure with parameters set, ``{"R_cap": {"denominator": "min"}}``.
        bounds: least and greatest value, None where there is none.
        cite: the source.
        aggregate: how the values of all queries become one: their ``mean`` (which mean is for the measure
            to say, see `MEAN`), their ``sum``, or the ``ratio`` of two sums (the function then returns
            numerators and denominators).
        expected: whether the function gives the mean over all orders of tied items.
        better: whether a greater value is better (``more``), a smaller one (``less``) or ``neither``.
        order: what of the order of a list the value depends on.
        tells_unjudged: whether an unjudged item is told from one judged 0 (besides a `rel` of at most 0 or a
            `gain` of grade 0, which do so on every page).

    """

    def register(function: ListFunction) -> ListFunction:
        parameters, takes_cutoff = _parameters(function)
        _PAGES[name] = Page(
            name,
            "list",
            function,
            aliases,
            MappingProxyType(dict(variants)),
            bounds,
            cite,
            aggregate,
            expected,
            better,
            parameters,
            takes_cutoff,
            order=order,
            tells_unjudged=tells_unjudged,
        )
        return function

    return register


def row_measure(
    name: str,
    *,
    aliases: tuple[str, ...] = (),
    variants: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    bounds: tuple[float | None, float | None],
    cite: str,
    labels: Labels,
    scores: ScoreKind = "any",
    aggregate: Aggregate = "rows",
    per_query: Fact = False,
    better: Better = "more",
) -> Callable[[RowFunction], RowFunction]:
    """Makes a function the page of a row measure.

    The function takes `Rows`, or `Classes` where labels are ``classes``, and returns one number, or with
    ``per_query=True`` a `PerQuery`, of classes also a `PerClass`, or where it looked for the best threshold
    an `AtThreshold`; it raises `Undefined` where the rows give no value. Its keyword arguments are the
    measure's parameters.

    Args:
        name: the measure's one name; no list measure has it.
        aliases: other names, as for a `list_measure`; list measures may have the same.
        variants: names of the measure with parameters set.
        bounds: least and greatest value, None where there is none.
        cite: the source.
        labels: whether a label is ``binary`` (other labels are refused), one of several ``classes``, each of
            which has a score, or a number.
        scores: whether a score is a ``probability`` (others are refused) or anything that orders rows; or,
            of classes, whether the measure looks for the ``greatest`` alone, so that the class that is
            predicted will do (with a cutoff it looks further).
        aggregate: ``sum`` for what is a count of rows, else ``rows``.
        per_query: whether rows must have a query, and each query a value.
        better: whether a greater value is better (``more``), a smaller one (``less``) or ``neither``.

    """

    def register(function: RowFunction) -> RowFunction:
        parameters, takes_cutoff = _parameters(function)
        _PAGES[name] = Page(
            name,
            "class" if labels == "classes" else "row",
            function,
            aliases,
            MappingProxyType(dict(variants)),
            bounds,
            cite,
            aggregate,
            expected=True,
            better=better,
            parameters=parameters,
            takes_cutoff=takes_cutoff,
            labels=labels,
            scores=scores,
            per_query=per_query,
        )
        return function

    return register


def _parameters(function: Callable[..., Any]) -> tuple[Mapping[str, Parameter], bool]:
    """The parameters that a page's function declares, and whether it takes a cutoff."""
    hints = get_type_hints(function, include_extras=True)
    arguments = list(inspect.signature(function).parameters.values())[1:]
    parameters = {
        a.name: Parameter(a.name, hints[a.name], a.default) for a in arguments if a.name != "cutoff"
    }
    return MappingProxyType(parameters), len(parameters) < len(arguments)


@functools.cache
def pages() -> Mapping[str, Page]:
    """Every page by its measure's name, in alphabetical order of the modules."""
    from rankmark import measures

    for module in pkgutil.iter_modules(measures.__path__):
        importlib.import_module(f"{measures.__name__}.{module.name}")
    return MappingProxyType(_PAGES)


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What a name stands for: a page, with parameters."""

    page: Page
    parameters: Mapping[str, Any]

    def __str__(self) -> str:
        title = self.page.summary.partition(":")[0]
        return f"{Measure(self.page.name, self.parameters)} ({title[0].lower()}{title[1:].rstrip('.')})"


@functools.cache
def _meanings(kind: Kind) -> Mapping[str, list[_Meaning]]:
    """The key of every name and alias of a kind, and what it can mean: one, unless pages do not agree."""
    meanings: dict[str, list[_Meaning]] = {}
    of_kind = {name: known for name, known in pages().items() if known.kind == kind}
    for known in of_kind.values():
        claims = [*((alias, {}) for alias in known.aliases), *known.variants.items()]
        for alias, parameters in claims:
            claimed = meanings.setdefault(_key(alias), [])
            meaning = _Meaning(known, parameters)
            if meaning not in claimed:
                claimed.append(meaning)
    names = {_key(name): [_Meaning(known, {})] for name, known in of_kind.items()}
    return meanings | names


def _key(name: str) -> str:
    """A name without what does not tell names apart: case, hyphens, underscores and commas."""
    return re.sub("[-_,]", "", name).lower()


_DECORATION = re.compile(r"(?i:^retrieval_?|^multilabel_?|_?score$|_?metric$|_?top_?k$|_?at(?:_?k)?$)|K$")
"""What tools write before or after a measure's name: RetrievalMAP, ndcg_score, PrecisionTopK, RecallK."""


def _meanings_of(name: str, kinds: tuple[Kind, ...] = LISTS_FIRST) -> list[_Meaning]:
    # A name as its page writes it is unique over all kinds. But where each class has a score there is no
    # other AUC than theirs.
    of_classes = kinds[0] == "class" and _key(name) in _meanings("class")
    if name in pages() and not of_classes:
        return [_Meaning(pages()[name], {})]
    for kind in kinds:
        known = _meanings(kind)
        if found := known.get(_key(name)) or known.get(_key(_DECORATION.sub("", name))):
            return found
    return []


def _meaning(name: str, kinds: tuple[Kind, ...] = LISTS_FIRST) -> _Meaning:
    meanings = _meanings_of(name, kinds)
    if len(meanings) == 1:
        return meanings[0]
    if meanings:
        either = ", or ".join(map(str, meanings))
        raise MeasureError(f"{name!r} can mean {either}; write the one that is meant")
    from rankmark.language.conventions.trec_names import TREC_MEASURES  # made of measures

    near = did_you_mean(name, [*(known.name for known in TREC_MEASURES), *_spellings()])
    raise MeasureError(f"no measure {name!r}{near} (`rankmark measures` lists them all)")


def namesakes(page: Page) -> list[str]:
    """The names of the measures of another kind that share a name or an alias with this one."""
    own = {_key(name) for name in (page.name, *page.aliases)}
    others = (other for other in pages().values() if other.kind != page.kind)
    return [o.name for o in others if own & {_key(name) for name in (o.name, *o.aliases)}]


@functools.cache
def _spellings() -> Mapping[str, None]:
    """Every name and alias as its page writes it."""
    names = ((known.name, *known.aliases, *known.variants) for known in pages().values())
    return dict.fromkeys(name for each in names for name in each)


def is_known(name: str, kinds: tuple[Kind, ...] = LISTS_FIRST) -> bool:
    """Whether the name means a measure, or several."""
    return bool(_meanings_of(name, kinds))


def page(name: str) -> Page:
    """The page of a measure's name or alias.

    Raises:
        MeasureError: there is no such measure, or several; the message says which come near.

    """
    return _meaning(name).page


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """A measure with its parameters, for example ``nDCG(gain="exp2") @ 10``.

    Calling one sets parameters, ``@`` the cutoff; either gives a new measure. Two are equal if they are
    written alike (and, where a parameter is a function, if it is the same function).

    Attributes:
        name: the measure's one name, whatever alias it was asked for by.
        parameters: those that were set to something else than their default.
        cutoff: how many items from the top count; None for all.
        page: the measure's definition.
        last_deciding_rank: the last rank at which the order of items can change the value; 0 if no order can.
        tells_unjudged: whether an unjudged item is told, or may be, from one judged 0.

    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    cutoff: int | None = None
    page: Page = field(init=False)
    last_deciding_rank: int = field(init=False)
    tells_unjudged: bool = field(init=False)
    _written: str = field(init=False)
    _given: Mapping[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        meaning = _meaning(self.name)
        known, given = meaning.page, {**meaning.parameters, **self.parameters}
        object.__setattr__(self, "name", known.name)
        object.__setattr__(self, "parameters", _checked_parameters(known, given))
        object.__setattr__(self, "cutoff", _checked_cutoff(known, self.cutoff))
        object.__setattr__(self, "page", known)
        object.__setattr__(self, "last_deciding_rank", self._last_deciding_rank())
        object.__setattr__(self, "tells_unjudged", self._tells_unjudged())
        object.__setattr__(self, "_written", self._write())
        object.__setattr__(self, "_given", self._keywords())

    def __call__(self, *values: Any, **parameters: Any) -> Measure:
        """The measure with these parameters set, each by its name."""
        if values:
            raise MeasureError(f"{self.name}({values[0]!r}): parameters are set by name: {self.page.grammar}")
        return Measure(self.name, {**self.parameters, **parameters}, self.cutoff)

    def __matmul__(self, cutoff: int) -> Measure:
        """The measure over the first `cutoff` items."""
        if cutoff is None:
            raise MeasureError(f"{self.name}@None: the cutoff is a whole number from 1")
        return Measure(self.name, self.parameters, cutoff)

    @property
    def arguments(self) -> dict[str, Any]:
        """Every parameter of the page with its value, set or default."""
        return {name: self.parameters.get(name, p.default) for name, p in self.page.parameters.items()}

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
    def mean(self) -> Mean:
        """How the queries' values are averaged, where they are."""
        mean: Mean = self.parameters.get(MEAN.name, MEAN.default)
        return mean

    @property
    def expected(self) -> bool:
        """Whether there is a closed form of the mean over all orders of tied items."""
        return self._holds(self.page.expected)

    @property
    def per_query(self) -> bool:
        """Whether a row measure is a value of each query."""
        return self._holds(self.page.per_query)

    def _last_deciding_rank(self) -> int:
        looks = self.page.order
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
        value: Values | tuple[Values, Values] = self.page.function(lists, **self._given)
        return value

    def compute_rows(self, rows: Rows) -> float | PerQuery | AtThreshold:
        """The row measure's value, that of each query, or the best with its threshold."""
        value: float | PerQuery | AtThreshold = self.page.function(rows, **self._given)
        return value

    def compute_classes(self, classes: Classes) -> float | PerClass:
        """The value of a measure of classes, or that of each class with their average."""
        value: float | PerClass = self.page.function(classes, **self._given)
        return value

    def signature(self) -> list[str]:
        """The measure and the value of each parameter, the page's defaults included."""
        short = Measure(self.name, {}, self.cutoff)
        mean = [] if self.mean == MEAN.default else [f"{MEAN.name}:{self.mean}"]
        values = [f"{name}:{format_value(value)}" for name, value in self.arguments.items()]
        return [str(short), *values, *mean]

    def _keywords(self) -> dict[str, Any]:
        """What the page's function is called with."""
        own = {name: value for name, value in self.parameters.items() if name in self.page.parameters}
        return {**own, "cutoff": self.cutoff} if self.page.takes_cutoff else own

    def _write(self) -> str:
        written = ",".join(f"{name}={format_value(value)}" for name, value in self.parameters.items())
        cutoff = "" if self.cutoff is None else f"@{self.cutoff}"
        return self.name + (f"({written})" if written else "") + cutoff

    def __str__(self) -> str:
        return self._written

    def __repr__(self) -> str:
        return self._written

    def __reduce__(self) -> tuple[type[Measure], tuple[Any, ...]]:
        plain = {n: dict(v) if isinstance(v, Mapping) else v for n, v in self.parameters.items()}
        return Measure, (self.name, plain, self.cutoff)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Measure):
            return NotImplemented
        functions = [name for name, value in self.parameters.items() if callable(value)]
        return self._written == other._written and all(
            self.parameters[name] is other.parameters[name] for name in functions
        )

    def __hash__(self) -> int:
        return hash(self._written)


def weighing(measures: Iterable[Measure]) -> dict[str, str]:
    """The columns that measures weigh queries by, and what each is for, in words."""
    return {name: purpose for measure in measures for name, purpose in measure.columns.items()}


def no_closed_form(measure: str) -> MeasureError:
    """The error for a measure asked for under ``ties="expected"`` that cannot give it."""
    return MeasureError(
        f"{measure} has no closed form of its mean over the orders of tied items; "
        'use ties="best" and ties="worst" for its range, or ties="random" with several seeds'
    )


def _checked_parameters(known: Page, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The parameters that differ from their defaults, in the page's order."""
    for name in given:
        if name in ("k", "cutoff") and known.takes_cutoff:
            raise MeasureError(f"{known.name}: the cutoff is written after the name: {known.name}@10")
        if name not in known.accepted:
            takes = f"takes: {', '.join(known.accepted)}" if known.accepted else "takes none"
            raise MeasureError(
                f"{known.name} has no parameter {name!r}{did_you_mean(name, known.accepted)} (it {takes})"
            )
    accepted = {name: p for name, p in known.accepted.items() if name in given}
    checked = {name: p.checked(given[name], known.name) for name, p in accepted.items()}
    return MappingProxyType({n: value for n, value in checked.items() if value != accepted[n].default})


def _checked_cutoff(known: Page, cutoff: Any) -> int | None:
    if cutoff is None:
        return None
    if not known.takes_cutoff:
        others = [f"{name}@{cutoff}" for name in namesakes(known) if pages()[name].takes_cutoff]
        hint = f"; there is {' or '.join(others)}" if others else ""
        raise MeasureError(f"{known.name}@{cutoff}: {known.name} takes no cutoff{hint}")
    whole = hasattr(cutoff, "__index__") and not isinstance(cutoff, bool)
    if not whole or not 1 <= cutoff.__index__() <= GREATEST_CUTOFF:
        raise MeasureError(f"{known.name}@{cutoff}: the cutoff is a whole number from 1")
    return int(cutoff.__index__())


GREATEST_CUTOFF = 2**53
"""Every whole number up to this is a float64."""


_WRITTEN = re.compile(
    r"(?P<name>[A-Za-z][\w-]*?)\s*(?:\((?P<parameters>.*)\))?\s*(?:@(?P<cutoff>[^@]*?))?"
    r"(?:-l(?P<rel>[0-9]+))?",
    re.DOTALL,
)
_JOINED = re.compile(r"(?P<name>.+?)(?P<sign>_at_|[_.])(?P<cutoff>[0-9]+)")


@functools.lru_cache(maxsize=1024)
def parse(text: str, kinds: tuple[Kind, ...] = LISTS_FIRST) -> Measure:
    """The measure written as `text`: ``nDCG@10``, ``AP(rel=2)@100``, or as other tools write it.

    Those are ``ndcg_cut_10`` (trec_eval), ``ndcg_at_10`` (MTEB) and ``map@10-l2`` (ranx: rel=2). A name
    that is not written as its page does is looked for in the `kinds` of measures in their order.

    Raises:
        MeasureError: no such measure, parameter or value, with what comes near; or a name that means several
            measures, with these.

    """
    if not isinstance(text, str):
        raise MeasureError(f"{text!r} is not the name of a measure")
    text = text.strip()
    if text in _spellings():
        return _named(text, kinds)
    joined = _JOINED.fullmatch(text)
    known = joined is not None and is_known(joined["name"], kinds)
    if joined and known and joined["sign"] == ".":
        _refuse_patience(joined["name"], joined["cutoff"], kinds)
    of_rows = kinds[0] != "list" and is_known(text, kinds[:1])
    if not of_rows and (trec := _trec_measure(text)):
        return trec
    if joined and known:
        return _named(joined["name"], kinds, cutoff=int(joined["cutoff"]))
    if is_known(text, kinds):
        return _named(text, kinds)
    written = _WRITTEN.fullmatch(text)
    if not written:
        raise MeasureError(f"{text!r} is not a measure: write Name, Name@10 or Name(parameter=value)@10")
    parameters = dict(_arguments(written["name"], written["parameters"] or ""))
    if written["rel"] is not None:
        parameters["rel"] = int(written["rel"])
    return _named(written["name"], kinds, parameters, _cutoff(text, written["cutoff"]))


def _named(
    name: str,
    kinds: tuple[Kind, ...],
    parameters: Mapping[str, Any] = MappingProxyType({}),
    cutoff: int | None = None,
) -> Measure:
    """The measure of a name, looked for in the kinds in their order."""
    meaning = _meaning(name, kinds)
    return Measure(meaning.page.name, {**meaning.parameters, **parameters}, cutoff)


def _trec_measure(text: str) -> Measure | None:
    from rankmark.language.conventions.trec_names import trec_measure  # whose table is made of measures

    return trec_measure(text)


def _refuse_patience(name: str, digits: str, kinds: tuple[Kind, ...]) -> None:
    """Refuses ``rbp.95``, which is p = 0.95 in ranx."""
    known = _meaning(name, kinds).page
    if "p" in known.parameters:
        either = f"{known.name}(p=0.{digits}), or {known.name}@{digits}"
        raise MeasureError(f"{name}.{digits} can mean {either}; write the one that is meant")


def _cutoff(text: str, written: str | None) -> int | None:
    if written is None:
        return None
    if not re.fullmatch(r"[0-9]+", written.strip()):
        raise MeasureError(f"{text!r}: the cutoff is a whole number from 1, not {written!r}")
    return int(written)


def _arguments(name: str, text: str) -> Iterator[tuple[str, Any]]:
    for argument in _pieces(text, lambda place: text[place] == ",") if text.strip() else []:
        parameter, equals, value = argument.partition("=")
        if not equals:
            raise MeasureError(f"{name}({text}): {argument!r} is not written parameter=value")
        yield parameter.strip(), parse_value(value)


_NUMBERS = re.compile(r",[-+.\d][-+.\d=eE]*(?=[\s,]|$)")
_TOKEN = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|.""", re.DOTALL)
"""A text in quotes, or else one character."""
_DEPTH = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


def split_measures(text: str) -> list[str]:
    """Measures separated by spaces or commas, but not by those inside brackets or before a number.

    A number goes on with the parameters of one measure: ``utility.1,-1,0,0``.
    """

    def separates(place: int) -> bool:
        return text[place].isspace() or (text[place] == "," and not _NUMBERS.match(text, place))

    return [name for name in _pieces(text, separates) if name]


def _pieces(text: str, separates: Callable[[int], bool]) -> list[str]:
    """A text cut at those places of it that are not inside brackets or quotes."""
    pieces, depth = [""], 0
    for token in _TOKEN.finditer(text):
        depth += _DEPTH.get(token[0], 0)
        if depth <= 0 and separates(token.start()):
            pieces.append("")
        else:
            pieces[-1] += token[0]
    return pieces


def as_measure(measure: str | Measure, kinds: tuple[Kind, ...] = LISTS_FIRST) -> Measure:
    """The measure itself, or the one that the text writes."""
    if isinstance(measure, Measure):
        return measure
    if isinstance(measure, str):
        return parse(measure, kinds)
    raise MeasureError(f"{measure!r} is neither a measure nor its name")
