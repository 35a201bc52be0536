"""The arithmetic of one value, row by row, and of the difference between two."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack, overload

import numpy as np

from rankmark.aggregation.observed import as_seen
from rankmark.aggregation.settled import Lengths, counting
from rankmark.api.evaluation import evaluate
from rankmark.dataclassing import dataclass
from rankmark.errors import MeasureError, RankmarkError, UsageError, did_you_mean
from rankmark.explaining.listed import Listed, listed, of_query
from rankmark.explaining.recommended import added, beside
from rankmark.explaining.recording import Arithmetic, Sum, arithmetic, values_down_to
from rankmark.inputs import Input, align_ids, read_inputs, read_run, read_unmarked, with_text_items
from rankmark.inputs.aspects import by_aspect
from rankmark.inputs.catalogue import known_items
from rankmark.inputs.flowing import flow_of
from rankmark.inputs.ids import id_as
from rankmark.inputs.roles import check_names
from rankmark.inputs.tables.several import is_path
from rankmark.kinds.browsing import gain_or_hit, highest_gain
from rankmark.language.choices import Choices, GivenChoices, given
from rankmark.language.written import tone_of
from rankmark.rendering.blocks import Block, Grid, toned
from rankmark.rendering.words import printable
from rankmark.results.saved import Saved

if TYPE_CHECKING:
    import polars as pl

    from rankmark.inputs.catalogue import Catalogue
    from rankmark.kinds.lists import Values
    from rankmark.language.measure import Measure
    from rankmark.results.lists import ListResult

__all__ = ["ExplainedDifference", "Explanation", "explain"]

MOST_ROWS = 25
"""So many rows of a table are shown at most, unless all are asked for."""
FIRST_ROWS = 5
"""So many of them are the first ones, whatever they count."""

TERMS = {"AP": "precision", "infAP": "precision"} | dict.fromkeys(
    ("OMeasure", "PMeasure", "PPlus", "QMeasure"), "blended_ratio"
)
"""What the terms are that a page adds up, where they have a name."""
TOTALS = {
    "nDCG": ("DCG", "ideal DCG"),
    "nERR": ("ERR", "ideal ERR"),
    "AP": ("sum of precisions", "divisor"),
    "P": ("hits", "divisor"),
    "R": ("hits", "divisor"),
    "HitRatio": ("hits", "relevant items"),
}
"""What a page divides by what, where these have names."""


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Saved):
    """How one query's value of a measure comes about; ``print(explanation)`` shows it.

    `format` and `write` take ``all_rows=True`` to show long lists whole, which are otherwise shortened around
    what counts.

    Attributes:
        measure: the measure.
        query: the query's id.
        run: what messages call the run.
        value: the query's value as `evaluate` gives it; None if the query is left out of the mean.
        start: the value without any judged item in the list; with the contributions it adds up to `value`
            (to rounding).
        numerator: what the measure divides in the last step; None if it does not end with a division.
        denominator: by what.
        rows: the list in rank order: ``rank``, ``item``, ``score``, ``tied`` (the ranks of the items with the
            same score, ``2-4``), ``grade`` (null if nobody judged the item), and of judged items, as far as
            the measure has such a thing, ``relevant``; ``gain``; ``discount`` or ``weight``, which the rank
            gives it; ``term``, what the measure adds up (for AP ``precision``); ``running``, the sum so
            far, or the value so far where the measure is no such sum; and ``contribution`` to the value.
        ideal: all judged items, best first: ``rank``, ``item``, ``grade``, ``found`` (the rank in the list),
            and the columns of the sum that is the denominator, if it is one.
        notes: what a reader should know.
        signature: all that decides the value.
        shares: of a measure that holds the categories of the list against those of what the user had, the
            share of each: ``category``, ``before``, ``list``; None of others.

    """

    measure: Measure
    query: int | str
    run: str
    value: float | None
    start: float
    numerator: float | None
    denominator: float | None
    rows: pl.DataFrame
    ideal: pl.DataFrame
    notes: tuple[str, ...]
    signature: str
    shares: pl.DataFrame | None = None

    def __repr__(self) -> str:
        return f"<Explanation {self.measure} of query {self.query!r}: {self.value}>"

    _options = ("all_rows",)

    def _blocks(self, digits: int, *, all_rows: bool = False) -> Iterator[Block]:
        most = None if all_rows else MOST_ROWS
        value = "left out" if self.value is None else f"{self.value:.{digits}f}"
        yield f"{self.measure.label} of query {self.query!r} in {self.run}: {value}"
        if self.rows.height:
            yield _grid(_without_nulls(self.rows), digits, most, "contribution")._replace(caption="The list")
        if self.ideal.height:
            yield "All judged items, best first:"
            ideal = _without_nulls(self.ideal)
            counts = "term" if "term" in ideal.columns else "grade"
            yield _grid(ideal, digits, most, counts)._replace(caption="Judged items")
        if self.shares is not None:
            yield "Shares of categories before and in the list:"
            yield _grid(self.shares, digits, most, "before")._replace(caption="Categories")
        yield "\n".join([*self._sums(digits), *self.notes])

    def _sums(self, digits: int) -> Iterator[str]:
        """The value as a quotient, and as a sum of contributions."""
        if self.value is None:
            return
        value = f"{self.value:.{digits}f}"
        if self.numerator is not None and self.denominator not in (None, 1.0):
            above, below = TOTALS.get(self.measure.name, ("numerator", "denominator"))
            parts = _number(self.numerator, digits), _number(self.denominator, digits)
            quotient = value if self.denominator else f"{value}, there being nothing to divide by"
            yield f"{above} {parts[0]} / {below} {parts[1]} = {quotient}"
        contributions = self.rows["contribution"].drop_nulls()
        if contributions.is_empty():
            return
        total = f"{math.fsum(contributions):.{digits}f}"
        before = f"{self.start:.{digits}f} without judged items in the list + " if self.start else ""
        yield f"{before}contributions {total}" + (f" = {value}" if self.start else "")

    def _frame(self, **_: bool) -> pl.DataFrame:
        return self.rows

    def _record(self, **_: bool) -> dict[str, Any]:
        return {
            "measure": self.measure.label,
            "query": self.query,
            "run": self.run,
            "value": self.value,
            "start": self.start,
            "numerator": self.numerator,
            "denominator": self.denominator,
            "rows": self.rows.to_dicts(),
            "ideal": self.ideal.to_dicts(),
            "notes": list(self.notes),
            "signature": self.signature,
            **({} if self.shares is None else {"shares": self.shares.to_dicts()}),
        }


@dataclass(frozen=True, eq=False, repr=False)
class ExplainedDifference(Saved):
    """Why two runs differ in one query's value of a measure; ``print(difference)`` shows it.

    `format` and `write` take ``all_rows=True`` to show items that make no difference, too.

    Attributes:
        first: the explanation of the one run, A.
        second: that of the other, B.
        rows: the items of both lists, those first that make the greatest difference: ``item``, ``grade``,
            ``rank_a``, ``rank_b``, ``contribution_a``, ``contribution_b`` and ``difference`` (B − A). An item
            that is in one list alone has no rank in the other, and contributes 0 to it. Where the values of
            the lists without any judged item differ, a row without an item says by how much.

    """

    first: Explanation
    second: Explanation
    rows: pl.DataFrame

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.first.measure

    @property
    def query(self) -> int | str:
        """The query's id."""
        return self.first.query

    @property
    def difference(self) -> float | None:
        """B's value minus A's, to which the rows add up (to rounding); None if one is left out."""
        if self.first.value is None or self.second.value is None:
            return None
        return self.second.value - self.first.value

    def __repr__(self) -> str:
        return f"<ExplainedDifference {self.measure} of query {self.query!r}: {self.difference}>"

    _options = ("all_rows",)

    def _blocks(self, digits: int, *, all_rows: bool = False) -> Iterator[Block]:
        import polars as pl

        lines = [f"{self.measure.label} of query {self.query!r}"]
        for letter, each in (("A", self.first), ("B", self.second)):
            value = "left out" if each.value is None else f"{each.value:.{digits}f}"
            lines.append(f"{letter}  {value}  {each.run}")
        yield "\n".join(lines)
        counting = self.rows["difference"] != 0
        rows = self.rows if all_rows else self.rows.filter(counting)[:MOST_ROWS]
        if rows.height:
            named = rows.with_columns(pl.col("item").cast(pl.String).fill_null("(without judged items)"))
            yield self._toned(_grid(named, digits, None, None), rows["difference"].to_list())
        ending = [f"differences {math.fsum(self.rows['difference']):+.{digits}f}"]
        if self.difference is not None:
            ending[0] += f" = B − A {self.difference:+.{digits}f} (to rounding)"
        if not all_rows and (hidden := self.rows.filter(counting).height - rows.height):
            ending.append(f"{_items(hidden)} more with smaller differences")
        yield "\n".join(
            [*ending, *dict.fromkeys(note for e in (self.first, self.second) for note in e.notes)]
        )

    def _toned(self, grid: Grid, differences: Sequence[float]) -> Grid:
        """The items with whether B's place of each is the better one."""
        header, *rows = grid.rows
        told = [
            [*cells, toned(last, tone_of(self.measure, difference))]
            for (*cells, last), difference in zip(rows, differences, strict=True)
        ]
        return grid._replace(rows=[header, *told], caption="Items that make the difference")

    def _frame(self, **_: bool) -> pl.DataFrame:
        return self.rows

    def _record(self, **_: bool) -> dict[str, Any]:
        return {
            "measure": self.measure.label,
            "query": self.query,
            "difference": self.difference,
            "rows": self.rows.to_dicts(),
            "a": self.first._record(),
            "b": self.second._record(),
        }


