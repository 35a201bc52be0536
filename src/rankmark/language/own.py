"""Users' own measures: functions that become pages beside those of `rankmark.measures`."""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args, get_type_hints

from rankmark.errors import CallError, MeasureError, RankmarkError, did_you_mean
from rankmark.language.choices import Choices
from rankmark.language.conventions.trec_table import split_name
from rankmark.language.measure import Measure, QueryError
from rankmark.language.parameters import Parameter
from rankmark.language.registry import (
    MEAN,
    Better,
    Kind,
    Labels,
    Looks,
    Origin,
    Page,
    ScoreKind,
    add,
    meanings_named,
    refer,
    referred,
)
from rankmark.rendering.words import brief

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankmark.kinds.lists import JudgedLists, Values

__all__ = [
    "absent_measure",
    "described",
    "found_again",
    "imported",
    "list_measure",
    "plain_measure",
    "row_measure",
]

Function: TypeAlias = Callable[..., Any]

ROUNDING = 1e-9
"""So far beyond its bounds a value may be."""
TAKEN = ("like", "item_ids", "positive", "weights", "classes", "k", "rankmark", "own", "source", "queries")
"""What parameters cannot be called besides choices: fields of signatures, and what data come with."""


def list_measure(
    name: str | None = None,
    *,
    bounds: tuple[float | None, float | None] = (None, None),
    aliases: Sequence[str] = (),
    aggregate: Literal["mean", "sum", "ratio"] = "mean",
    better: Better = "more",
    order: Looks = "top",
    expected: bool = False,
    tells_unjudged: bool = False,
    undefined: str = "nothing relevant",
) -> Callable[[Function], Measure]:
    """Makes a function a measure of lists, which is asked for as those of rankmark are.

    The function takes either of these, and gives numbers:

    - ``function(lists)``: `JudgedLists`, of many queries at once, and gives an array of a value a query. It
      is about as fast as a measure of rankmark.
    - ``function(grades, judged)``: of one query the grades of its list in rank order, down to the cutoff, NaN
      for an item that nobody judged; and the grades of all its judged items, best first. It gives one number,
      and is called once a query, under Python's lock: some 0.1 ms each.

    A value that is NaN is that of a query without one, which `no_relevant` decides on. Keyword arguments are
    the measure's parameters: their annotations say what they can be, as on rankmark's own pages (``float``,
    ``Literal["a", "b"]``, ``Mapping[float, float]``), or else the defaults do. ``cutoff`` is what stands
    after the ``@``. The docstring is the page that ``help`` and `rankmark measures` show.

    Args:
        name: the measure's name; that of the function if None.
        bounds: least and greatest value, None where there is none; a value beyond is refused.
        aliases: other names.
        aggregate: how the values of all queries become one: their ``mean``, their ``sum``, or the ``ratio``
            of two sums, of arrays of numerators and denominators.
        better: whether a greater value is better (``more``), a smaller one (``less``) or ``neither``.
        order: what of a list's order the value depends on: on which item is where down to the cutoff
            (``top``) or in the ``list``, on which are above the cutoff (``set``), or on ``nothing``.
        expected: whether the function gives, where lists have ties, the mean over all orders of tied items,
            as `JudgedLists.at_rank`, `count` and `weighted_sum` do; else ``ties="expected"`` is refused.
        tells_unjudged: whether an unjudged item is told from one judged 0.
        undefined: what a query without a value has, in words.

    Returns:
        What makes of the function a `Measure`, as ``rm.nDCG`` is one: ``my_gain @ 10``.

    Raises:
        MeasureError: the name is one of rankmark's measures or of a measure of another module, or the
            function cannot be a measure.

    Example:
        Gains that halve every three days:

        >>> import rankmark as rm
        >>> @rm.list_measure("FreshGain", bounds=(0, None), expected=True)
        ... def fresh_gain(lists, *, cutoff=None, half=3.0):
        ...     top = lists.top(cutoff)
        ...     return top.sum(top.relevance * top.at_rank(lambda rank: 0.5 ** ((rank - 1) / half), cutoff))
        >>> rm.evaluate({"q": {"a": 2, "b": 1}}, {"q": ["a", "x", "y", "b"]}, "FreshGain@10")["FreshGain@10"]
        2.5

    """
    facts: dict[str, Any] = {"bounds": bounds, "aggregate": aggregate, "better": better, "order": order}
    facts |= {"expected": expected, "tells_unjudged": tells_unjudged, "undefined": undefined}
    _check_facts(facts, aggregate=("mean", "sum", "ratio"), better=get_args(Better), order=get_args(Looks))

    def register(function: Function) -> Measure:
        return _registered(function, "list", name, tuple(aliases), facts)

    return _decorator(name, register, "list_measure")


