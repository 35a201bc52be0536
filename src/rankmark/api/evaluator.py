"""Evaluations in parts: day by day, shard by shard, or batch by batch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Unpack, get_args

import numpy as np
from numpy.typing import NDArray

from rankmark._native import Table
from rankmark.aggregation.query_state import QueryState, columns_of
from rankmark.aggregation.refusals import Heading, refuse_other_columns, refuse_other_items
from rankmark.aggregation.state import Observation
from rankmark.api.arrays import check_column_order
from rankmark.api.evaluation import (
    of_arrays,
    refuse_without_judgements,
    result_of_tables,
    with_known,
)
from rankmark.api.finishing import Finish
from rankmark.api.lock import Lock
from rankmark.api.parts import Begun, Held, of_rows
from rankmark.calling import clear_methods
from rankmark.engines import dense, local
from rankmark.errors import ChoiceError, DataError, FormatError, IdTypeError, UsageError
from rankmark.forking import need_polars_threads
from rankmark.inputs import extent_of, read_inputs, read_run, with_text_items
from rankmark.inputs.arrays.candidates import Stored, read_candidates, read_scores, tables_of_candidates
from rankmark.inputs.arrays.judged_items import is_sparse, lists_like_grades, read_excluded, read_relevance
from rankmark.inputs.arrays.libraries import Array
from rankmark.inputs.arrays.scored import Scored, read_query_ids
from rankmark.inputs.aspects import as_looked_at, looked_at
from rankmark.inputs.clusters import ClustersBy
from rankmark.inputs.places import Places
from rankmark.inputs.sampling import mark_of
from rankmark.inputs.slicing import By
from rankmark.inputs.weights import Weighting, WeightsBy
from rankmark.language.choices import (
    Choices,
    GivenChoices,
    given,
)
from rankmark.language.conventions.limits import Extent
from rankmark.language.names import parse
from rankmark.language.plan import Plan, check_threads, planned
from rankmark.results.archive import Archive, Shape, archived, read_archive, write_archive
from rankmark.results.saved import measure_text
from rankmark.statistics.intervals import IntervalName

if TYPE_CHECKING:
    import polars as pl

    from rankmark.aggregation.observed import Block
    from rankmark.inputs import Input
    from rankmark.inputs.catalogue import Catalogue, Numbered
    from rankmark.language.measure import Measure
    from rankmark.language.signature import ItemIds
    from rankmark.results.lists import ListResult

__all__ = ["Evaluator", "Repeated", "given_before", "told_of_repeats"]

Repeated: TypeAlias = Literal["error", "apart", "first"]
FORMAT = 2
"""The version of saved files."""
HEADER, QUERIES, OTHERS, ITEMS = "evaluator.json", "queries.arrow", "others.arrow", "items.arrow"
CHOICES: Shape = {each.name: int if each.name == "seed" else str for each in fields(Choices)}
SHAPE: Shape = {
    "measures": [str],
    "labels": {str: (str, None)},
    "choices": CHOICES,
    "own": {str: CHOICES},
    "convention": (str, None),
    "text_items": bool,
    "repeated": str,
    "hits": int,
    "order": [int],
    "tables": (
        None,
        [
            {
                "name": str,
                "first_query": (int, str),
                "first_item": (int, str),
                "item_ids": ("integer", "text"),
                "notes": [str],
                "extent": (None, [(float, bool)]),
            }
        ],
    ),
}
"""What a header looks like."""
DROPPED: Shape = {"dropped": [int]}
"""And where queries can be dropped."""
KNOWN: Shape = {"known": {"items": (int, None), "train": (int, None), "closed": bool, "ids": str}}
"""And of measures of items: rows of what is known of these, and a hash of their ids in order."""
JUDGES: Shape = {"judges": bool}
"""And of these where nothing is judged."""
OF_ITEMS = SHAPE | KNOWN, SHAPE | KNOWN | JUDGES
SHAPES = SHAPE, SHAPE | DROPPED, *OF_ITEMS, *(each | DROPPED for each in OF_ITEMS)


MOST_BEGUN = 16
"""Parts whose scores are being counted elsewhere: so many are waited for together."""


@clear_methods
class Evaluator:
    """An evaluation that is fed in parts, which may be put together in any order.

    A part has whole queries: all judgements and all results of each of them, as tables (`update`) or as
    arrays of scores (`update_arrays`). `result` is that of
    `rankmark.evaluate` with all parts at once, but for the order of the queries, which is that of their ids;
    it does not depend on the order of updates and merges, to the last bit. The values of each query are kept,
    8 bytes a measure, and none of the rows; for measures of items the tops of the lists, too. Several threads
    may add to one. Several processes send each other theirs by `to_bytes` and `from_bytes`.

    Args:
        measures: as in `rankmark.evaluate`, and so is `like`.
        repeated: what a query in two parts is: an ``error`` that names it; kept ``apart``, as if it were
            two queries, which is right where its number is used anew each day; or the ``first`` alone, while
            the others are dropped and counted (`dropped`), which is right where samplers repeat queries so
            that all workers have equally many. Only where one comes again with other values, of which a note
            of the result tells, does it matter which part came first.
        items: for measures of what is recommended, as in `rankmark.evaluate`, and so is `train`.
        train: the interactions before.
        **choices: those of `rankmark.evaluate`: ``ties``, ``missing``, ….

    Raises:
        UsageError: an unknown measure, parameter or choice.

    Example:
        >>> import rankmark as rm
        >>> monday, tuesday = rm.Evaluator("nDCG@10, RR"), rm.Evaluator("nDCG@10, RR")
        >>> monday.update({"q1": {"a": 2, "b": 1}}, {"q1": ["b", "a"]})
        >>> tuesday.update({"q2": {"c": 1}}, {"q2": ["x", "c"]})
        >>> monday.merge(tuesday)
        >>> monday.result()["RR"]
        0.75

    """

    def __init__(
        self,
        measures: str | Measure | Iterable[str | Measure],
        *,
        like: str | None = None,
        repeated: Repeated = "error",
        items: Any = None,
        train: Any = None,
        **choices: Unpack[GivenChoices],
    ) -> None:
        plan = planned(measures, like, given(choices, GivenChoices, type(self)), items=True)
        self._set(*with_known(plan, items, train, aspects=True), repeated)

    @property
    def repeated(self) -> Repeated:
        """What a query in two parts is."""
        return self._repeated

    @property
    def dropped(self) -> int:
        """How often a query came that was there, and was dropped, as ``repeated="first"`` says."""
        return self._held.dropped

    def _set(self, plan: Plan, known: Catalogue | None, repeated: Repeated) -> None:
        if repeated not in get_args(Repeated):
            raise ChoiceError(f"repeated={repeated!r} is not one of {', '.join(get_args(Repeated))}")
        if known is not None and repeated == "apart":
            raise UsageError(
                "measures of items have one list a query, so that a query in two parts cannot be kept apart: "
                'choose repeated="error" or "first"'
            )
        self._lock = Lock()
        self._plan = plan
        self._known = known
        self._numbered: dict[bool, Numbered] = {}
        self._repeated = repeated
        self._held = Held(QueryState.empty(plan.groups()))
        self._begun: list[Begun] = []

    def update(
        self, qrels: Any, run: Any, *, columns: Mapping[str, Any] | None = None, threads: int | None = None
    ) -> None:
        """Adds judgements and results of some queries; the arguments are those of `rankmark.evaluate`.

        Judgements that say they were sampled, such as what `sample_candidates` gave, need an evaluator with
        `candidates` that says the same. Without judgements, `qrels` None in every part, measures of items
        alone see all queries of the run.
        What is refused changes nothing.

        Raises:
            UsageError: there are no judgements, and a measure needs some; or parts before had some.
            DataError: a table that cannot be evaluated as it is; a query that another part had; ids of
                another type than before.

        """
        check_threads(threads)
        if qrels is None:
            refuse_without_judgements(self._plan)
            results = read_run(run, columns)
            self._add(self._observed(results.queries(), results, threads))
        else:
            self._refuse_other_mark(qrels)
            tables = read_inputs(qrels, run, columns)
            refuse_other_items(*tables, self._plan.sampled)
            self._add(self._observed(*tables, threads))

    def _refuse_other_mark(self, qrels: Any) -> None:
        """Refuses judgements that say they are sampled, where signatures would not say so."""
        mark, said = mark_of(qrels), self._plan.choices.candidates
        if mark and mark != said:
            raise UsageError(
                f"qrels say that they are {mark}, and the evaluator was made for candidates={said!r}: make "
                f"it with candidates={mark!r}, or give the table without its mark where all items are ranked"
            )

    def update_arrays(
        self,
        scores: Array,
        relevance: Any,
        *,
        queries: Sequence[int] | Sequence[str] | NDArray[Any] | None = None,
        exclude: Any = None,
        items: Array | None = None,
        lengths: Array | None = None,
        mask: Array | None = None,
        threads: int | None = None,
    ) -> None:
        """Adds rows of scores, such as a batch of a training loop; the arguments are as in `evaluate_arrays`.

        Scores on another device stay there, and are not kept. They are counted there while the loop goes on,
        and waited for when something is asked of the evaluator, or after some parts: only then are NaN among
        them refused. It waits at once for grades on another device (lists of the relevant items need not be
        there), under ``ties="random"`` and ``repeated="first"``, for measures of items, and where a
        convention is followed. What is refused changes nothing.

        Args:
            scores: shape [queries, items]; also a sparse matrix.
            relevance: the grades, of the same shape, or the relevant items of each row.
            queries: the id of each row. If None, numbers that go on where those before end, from 0, so that
                all rows of all batches are queries of their own. Evaluators that are to be merged, such as
                those of several processes, need ids, or ``repeated="apart"``.
            exclude: items that are not to be in a query's list.
            items: for lists of candidates, the item that each score is of.
            lengths: how many candidates each row has.
            mask: which scores are of candidates.
            threads: how many threads to use; all cores if None.

        Raises:
            UsageError: arrays that do not fit together, or a convention that orders items by ids as text.
            DataError: NaN, items without a column, a query that another part had.

        """
        check_threads(threads)
        if (measure := looked_at(self._plan.groups())) is not None:
            raise of_arrays(measure)
        if items is None and not is_sparse(scores):
            check_column_order(self._plan)
        with self._lock:  # so that no two batches are given the same numbers
            self._update_arrays(scores, relevance, queries, exclude, items, lengths, mask, threads)

    def _update_arrays(
        self,
        scores: Array,
        relevance: Any,
        queries: Sequence[int] | Sequence[str] | NDArray[Any] | None,
        exclude: Any,
        items: Array | None,
        lengths: Array | None,
        mask: Array | None,
        threads: int | None,
    ) -> None:
        matrix = read_scores(scores)
        rows = matrix.shape[0]
        query_ids = read_query_ids(self._running(rows) if queries is None else queries, rows)
        candidates = read_candidates(matrix, lengths, mask, items)
        if items is not None or isinstance(matrix, Stored):
            duplicates = self._plan.choices.duplicates
            tables = tables_of_candidates(
                matrix, candidates, items, query_ids, relevance, exclude, duplicates
            )
            refuse_other_items(*tables, self._plan.sampled)
            self._add(self._observed(*tables, threads))
            return
        followed = self._plan.convention is not None
        scored = dense.Watched(candidates or matrix) if followed else candidates or matrix
        arrays = Scored(
            scored,
            lambda duplicates: read_relevance(relevance, matrix.shape, duplicates, candidates),
            read_excluded(exclude, matrix.shape),
            query_ids,
        )
        refuse_other_columns(arrays, self._plan.chosen)
        groups, ids = self._held.state.groups, _ids(query_ids, "query", "queries")
        taken: tuple[int | str, ItemIds] = ("0", "text") if self._plan.text_items else (0, "integer")
        headings = (
            Heading("relevance", ids[0], *taken, lists_like_grades(relevance, matrix.shape[1])),
            Heading("scores", ids[0], *taken),
        )
        told = Held(QueryState.empty(groups), headings=headings)
        told.add({*ids.to_list()})
        if not (scored.local or followed or self._known is not None or self._repeated == "first"):
            begun = dense.begin(arrays, groups, threads=threads)
            self._begin(Begun(told, lambda: of_rows(ids, told, begun())))
            return
        numbered = self._items(integer=True)
        block = dense.observe(arrays, groups, threads=threads, items=numbered)
        _refuse_others(block, numbered, "scores")
        if isinstance(scored, dense.Watched):
            extent = dense.grade_extent(arrays.grades(self._plan.choices.duplicates))
            told.headings = replace(headings[0], extent=extent), replace(headings[1], extent=scored.extent)
        self._add(of_rows(ids, told, block, numbered))

    def _running(self, rows: int) -> NDArray[np.int64]:
        """Numbers for so many rows, greater than those of any query before."""
        if any(
            part.headings is not None and isinstance(part.headings[0].first_query, str)
            for part in self._parts()
        ):
            raise UsageError(
                "the queries before have texts for ids, so that rows need them too: give queries="
            )
        following = max(part.following for part in self._parts())
        return np.arange(following, following + rows)

    def _items(self, *, integer: bool) -> Numbered | None:
        """The items by the numbers that all parts share, where measures look at them."""
        if self._known is None:
            return None
        from rankmark.inputs.catalogue import Numbered

        with self._lock:
            if integer not in self._numbered:
                self._numbered[integer] = Numbered(self._known, integer=integer)
            return self._numbered[integer]

    def _observed(self, judgements: Input, results: Input, threads: int | None) -> Held:
        """What a part comes to."""
        if self._plan.text_items:
            judgements, results = with_text_items(judgements), with_text_items(results)
        groups = self._held.state.groups
        judgements = as_looked_at(judgements, groups)
        items = self._items(integer=results.item_ids == "integer")
        block = local.observe(judgements, results, groups, threads, items)
        _refuse_others(block, items, results.name)
        judged = _ids(judgements.table, judgements.query, judgements.name).gather(block.first_rows)
        returned = _ids(results.table, results.query, results.name).unique()
        others = returned.filter(~returned.is_in(judged.implode()))
        state = replace(QueryState.of(groups, block, judged, others=others), items=items)
        known = {*judged.to_list(), *others.to_list()}
        return Held(state, known, (self._heading(judgements), self._heading(results)))

    def _heading(self, table: Input) -> Heading:
        """What a part says of a table: its extent, too, if a convention's limits look at it."""
        return Heading.of(table, None if self._plan.convention is None else extent_of(table))

    def merge(self, other: Evaluator) -> None:
        """Adds all that another evaluator was given, which stays as it is.

        What a query is that both have, `repeated` of this one says.

        Raises:
            UsageError: it has other measures or other choices, or one of both alone keeps queries apart or
                has judgements.
            DataError: a query that both have; ids of another type.

        """
        if not isinstance(other, Evaluator):
            raise UsageError(f"{type(other).__name__} is no Evaluator, and nothing else merges with one")
        _check_alike(self, other)
        first, second = sorted((self._lock, other._lock), key=id)  # so that two that merge each other go on
        with first, second:
            if self._repeated == "first":
                other._wait()
            self._add(other._held)
            for begun in [*other._begun]:
                self._begin(begun)

    def result(
        self,
        *,
        by: By = None,
        attributes: Any = None,
        weights: WeightsBy | Weighting = None,
        intervals: bool | IntervalName = False,
        confidence: float = 0.95,
        clusters: ClustersBy = None,
        resamples: int = 10_000,
        threads: int | None = None,
    ) -> ListResult:
        """The result of all parts so far; more can be added afterwards.

        Args:
            by: what to slice the queries by, for `Result.slices`, as in `evaluate`: columns of `attributes`,
                ``{query: slice}``, a Series or a function.
            attributes: a path or table with a column of queries, for `by`, `weights` and `clusters`.
            weights: how much each query of all parts counts in means, as in `evaluate`: a column of
                `attributes`, ``{query: weight}``, or a pandas Series with the queries in its index.
            intervals: whether to give confidence intervals, for `Result.intervals`, as in `evaluate`.
            confidence: the share of intervals that hold the true value, 0 to 1.
            clusters: what a query belongs to, such as its user, over which intervals are then: a column of
                `attributes`, or ``{query: user}``; two of these in a list for clusters of two kinds.
            resamples: how many, for intervals that draw.
            threads: how many they may use; all cores if None.

        Raises:
            UsageError: what does not go together.
            MeasureError: weights, and a measure that is no mean over queries.
            DataError: there is nothing yet, or what `missing` and `no_relevant` refuse; a query without a
                weight.

        """
        with self._lock:
            self._wait()
            held = self._held
            if held.headings is None:
                raise DataError(
                    "the evaluator has been given nothing yet; give it judgements and results by update"
                )
            unjudged = len(held.state.unjudged(self._repeated == "apart"))
            judged, returned = held.headings
            extents = judged.extent, returned.extent
            judged = replace(judged, notes=(*judged.notes, *told_of_repeats(held.dropped, held.differing)))
            heads = judged, returned
            whole = held.state.whole("query", unjudged, returned.name)
            found = Observation(whole, heads, {}, lambda: extents)
        result = result_of_tables(self._plan, found)
        finish = Finish.asked(
            self._plan,
            Places(attributes=attributes),
            by=by,
            weights=weights,
            intervals=intervals,
            confidence=confidence,
            clusters=clusters,
            resamples=resamples,
            threads=threads,
            query_ids=() if weights is None else result.query_ids,
        )
        return finish.of(result)

    def save(self, path: str | Path) -> None:
        """Writes all of it to a file, for `load`: a zip archive of JSON and Arrow IPC files.

        Evaluators that were given the same parts, in whatever order, write the same.

        Raises:
            UsageError: a measure with a function for a parameter, which no file can hold; or the file cannot
                be written.

        """
        write_archive(path, HEADER, FORMAT, *self._saved())

    def to_bytes(self) -> bytes:
        """What `save` writes, to send it to another process."""
        return archived(HEADER, FORMAT, *self._saved())

    @classmethod
    def load(cls, path: str | Path, *, items: Any = None, train: Any = None) -> Evaluator:
        """Reads what `save` wrote; nothing in the file is executed.

        Args:
            path: the file.
            items: what is known of items and of users before is not in it: the same as the evaluator had.
            train: the interactions before, likewise.

        Raises:
            FileMissingError: there is no such file.
            UsageError: other items or interactions than the evaluator had.
            FormatError: it is no saved evaluator, is damaged, or is of a later version of rankmark.

        """
        return cls._read(path, items, train)

    @classmethod
    def from_bytes(cls, saved: bytes, *, items: Any = None, train: Any = None) -> Evaluator:
        """Reads what `to_bytes` gave; nothing in it is executed.

        Args:
            saved: the bytes.
            items: as in `load`, and so is `train`.
            train: the interactions before.

        Raises:
            UsageError: other items or interactions than the evaluator had.
            FormatError: it is no saved evaluator, is damaged, or is of a later version of rankmark.

        """
        return cls._read(bytes(saved), items, train)

    @classmethod
    def _read(cls, source: str | Path | bytes, items: Any, train: Any) -> Evaluator:
        archive = read_archive(source, HEADER, FORMAT, "evaluator", SHAPES)
        return _loaded(cls.__new__(cls), archive, items, train)

    def __repr__(self) -> str:
        judged = sum(part.height for part in self._held.state.parts)
        begun = f"; {len(self._begun)} parts are being counted" if self._begun else ""
        return f"<Evaluator {', '.join(map(str, self._plan.measures))}; {judged} queries{begun}>"

    def __getstate__(self) -> dict[str, Any]:
        """What is copied or pickled: all that is held, and nothing that is elsewhere."""
        with self._lock:
            self._wait()
            return self.__dict__

    def _add(self, new: Held) -> None:
        with self._lock:
            self._refuse_unlike(new)
            self._take(new)

    def _begin(self, begun: Begun) -> None:
        """Adds a part whose values come later."""
        if len(self._begun) >= MOST_BEGUN:
            self._wait()
        self._refuse_unlike(begun.told)
        self._begun.append(begun)

    def _wait(self) -> None:
        """Takes all parts that were begun.

        Raises:
            DataError: scores that are NaN; their part is left out.

        """
        while self._begun:
            self._take(self._begun.pop(0).waited())

    def _parts(self) -> tuple[Held, ...]:
        """What is known of all parts."""
        return self._held, *(begun.told for begun in self._begun)

    def _refuse_unlike(self, new: Held) -> None:
        """Refuses a part that does not go with those before."""
        parts = self._parts()
        before = next((part.headings for part in parts if part.headings is not None), None)
        if before is not None and new.headings is not None:
            _check_judgements(before[0], new.headings[0])
            _check_ids(before[1], new.headings[1])
        if self._repeated == "error":
            again = set().union(*(part.known & new.known for part in parts))
            if again:
                raise given_before(again, '"apart" to keep its parts apart')

    def _take(self, new: Held) -> None:
        held = self._held
        if held.state.items is None:
            held.state = replace(held.state, items=new.state.items)
        held.state.add(held.drop(new) if self._repeated == "first" else new.state)
        held.dropped += new.dropped
        held.differing += new.differing
        held.add(new.known)
        if held.headings is not None and new.headings is not None:
            held.headings = tuple(map(Heading.merged, held.headings, new.headings))  # type: ignore[assignment]
        else:
            held.headings = held.headings or new.headings

    def _saved(self) -> tuple[dict[str, Any], dict[str, pl.DataFrame]]:
        """Header and tables of what is kept."""
        with self._lock:
            self._wait()
            header, state = self._header(), self._held.state
            if self._held.headings is None:
                return header, {}
            others = state.unjudged(self._repeated == "apart").alias("query")
            frame, items = state.told()
            tables = {QUERIES: frame.drop("place"), OTHERS: others.to_frame()}
            return header, tables if state.items is None else tables | {ITEMS: _frame_of(items)}

    def _header(self) -> dict[str, Any]:
        plan = self._plan
        headings = self._held.headings
        return {
            "measures": [measure_text(measure) for measure in plan.measures],
            "labels": {str(measure): measure.label for measure in plan.measures},
            "choices": asdict(plan.choices),
            "own": {str(measure): asdict(choices) for measure, choices in plan.own.items()},
            "convention": plan.convention,
            "text_items": plan.text_items,
            "repeated": self._repeated,
            "hits": sum(self._held.state.hits),
            "order": list(self._held.state.whole_order()),
            "tables": None if headings is None else [_told(heading) for heading in headings],
            **({"dropped": [self._held.dropped, self._held.differing]} if self._repeated == "first" else {}),
            **({} if self._known is None else {"known": self._known.told()}),
            **({} if headings is None or headings[0].judges else {"judges": False}),
        }