@overload
def explain(
    qrels: Any,
    run: Any,
    measure: str | Measure,
    *,
    query: int | str,
    other: None = None,
    like: str | None = None,
    columns: Mapping[str, Any] | None = None,
    items: Any = None,
    train: Any = None,
    **choices: Unpack[GivenChoices],
) -> Explanation: ...
@overload
def explain(
    qrels: Any,
    run: Any,
    measure: str | Measure,
    *,
    query: int | str,
    other: Any,
    like: str | None = None,
    columns: Mapping[str, Any] | None = None,
    items: Any = None,
    train: Any = None,
    **choices: Unpack[GivenChoices],
) -> ExplainedDifference: ...
def explain(
    qrels: Any,
    run: Any,
    measure: str | Measure,
    *,
    query: int | str,
    other: Any = None,
    like: str | None = None,
    columns: Mapping[str, Any] | None = None,
    items: Any = None,
    train: Any = None,
    **choices: Unpack[GivenChoices],
) -> Explanation | ExplainedDifference:
    """Shows the arithmetic of one query's value of a measure, or of the difference between two runs.

    The measure's own page is run on the query's list, and what it adds up and divides is noted. So the
    contributions of the items are the terms of its sum, divided by what it divides by, where the value is
    such a sum over the items; where it is not (AUC, F), an item contributes what the value gains when it is
    retrieved besides the judged items above it, those below it being not retrieved; items with equal scores
    then share alike under ``ties="expected"``.

    The query is evaluated alone, with all judgements: what `evaluate` would refuse in other queries' results
    is not looked for, and a large Parquet file whose queries stand together is read only where the query is.

    Args:
        qrels: the judgements, as `evaluate` takes them; None for measures that need none.
        run: the results of one system.
        measure: one measure; one of what is recommended that is no mean over items shows what the value gains
            by each.
        query: the query's id.
        other: the results of another system, for the difference between the two.
        like: a convention, as in `evaluate`.
        columns: the columns to use, where their names do not say it.
        items: the items that can be recommended, and what they are like, as for `evaluate`: each item is
            shown with it.
        train: the interactions before: each item is shown with its popularity, and whether the user had it.
        **choices: those of `evaluate`: ``ties``, ``missing``, ``no_relevant`` ….

    Returns:
        An `Explanation`, or with `other` an `ExplainedDifference`.

    Raises:
        UsageError: a query without judgements; several measures; and whatever `evaluate` raises.
        DataError: judgements, or results of the query, that cannot be evaluated as they are.

    Example:
        >>> import rankmark as rm
        >>> qrels = {"q1": {"a": 2, "b": 1}}
        >>> explanation = rm.explain(qrels, {"q1": {"x": 3.0, "b": 2.0, "a": 1.0}}, "nDCG@10", query="q1")
        >>> explanation.value, explanation.numerator
        (0.6199062332840657, 1.6309297535714575)
        >>> explanation.rows.select("rank", "item", "grade", "gain", "term").rows()
        [(1, 'x', None, None, None), (2, 'b', 1.0, 1.0, 0.6309297535714575), (3, 'a', 2.0, 2.0, 1.0)]

    """
    chosen = {"like": like, **given(choices, GivenChoices, explain)}
    known = None if items is None and train is None else known_items(items, train, columns)
    asked = _Asked(measure, query, chosen, known)
    first = _explained(*_evaluated(qrels, run, "run", columns, asked), asked)
    if other is None:
        return first
    second = _explained(*_evaluated(qrels, other, "other", columns, asked), asked)
    return ExplainedDifference(first, second, _differences(first, second, _told(first, known)))