def row_measure(
    name: str | None = None,
    *,
    labels: Labels,
    bounds: tuple[float | None, float | None] = (None, None),
    aliases: Sequence[str] = (),
    scores: ScoreKind = "any",
    aggregate: Literal["rows", "sum"] = "rows",
    better: Better = "more",
) -> Callable[[Function], Measure]:
    """Makes a function a measure of labelled scores, which is asked for as those of rankmark are.

    The function takes `Rows` and gives one number, or raises `Undefined` where they have no value. What it
    makes of sums over rows, such as `Rows.confusion` and `Rows.positive`, works in batches, on Spark and in
    `PredictionEvaluator` at once, and with intervals. Parameters are as of a `list_measure`.

    Args:
        name: the measure's name; that of the function if None.
        labels: whether a label is ``binary`` (other labels are refused) or any of ``numbers``.
        bounds: least and greatest value, None where there is none; a value beyond is refused.
        aliases: other names.
        scores: whether a score is a ``probability`` (others are refused) or ``any`` that orders rows.
        aggregate: ``sum`` for what is a count of rows, else ``rows``.
        better: whether a greater value is better (``more``), a smaller one (``less``) or ``neither``.

    Returns:
        What makes of the function a `Measure`.

    Raises:
        MeasureError: the name is one of rankmark's measures or of a measure of another module, or the
            function cannot be a measure.

    Example:
        What a mailing earns, where a reply is worth 5 and a letter costs 1:

        >>> import rankmark as rm
        >>> @rm.row_measure("Profit", labels="binary")
        ... def profit(rows, *, threshold=0.5, worth=5, cost=1):
        ...     replies, others, _, _ = rows.confusion(threshold)
        ...     return replies * (worth - cost) - others * cost
        >>> table = {"label": [1, 0, 1, 0], "score": [0.9, 0.7, 0.4, 0.1]}
        >>> rm.evaluate_predictions(table, ["Profit", "Profit(threshold=0.3)"]).values
        {'Profit': 3.0, 'Profit(threshold=0.3)': 7.0}

    """
    facts = {"bounds": bounds, "labels": labels, "scores": scores, "aggregate": aggregate, "better": better}
    known = ("any", "probability")
    _check_facts(
        facts, labels=("binary", "numbers"), scores=known, aggregate=("rows", "sum"), better=get_args(Better)
    )

    def register(function: Function) -> Measure:
        return _registered(function, "row", name, tuple(aliases), facts)

    return _decorator(name, register, "row_measure")


def _decorator(
    name: Any, register: Callable[[Function], Measure], called: str
) -> Callable[[Function], Measure]:
    if name is not None and not isinstance(name, str):
        raise CallError(
            f"{called}() takes the measure's name: write @rm.{called}() to call it as its function"
        )
    return register


def _check_facts(facts: Mapping[str, Any], **known: tuple[str, ...]) -> None:
    """Refuses words that a decorator does not know, and bounds that are none."""
    for name, words in known.items():
        if facts[name] not in words:
            hint = did_you_mean(str(facts[name]), words)
            raise MeasureError(f"{name}={facts[name]!r} is not {' or '.join(words)}{hint}")
    bounds = facts["bounds"]
    if not (
        isinstance(bounds, tuple)
        and len(bounds) == 2
        and all(each is None or isinstance(each, int | float) for each in bounds)
    ):
        raise MeasureError(
            f"bounds={bounds!r} are not two numbers, such as (0, 1), or None where there is none"
        )


