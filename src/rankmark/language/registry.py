"""The registry of the measures' pages, and what every name can mean.

A page is a function in a module of `rankmark.measures`; the folder is the registry.
"""

from __future__ import annotations

import functools
import importlib
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from rankmark.dataclassing import dataclass
from rankmark.errors import MeasureError, did_you_mean
from rankmark.language.definition import Definition, Meaning, declared, key_of, load, meanings_of, modules_of
from rankmark.language.layout import header_line
from rankmark.language.parameters import Parameter

if TYPE_CHECKING:
    from rankmark._native import CompiledMeasure
    from rankmark.kinds.classes import PerClass
    from rankmark.kinds.decisions import AtThreshold
    from rankmark.kinds.lists import Values
    from rankmark.kinds.rows import PerQuery

__all__ = [
    "CLASSES_FIRST",
    "FIRST",
    "ITEMS_FIRST",
    "LISTS_FIRST",
    "MEAN",
    "ROWS_FIRST",
    "Aggregate",
    "Better",
    "Extremes",
    "Fact",
    "Kind",
    "Labels",
    "Looks",
    "Mean",
    "Need",
    "Needs",
    "Origin",
    "Page",
    "ScoreKind",
    "add",
    "is_known",
    "item_measure",
    "list_measure",
    "meaning_of",
    "meanings_named",
    "namesakes",
    "near",
    "page",
    "page_written",
    "pages",
    "refer",
    "referred",
    "remembered",
    "row_measure",
    "spellings",
]

Kind: TypeAlias = Literal["list", "item", "row", "class"]
"""What a measure looks at: the judged items in the list of each query, the items themselves at its top, all
rows of a table of labelled scores, or all rows of one that has a score for each class."""

LISTS_FIRST: tuple[Kind, ...] = ("list", "item", "row", "class")
ROWS_FIRST: tuple[Kind, ...] = ("row", "class", "list", "item")
CLASSES_FIRST: tuple[Kind, ...] = ("class", "row", "list", "item")
"""In which kind of measure a name is looked for first: a name can mean one measure in each."""
ITEMS_FIRST: tuple[Kind, ...] = ("item", "list", "row", "class")
FIRST: Mapping[Kind, tuple[Kind, ...]] = MappingProxyType(
    {"list": LISTS_FIRST, "item": ITEMS_FIRST, "row": ROWS_FIRST, "class": CLASSES_FIRST}
)

Aggregate: TypeAlias = Literal["mean", "sum", "ratio", "rows", "run"]
Better: TypeAlias = Literal["more", "less", "neither"]
Mean: TypeAlias = Literal[
    "arithmetic", "geometric", "median", "q05", "q10", "q25", "q75", "q90", "q95", "std", "trimmed"
]
ListFunction: TypeAlias = "Callable[..., Values | tuple[Values, Values]]"
ItemFunction = TypeVar("ItemFunction", bound="Callable[..., Values | float]")
Need: TypeAlias = Literal[
    "catalogue", "train", "items", "groups", "judgements", "aspects", "strata", "probabilities"
]
"""What has to be known of items: which there are, who had them before, what they are like, in which groups
they are, or how they are judged, also for which aspects of queries, or how they were sampled to be judged."""
T = TypeVar("T")
Function = TypeVar("Function", bound="Callable[..., Any]")
RowFunction = TypeVar("RowFunction", bound="Callable[..., float | PerQuery | PerClass | AtThreshold]")
Labels: TypeAlias = Literal["binary", "numbers", "classes"]
"""What a row measure takes a label for: positive or not, a number, or one of the classes that have scores."""
ScoreKind: TypeAlias = Literal["any", "probability", "greatest"]
"""What a row measure takes a score for: whatever orders the rows, or a probability; or it sees no more of the
scores of classes than which is the greatest."""
Fact: TypeAlias = bool | Callable[[Mapping[str, Any]], bool]
"""What holds of a page whatever the arguments, or what says of them, the cutoff included, whether it does."""

Needs: TypeAlias = tuple[Need, ...] | Callable[[Mapping[str, Any]], tuple[Need, ...]]
"""What has to be known of items whatever the arguments, or what says it of them."""