class _Asked(NamedTuple):
    """What is asked for, of whichever results."""

    measure: str | Measure
    query: int | str
    choices: Mapping[str, Any]
    known: Catalogue | None


OF_QUERIES = ("missing", "unjudged_queries", "no_relevant")
"""What is chosen for queries; whether any is refused only all of them tell."""


def _evaluated(
    qrels: Any, run: Any, name: str, columns: Mapping[str, Any] | None, asked: _Asked
) -> tuple[ListResult, Input, Input]:
    """A result in which the query is evaluated, the judgements, and results among which are the query's.

    A query's value depends on its own results and on all judgements, so that others are evaluated only where
    it cannot be alone: those who look at all of them say what is wrong, and where.
    """
    alone = not any(asked.choices.get(choice) == "error" for choice in OF_QUERIES)
    if alone and (found := _of_file(qrels, run, columns, asked)) is not None:
        return found
    judgements, results = _read(qrels, run, columns)
    if results.name == "run":
        results = replace(results, name=name)
    found = _alone(judgements, results, asked) if alone else None
    return found or (_evaluate(judgements, results, asked), judgements, results)


def _of_file(
    qrels: Any, run: Any, columns: Mapping[str, Any] | None, asked: _Asked
) -> tuple[ListResult, Input, Input] | None:
    """The same of a file of which other queries' rows need not be read; None of others."""
    # What can be read but once is read by those who need all rows.
    if not (is_path(run) and (is_path(qrels) or isinstance(qrels, Input))):
        return None
    if (flow := flow_of(run, columns)) is None:
        return None
    try:
        judgements, results = read_unmarked(qrels, "qrels", columns), flow.of_query(asked.query)
        check_names(columns, {"qrels": judgements.names, "run": flow.names})
        return _alone(*align_ids(judgements, results), asked)
    except RankmarkError:  # of which those who have all rows can say where it is
        return None


