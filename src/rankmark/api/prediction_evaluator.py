"""Evaluations of predictions in parts: day by day, shard by shard, or batch by batch."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from rankmark._native import __version__
from rankmark.aggregation.intervals import IntervalMethod
from rankmark.aggregation.merged_rows import sums_asked, two_rows
from rankmark.aggregation.row_tally import LABELS, RowTally, check_sums, sums_of
from rankmark.aggregation.rows import RowsOf, Tallied, core_of, need_query
from rankmark.api.classes import check_measures, check_probabilities
from rankmark.api.evaluator import given_before, told_of_repeats
from rankmark.api.labelled import Labels, Wanted, Work, check_one_score, evaluate_labelled
from rankmark.api.lock import Lock
from rankmark.api.prediction_plans import Plans, are_classes_said, sampling_of, slicing_columns
from rankmark.calling import clear_methods
from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, DataError, FormatError, UsageError
from rankmark.inputs.arrays.libraries import Array, as_matrix, as_vector, to_numpy
from rankmark.inputs.column_checks import check_ids, several_types, wrong_row
from rankmark.inputs.predictions.additions import Addition, Form, in_order, read_addition, whole
from rankmark.inputs.predictions.groups import GROUPS, in_groups
from rankmark.inputs.slicing import ByColumns
from rankmark.inputs.tables.polars_frames import from_polars
from rankmark.kinds.row_core import InMemory
from rankmark.language.choices import Duplicates, NoRelevant, ShortLists, Ties
from rankmark.language.conventions.convention import convention
from rankmark.language.measure import Measure, weighing
from rankmark.language.names import parse
from rankmark.language.plan import check_threads
from rankmark.results.archive import Archive, Shape, archived, read_archive, write_archive
from rankmark.results.predictions import PredictionResult
from rankmark.results.saved import measure_text

if TYPE_CHECKING:
    import polars as pl

    from rankmark.inputs.predictions.labelled import Predictions

__all__ = ["PredictionEvaluator", "RepeatedRows"]

RepeatedRows: TypeAlias = Literal["error", "first"]

FORMAT = 1
"""The version of saved files."""
HEADER, ROWS = "predictions.json", "rows.arrow"
TEXT: Shape = (None, str)
SHAPE: Shape = {
    "arguments": {
        "measures": [(str, {"measure": str})],
        "seed": int,
        "score": (None, str, [str]),
        "positive": (None, str, int, float, bool),
        "classes": (None, [(str, int, float, bool)]),
        "by": [str],
        "keep_rows": bool,
        **dict.fromkeys(
            (
                "like",
                "ties",
                "no_relevant",
                "duplicates",
                "short_lists",
                "label",
                "predicted",
                "query",
                "item",
                "weight",
            ),
            TEXT,
        ),
    },
    "convention": TEXT,
}
"""What a header looks like before there are any rows."""
FORM: Shape = {
    "columns": dict,
    "kinds": {str: str},
    "text_ids": bool,
    "words": (None, [str]),
    "scores": (None, int),
}
SHAPE_OF_ROWS: Shape = SHAPE | {"form": FORM, "tally": dict}
SHAPES: Shape = (
    SHAPE,
    SHAPE_OF_ROWS,
    *(
        shape | {"arguments": SHAPE["arguments"] | {"repeated": str}, "dropped": int}
        for shape in (SHAPE, SHAPE_OF_ROWS)
    ),
)
"""The same where queries can be refused or dropped."""
MANY = {"query": "queries", "weight": "weights"}
"""What `update_arrays` calls the arrays of the roles that rows need not have."""
FEW = 16
"""Parts of about the same size that become one."""


@dataclass(frozen=True, slots=True)
class _Held:
    """What an evaluator holds, replaced as a whole, so that what fails leaves it as it was.

    Attributes:
        form: what the rows have in common; None before there are any.
        tally: what they come to.
        frames: the rows, where they are kept.
        groups: how many queries they have that were told by the sizes of groups.
        known: the queries, where it matters whether they come again.
        dropped: how often one did, and was dropped.

    """

    form: Form | None = None
    tally: RowTally = field(default_factory=RowTally)
    frames: tuple[pl.DataFrame, ...] = ()
    groups: int = 0
    known: frozenset[int | str] = frozenset()
    dropped: int = 0


@clear_methods
class PredictionEvaluator:
    """An evaluation of predictions that is fed in parts, which may be put together in any order.

    Parts are any rows: tables (`update`), or arrays such as the batches of a training or validation loop
    (`update_arrays`). `result` is that of `rankmark.evaluate_predictions` with all rows at once, to rounding,
    but for the order of queries, which is that of their ids, and the random draws of intervals.

    Where all measures are sums over the rows (LogLoss, Brier, RMSE, PCOPC, ECE of bins of equal width …), no
    row is kept, but what they add up to, a few kB at most. For others (AUC, R2, GAUC, measures of lists and
    of classes …) the columns that they look at are kept, each row in 1 byte for a label (8 if labels are no
    small whole numbers, a bit if they are two words), 2 to 8 for a score, as it was given, 1 to 8 for the
    number of a query or an item, 16 or more for a text, and 8 for a weight: 9 bytes for AUC of 64-bit scores.

    The same parts in any order of updates and merges give the same result to the last bit: sums are kept
    exactly, and rows are sorted by all that they hold before they are evaluated, so that there the parts do
    not matter either. Only where ``ties="input"`` or ``duplicates="first"`` look at the order of rows, it is
    that of updates and merges. Several threads may add to one.

    Args:
        measures: as in `rankmark.evaluate_predictions`, and so are all arguments but the next.
        keep_rows: whether rows are kept whatever the measures are, with their queries, for intervals.
        repeated: what a query in two parts is. If None, its rows of all parts are its rows, and nothing is
            known of rows that came twice. Otherwise each query is whole in one part, and one that comes again
            is an ``error`` that names it, or the ``first`` alone counts, while the others are dropped and
            counted (`dropped`), as in `Evaluator`. Rows are kept then, with their queries.
        label: the column of what happened. Columns that are not said are found in the first part by the usual
            names; later parts need the same.
        score: the column of predictions, or several, of a class each.
        predicted: the column of the predicted class.
        classes: the class of each score.
        query: the column of the query, user or session.
        item: the column of the item.
        weight: the column of the rows' weights.
        positive: the label of positive rows.
        ties: the order of equal scores for measures of lists.
        seed: of ``ties="random"``, and of resamples.
        no_relevant: for measures of lists, what a query without relevant items is.
        duplicates: for measures of lists, what the same item twice in one query is.
        short_lists: for measures of lists, what a query with fewer rows than the cutoff is.
        like: a convention.
        by: columns by which the rows are sliced, for `Result.slices`; rows are kept then.
        threads: how many threads to use; all cores if None.

    Raises:
        UsageError: an unknown measure, parameter or choice.

    Example:
        >>> import rankmark as rm
        >>> evaluator = rm.PredictionEvaluator("AUC, Brier")
        >>> evaluator.update({"label": [1, 0], "p": [0.9, 0.8]})
        >>> evaluator.update_arrays([1, 0], [0.7, 0.1])
        >>> evaluator.result()["AUC"], evaluator.rows
        (0.75, 4)

    """

    def __init__(
        self,
        measures: str | Measure | Iterable[str | Measure],
        *,
        keep_rows: bool = False,
        repeated: RepeatedRows | None = None,
        label: str | None = None,
        score: str | Sequence[str] | None = None,
        predicted: str | None = None,
        classes: Sequence[str | int] | None = None,
        query: str | None = None,
        item: str | None = None,
        weight: str | None = None,
        positive: str | float | None = None,
        ties: Ties | None = None,
        seed: int = 0,
        no_relevant: NoRelevant | None = None,
        duplicates: Duplicates | None = None,
        short_lists: ShortLists | None = None,
        like: str | None = None,
        by: str | Sequence[str] | None = None,
        threads: int | None = None,
    ) -> None:
        of_classes = are_classes_said(score, predicted, classes)
        check_threads(threads)
        if repeated not in (None, *get_args(RepeatedRows)):
            raise ChoiceError(
                f"repeated={repeated!r} is not one of {', '.join(get_args(RepeatedRows))}, None"
            )
        self._threads = threads
        self._repeated = repeated
        positive = positive.item() if isinstance(positive, np.generic) else positive
        self._plans = Plans(
            measures,
            like,
            {
                "ties": ties,
                "seed": seed or None,
                "no_relevant": no_relevant,
                "duplicates": duplicates,
                "short_lists": short_lists,
            },
        )
        self._said: dict[str, str | Sequence[str] | None] = {
            "label": label,
            "score": score,
            "predicted": predicted,
            "query": query,
            "item": item,
            "weight": weight,
        }
        self._classes = None if classes is None else list(classes)
        self._positive = positive
        self._by = slicing_columns(by)
        self._keep_rows = keep_rows
        self._held = _Held()
        self._lock = Lock()
        self._asked = asked = self._plans.understood(classes=of_classes)
        self._weighing = weighing(asked)
        self._of_lists = any(measure.page.kind == "list" for measure in asked)
        self._of_queries = self._of_lists or any(measure.per_query for measure in asked)
        self._keeps_rows = keep_rows or repeated is not None
        needed = {"item": self._of_lists, "query": self._of_queries or self._keeps_rows}
        self._said |= {role: "" for role, is_needed in needed.items() if not is_needed}
        self._sums = None if of_classes or self._keeps_rows or self._by else sums_asked(asked)

    @property
    def rows(self) -> int:
        """How many rows there are so far."""
        return self._held.tally.rows

    @property
    def repeated(self) -> RepeatedRows | None:
        """What a query in two parts is."""
        return self._repeated

    @property
    def dropped(self) -> int:
        """How often a query came that was there, and was dropped, as ``repeated="first"`` says."""
        return self._held.dropped

    def update(self, table: Any, *, group: Any = None) -> None:
        """Adds the rows of a table; it and `group` are as for `rankmark.evaluate_predictions`.

        The queries that `group` tells are new ones in each part, numbered in the order of updates and merges.
        What is refused changes nothing. What can be wrong with rows of several parts only, such as an item
        twice in a query, is refused by `result`.

        Raises:
            UsageError: what is no table, or a file that is not there.
            DataError: a table, a label or a score that a measure cannot take, columns unlike those of the
                parts before, or a query of an earlier part that `repeated` refuses.

        """
        held = self._held
        said = self._said if held.form is None else held.form.said
        if self._said["query"] != "":  # wanted
            self._check_grouped(group is not None)
            said = said if group is None else {**said, "query": GROUPS}
        if group is not None:
            table = in_groups(table, group, self._said["query"])
        part = read_addition(table, said, self._by, self._weighing, self._positive)
        tally = self._of_classes(part) if part.form.of_classes else self._of_rows(part)
        frames = () if self._is_summed(part.form) else (part.narrow(),)
        self._add(_Held(part.form, tally, frames), part.where)

    def _check_grouped(self, grouped: bool) -> None:
        """Refuses queries that are told otherwise than those of the parts before."""
        form = self._held.form
        if form is not None and (form.columns.query == GROUPS) != grouped:
            has, do = ("no", "leave it out") if grouped else ("a", "give it here, too")
            raise UsageError(f"every part before has {has} group=: {do}")

    def update_arrays(
        self,
        labels: Array | Sequence[Any],
        scores: Array | Sequence[Any],
        *,
        queries: Array | Sequence[Any] | None = None,
        weights: Array | Sequence[Any] | None = None,
        group: Any = None,
    ) -> None:
        """Adds rows as arrays, such as a batch of a training loop: of NumPy, torch, JAX …, or lists.

        Arrays on another device are copied to this machine. What is refused changes nothing.

        Args:
            labels: one a row; also a list of texts.
            scores: one a row; or of shape [rows, classes], for measures of classes.
            queries: the query of each row; also a list of texts.
            weights: one a row.
            group: instead of `queries`, how many rows each query has, as for `update`.

        Raises:
            UsageError: arrays that do not fit together.
            DataError: a label or a score that a measure cannot take, or rows unlike those before.

        """
        import polars as pl

        arrays = {
            role: _values(values, name)
            for role, name, values in (
                ("label", "labels", labels),
                ("score", "scores", scores),
                ("query", "queries", queries),
                ("weight", "weights", weights),
            )
            if values is not None
        }
        if group is not None and queries is not None:
            raise UsageError("queries= and group= both say which query each row is of; give one of them")
        rows = {role: len(values) for role, values in arrays.items()}
        if len(set(rows.values())) > 1:
            shown = ", ".join(f"{count} of the {role}" for role, count in rows.items())
            raise UsageError(f"the arrays have different numbers of rows: {shown}")
        for role in MANY:
            if self._said[role] == "":  # not wanted
                arrays.pop(role, None)
        names = self._names(arrays, grouped=group is not None)
        frame = pl.DataFrame([pl.Series(names[role], values) for role, values in arrays.items()])
        self.update(frame, group=group)

    def _names(self, arrays: Iterable[str], *, grouped: bool) -> Mapping[str, str]:
        """The columns that arrays of these roles become."""
        form, said = self._held.form, self._said
        if form is None:
            score = said["predicted"] or said["score"] or "score"
            if not isinstance(score, str):
                raise UsageError("score names several columns; give tables of them by update")
            return {role: str(said.get(role) or role) for role in arrays} | {"score": score}
        names = {role: getattr(form.columns, role) for role in ("label", "score", "query", "weight")}
        for role in MANY:
            if grouped and role == "query":
                continue
            if (role in arrays) != (names[role] is not None):
                has, do = ("has no", "do not give") if role in arrays else ("has a", "give")
                raise UsageError(f"every row before {has} {role}: {do} {MANY[role]}=")
        return names

    def merge(self, other: PredictionEvaluator) -> None:
        """Adds all rows that another evaluator was given, which stays as it is.

        Raises:
            UsageError: it has other measures or other choices.
            DataError: its rows have other columns, or of other types.

        """
        if not isinstance(other, PredictionEvaluator):
            raise UsageError(
                f"{type(other).__name__} is no PredictionEvaluator, and nothing else merges with one"
            )
        for what, mine in self._deciding().items():
            if mine != (theirs := other._deciding()[what]):
                raise UsageError(f"evaluators of different {what} do not merge: {mine!r} and {theirs!r}")
        held = other._held
        if held.form is not None:
            self._add(held, "the other evaluator")

    def result(
        self,
        *,
        intervals: bool | IntervalMethod = False,
        confidence: float = 0.95,
        resamples: int | None = None,
    ) -> PredictionResult:
        """The result of all parts so far; more can be added afterwards.

        Args:
            intervals: whether to give confidence intervals; this and the next are as in
                `rankmark.evaluate_predictions`.
            confidence: the share of intervals that hold the true value.
            resamples: how many the bootstrap draws.

        Raises:
            UsageError: intervals where no rows are kept.
            DataError: there is nothing yet, or rows that measures cannot take together.

        """
        held = self._held
        form, tally = held.form, held.tally
        if form is None:
            raise DataError("the evaluator has been given nothing yet; give it labelled scores by update")
        form.check_words(self._positive)
        if intervals and not self._keeps_rows:
            raise UsageError(
                "intervals need the rows with their queries; make the evaluator with keep_rows=True"
            )
        if self._is_summed(form):
            rows = RowsOf.of_seen(Tallied(form.rows(self._positive), tally))
            rows.check_weights()
            return Work.of(self._plans, None, self._threads).result(rows)
        seed = self._plans.given["seed"] or 0
        sampling = sampling_of(intervals, confidence, resamples, seed, self._threads)
        source = Labels(
            whole(self._in_order(held, form), form, self._positive), form.said, self._classes, self._positive
        )
        slicing = ByColumns(tuple(self._by)) if self._by else None
        wanted = Wanted(slicing, sampling, confidence)
        result = evaluate_labelled(source, self._plans, self._asked, wanted, self._threads)
        return result.with_notes(told_of_repeats(held.dropped))

    def save(self, path: str | Path) -> None:
        """Writes all of it to a file, for `load`: a zip archive of JSON and an Arrow IPC file.

        Evaluators that were given the same parts, in whatever order, write the same.

        Raises:
            UsageError: a measure with a function for a parameter, which no file can hold; or the file cannot
                be written.

        """
        write_archive(path, HEADER, FORMAT, *self._saved())

    def to_bytes(self) -> bytes:
        """What `save` writes, to send it to another process."""
        return archived(HEADER, FORMAT, *self._saved())

    def _saved(self) -> tuple[dict[str, Any], dict[str, pl.DataFrame]]:
        """Header and tables of what is kept."""
        held = self._held
        header: dict[str, Any] = {"arguments": self._arguments(), "convention": self._convention}
        if self._repeated is not None:
            header["dropped"] = held.dropped
        tables = {}
        if held.form is not None:
            tally = RowTally()
            tally.add(held.tally)
            tally.compact(0)
            header |= {"form": held.form.to_json(), "tally": json.loads(tally.to_json())}
            if not self._is_summed(held.form):
                tables[ROWS] = self._in_order(held, held.form)
        return header, tables

    @classmethod
    def load(cls, path: str | Path) -> PredictionEvaluator:
        """Reads what `save` wrote; nothing in the file is executed.

        Raises:
            FileMissingError: there is no such file.
            FormatError: it is no saved evaluator, is damaged, or is of a later version of rankmark.

        """
        return cls._read(path)

    @classmethod
    def from_bytes(cls, saved: bytes) -> PredictionEvaluator:
        """Reads what `to_bytes` gave; nothing in it is executed.

        Raises:
            FormatError: it is no saved evaluator, is damaged, or is of a later version of rankmark.

        """
        return cls._read(bytes(saved))

    @classmethod
    def _read(cls, source: str | Path | bytes) -> PredictionEvaluator:
        archive = read_archive(source, HEADER, FORMAT, "evaluator of predictions", SHAPES)
        with archive.reading():
            evaluator = cls(**_arguments(archive.header["arguments"]))
            evaluator._load(archive)
        return evaluator

    def __repr__(self) -> str:
        return f"<PredictionEvaluator {', '.join(map(str, self._plans.measures))}; {self.rows} rows>"

    def _is_summed(self, form: Form) -> bool:
        return self._sums is not None and not form.of_classes

    @property
    def _convention(self) -> str | None:
        like = self._plans.like
        return convention(like).label if like else None

    def _deciding(self) -> dict[str, Any]:
        """What decides values besides the rows, each by what it is called."""
        return {
            "measures": [*self._asked],
            "convention": self._convention,
            **self._plans.given,
            "positive": self._positive,
            "classes": self._classes,
            "by": self._by,
            "keep_rows": self._keep_rows,
            "repeated": self._repeated is not None,
        }

    def _arguments(self) -> dict[str, Any]:
        """What it was made with, as JSON has it."""
        return {
            "measures": [
                {"measure": measure_text(each)} if isinstance(each, Measure) else each
                for each in self._plans.measures
            ],
            "like": self._plans.like,
            **self._plans.given,
            "seed": self._plans.given["seed"] or 0,
            **self._said,
            "positive": self._positive,
            "classes": self._classes,
            "by": self._by,
            "keep_rows": self._keep_rows,
            **({} if self._repeated is None else {"repeated": self._repeated}),
        }

    def _of_classes(self, part: Addition) -> RowTally:
        """What rows of classes come to: their number."""
        columns = part.form.columns
        asked = self._plans.of_classes.measures
        check_measures(asked, part.where, part.form.scores, columns.score if columns.decided else None)
        check_probabilities(part.scores, part.where, asked)
        return RowTally(part.frame.height)

    def _of_rows(self, part: Addition) -> RowTally:
        """What rows of one score come to; they are checked for what measures ask of each of them."""
        read = part.rows(self._positive)
        columns = read.columns
        check_one_score(read, self._asked)
        weighted = columns.weight is not None and part.weighs(columns.weight)
        checked = read if weighted else replace(read, columns=replace(columns, weight=None))
        threads = self._threads or 0
        rows = RowsOf.of_table(checked, threads)
        for measure in self._asked:
            if measure.page.scores == "probability":
                rows.check_probabilities(measure)
            if measure.per_query or measure.page.kind == "list":
                _check_ids(part, need_query(read, measure), "query")
        if self._of_lists and columns.item is not None:
            _check_ids(part, columns.item, "item")
        for column in filter(part.weighs, columns.weighing):
            core_of(read, column, threads).content()
        core = rows.rows.core if weighted else InMemory(core_of(read, columns.weight, threads))
        labels = sorted(rows.content.labels)[:LABELS]
        return RowTally(rows.count, labels, rows.content.improbable, sums=sums_of(core, self._sums or ()))

    def _add(self, new: _Held, where: str) -> None:
        """Adds rows, unless they do not go with those that are there."""
        with self._lock:
            self._add_alone(new, where)

    def _add_alone(self, new: _Held, where: str) -> None:
        held, known = self._held, RowTally()
        assert new.form is not None
        joined = new.form if held.form is None else held.form.joined(new.form, where, self._positive)
        ids = self._ids(new, where)
        again = held.known & ids
        if again and self._repeated == "error":
            raise given_before(again, "None to take its rows of all parts together")
        frames = _without(new.frames, joined.columns.query, again)
        gone = sum(frame.height for frame in new.frames) - sum(frame.height for frame in frames)
        known.add(held.tally)
        known.add(replace(new.tally, rows=new.tally.rows - gone))
        known.compact()
        if not joined.of_classes and known.labels != held.tally.labels:
            _check_labels(joined.rows(self._positive), known, self._asked)
        groups = held.groups
        if joined.columns.query == GROUPS:
            frames = tuple(_renumbered(frame, held.groups) for frame in frames)
            groups = max(groups, *(int(frame[GROUPS].max()) + 1 for frame in frames))  # type: ignore[arg-type]
        dropped = held.dropped + new.dropped + len(again)
        frames = _gathered([*held.frames, *frames])
        self._held = _Held(joined, known, frames, groups, held.known | ids, dropped)

    def _ids(self, new: _Held, where: str) -> frozenset[int | str]:
        """The queries of some rows, if it matters whether they were there."""
        assert new.form is not None
        query = new.form.columns.query
        if self._repeated is None:
            return frozenset()
        if query is None or query == GROUPS:
            raise UsageError(
                f"repeated={self._repeated!r} knows queries by their ids: {where} needs a column of them"
            )
        return frozenset(each for frame in new.frames for each in frame[query].unique().to_list())

    def _in_order(self, held: _Held, form: Form) -> pl.DataFrame:
        """The rows that are kept, in an order that does not depend on that of the parts."""
        query = form.columns.query
        queries = [query] if self._of_queries and query is not None else []
        if self._of_lists and self._looks_at_order():
            return in_order(held.frames, queries, as_given=True)
        return in_order(held.frames, [*queries, form.columns.score], as_given=False)

    def _looks_at_order(self) -> bool:
        chosen = self._plans.of_rows.chosen
        return any(choices.ties == "input" or choices.duplicates == "first" for choices in chosen)

    def _load(self, archive: Archive) -> None:
        """Takes what was saved, which is checked as what is new."""
        header = archive.header
        if header["convention"] != self._convention:
            raise FormatError(
                f"{archive.where} follows {header['convention']}, and this is {__version__}, which knows "
                f"{self._convention}"
            )
        if "form" not in header:
            return
        form = Form.from_json(header["form"])
        if self._is_summed(form):
            tally = RowTally.from_json(json.dumps(header["tally"]))
            check_sums(tally, self._sums or (), two_rows())
            self._add(_Held(form, tally), archive.where)
            return
        saved = whole(archive.frame(ROWS), form, self._positive)
        part = read_addition(saved, form.said, self._by, self._weighing, self._positive)
        if (part.form.columns, part.form.kinds) != (form.columns, form.kinds):
            raise FormatError(f"{archive.where} has other columns than its header says")
        tally = self._of_classes(part) if form.of_classes else self._of_rows(part)
        self._add(_Held(form, tally, (part.narrow(),), dropped=header.get("dropped", 0)), archive.where)


def _check_labels(read: Predictions, tally: RowTally, asked: Iterable[Measure]) -> None:
    """Refuses labels that measures cannot take, whatever rows are still to come."""
    if read.positive is not None:
        tally = replace(tally, labels=sorted({*tally.labels, read.positive}))
    rows = RowsOf.of_seen(Tallied(read, tally))
    for measure in asked:
        if measure.page.kind == "row":
            rows.check(measure)


def _check_ids(part: Addition, name: str, role: str) -> None:
    """Refuses ids that are neither integers nor texts, or not there."""
    check_ids(from_polars(part.frame.select(name), part.where), name, role, part.where)
    if part.frame[name].null_count():
        raise wrong_row(part.frame[name].is_null(), "null", role, name, part.where, 0)


def _without(
    frames: tuple[pl.DataFrame, ...], query: str | None, again: frozenset[int | str]
) -> tuple[pl.DataFrame, ...]:
    """The rows but those of some queries."""
    import polars as pl

    if not again:
        return frames
    left = (frame.filter(~pl.col(query or "").is_in([*again])) for frame in frames)
    return tuple(frame for frame in left if frame.height)


def _renumbered(frame: pl.DataFrame, groups: int) -> pl.DataFrame:
    """The rows with other numbers for their groups, behind those of so many others."""
    import polars as pl

    if not groups:
        return frame
    numbers = frame[GROUPS].cast(pl.Int64) + groups
    return pl.DataFrame([numbers if each.name == GROUPS else each for each in frame])


def _gathered(frames: list[pl.DataFrame]) -> tuple[pl.DataFrame, ...]:
    """The rows in frames that are not many: those at the end become one where they are of about one size."""
    import polars as pl

    while len(frames) >= FEW and frames[-FEW].height <= 2 * frames[-1].height:
        frames[-FEW:] = [pl.concat(frames[-FEW:], how="vertical_relaxed", rechunk=True)]
    return tuple(frames)


def _values(values: Any, name: str) -> Any:
    """An array, or a list of texts, as polars takes it."""
    import polars as pl

    texts = isinstance(values, list | tuple) and any(isinstance(value, str) for value in values)
    if texts or (isinstance(values, np.ndarray) and values.dtype.kind in "UO"):
        try:
            return pl.Series(name, list(values), dtype=pl.String)
        except (TypeError, pl.exceptions.PolarsError) as error:
            raise UsageError(f"{name} {several_types(values)}") from error
    several = name == "scores" and len(getattr(values, "shape", ())) == 2
    array = np.ascontiguousarray(to_numpy((as_matrix if several else as_vector)(values, name)))
    return array if array.dtype.kind in "biuf" else array.astype(np.float32)  # JAX's bfloat16


def _arguments(saved: Mapping[str, Any]) -> dict[str, Any]:
    """What was saved of them."""
    measures = [parse(each["measure"]) if isinstance(each, dict) else each for each in saved["measures"]]
    return {**saved, "measures": measures}