def plain_measure(function: Function) -> Measure:
    """The measure of a function that was given where a measure is asked for.

    Raises:
        MeasureError: it cannot be one.

    """
    known = referred(reference_of(function))
    if known is not None and inspect.unwrap(known.function) is function:
        return Measure.of(known)
    return _registered(function, "list", None, (), {"bounds": (None, None)})


# --- Pages ------------------------------------------------------------------------------------------------


def _registered(
    function: Function, kind: Kind, name: str | None, aliases: tuple[str, ...], facts: Mapping[str, Any]
) -> Measure:
    """The measure of a user's function, whose name then means it."""
    if not inspect.isfunction(function):
        raise MeasureError(f"{brief(str(function))} is no function, and a measure is made of one")
    name = name or function.__name__
    origin = Origin(reference_of(function), source_of(function))
    for each in (name, *aliases):
        _check_name(each, name, origin)
    parameters, takes_cutoff, plain = _declared(function, name, kind)
    if plain and facts.get("expected"):
        raise MeasureError(
            f"{name}: a function of one list in rank order knows no ties: take expected=True out"
        )
    made = {"list": _of_one_list if plain else _of_lists, "row": _of_rows}[kind]
    page = Page(
        name=name,
        kind=kind,
        function=made(function, name, facts, cut=takes_cutoff),
        parameters=MappingProxyType(parameters),
        takes_cutoff=takes_cutoff or plain,
        aliases=aliases,
        origin=origin,
        **{"aggregate": "mean", "expected": False, "order": "top", **facts},
    )
    add(page)
    return Measure.of(page)


def reference_of(function: Function) -> str:
    """A function's module and its name there."""
    return f"{function.__module__}:{function.__qualname__}"


def source_of(function: Function) -> str:
    """What tells a function's source text from others."""
    try:
        text = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        return "unknown"
    import hashlib  # which measures of ours do without

    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _check_name(written: str, name: str, origin: Origin) -> None:
    """Refuses a name that means another measure, or that cannot be asked for."""
    if not isinstance(written, str) or not written.isidentifier() or not written.isascii():
        raise MeasureError(f"{written!r} cannot be asked for: a name has letters, digits and underscores")
    if written.startswith("_"):
        raise MeasureError(f"{written!r} cannot be asked for: a name begins with a letter")
    meant = [meaning.page for meaning in meanings_named(written)]
    ours = [known for known in meant if known.origin is None]
    if ours or split_name(written):
        of = f"means {ours[0].name} here" if ours else "is a name of trec_eval's"
        raise MeasureError(f'{written!r} {of}: call your measure otherwise, with @rm.list_measure("Name")')
    for known in meant:
        assert known.origin is not None
        other = known.origin
        again = known.name == name and (other.module == origin.module or other.source == origin.source)
        if not again:
            raise MeasureError(
                f"{written!r} means {known.name} of {other.reference}: call one of them otherwise"
            )


OF_ROWS = ("scores", "score", "y_score", "y_pred", "y_prob", "preds", "predictions")
"""What the second argument of functions of labels and scores is called."""