def _alone(judgements: Input, results: Input, asked: _Asked) -> tuple[ListResult, Input, Input] | None:
    """The same of the query's own results; None where there are none, or they cannot be evaluated alone."""
    own = id_as(asked.query, results.table.kind(results.query))
    if own is None:
        return None
    try:
        results = of_query(results, own)
        if not results.table.num_rows:
            return None
        return _evaluate(judgements, results, asked), judgements, results
    except RankmarkError:
        return None


def _evaluate(judgements: Input, results: Input, asked: _Asked) -> ListResult:
    judged = judgements if judgements.judges else None
    return evaluate(judged, results, asked.measure, items=asked.known, **asked.choices)


def _read(qrels: Any, run: Any, columns: Mapping[str, Any] | None) -> tuple[Input, Input]:
    """The judgements and the results; without judgements those queries of the results have none."""
    if qrels is not None:
        return read_inputs(qrels, run, columns)
    results = read_run(run, columns)
    return results.queries(), results


def _explained(
    result: ListResult,
    judgements: Input,
    results: Input,
    question: _Asked,
) -> Explanation:
    if len(result.measures) > 1:
        what = f"one measure is explained at a time, not {len(result.measures)}: {question.measure!r}"
        groups = [each for each in result.measures if "group" in each.arguments]
        if len(groups) == len(result.measures) and len({each(group="each") for each in groups}) == 1:
            names = " or ".join(f"group={each.arguments['group']}" for each in groups[:10])
            what = f"{what} is of each group; choose one, {names}{' …' if len(groups) > 10 else ''}"
        raise MeasureError(what)
    (asked,) = result.measures
    if asked.page.kind == "item" and asked.page.aggregate == "run":
        raise MeasureError(f"{asked} is of the whole run: no query has a value of it to explain")
    if asked.of_aspects:
        judgements = by_aspect(judgements, asked)
    place, own = _place(question.query, result, judgements)
    settled = Choices(**result.choices)
    judgements, results = of_query(judgements, own), of_query(results, own)
    if result.item_ids == "text":
        judgements, results = with_text_items(judgements), with_text_items(results)
    one = listed(judgements, results, settled)
    known = question.known
    if known is not None:
        one = replace(one, rows=beside(one.rows, known, own))
    value = float(result.query_values(asked)[place])
    if asked.page.kind == "item":
        known = known or known_items(None, None, None)
        return _of_items(asked, one, (judgements, results), known, value, settled, result, own)
    one = replace(one, lists=as_seen(one.lists, asked, settled))
    shown = arithmetic(asked, one.lists)
    start, rows = _rows(asked, one, shown, value)
    return Explanation(
        measure=asked,
        query=own,
        run=results.name,
        value=None if math.isnan(value) else value,
        start=start,
        numerator=shown.numerator,
        denominator=shown.denominator,
        rows=rows,
        ideal=_ideal(asked, one, shown.ideal),
        notes=tuple(_notes(asked, one, shown, settled)),
        signature=result.signature(asked),
    )