def _refuse_others(block: Block, items: Numbered | None, name: str) -> None:
    """Refuses items at the top of a part's lists that cannot be recommended."""
    for each in block.observed:
        if items is not None and each.tops is not None:
            items.refuse_others(each.tops, block.query_ids, name)


def _check_alike(one: Evaluator, other: Evaluator) -> None:
    a, b = one._plan, other._plan
    for what, mine, theirs in (
        ("measures", [*map(str, a.measures)], [*map(str, b.measures)]),
        ("convention", a.convention, b.convention),
        *([("repeated", *both)] if "apart" in (both := (one._repeated, other._repeated)) else ()),
        *((name, value, asdict(b.choices)[name]) for name, value in asdict(a.choices).items()),
    ):
        if mine != theirs:
            raise UsageError(f"evaluators of different {what} do not merge: {mine!r} and {theirs!r}")
    if one._known is not None and other._known is not None and not one._known.is_like(other._known):
        raise UsageError(
            "evaluators of which other items or interactions are known do not merge: give both the same "
            f"items and train, {one._known!r} and {other._known!r}"
        )
    if a != b:
        raise UsageError("evaluators of different measures or choices do not merge")


def given_before(again: Set[int | str], otherwise: str) -> DataError:
    """That queries were in an earlier part.

    Args:
        again: the queries.
        otherwise: what `repeated` can be beside ``"first"``, and what it does then.

    """
    others = f", and so were {len(again) - 1} others" if len(again) > 1 else ""
    return DataError(
        f"query {min(again)!r} was given before{others}; give each query once and whole, or choose "
        f'repeated={otherwise}, or "first" to drop what a query comes with again, as from samplers that fill '
        "up"
    )


