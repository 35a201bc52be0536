"""Several systems that scored the same rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.aggregation.rows import RowsOf
from rankmark.api.classes import ClassWork
from rankmark.api.evaluated import Evaluated
from rankmark.api.labelled import Work, check_one_score, digests_of, slices_of_rows
from rankmark.api.prediction_plans import Plans
from rankmark.dataclassing import dataclass
from rankmark.errors import UsageError
from rankmark.inputs.predictions.class_systems import read_class_systems
from rankmark.inputs.predictions.groups import GROUPS, in_groups
from rankmark.inputs.predictions.row_slices import read_row_slices
from rankmark.inputs.predictions.systems import SystemScores, read_systems
from rankmark.inputs.slicing import Slicing, columns_of
from rankmark.language.measure import Measure, weighing
from rankmark.language.plan import check_threads
from rankmark.results.sliced import slice_members

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from rankmark.aggregation.intervals import Sampling
    from rankmark.inputs.predictions.classes import ClassPredictions

__all__ = ["EvaluatedSystems", "SystemsSlice", "evaluate_systems"]

ROLES = ("label", "query", "item", "weight")


class SystemsSlice(NamedTuple):
    """The systems on the rows of one slice.

    Attributes:
        by: the attribute.
        slice: its value; None for the rows that have none.
        rows: how many there are.
        systems: what the systems come to on these rows.
        slices: how many slices there are of all attributes.

    """

    by: str
    slice: str | None
    rows: int
    systems: dict[str, Evaluated]
    slices: int


@dataclass(frozen=True, slots=True)
class EvaluatedSystems:
    """Several systems on the same rows.

    Attributes:
        systems: what they come to.
        notes: what a reader should know of how the tables were brought together.
        slices: the same in slices of the rows, each made when it is asked for; None if none were asked for.

    """

    systems: dict[str, Evaluated]
    notes: tuple[str, ...]
    slices: Iterator[SystemsSlice] | None


def evaluate_systems(
    systems: Mapping[str, SystemScores],
    measures: str | Measure | Iterable[str | Measure],
    sampling: Sampling | None,
    options: Mapping[str, Any],
    slicing: Slicing | None = None,
) -> EvaluatedSystems:
    """Evaluates the scores of several systems, each with what of it can be drawn again.

    Args:
        systems: each system's table and column of scores.
        measures: as for `evaluate_predictions`.
        sampling: how intervals are made; None for none.
        options: what else `evaluate_predictions` takes: ``label``, ``query``, ``item``, ``weight``,
            ``group``, ``positive``, ``ties``, ``no_relevant``, ``duplicates``, ``short_lists``, ``like``,
            ``threads``, ``hash_inputs``; and without `sampling` ``seed``; of classes ``classes``.
        slicing: what to slice the rows by, if anything.

    """
    if options.get("group") is not None:
        systems = _in_groups(systems, options["group"], options.get("query"))
        options = {**options, "query": GROUPS}
    if options.get("classes") is not None or any(each.of_classes for each in systems.values()):
        return _of_classes(systems, measures, sampling, options, slicing)
    threads = options.get("threads")
    given = {name: options.get(name) for name in ("ties", "no_relevant", "duplicates", "short_lists")}
    seed = options.get("seed") if sampling is None else sampling.seed
    plans = Plans(measures, options.get("like"), {**given, "seed": seed or None})
    check_threads(threads)
    work = Work.of(plans, sampling, threads)
    said = {role: options.get(role) for role in ROLES}
    weighed = weighing(work.plan.measures)
    read = read_systems(systems, said, options.get("positive"), weighed, columns_of(slicing))
    for own in read.predictions.values():
        check_one_score(own, work.plan.measures)
    tables = {name: RowsOf.of_table(own, threads or 0) for name, own in read.predictions.items()}

    def evaluated(rows: NDArray[np.intp]) -> dict[str, Evaluated]:
        return {name: work.evaluated(own.taken(rows)) for name, own in tables.items()}

    slices, notes = None, read.notes
    if slicing is not None:
        names, told = slices_of_rows(next(iter(read.predictions.values())), slicing)
        slices, notes = _in_slices(names, evaluated), (*notes, *told)
    hashed = read.predictions if options.get("hash_inputs") else {}
    inputs = {name: digests_of(own) for name, own in hashed.items()}
    found = {name: work.evaluated(rows, inputs.get(name, {})) for name, rows in tables.items()}
    return EvaluatedSystems(found, notes, slices)


def _in_groups(systems: Mapping[str, SystemScores], group: Any, query: object) -> dict[str, SystemScores]:
    """The systems with tables that have the groups' numbers; one table of several stays one."""
    tables = {id(each.table): each.table for each in systems.values()}
    grouped = {key: in_groups(table, group, query) for key, table in tables.items()}
    return {name: replace(each, table=grouped[id(each.table)]) for name, each in systems.items()}


def _of_classes(
    systems: Mapping[str, SystemScores],
    measures: str | Measure | Iterable[str | Measure],
    sampling: Sampling | None,
    options: Mapping[str, Any],
    slicing: Slicing | None,
) -> EvaluatedSystems:
    """As `evaluate_systems`, where labels are classes."""
    threads, ties = options.get("threads"), options.get("ties")
    if options.get("positive") is not None:
        raise UsageError(f"positive={options['positive']!r} is of one score in a row, and here are classes")
    given = {name: options.get(name) for name in ("ties", "no_relevant", "duplicates", "short_lists")}
    plan = Plans(measures, options.get("like"), {**given, "seed": None}).of_classes
    check_threads(threads)
    said = {role: options.get(role) for role in ROLES}
    read = read_class_systems(systems, said, options.get("classes"), columns_of(slicing))
    work = ClassWork(plan, sampling, ties, threads or 0)
    for own in read.predictions.values():
        work.check(own)
    slices, notes = None, read.notes
    if slicing is not None:
        first = next(iter(read.predictions.values()))
        names, told = read_row_slices(slicing, first.rest, len(first.labels), first.query, first.name)
        slices = _in_slices(names, lambda rows: _evaluated(work, read.predictions, rows))
        notes = (*notes, *told)
    return EvaluatedSystems(_evaluated(work, read.predictions), notes, slices)


def _evaluated(
    work: ClassWork, tables: Mapping[str, ClassPredictions], rows: NDArray[np.intp] | None = None
) -> dict[str, Evaluated]:
    """What the systems come to on some of the rows, or all."""
    return {name: work.evaluated(own if rows is None else own.taken(rows)) for name, own in tables.items()}


def _in_slices(
    names: pl.DataFrame, evaluated: Callable[[NDArray[np.intp]], dict[str, Evaluated]]
) -> Iterator[SystemsSlice]:
    members = [(column.name, *each) for column in names for each in slice_members(column)]
    for by, value, inside in members:
        yield SystemsSlice(by, value, len(inside), evaluated(inside), len(members))