def _declared(function: Function, name: str, kind: Kind) -> tuple[dict[str, Parameter], bool, bool]:
    """The parameters that a function declares, whether it takes a cutoff, and whether it sees one query."""
    arguments = list(inspect.signature(function).parameters.values())
    by_place = [a for a in arguments if a.kind in (a.POSITIONAL_ONLY, a.POSITIONAL_OR_KEYWORD)]
    data = [a for a in by_place if a.default is a.empty]
    others = [a for a in arguments if a not in data]
    wanted = {"list": (1, 2), "row": (1,)}[kind]
    if len(data) not in wanted or any(a.kind in (a.VAR_POSITIONAL, a.VAR_KEYWORD) for a in others):
        takes = "lists, or grades and judged" if kind == "list" else "rows"
        raise MeasureError(
            f"{name}: a function of a measure takes {takes}, and parameters each with a default; "
            f"{function.__name__} takes {inspect.signature(function)}"
        )
    if any(argument.name in OF_ROWS for argument in data[1:]):
        raise MeasureError(
            f"{name}: {function.__name__}{inspect.signature(function)} looks like a function of labels and "
            "scores, and a plain function takes the grades of a list in rank order and those of all judged "
            "items; a measure of labelled scores is a function of their sums: @rm.row_measure over a "
            "function of rows (help(rm.Rows))"
        )
    try:
        hints = get_type_hints(function, include_extras=True)
    except Exception:
        hints = {}
    parameters = {}
    for argument in others:
        if argument.name == "cutoff":
            continue
        if argument.default is argument.empty:
            raise MeasureError(f"{name}: the parameter {argument.name} has no default")
        if argument.name in (*TAKEN, MEAN.name, *(each.name for each in fields(Choices))):
            raise MeasureError(
                f"{name}: a parameter cannot be called {argument.name}, which has a meaning here"
            )
        parameters[argument.name] = _parameter(
            argument.name, hints.get(argument.name), argument.default, name
        )
    return parameters, any(a.name == "cutoff" for a in others), len(data) == 2


def _parameter(name: str, annotation: Any, default: Any, measure: str) -> Parameter:
    if annotation is None or annotation in (int, float):
        annotation = _annotation_of(default)
    parameter = Parameter(name, annotation, default)
    try:
        checked = parameter.checked(default, measure)
    except TypeError:
        raise MeasureError(
            f"{measure}: the parameter {name}={brief(default)} is none that a text can say: "
            'annotate it as a float, a Literal["a", "b"] of words, a Mapping or a Sequence of float'
        ) from None
    return Parameter(name, annotation, checked)


def _annotation_of(*values: Any) -> Any:
    """What a parameter can be that has these values."""
    if all(isinstance(each, str) for each in values):
        return Literal[tuple(dict.fromkeys(values))]
    if all(isinstance(each, Mapping) for each in values):
        return Mapping[float, float]
    if all(isinstance(each, list | tuple) for each in values):
        return Sequence[float]
    return (
        float
        if all(isinstance(each, int | float) and not isinstance(each, bool) for each in values)
        else object
    )


# --- Functions that are called and whose values are looked at -----------------------------------------------


def _documented(function: Function) -> Callable[[Function], Function]:
    """Gives what calls a user's function its name and its page."""

    def dress(calling: Function) -> Function:
        functools.update_wrapper(calling, function)
        if not inspect.getdoc(function):
            calling.__doc__ = f"{function.__name__}: {reference_of(function)} says nothing of it."
        return calling

    return dress


def _called(name: str, function: Function) -> str:
    return f"{name}: the function {function.__name__!r}"


@contextmanager
def _told(called: str) -> Iterator[None]:
    """Makes an error of a user's function a `MeasureError` that says what happened."""
    from rankmark.kinds.row_core import NotMergedError
    from rankmark.kinds.rows import Undefined

    try:
        yield
    except (RankmarkError, Undefined, NotMergedError):
        raise
    except Exception as error:
        raise MeasureError(f"{called} {_raised(error)}") from error


def _raised(error: Exception) -> str:
    return f"raises {type(error).__name__}: {error}".rstrip(": ")