Looks: TypeAlias = Literal["top", "list", "set", "nothing"]
"""What of the order of a list a value depends on: on which item is at which rank of the ``top``, down to the
cutoff, or of the whole ``list``; on the ``set`` of items down to the cutoff; on ``nothing`` of it."""


Extremes: TypeAlias = Literal["ends", "counts", "found", "gains"]
"""Where a value is lowest and highest if some items of a list can have any grade up to the highest; see
`rankmark.language.extremes`."""

Compiled: TypeAlias = Callable[[Mapping[str, Any]], "CompiledMeasure | None"]
"""Of the arguments, the cutoff included, what the core computes in the place of a page, if it does."""

MEAN = Parameter("mean", Mean, "arithmetic")
"""How the queries' values become one: ``AP(mean=geometric)`` is GMAP; ``median``, quantiles such as ``q90``,
``std``, the standard deviation, and ``trimmed``, the mean without a tenth at either end, are
`rankmark.statistics.SUMMARIES`.

Every averaged measure that is never negative takes it; no page sees it, since a page gives one value a query.
"""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a measure is from that is a user's own.

    Attributes:
        reference: the module and the function in it, ``module:function``.
        source: the beginning of the SHA-256 of the function's source text; ``unknown`` without one.

    """

    reference: str
    source: str

    @property
    def module(self) -> str:
        """The module."""
        return self.reference.partition(":")[0]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Page(Definition):
    """A measure's definition; `list_measure` and `row_measure` say what each fact means."""

    kind: Kind
    aggregate: Aggregate
    expected: Fact = True
    better: Better = "more"
    order: Looks | Callable[[Mapping[str, Any]], Looks] = "nothing"
    tells_unjudged: Fact = False
    extremes: Extremes | Callable[[Mapping[str, Any]], Extremes | None] | None = None
    compiled: Compiled | None = None
    undefined: str = "nothing relevant"
    labels: Labels = "numbers"
    scores: ScoreKind = "any"
    per_query: Fact = False
    usual_bounds: tuple[float | None, float | None] | None = None
    usual_with: tuple[str, ...] | None = None
    origin: Origin | None = None
    needs: Needs = ()
    grows: bool = False
    parity: Callable[[Mapping[str, Any]], float | None] | None = None

    def header(self) -> Iterator[str]:
        """What stands above the page: how the measure is written, and its other names."""
        yield from Definition.header(self)
        if names := ", ".join(self._trec_names()):
            yield header_line(f"in trec_eval {names}")
        if self.origin:
            yield header_line(f"a measure of your own, {self.origin.reference}")

    def _trec_names(self) -> Iterator[str]:
        """What trec_eval calls the measure and those with parameters, of a family the first."""
        from rankmark.language.conventions.trec_table import TREC_MEASURES

        for known in TREC_MEASURES:
            if known.measure and known.base.name == self.name:
                first = known.defaults[0] if known.each else None
                name = known.name if first is None else known.member_name(first)
                _, parameters, cutoff = known.base if first is None else known.member(first)
                yield f"{name} = {self.written(parameters, cutoff)}"

    @property
    def accepted(self) -> Mapping[str, Parameter]:
        """The parameters that the measure takes: the function's, and `MEAN` where it can be averaged so."""
        low = self.bounds[0]
        averaged = self.aggregate == "mean" and low is not None and low >= 0
        return {**self.parameters, MEAN.name: MEAN} if averaged else self.parameters

    @property
    def arrays(self) -> int:
        """How many numbers it gives a query: two where the values of all become the ratio of two sums."""
        return 2 if self.aggregate == "ratio" else 1

    def _instead(self, cutoff: Any) -> str:
        others = [f"{name}@{cutoff}" for name in namesakes(self) if pages()[name].takes_cutoff]
        others += [f"{self.name}(top={cutoff}), of the best rows"] if "top" in self.parameters else []
        return f"; there is {' or '.join(others)}" if others else ""


_PAGES: dict[str, Page] = {}
_REFERRED: dict[str, Page] = {}
"""The pages of users' own measures by every ``module:function`` that leads to one."""
_LOADING = threading.RLock()
"""Held while pages are imported."""
_REMEMBERED: list[functools._lru_cache_wrapper[Any]] = []