def _of_items(
    asked: Measure,
    one: Listed,
    tables: tuple[Input, Input],
    known: Catalogue,
    value: float,
    choices: Choices,
    result: ListResult,
    query: int | str,
) -> Explanation:
    """That of a measure of what is recommended."""
    import polars as pl

    judgements, results = tables
    rows, shares = one.rows, None
    if not judgements.judges:
        rows = rows.with_columns(grade=pl.lit(None, pl.Float64))
    if math.isnan(value):
        rows = rows.with_columns(contribution=pl.lit(None, pl.Float64))
    else:
        parts, shares = added(asked, judgements, results, choices, known, value)
        rows = rows.join(parts, on="rank", how="left", maintain_order="left")
    return Explanation(
        measure=asked,
        query=query,
        run=results.name,
        value=None if math.isnan(value) else value,
        start=0.0,
        numerator=None,
        denominator=None,
        rows=rows,
        ideal=one.ideal if judgements.judges else one.ideal.clear(),
        notes=tuple(_notes_of_items(rows, choices)),
        signature=result.signature(asked),
        shares=shares,
    )


def _notes_of_items(rows: pl.DataFrame, choices: Choices) -> Iterator[str]:
    """What contributions are, and that scores are equal."""
    if "term" in rows.columns:
        yield "term: of the item itself; contribution: its share of the value, which is a mean of terms"
    elif "running" in rows.columns:
        yield (
            "running: the value of the list down to the item; contribution: by how much the item changes it, "
            "less than 0 where that makes it less, as an item without effect in a mean does"
        )
    if rows["tied"].count():
        yield f"equal scores: ties={choices.ties}"


MOST_GUESSED = 20_000
"""Among more queries than these it takes too long to find one that is written nearly alike."""


def _place(query: int | str, result: ListResult, judgements: Input) -> tuple[int, int | str]:
    """Which of the queries it is, and its id."""
    table = result.query_table
    own = id_as(query, table.kind("query"))
    if own is not None and len(places := table.rows_of("query", own)):
        return int(places[0]), own
    written = str(query)
    ids = result.query_ids
    hint = did_you_mean(written, list(map(str, ids))) if len(ids) <= MOST_GUESSED else ""
    such = f"; its queries are such as {ids[0]!r}"
    what = "judgements of query" if judgements.judges else "query"
    raise UsageError(f"{judgements.name} has no {what} {query!r}{hint or such}")


def _rows(asked: Measure, one: Listed, shown: Arithmetic, value: float) -> tuple[float, pl.DataFrame]:
    """The value without judged items, and the list with what each item adds."""
    import polars as pl

    lists = one.lists
    found = shown.terms
    columns: dict[str, Any] = {"rank": lists.rank if found is None else found.rank}
    relevance = lists.relevance if found is None else found.relevance
    columns |= _factors(asked, one, relevance, found)
    start = 0.0
    if found is not None:
        columns[_term(asked)] = found.terms
        columns["running"] = np.cumsum(found.terms)
        divisor = 1.0 if shown.denominator is None else shown.denominator
        columns["contribution"] = found.terms / divisor if divisor else np.zeros(len(found.terms))
    else:
        kept, values = values_down_to(asked, lists)
        sizes = np.diff(kept)
        columns["running"] = np.repeat(values[1:], sizes)
        columns["contribution"] = np.repeat(np.diff(values) / sizes, sizes)
        start = float(values[0])
    frame = _marked(asked, one.rows).join(pl.DataFrame(columns), on="rank", how="left", maintain_order="left")
    if math.isnan(shown.value) or math.isnan(value):
        start = value
        frame = frame.with_columns(contribution=pl.lit(None, pl.Float64), running=pl.lit(None, pl.Float64))
    return start, frame