def told_of_repeats(dropped: int, differing: int = 0) -> tuple[str, ...]:
    """What to say of queries that were dropped."""
    if not dropped:
        return ()
    others = f", {differing:,} times with other values than at first" if differing else ""
    return (f"queries that were there came again {dropped:,} times and were dropped{others}",)


def _check_judgements(before: Heading, now: Heading) -> None:
    """Refuses parts of which some alone are judged: those of the others would count as if they were."""
    if before.judges != now.judges:
        had = "had judgements, and this one has none" if before.judges else "had none, and this one has some"
        raise UsageError(f"the parts before {had}; give judgements with every part, or with none")


def _check_ids(before: Heading, now: Heading) -> None:
    for role in ("query", "item"):
        mine, theirs = (getattr(each, f"first_{role}") for each in (before, now))
        if type(mine) is not type(theirs):
            raise IdTypeError(
                f"the {role} ids are such as {theirs!r}, those before such as {mine!r}; cast one of them"
            )


def _ids(table: Table, column: str, name: str) -> pl.Series:
    """Ids in the one type that all parts have: text, or 64-bit integers."""
    import polars as pl

    need_polars_threads()
    ids = pl.DataFrame(table)[column].alias("query")
    if not ids.dtype.is_integer():
        return ids.cast(pl.String)
    try:
        return ids.cast(pl.Int64)
    except pl.exceptions.InvalidOperationError as error:
        raise IdTypeError(
            f"{name}: the query column {column!r} has numbers of 2**63 and more; cast it to text"
        ) from error