def _of_lists(function: Function, name: str, facts: Mapping[str, Any], *, cut: bool) -> Function:  # noqa: ARG001
    """What calls a function of many lists, and says in which of them it fails."""
    called, parts = _called(name, function), 2 if facts.get("aggregate") == "ratio" else 1

    @_documented(function)
    def compute(lists: JudgedLists, **given: Any) -> Values | tuple[Values, ...]:
        for array in (lists.rank, lists.relevance, lists.offsets, lists.retrieved):
            array.flags.writeable = False  # other measures see the same
        try:
            found = function(lists, **given)
        except RankmarkError:
            raise
        except Exception as error:
            raise _failing(lists, lambda one: function(one, **given), called, error) from error
        values = found if parts == 2 else (found,)
        if not isinstance(values, tuple) or len(values) != parts:
            raise MeasureError(
                f"{called} gives {type(found).__name__}, and a ratio is of two arrays, a tuple of them"
            )
        checked = tuple(_checked(each, len(lists.retrieved), called) for each in values)
        if parts == 1:
            _check_within(checked[0], facts["bounds"], called)
        return checked if parts == 2 else checked[0]

    return compute


def _failing(lists: JudgedLists, compute: Function, called: str, error: Exception) -> MeasureError:
    """The error of the first query that fails alone; of all together if none does."""
    for number in range(len(lists.retrieved)):
        try:
            compute(lists.one(number))
        except Exception as own:
            return QueryError(number, called, _raised(own))
    return MeasureError(f"{called} {_raised(error)}, for several queries at once and for none of them alone")


def _checked(found: Any, queries: int, called: str) -> Values:
    """The values of queries, if they are that."""
    import numpy as np

    try:
        values: Values = np.array(found, dtype=np.float64)
    except (TypeError, ValueError):
        raise MeasureError(
            f"{called} gives {brief(found)}, and a list measure gives an array of a number a query"
        ) from None
    if values.shape != (queries,):
        shape = "one number" if values.ndim == 0 else f"an array of shape {values.shape}"
        raise MeasureError(
            f"{called} gives {shape} for {queries} queries, and a list measure gives an array of a number a "
            "query, such as lists.sum(…)"
        )
    return values


def _check_within(values: Values, bounds: tuple[float | None, float | None], called: str) -> None:
    """Refuses the first value that is infinite or beyond the bounds."""
    import numpy as np

    low, high = bounds
    beyond = np.isinf(values)
    if low is not None:
        beyond |= values < low - ROUNDING
    if high is not None:
        beyond |= values > high + ROUNDING
    if beyond.any():
        number = int(np.argmax(beyond))
        raise QueryError(number, called, _beyond(float(values[number]), bounds))


def _beyond(value: float, bounds: tuple[float | None, float | None]) -> str:
    low, high = ("none" if each is None else f"{each:g}" for each in bounds)
    return f"gives {value:g}, and its bounds are {low} and {high},"


def _of_one_list(function: Function, name: str, facts: Mapping[str, Any], *, cut: bool) -> Function:
    """What calls a function of one list in rank order, query after query."""
    called = _called(name, function)

    @_documented(function)
    def compute(lists: JudgedLists, cutoff: int | None = None, **given: Any) -> Values:
        import numpy as np

        said = {**given, "cutoff": cutoff} if cut else given
        values = np.empty(len(lists.retrieved))
        for number in range(len(values)):
            grades, judged = lists.grades(number, cutoff)
            try:
                found = function(grades, judged, **said)
            except RankmarkError:
                raise
            except Exception as error:
                raise QueryError(number, called, _raised(error)) from error
            try:
                values[number] = float(found)
            except (TypeError, ValueError):
                raise QueryError(number, called, f"gives {brief(found)}, and no number,") from None
        _check_within(values, facts["bounds"], called)
        return values

    return compute


def _of_rows(function: Function, name: str, facts: Mapping[str, Any], *, cut: bool) -> Function:  # noqa: ARG001
    """What calls a function of rows."""
    from rankmark.kinds.rows import Undefined

    called = _called(name, function)
    low, high = facts["bounds"]

    @_documented(function)
    def compute(rows: Any, **given: Any) -> float:
        with _told(called):
            found = function(rows, **given)
        try:
            value = float(found)
        except (TypeError, ValueError):
            raise MeasureError(f"{called} gives {brief(found)}, and a row measure gives one number") from None
        if value != value:
            raise Undefined(f"{function.__name__} gives NaN")
        if (low is not None and value < low - ROUNDING) or (high is not None and value > high + ROUNDING):
            raise MeasureError(f"{called} {_beyond(value, facts['bounds']).rstrip(',')}")
        return value

    return compute