def _marked(asked: Measure, frame: pl.DataFrame) -> pl.DataFrame:
    """The items with a word on whether they are relevant, if that is what the measure asks."""
    if "rel" not in asked.arguments or asked.arguments.get("gain", "binary") != "binary":
        return frame
    relevant = frame["grade"] >= asked.arguments["rel"]
    return frame.with_columns(relevant=relevant)


def _term(asked: Measure) -> str:
    return TERMS.get(asked.name, "term")


def _factors(asked: Measure, one: Listed, relevance: Values, found: Sum | None) -> dict[str, Any]:
    """What the terms are made of, by column: what items gain, and how ranks weigh."""
    given = asked.arguments
    binary = given.get("gain", "binary") == "binary"
    factors: dict[str, Any] = {}
    gain, weight = (None, None) if found is None else (found.gain, found.weight)
    if given.get("value") == "ED":  # looks are added up, not gains
        return factors
    if gain is None and (not binary or "max_grade" in given):
        gain = _gains(asked, one, relevance)
    if weight is None and gain is not None and found is not None and "max_grade" in given:
        weight = np.divide(found.terms, gain, out=np.full(len(gain), np.nan), where=gain > 0)
    if gain is not None:
        factors["gain"] = gain
    if weight is not None:
        factors["discount" if "discount" in given else "weight"] = weight
    return factors


def _gains(asked: Measure, one: Listed, relevance: Values) -> Values:
    """What items of these grades gain; as a share of the highest where the measure has a scale."""
    gain, highest = asked.arguments["gain"], asked.arguments.get("max_grade")
    gains = gain_or_hit(relevance, gain, asked.arguments.get("rel", 1))
    if gain == "binary" or highest is None or isinstance(highest, str):
        return gains
    doubtful = asked.arguments.get("best") == "doubtful"
    return np.maximum(gains, 0.0) / (highest_gain(one.lists, asked.name, gain, highest) + doubtful)


def _ideal(asked: Measure, one: Listed, summed: Sum | None) -> pl.DataFrame:
    """The judged items, best first, with what the best order adds up to, if the measure divides by that."""
    import polars as pl

    items = _marked(asked, one.ideal)
    if summed is None:
        return items
    columns = {"rank": summed.rank} | _factors(asked, one, summed.relevance, summed)
    columns |= {"term": summed.terms, "running": np.cumsum(summed.terms)}
    frame = pl.DataFrame(columns)
    grades = one.ideal["grade"].to_numpy()
    # With bound=upper the ideal list has unjudged items, too.
    whose = frame.height <= items.height and np.array_equal(summed.relevance, grades[summed.rank - 1])
    binary = asked.arguments.get("gain", "binary") == "binary"
    if whose and (binary or np.all(np.diff(_gains(asked, one, grades)) <= 0)):
        return items.join(frame, on="rank", how="left", maintain_order="left")
    # Gains that do not fall with the grades, or an ideal list of its own: its ranks are no items' ranks.
    nobody = {name: pl.lit(None, dtype) for name, dtype in items.schema.items() if name != "rank"}
    return frame.with_columns(**nobody).select("rank", *nobody, pl.exclude("rank", *nobody))