def _loaded(evaluator: Evaluator, archive: Archive, items: Any, train: Any) -> Evaluator:
    header = archive.header
    known = _known_as_before(archive, items, train)
    with archive.reading():
        evaluator._set(_plan(header), known, header["repeated"])
        if header["tables"] is not None:
            integer = header["tables"][1]["item_ids"] == "integer"
            held = evaluator._held
            held.state = replace(held.state, items=evaluator._items(integer=integer))
            _fill(held, archive)
    return evaluator


def _known_as_before(archive: Archive, items: Any, train: Any) -> Catalogue | None:
    """What is known of items, which the saved evaluator knew, too."""
    before = archive.header.get("known")
    if items is None and train is None and before is None:
        return None
    from rankmark.inputs.catalogue import known_items

    known = known_items(items, train, None)
    if before is None:
        raise UsageError(f"{archive.where} has no measures of items: leave out items and train")
    if known.told() != before:
        raise UsageError(
            f"{archive.where} has measures of items, whose numbers are by the items and interactions that it "
            "was made with: give the same items= and train="
        )
    return known


def _frame_of(items: list[int | str]) -> pl.DataFrame:
    """Ids of items as a table."""
    import polars as pl

    text = any(isinstance(item, str) for item in items[:1])
    return pl.DataFrame({"item": pl.Series("item", items, dtype=pl.String if text else pl.Int64)})


