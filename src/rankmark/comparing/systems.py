"""Several systems brought together: which they are, what can be compared of them, and on which queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from rankmark.comparing.comparison import Comparison
from rankmark.comparing.pairs import nothing_in_common
from rankmark.comparing.plan import ComparisonPlan
from rankmark.errors import ChoiceError, DataError, UsageError, did_you_mean
from rankmark.inputs.clusters import Clustering, ClustersBy
from rankmark.language.given_measure import GivenMeasure
from rankmark.language.measure import Measure
from rankmark.language.names import as_measure
from rankmark.language.plan import separate
from rankmark.rendering.words import counted
from rankmark.results.base import Result

__all__ = [
    "Baseline",
    "are_seeds",
    "brought_together",
    "check_same_weights",
    "check_systems",
    "gathered",
    "seed_notes",
]

Baseline: TypeAlias = "str | Sequence[str] | None"
"""The name of one system or of several; None for all pairs."""

FEW_SEEDS = 3
"""With so many a quantile of t is 4.3 at 5%, with two 12.7."""


def are_seeds(run: Any) -> bool:
    """Whether it is a list of runs, and not one run as a list of rows."""
    return isinstance(run, list) and bool(run) and not isinstance(run[0], tuple | list)


def check_systems(systems: Mapping[str, Any], baseline: Baseline) -> tuple[str, ...]:
    """The baselines, of which each is one of the systems; refuses what are no two or more systems by name."""
    if not isinstance(systems, Mapping):
        raise UsageError(f"the systems are a {type(systems).__name__}; give them by name: {{name: run, …}}")
    if wrong := [name for name in systems if not isinstance(name, str)]:
        raise UsageError(f"the name of a system is text, not {wrong[0]!r}")
    if len(systems) < 2:
        raise UsageError(f"{counted(len(systems), 'system')} to compare; give two or more")
    baselines = () if baseline is None else (baseline,) if isinstance(baseline, str) else tuple(baseline)
    for each in baselines:
        if each not in systems:
            hint = _called(each, systems) or did_you_mean(str(each), systems)
            raise UsageError(f"baseline={each!r} is not one of the systems {', '.join(systems)}{hint}")
    if len(set(baselines)) == len(systems):
        raise UsageError("every system is a baseline; name none to compare all pairs")
    return tuple(dict.fromkeys(baselines))


def _called(path: str, systems: Mapping[str, Any]) -> str:
    """``"; did you mean X?"`` for the system whose run is at this path, or has the name of this file."""
    own = ((name, run if are_seeds(run) else [run]) for name, run in systems.items())
    names = [name for name, runs in own if path in [each for each in runs if isinstance(each, str)]]
    names += [name for name in systems if name == Path(path).stem]
    return f"; did you mean {names[0]!r}?" if names else ""


def brought_together(
    results: Mapping[str, Sequence[Result]],
    measures: str | Measure | Iterable[str | Measure] | None,
    baselines: Sequence[str],
    plan: ComparisonPlan,
    clusters: ClustersBy | Clustering,
) -> Comparison:
    """The comparison of the results of several systems, of each one a seed.

    Args:
        results: by the names of the systems.
        measures: which to compare; those that all results have if None.
        baselines: with which all others are compared; all pairs without any.
        plan: how.
        clusters: what each query belongs to.

    """
    found = gathered(results, measures)
    clustering = Clustering.of(clusters)
    notes = list(found.notes)
    if plan.seeded:
        notes += seed_notes({name: len(each) for name, each in results.items()}, plan.seedless)
        notes += _repeated_seeds(results, found.measures)
    return Comparison(
        results={name: tuple(each) for name, each in results.items()},
        measures=found.measures,
        baselines=baselines,
        plan=plan,
        query_ids=found.query_ids,
        labels=None if clustering is None else clustering.labels(found.query_ids),
        notes=notes,
    )


class Gathered(NamedTuple):
    """What can be compared of several systems.

    Attributes:
        measures: those that all have.
        query_ids: the queries that all have.
        notes: what a reader should know of how they were brought together.

    """

    measures: tuple[Measure, ...]
    query_ids: list[Any]
    notes: list[str]


def gathered(
    results: Mapping[str, Sequence[Result]], measures: str | Measure | Iterable[str | Measure] | None = None
) -> Gathered:
    """What the results of systems, of each one a seed, have in common; all measures if none is named.

    Raises:
        UsageError: there is no such measure.
        DataError: they are of different judgements, or have no query in common.

    """
    every = [result for each in results.values() for result in each]
    _check_same_judgements(results)
    check_same_weights(results)
    asked = _asked(every, measures)
    query_ids, notes = _common_queries(every)
    return Gathered(asked, query_ids, notes + _choice_notes(every))


def _check_same_judgements(results: Mapping[str, Sequence[Result]]) -> None:
    """Refuses results whose hashes say that they are of different judgements."""
    hashes: dict[str, str] = {}
    for name, seeds in results.items():
        for judged in (result.inputs["qrels"] for result in seeds if "qrels" in result.inputs):
            hashes.setdefault(judged, name)
    if len(hashes) > 1:
        one, other = list(hashes.values())[:2]
        raise DataError(
            f"the results of {one!r} and {other!r} are of different judgements (their hashes differ), whose "
            "values cannot be compared; evaluate both with the same"
        )


def check_same_weights(results: Mapping[str, Sequence[Result]]) -> None:
    """Refuses results whose queries do not weigh alike."""
    weights = [(name, result.weights) for name, seeds in results.items() for result in seeds]
    first, own = weights[0]
    for name, other in weights[1:]:
        if (own is None) != (other is None):
            raise ChoiceError(
                f"queries are weighed in the result of {name if own is None else first!r}, and not in that "
                f"of {first if own is None else name!r}: give weights to both, or to none"
            )
        if own and other and (odd := [query for query in own if own[query] != other.get(query, own[query])]):
            raise ChoiceError(
                f"the results of {first!r} and {name!r} weigh {counted(len(odd), 'query', 'queries')} "
                f"otherwise, such as {odd[0]!r}: give the same weights to both"
            )


def _asked(
    results: Sequence[Result], measures: str | Measure | Iterable[str | Measure] | None
) -> tuple[Measure, ...]:
    """The measures to compare."""
    common = [measure for measure in results[0].measures if all(measure in each for each in results)]
    listed = common if measures is None else separate(measures)
    given = {each.name: each for each in results[0].measures if isinstance(each, GivenMeasure)}
    asked = tuple(dict.fromkeys(given.get(str(each)) or as_measure(each) for each in listed))
    if not asked:
        raise UsageError("there is no measure that all results have")
    for measure in asked:
        for result in results:
            terms = result.query_terms(measure)  # refuses what was not evaluated
            if terms.summary:
                raise terms.no_mean()
    return asked


def _common_queries(results: Sequence[Result]) -> tuple[list[Any], list[str]]:
    """The queries that all results have, in the order of the first, and a note if some have others."""
    lists = [result.query_ids for result in results]
    if all(each == lists[0] for each in lists[1:]):
        return list(lists[0]), []
    sets = [set(each) for each in lists]
    common = set.intersection(*sets)
    if not common:
        raise nothing_in_common(each[0] for each in lists if each)
    left = len(set.union(*sets)) - len(common)
    note = f"{left:,} {'query is' if left == 1 else 'queries are'} not judged for all systems (left out)"
    return [query for query in lists[0] if query in common], [note]


def seed_notes(seeds: Mapping[str, int], seedless: Sequence[str]) -> Iterator[str]:
    """What a reader should know of how many seeds the systems have."""
    one = [name for name, count in seeds.items() if count == 1 and name not in seedless]
    few = [name for name, count in seeds.items() if 1 < count <= FEW_SEEDS]
    if one:
        yield (
            f"{', '.join(one)}: one run says nothing of how others vary by seeds; beside a system with "
            "several it is taken to vary as that one does (seedless names systems that depend on no seed)"
        )
    if few:
        yield (
            f"{', '.join(few)}: {FEW_SEEDS} seeds or fewer say little of how others vary; intervals are "
            "wide, and only great differences are found"
        )


def _repeated_seeds(results: Mapping[str, Sequence[Result]], measures: Sequence[Measure]) -> Iterator[str]:
    """Which systems have seeds with the same values on every query."""
    for name, own in results.items():
        numbers: dict[tuple[bytes, ...], list[int]] = {}
        for number, result in enumerate(own, 1):
            values = tuple(result.query_terms(measure).linear().tobytes() for measure in measures)
            numbers.setdefault(values, []).append(number)
        for alike in numbers.values():
            if len(alike) > 1:
                yield (
                    f"{name}: seeds {', '.join(map(str, alike))} have the same value on every query; if they "
                    "are the same run given twice, it looks as if seeds did not vary"
                )


def _choice_notes(results: Sequence[Result]) -> list[str]:
    """What a reader should know of how the values were computed."""
    first = results[0].choices
    different = [name for name in first if any(result.choices[name] != first[name] for result in results)]
    return [f"the systems were not evaluated alike: {', '.join(different)} differ"] if different else []