def _notes(asked: Measure, one: Listed, shown: Arithmetic, choices: Choices) -> Iterator[str]:
    treated = {"zero": "counted as 0", "one": "counted as 1", "skip": "left out"}
    if not one.rows.height and not one.taken_out:
        yield f"no results for this query: {'an empty list' if choices.missing != 'skip' else 'left out'}"
    if counting(asked, Lengths(one.lists.retrieved > 0, one.lists.retrieved), choices).short:
        yield f"{_items(int(one.lists.retrieved[0]))} in the list, fewer than {asked.cutoff}: left out"
    if math.isnan(shown.value):
        yield f"nothing is relevant: {treated[choices.no_relevant]}"
    if one.taken_out:
        yield f"{_items(one.taken_out)} without a judgement taken out of the list"
    unjudged = one.rows["grade"].null_count()
    if choices.unjudged == "relevant" and unjudged:
        yield f"{_items(unjudged)} without a judgement taken as relevant"
    if one.rows["tied"].count():
        yield f"equal scores: ties={choices.ties}"


def _told(explained: Explanation, known: Catalogue | None) -> list[str]:
    """The columns of rows that say what is known of their items."""
    there = explained.rows.columns
    names = set() if known is None else {*known.names, "popularity", "had"}
    names -= {name for name in names if f"{name} of item" in there}
    return [name for name in there if name in names or name.endswith(" of item")]


def _differences(first: Explanation, second: Explanation, told: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    def of(each: Explanation, letter: str) -> pl.DataFrame:
        names = {"rank": f"rank_{letter}", "contribution": f"contribution_{letter}"}
        return each.rows.select("item", "grade", *told, "rank", "contribution").rename(names)

    both = of(first, "a").join(
        of(second, "b"), on="item", how="full", coalesce=True, maintain_order="left_right"
    )
    both = both.select(
        "item",
        *(pl.coalesce(name, f"{name}_right").alias(name) for name in ("grade", *told)),
        "rank_a",
        "rank_b",
        pl.col("contribution_a", "contribution_b").fill_null(0.0),
    )
    if first.start != second.start:
        starts = {"contribution_a": [first.start], "contribution_b": [second.start]}
        both = pl.concat([both, pl.DataFrame(starts)], how="diagonal")
    difference = pl.col("contribution_b") - pl.col("contribution_a")
    return both.with_columns(difference=difference).sort(
        pl.col("difference").abs(),
        pl.min_horizontal("rank_a", "rank_b"),
        descending=[True, False],
        maintain_order=True,
    )


# --- As text -----------------------------------------------------------------------------------------------


def _grid(frame: pl.DataFrame, digits: int, most: int | None, counts: str | None) -> Grid:
    """A frame as a table, the first rows and those that count most if it is longer than `most`."""
    kept = _kept(frame, most, counts)
    cells = [[_cell(name, value, digits) for value in frame[kept][name]] for name in frame.columns]
    if leading := frame.columns[0] == "rank":  # numbers, though they stand where names do
        cells[0] = [cell.rjust(max(4, len(str(frame.height)))) for cell in cells[0]]
    rows, last = [], -1
    for place, *row in zip([*kept, frame.height], *([*column, ""] for column in cells), strict=True):
        if place > last + 1:
            rows.append(["…".rjust(4), _items(place - last - 1), *[""] * (len(row) - 2)])
        rows.append(row)
        last = place
    return Grid(1 + leading, [[name.replace("_", " ") for name in frame.columns], *rows[:-1]])


def _kept(frame: pl.DataFrame, most: int | None, counts: str | None) -> list[int]:
    if most is None or frame.height <= most:
        return list(range(frame.height))
    if counts is None:
        return list(range(most))
    size = frame[counts].fill_null(0.0).fill_nan(0.0).abs().to_numpy().copy()
    size[:FIRST_ROWS] = np.inf
    by_size = np.argsort(-size, kind="stable")[:most]
    return sorted(int(place) for place in by_size if size[place] > 0)


def _items(count: int) -> str:
    return "1 item" if count == 1 else f"{count:,} items"


def _cell(name: str, value: Any, digits: int) -> str:
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return "yes" if value else ""
    if name in ("score", "grade"):
        return f"{value:.6g}"
    if name == "difference":
        return f"{value:+.{digits}f}"
    return f"{value:.{digits}f}" if isinstance(value, float) else printable(str(value))


def _number(value: float | None, digits: int) -> str:
    if value is None:
        return ""
    return f"{value:.0f}" if value.is_integer() else f"{value:.{digits}f}"


def _without_nulls(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame without columns that say nothing, but for those that always stand there."""
    always = ("rank", "item", "grade", "contribution")
    return frame.select(
        name for name in frame.columns if name in always or frame[name].null_count() < frame.height
    )