def remembered(function: Callable[..., T]) -> functools._lru_cache_wrapper[T]:
    """Keeps what a function of names gives, until there is another measure."""
    kept = functools.lru_cache(maxsize=1024)(function)
    _REMEMBERED.append(kept)
    return kept


def add(page: Page) -> None:
    """Takes in the page of a user's own measure, in the place of one of the same name."""
    pages()
    assert page.origin is not None
    before = _PAGES.get(page.name)
    for reference in [each for each, known in _REFERRED.items() if known is before]:
        _REFERRED[reference] = page
    _PAGES[page.name] = page
    refer(page.origin.reference, page)


def refer(reference: str, page: Page) -> None:
    """Lets ``module:function`` mean the page of a user's own measure."""
    _REFERRED[reference] = page
    for kept in _REMEMBERED:
        kept.cache_clear()


def referred(reference: str) -> Page | None:
    """The page that ``module:function`` means, if that module was imported."""
    return _REFERRED.get(reference)


def list_measure(
    name: str,
    *,
    aliases: tuple[str, ...] = (),
    variants: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    bounds: tuple[float | None, float | None],
    aggregate: Aggregate = "mean",
    expected: Fact = True,
    better: Better = "more",
    order: Looks = "top",
    tells_unjudged: Fact = False,
    extremes: Extremes | Callable[[Mapping[str, Any]], Extremes | None] | None = None,
    compiled: Compiled | None = None,
    usual_bounds: tuple[float | None, float | None] | None = None,
    usual_with: tuple[str, ...] | None = None,
    undefined: str = "nothing relevant",
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
        aggregate: how the values of all queries become one: their ``mean`` (which mean is for the measure
            to say, see `MEAN`), their ``sum``, or the ``ratio`` of two sums (the function then returns
            numerators and denominators).
        expected: whether the function gives the mean over all orders of tied items.
        better: whether a greater value is better (``more``), a smaller one (``less``) or ``neither``.
        order: what of the order of a list the value depends on.
        undefined: what a query without a value has, in words.
        tells_unjudged: whether an unjudged item is told from one judged 0 (besides a `rel` of at most 0 or a
            `gain` of grade 0, which do so on every page).
        extremes: where a value is lowest and highest if the grades of some items are open, or what says it of
            the arguments, the cutoff included; None where that is not known.
        compiled: gives of the arguments, the cutoff included, what the core computes in the place of the
            function, with the same values to the last bit; None where it does not.
        usual_bounds: closer bounds, which hold where the parameters `usual_with` have their defaults.
        usual_with: their names; all if None.

    """
    return _page(
        name,
        "list",
        variants,
        bounds=bounds,
        aliases=aliases,
        aggregate=aggregate,
        expected=expected,
        better=better,
        order=order,
        tells_unjudged=tells_unjudged,
        extremes=extremes,
        compiled=compiled,
        usual_bounds=usual_bounds,
        usual_with=usual_with,
        undefined=undefined,
    )


def item_measure(
    name: str,
    *,
    aliases: tuple[str, ...] = (),
    variants: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    bounds: tuple[float | None, float | None],
    needs: Needs,
    aggregate: Literal["mean", "run"] = "mean",
    grows: bool = False,
    better: Better = "more",
    parity: Callable[[Mapping[str, Any]], float | None] | None = None,
    order: Looks | Callable[[Mapping[str, Any]], Looks] = "set",
    undefined: str = "no items",
    usual_bounds: tuple[float | None, float | None] | None = None,
    usual_with: tuple[str, ...] | None = None,
) -> Callable[[ItemFunction], ItemFunction]:
    """Makes a function the page of an item measure.

    The function takes `RecommendedLists` and returns one value a query, NaN where the query has none; or one
    value of all lists together. Its keyword arguments are the measure's parameters; `cutoff` is what stands
    after the ``@``.

    Args:
        name: the measure's one name.
        aliases: other names, as for a `list_measure`.
        variants: names of the measure with parameters set.
        bounds: least and greatest value, None where there is none.
        needs: what has to be known of items, or what says of the arguments what has to be.
        aggregate: whether the values of all queries are averaged, or there is one of the whole ``run``.
        grows: whether one of the whole run is greater for more queries, whatever these are like.
        better: whether a greater value is better (``more``), a smaller one (``less``) or ``neither``.
        parity: what says of the arguments which value is that of groups that are treated alike.
        order: what of the order of a list the value depends on, or what says it of the arguments.
        undefined: what a query without a value has, in words.
        usual_bounds: closer bounds, which hold where the parameters `usual_with` have their defaults.
        usual_with: their names; all if None.

    """
    return _page(
        name,
        "item",
        variants,
        bounds=bounds,
        aliases=aliases,
        aggregate=aggregate,
        grows=grows,
        expected=False,
        better=better,
        parity=parity,
        order=order,
        tells_unjudged=True,
        undefined=undefined,
        needs=needs,
        usual_bounds=usual_bounds,
        usual_with=usual_with,
    )


def row_measure(
    name: str,
    *,
    aliases: tuple[str, ...] = (),
    variants: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    bounds: tuple[float | None, float | None],
    labels: Labels,
    scores: ScoreKind = "any",
    aggregate: Aggregate = "rows",
    per_query: Fact = False,
    better: Better = "more",
    usual_bounds: tuple[float | None, float | None] | None = None,
    usual_with: tuple[str, ...] | None = None,
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
        labels: whether a label is ``binary`` (other labels are refused), one of several ``classes``, each of
            which has a score, or a number.
        scores: whether a score is a ``probability`` (others are refused) or anything that orders rows; or,
            of classes, whether the measure looks for the ``greatest`` alone, so that the class that is
            predicted will do (with a cutoff it looks further).
        aggregate: ``sum`` for what is a count of rows, else ``rows``.
        per_query: whether rows must have a query, and each query a value.
        better: whether a greater value is better (``more``), a smaller one (``less``) or ``neither``.
        usual_bounds: closer bounds, which hold where the parameters `usual_with` have their defaults.
        usual_with: their names; all if None.

    """
    return _page(
        name,
        "class" if labels == "classes" else "row",
        variants,
        bounds=bounds,
        aliases=aliases,
        aggregate=aggregate,
        better=better,
        labels=labels,
        scores=scores,
        per_query=per_query,
        usual_bounds=usual_bounds,
        usual_with=usual_with,
    )


def _page(
    name: str, kind: Kind, variants: Mapping[str, Mapping[str, Any]], **facts: Any
) -> Callable[[Function], Function]:
    """What makes a function the page of a measure of this kind, of which these facts hold."""

    def register(function: Function) -> Function:
        parameters, takes_cutoff = declared(function)
        _PAGES[name] = Page(
            name=name,
            kind=kind,
            function=function,
            parameters=parameters,
            takes_cutoff=takes_cutoff,
            variants=MappingProxyType(dict(variants)),
            **facts,
        )
        return function

    return register


@functools.cache
def pages() -> Mapping[str, Page]:
    """Every page by its measure's name, in alphabetical order of the modules."""
    from rankmark import measures

    with _LOADING:
        load(measures)
        # Some may have been looked for by their names before.
        places = {name: place for place, name in enumerate(modules_of(measures))}
        known = sorted(_PAGES.items(), key=lambda page: places.get(page[1].function.__module__, len(places)))
        for name, page in known:
            del _PAGES[name]
            _PAGES[name] = page
    return MappingProxyType(_PAGES)


@functools.cache
def _modules() -> Mapping[str, str | None]:
    """The modules of pages by the keys of what they are called; None where several are called so."""
    from rankmark import measures

    modules: dict[str, str | None] = {}
    for module in modules_of(measures):
        key = key_of(module.rpartition(".")[2])
        modules[key] = None if key in modules else module
    return modules


def page_written(name: str) -> Page | None:
    """The page of the measure whose name is written so, if there is one.

    A module is called as its measure mostly is, and then no other is imported.
    """
    if name not in _PAGES and (module := _modules().get(key_of(name))):
        with _LOADING:
            importlib.import_module(module)
    return _PAGES.get(name) or pages().get(name)


@remembered
def _meanings(kind: Kind) -> Mapping[str, list[Meaning[Page]]]:
    """The key of every name and alias of a kind, and what it can mean."""
    return meanings_of(known for known in pages().values() if known.kind == kind)


_DECORATION = r"(?i:^retrieval_?|^multilabel_?|_?score$|_?metric$|_?top_?k$|_?at(?:_?k)?$)|K$"
"""What tools write before or after a measure's name: RetrievalMAP, ndcg_score, PrecisionTopK, RecallK."""


def meanings_named(name: str, kinds: tuple[Kind, ...] = LISTS_FIRST) -> list[Meaning[Page]]:
    """All that a name can mean, in the first of the kinds that know it."""
    # A name as its page writes it is unique over all kinds. But where each class has a score there is no
    # other AUC than theirs.
    if found_own := referred(name):
        return [Meaning(found_own, {})]
    of_classes = kinds[0] == "class" and key_of(name) in _meanings("class")
    if not of_classes and (found := page_written(name)):
        return [Meaning(found, {})]
    for kind in kinds:
        known = _meanings(kind)
        if meanings := known.get(key_of(name)) or known.get(key_of(re.sub(_DECORATION, "", name))):
            return meanings
    return []


def meaning_of(name: str, kinds: tuple[Kind, ...] = LISTS_FIRST, *, cutoff: bool = False) -> Meaning[Page]:
    """What a name means, looked for in the kinds of measures in their order.

    With a `cutoff` it means what can have one, if anything does: ``Precision@5`` of predictions is that of
    the lists of the queries, which are their rows.

    Raises:
        MeasureError: no measure, or several; the message says which come near.

    """
    meanings = meanings_named(name, kinds)
    if cutoff and page_written(name) is None:
        of_lists = kinds[0] == "list" or any(meaning.page.kind == "list" for meaning in meanings)
        lists = meanings if of_lists else [*meanings, *meanings_named(name, LISTS_FIRST[:1])]
        takers = [meaning for meaning in lists if meaning.page.takes_cutoff]
        first = [meaning for meaning in takers if meaning.page.kind == takers[0].page.kind]
        meanings = first or meanings
    if len(meanings) == 1:
        return meanings[0]
    if meanings:
        either = ", or ".join(map(str, meanings))
        raise MeasureError(f"{name!r} can mean {either}; write the one that is meant")
    if ":" in name:
        raise MeasureError(
            f"no measure {name!r} is here: import {name.partition(':')[0]} first, since a text never does"
        )
    from rankmark.language.absent import absent, nearly_absent

    if why := absent(name):
        raise MeasureError(f"{why} (`rankmark measures` lists all that there are)")
    raise MeasureError(
        f"no measure {name!r}{near(name) or nearly_absent(name)} (`rankmark measures` lists them all)"
    )


def near(name: str) -> str:
    """``"; did you mean X?"`` for the names of measures nearest to one that is none, or the empty string."""
    # So many measures have names of three letters that any three are near to some by two.
    share = 0.7 if len(name) == 3 else 0.6
    from rankmark.language.conventions.trec_table import TREC_MEASURES

    return did_you_mean(name, [*(known.name for known in TREC_MEASURES), *spellings()], share=share)


def namesakes(page: Page) -> list[str]:
    """The names of the measures of another kind that share a name or an alias with this one."""
    own = {key_of(name) for name in (page.name, *page.aliases, *page.variants)}
    others = (other for other in pages().values() if other.kind != page.kind)
    return [o.name for o in others if own & {key_of(name) for name in (o.name, *o.aliases, *o.variants)}]


@remembered
def spellings() -> Mapping[str, None]:
    """Every name and alias as its page writes it."""
    names = ((known.name, *known.aliases, *known.variants) for known in pages().values())
    return dict.fromkeys(name for each in names for name in each)


def is_known(name: str, kinds: tuple[Kind, ...] = LISTS_FIRST) -> bool:
    """Whether the name means a measure, or several."""
    return bool(meanings_named(name, kinds))


def page(name: str) -> Page:
    """The page of a measure's name or alias.

    Raises:
        MeasureError: there is no such measure, or several; the message says which come near.

    """
    return meaning_of(name).page