def _told(heading: Heading) -> dict[str, Any]:
    """What a file keeps of a table."""
    return {name: value for name, value in asdict(heading).items() if name != "judges"}


def _heading(saved: Mapping[str, Any], *, judges: bool = True) -> Heading:
    extent = saved["extent"]
    known = {"notes": tuple(saved["notes"]), "extent": None if extent is None else Extent(*extent)}
    return Heading(**{**saved, **known}, judges=judges)


def _plan(header: Mapping[str, Any]) -> Plan:
    own = {parse(name): Choices(**choices) for name, choices in header["own"].items()}
    labels = header["labels"]
    measures = tuple(each.asked_as(labels.get(str(each))) for each in map(parse, header["measures"]))
    return Plan(measures, Choices(**header["choices"]), own, header["convention"], bool(header["text_items"]))


def _fill(held: Held, archive: Archive) -> None:
    import polars as pl

    header, where = archive.header, archive.where
    frame, others = archive.frame(QUERIES), archive.frame(OTHERS)
    expected = {name: dtype for name, dtype in columns_of(held.state.groups).items() if name != "place"}
    ids = frame.schema.get("query")
    if dict(frame.schema) != {"query": ids, **expected} or ids not in (pl.Int64, pl.String):
        raise FormatError(f"{where} has other columns than its measures need: {', '.join(frame.columns)}")
    if dict(others.schema) != {"query": ids} or any(frame.null_count().row(0)):
        raise FormatError(f"{where} is damaged: its queries are not as they were saved")
    frame = frame.with_columns(place=pl.lit(0, pl.Int64)).select("query", "place", *list(expected))
    if held.state.items is not None:
        frame = held.state.take(frame, archive.frame(ITEMS)["item"])
    held.state.parts.append(frame)
    below, above = header["order"]
    held.state.hits.append(header["hits"])
    held.state.order.append((below, above))
    if others.height:
        held.state.others.append(others["query"])
    held.dropped, held.differing = header.get("dropped", (0, 0))
    held.add({*frame["query"].to_list(), *others["query"].to_list()})
    judged, returned = header["tables"]
    held.headings = (_heading(judged, judges=header.get("judges", True)), _heading(returned))