# --- Measures by where they are ---------------------------------------------------------------------------


def imported(reference: str) -> None:
    """Imports the module of ``module:function``, so that it means a measure.

    It is looked for among what is installed, and then in the current folder. Only what a person wrote on a
    command line may come here, and nothing that a file says.

    Raises:
        MeasureError: there is no such module or function, or it is no measure.

    """
    module, _, function = reference.partition(":")
    if referred(reference):
        return
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.append(folder)
    try:
        found: Any = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and (module == error.name or module.startswith(f"{error.name}.")):
            raise MeasureError(
                f"{reference}: there is no module {module!r}, installed or in {folder}"
            ) from None
        raise MeasureError(f"{reference}: importing {module} {_raised(error)}") from error
    except Exception as error:
        raise MeasureError(f"{reference}: importing {module} {_raised(error)}") from error
    if not hasattr(found, function):
        near = did_you_mean(function, (each for each in vars(found) if not each.startswith("_")))
        where = getattr(found, "__file__", None) or "built in"
        raise MeasureError(f"{reference}: the module {module} ({where}) has no {function!r}{near}")
    known = getattr(found, function)
    measure = plain_measure(known) if inspect.isfunction(known) else known
    if not isinstance(measure, Measure) or measure.page.origin is None:
        raise MeasureError(f"{reference} is a {type(known).__name__}, and no function or measure of your own")
    refer(reference, measure.page)


def found_again(origin: Origin, given: Mapping[str, Any], cutoff: int | None, asked: str | None) -> Measure:
    """The measure that was pickled, in a process that may not have imported its module."""
    if referred(origin.reference) is None:
        imported(origin.reference)
    page = referred(origin.reference)
    assert page is not None
    if page.origin != origin:
        raise MeasureError(f"{origin.reference} has another source here than where it was sent from")
    return Measure.of(page, given, cutoff, asked)


DESCRIBED = ("name", "kind", "aggregate", "better", "bounds", "order", "labels", "scores", "takes_cutoff")
"""What is kept of a page where values of the measure are kept, and not the measure."""


def described(measure: Measure) -> dict[str, Any]:
    """All that a file says of a user's own measure; of its function only where it is."""
    origin = measure.page.origin
    assert origin is not None
    return {
        "page": {name: getattr(measure.page, name) for name in DESCRIBED},
        "defaults": {name: each.default for name, each in measure.page.parameters.items()},
        "given": dict(measure.given),
        "cutoff": measure.cutoff,
        "asked": measure.asked,
        "origin": (origin.reference, origin.source),
    }


def absent_measure(said: Mapping[str, Any]) -> Measure:
    """The measure that `described` speaks of, which can be computed if its module was imported."""
    origin, given = Origin(*said["origin"]), said["given"]
    known = referred(origin.reference)
    if known is None or known.origin != origin:
        parameters = {
            name: Parameter(name, _annotation_of(default, given.get(name, default)), default)
            for name, default in said["defaults"].items()
        }
        known = Page(
            **said["page"],
            function=_absent(origin),
            parameters=MappingProxyType(parameters),
            expected=True,
            origin=origin,
        )
    return Measure.of(known, given, said["cutoff"], said["asked"])


def _absent(origin: Origin) -> Function:
    def compute(*_: Any, **__: Any) -> Any:
        raise MeasureError(
            f"{origin.reference} is not here as it was when its values were saved (source {origin.source}): "
            f"import {origin.module} and ask for the measure"
        )

    compute.__doc__ = f"{origin.reference}: a measure of which only values are here."
    return compute
