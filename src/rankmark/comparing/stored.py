"""A result that was evaluated before, in the place of a run that is evaluated now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankmark.errors import ChoiceError, DataError, NotEvaluatedError, UsageError
from rankmark.inputs.tables.several import of_system
from rankmark.loading import is_saved, load
from rankmark.rendering.words import first_of
from rankmark.results.base import Result
from rankmark.results.lists import ListResult
from rankmark.results.runs import Runs
from rankmark.results.saved import Saved

if TYPE_CHECKING:
    from rankmark.language.measure import Measure

__all__ = ["beside_stored", "check_stored", "each_alone", "opened", "stored_notes"]

MOST_NAMES = 4
"""Runs that an error names."""


def opened(run: Any, kind: type) -> Any:
    """A run, or a result in its place; of a path what was saved there, if that is a result.

    Raises:
        UsageError: it is a record of another kind.

    """
    found = load(run) if is_saved(run) else run
    if isinstance(found, Saved) and not isinstance(found, kind):
        raise UsageError(
            ("" if found is run else f"{run}: ")
            + f"a {type(found).__name__} is neither a run nor the {kind.__name__} of one"
            + (_of_one(found) if isinstance(found, Runs) else "")
        )
    return found


def _of_one(several: Runs) -> str:
    names = first_of(list(several), MOST_NAMES)
    return (
        f"; it has several, {names}: save the one that is meant by itself, or take it by its name, "
        f"runs[{next(iter(several))!r}] in Python"
    )


def each_alone(systems: Any) -> Any:
    """Systems by their names; results of several in one place have the names that they have there.

    Args:
        systems: results of several runs, or a path where they were saved; or systems by their names, of
            which each can be such results, too. What is none of these is returned as it is.

    Raises:
        UsageError: two systems have one name.

    """
    found = load(systems) if is_saved(systems) else systems
    if isinstance(found, Runs):
        return found.results
    if not isinstance(systems, Mapping):
        return systems
    alone: dict[Any, Any] = {}
    for name, run in systems.items():
        one = run[0] if isinstance(run, list) and len(run) == 1 else run
        found = load(one) if is_saved(one) else one
        own = (
            found.results if isinstance(found, Runs) else {name: found if isinstance(found, Result) else run}
        )
        if twice := next((each for each in own if each in alone), None):
            raise UsageError(
                f"two systems are called {twice}, one of them in {name}; call the other otherwise"
            )
        alone |= own
    return alone


def check_stored(name: str, stored: Result, fresh: Result, measures: Iterable[Measure]) -> None:
    """Refuses a result that is not of the same judgements, or was not evaluated in the same way.

    Args:
        name: what to call it.
        stored: the result.
        fresh: another, with which it is to be compared.
        measures: by which.

    Raises:
        NotEvaluatedError: it lacks a measure.
        ChoiceError: it was evaluated otherwise.
        DataError: it is of other queries or judgements.

    """
    for measure in measures:
        if measure not in stored:
            raise NotEvaluatedError(
                f"{measure} was not evaluated; here are {', '.join(map(str, stored))} in {name}: evaluate it "
                "again, with that measure"
            )
        own, other = (_parts(each.signature(each._find(measure))) for each in (stored, fresh))
        if odd := [part for part in dict.fromkeys([*own, *other]) if own.get(part) != other.get(part)]:
            first, second = (
                ", ".join(f"{part}:{each.get(part, 'none')}" for part in odd) for each in (own, other)
            )
            raise ChoiceError(
                f"{name} was evaluated otherwise: {measure} with {first}, here with {second}; choose alike, "
                "or evaluate it again"
            )
    there, here = (each.inputs.get("qrels") for each in (stored, fresh))
    if there and here and there != here:
        raise DataError(
            f"{name} was evaluated against other judgements: their hash is {there}, here it is {here}; "
            "evaluate it again"
        )
    _check_rows(name, stored, fresh)


def _parts(signature: str) -> dict[str, str]:
    """Each part of a signature by its name, but for the version."""
    measure, *parts = signature.split("|")
    named = dict(part.split(":", 1) for part in parts)
    named.pop("rankmark")
    return {"measure": measure, **named}


def _check_rows(name: str, stored: Result, fresh: Result) -> None:
    """Refuses other queries, or another number of rows."""
    own, other = set(stored.query_ids), set(fresh.query_ids)
    # Of predictions queries are known only if a measure looks at them.
    if own != other and (stored.counted == "queries" or (own and other)):
        odd = min(own ^ other, key=str)
        where = "there alone" if odd in own else "here alone"
        raise DataError(
            f"{name} was evaluated on other queries: {len(own ^ other):,} are not in both, such as {odd!r}, "
            f"which is {where}; evaluate it again"
        )
    for what in ("rows", "positive"):
        counts = [getattr(each.counts, what, None) for each in (stored, fresh)]
        if None not in counts and counts[0] != counts[1]:
            there, here = (f"{each:,}" for each in counts)
            raise DataError(
                f"{name} was evaluated on other rows: {what} {there}, here {here}; evaluate it again"
            )


def stored_notes(name: str, stored: Result, fresh: Result) -> Iterator[str]:
    """What is not known to be alike."""
    if stored.version != fresh.version:
        yield f"{name}: evaluated by rankmark {stored.version}, and not {fresh.version}"
    if stored.counted == "counts":
        yield f"{name}: saved; that its rows are the same is known by their number alone"
    if stored.counted == "queries" and "qrels" not in stored.inputs:
        yield f"{name}: saved without a hash of its judgements; the judged queries are the same"


def beside_stored(
    systems: Mapping[str, Sequence[Any]], evaluate: Callable[[Any, bool], ListResult]
) -> tuple[dict[str, list[ListResult]], list[str]]:
    """The results of each system's runs, those that are results as they are, and what is not known of these.

    Args:
        systems: their runs, of which at least one is no result.
        evaluate: gives the result of a run; and whether to hash the inputs.

    Raises:
        UsageError, DataError: as `check_stored`.

    """
    stored = [(name, run) for name, own in systems.items() for run in own if isinstance(run, ListResult)]
    hashed = any("qrels" in each.inputs for _, each in stored)
    results: dict[str, list[ListResult]] = {}
    fresh: list[ListResult] = []

    def evaluated(run: Any) -> ListResult:
        return run if isinstance(run, ListResult) else evaluate(run, hashed)

    for name, runs in systems.items():
        results[name] = [of_system(name, evaluated, run) for run in runs]
        fresh += [own for own, run in zip(results[name], runs, strict=True) if own is not run]
    for name, each in stored:
        check_stored(name, each, fresh[0], fresh[0].measures)
    return results, [note for name, each in stored for note in stored_notes(name, each, fresh[0])]
