"""Labels that are not sure: which grades an item could have, and how probable each is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankmark._native import Table
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError
from rankmark.forking import need_polars_threads
from rankmark.inputs import column_names_of, read_shared
from rankmark.inputs.added_up import added_up
from rankmark.inputs.input import Input
from rankmark.inputs.names import fitting, normal
from rankmark.inputs.roles import check_names, columns_said
from rankmark.judges.labels import Labels, label_rows
from rankmark.kinds.ragged import offsets_of
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    import polars as pl

__all__ = ["GradeShares", "Outcomes", "UncertainLabels", "label_probabilities", "read_probable"]

Floats = NDArray[np.float64]
USUAL = frozenset({"probability", "prob", "proba", "p", "confidence"})
"""The usual names of the column of probabilities, as `normal` writes them."""
TOLERANCE = 1e-6
"""So much may the probabilities of an item be apart from 1 by how they were written."""


def label_probabilities(
    human_qrels: Any, judge_qrels: Any, *, columns: Mapping[str, Any] | None = None
) -> pl.DataFrame:
    """Which grades people would give to what a judge, such as a language model, labelled, and how probably.

    Of items that both labelled, the grades of people where the judge's was j come to shares::

        P(h | j) = items that people gave h and the judge j / items that both labelled and the judge gave j

    An item that people labelled has their grade for sure, and every other that of the judge by these shares.
    These are of all items alike: a system that finds what people like among items to which the judge gives
    the same grade is worth more than its expected value says, and one that does not less. An estimate that is
    right on average of every system is that of `evaluate_with_judge`. And intervals over queries take the
    shares as known: where people labelled 50 of 200 queries, 51 to 90% of those of 95% held the value.

    Args:
        human_qrels: the labels of people, of some items, as `evaluate` takes judgements.
        judge_qrels: those of the judge.
        columns: the columns to use, where their names do not say it.

    Returns:
        A row for each grade that an item can have: ``query``, ``item``, ``relevance`` and ``probability``, as
        `evaluate_expected` takes it.

    Raises:
        DataError: fewer than two queries with labels of both, or a grade of the judge on no item that people
            labelled, which leaves open what it stands for.

    Source:
        A. P. Dawid and A. M. Skene, "Maximum likelihood estimation of observer error-rates using the EM
        algorithm", Applied Statistics 28, 1979, with people's labels as the true ones.

    Example:
        Where the judge says 1, people said so of one item in two.

        >>> import rankmark as rm
        >>> judge = {"p": {"a": 1, "b": 0}, "q": {"a": 1, "b": 0}, "r": {"a": 1}}
        >>> people = {"p": {"a": 1, "b": 0}, "q": {"a": 0, "b": 0}}
        >>> rm.label_probabilities(people, judge).filter(query="r").rows()
        [('r', 'a', 0.0, 0.5), ('r', 'a', 1.0, 0.5)]

    """
    import polars as pl

    people, judge = (read_shared(each, "qrels", columns) for each in (human_qrels, judge_qrels))
    check_names(columns, {"qrels": [*people.names, *judge.names]})
    return pl.DataFrame(GradeShares.of(people, judge).labels().table)


@dataclass(frozen=True)
class GradeShares:
    """Which grades people give where a judge gives which.

    Attributes:
        people: labels of people, of queries that the judge labelled.
        judge: its labels.
        own: the rows of people.
        others: those of the judge.
        shares: of each ``grade`` of the judge each ``relevance`` by people, and its ``probability``.
        elsewhere: how many queries people labelled and the judge did not; these are left out.

    """

    people: Input
    judge: Input
    own: pl.DataFrame
    others: pl.DataFrame
    shares: pl.DataFrame
    elsewhere: int

    @classmethod
    def of(cls, people: Input, judge: Input) -> GradeShares:
        """Those of tables that have been read."""
        import polars as pl

        need_polars_threads()
        labels = Labels.of(people, judge)
        known = labels.people
        own, others = label_rows(known), label_rows(judge)
        for rows, name in ((own, people.name), (others, judge.name)):
            _refuse_repeated(rows, ["query", "item"], name)
        both = others.join(own.rename({"grade": "relevance"}), on=["query", "item"])
        counts = both.group_by("grade", "relevance").len()
        share = pl.col("len") / pl.col("len").sum().over("grade")
        shares = counts.select("grade", "relevance", probability=share)
        return cls(known, judge, own, others, shares, labels.elsewhere)

    def labels(self) -> Input:
        """The labels of people, and of all other items what their grade by the judge stands for.

        Raises:
            DataError: a grade of the judge on no item that people labelled.

        """
        import polars as pl

        rest = self.others.join(self.own, on=["query", "item"], how="anti")
        lacking = rest.join(self.shares, on="grade", how="anti")
        if lacking.height:
            grades = ", ".join(f"{each:g}" for each in lacking["grade"].unique().sort())
            raise DataError(
                f"{self.judge.name}: the judge's grade {grades}, which {counted(lacking.height, 'item')} "
                "have that people did not label, is on none that they labelled: label some of these, or "
                "leave them out"
            )
        sure = self.own.select("query", "item", relevance="grade", probability=pl.lit(1.0))
        return self._table(pl.concat([sure, self._guesses(rest)]))

    def guessed(self) -> Input:
        """What the grades of the judge stand for in the items that people labelled."""
        return self._table(self._guesses(self.others.join(self.own, on=["query", "item"], how="semi")))

    def _guesses(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.join(self.shares, on="grade").select("query", "item", "relevance", "probability")

    def _table(self, rows: pl.DataFrame) -> Input:
        """Labels with ids of the types that the judge's have."""
        import polars as pl

        judge = self.judge
        ids = pl.DataFrame(judge.table).select(query=judge.query, item=judge.item).schema
        rows = rows.with_columns(pl.col(name).cast(dtype) for name, dtype in ids.items())
        return Input(
            Table.from_arrow(rows.sort("query", "item", "relevance").to_struct()),
            "qrels", judge.name, "query", "item", "relevance", None, judge.text_ids,
            probability="probability",
        )  # fmt: skip


def _refuse_repeated(rows: pl.DataFrame, keys: list[str], where: str) -> None:
    """Refuses rows of which two are of the same."""
    repeated = rows.filter(rows.select(keys).is_duplicated())
    if repeated.height:
        first = ", ".join(f"{key} {repeated[key][0]!r}" for key in keys)
        raise DataError(
            f"{where}: {counted(repeated.height, 'row')} of the same {' and '.join(keys)}, such as {first}; "
            "keep one of each"
        )


class Outcomes(NamedTuple):
    """What the labels of a query could be.

    Attributes:
        grades: a row an outcome, in it the grade of each item.
        chance: the probability of each outcome; they sum to 1.
        drawn: whether these are drawn, and not all that there can be.

    """

    grades: Floats
    chance: Floats
    drawn: bool


@dataclass(frozen=True, eq=False)
class UncertainLabels:
    """The grades that items could have, independently of each other.

    Attributes:
        items: the items as judgements, whose grades are their numbers within their query.
        queries: the queries.
        starts: the first item of each, and the end of the last.
        borders: the first grade of each item in `grades`, and the end of the last.
        grades: the grades that each item can have, ascending.
        chance: the probability of each; of an item they sum to 1.

    """

    items: Input
    queries: pl.Series
    starts: NDArray[np.int64]
    borders: NDArray[np.int64]
    grades: Floats
    chance: Floats

    @classmethod
    def of(cls, read: Input) -> UncertainLabels:
        """Those of a table that `read_probable` has read.

        Raises:
            DataError: what is no probability, those of an item that come to more than 1, or to less though 0
                is among its grades; a grade twice; a grade that is not finite.

        """
        import polars as pl

        need_polars_threads()
        frame = pl.DataFrame(read.table)
        value = pl.lit(1.0) if read.value is None else pl.col(read.value).cast(pl.Float64)
        said = None if read.probability is None else pl.col(read.probability).cast(pl.Float64)
        rows = frame.select(
            query=pl.col(read.query),
            item=pl.col(read.item),
            grade=value if said is not None else pl.lit(1.0),
            chance=value if said is None else said,
        )
        _check(rows, read)
        rows = _with_rest(rows, read).filter(pl.col("chance") > 0)
        rows = rows.with_row_index("row").sort(pl.col("row").min().over("query"), "item", "grade")
        items = rows.group_by("query", "item", maintain_order=True).len()
        items = items.with_columns(
            relevance=pl.int_range(pl.len(), dtype=pl.Int64).over("query", order_by="item")
        )
        queries = items.group_by("query", maintain_order=True).len()
        table = Table.from_arrow(items.select("query", "item", "relevance").to_struct())
        return cls(
            Input(table, "qrels", read.name, "query", "item", "relevance", None, text_ids=read.text_ids),
            queries["query"],
            offsets_of(queries["len"].to_numpy()),
            offsets_of(items["len"].to_numpy()),
            rows["grade"].to_numpy(),
            rows["chance"].to_numpy(),
        )

    @cached_property
    def likeliest(self) -> Input:
        """Judgements by which each item has its most probable grade, the lower of two."""
        import polars as pl

        item = np.repeat(np.arange(len(self.borders) - 1), np.diff(self.borders))
        order = np.lexsort((self.grades, -self.chance, item))
        grades = self.grades[order[self.borders[:-1]]]
        frame = pl.DataFrame(self.items.table).with_columns(relevance=pl.Series(grades))
        return replace(self.items, table=Table.from_arrow(frame.to_struct()))

    @property
    def certain(self) -> bool:
        """Whether no item could have another grade."""
        return len(self.grades) == len(self.borders) - 1

    def possible(self, query: int) -> int:
        """How many outcomes a query has."""
        first, end = self.starts[query], self.starts[query + 1]
        return math.prod(np.diff(self.borders[first : end + 1]).tolist())

    def outcomes(self, query: int, draws: int, seed: int) -> Outcomes:
        """All outcomes of a query, if there are no more than `draws`, else so many that are drawn."""
        first, end = self.starts[query], self.starts[query + 1]
        borders = self.borders[first : end + 1]
        sizes = np.diff(borders)
        if (possible := self.possible(query)) > draws:
            return self._drawn(borders, draws, np.random.default_rng([seed, query]))
        places = np.unravel_index(np.arange(possible), sizes.tolist())
        chosen = borders[:-1] + np.stack(places, axis=1)
        return Outcomes(self.grades[chosen], self.chance[chosen].prod(axis=1), drawn=False)

    def _drawn(self, borders: NDArray[np.int64], draws: int, random: np.random.Generator) -> Outcomes:
        grades = np.empty((draws, len(borders) - 1))
        for number, (first, end) in enumerate(pairwise(borders.tolist())):
            below = np.cumsum(self.chance[first : end - 1])
            grades[:, number] = self.grades[first + np.searchsorted(below, random.random(draws), "right")]
        return Outcomes(grades, np.full(draws, 1 / draws), drawn=True)


def read_probable(source: Any, columns: Mapping[str, Any] | None = None) -> Input:
    """Reads labels with a row for each grade that an item can have, and the probability of it.

    Without a column of probabilities the relevances are the probabilities of being relevant.
    """
    return read_shared(source, "qrels", _with_probability(source, columns))


def _with_probability(source: Any, columns: Mapping[str, Any] | None) -> dict[str, Any]:
    """What is said of columns, and which holds probabilities, if that is plain."""
    said = dict(columns_said(columns))
    if isinstance(source, Input) or {"probability", "qrels.probability"} & said.keys():
        return said
    names = column_names_of(source)
    found = [name for name in names if normal(name) in USUAL and name not in said.values()]
    if len(found) == 1:
        said["qrels.probability"] = found[0]
        if not {"relevance", "qrels.relevance"} & said.keys() and not _has_grades(names, found[0]):
            said["qrels.relevance"] = None
    return said


def _has_grades(names: list[str], probability: str) -> bool:
    """Whether a column beside that of probabilities is known to hold grades."""
    return bool(fitting([name for name in names if name != probability], "relevance"))


def _check(rows: pl.DataFrame, read: Input) -> None:
    """Refuses what is no probability or no grade, and a grade that an item has twice."""
    for name in ("query", "item", "grade", "chance"):
        if nulls := rows[name].null_count():
            row = int(rows[name].is_null().arg_max() or 0)
            raise DataError(
                f"{read.name}: {counted(nulls, 'row')} without a {name}, the first is row {row} (from 0)"
            )
    wrong = ~rows["chance"].is_between(0, 1)
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        column = read.probability or read.value
        hint = (
            ""
            if read.probability
            else (
                "; without a column of probabilities a relevance is the probability of being relevant: name "
                'the column with columns={"probability": "…"} (on the command line --column probability=…)'
            )
        )
        raise DataError(
            f"{read.name}: no probability from 0 to 1 in {counted(int(wrong.sum()), 'row')} of {column!r}, "
            f"the first is {rows['chance'][row]!r} in row {row} (from 0){hint}"
        )
    if not rows["grade"].is_finite().all():
        row = int((~rows["grade"].is_finite()).arg_max() or 0)
        raise DataError(f"{read.name}: the grade {rows['grade'][row]} in row {row} (from 0) is not finite")
    _refuse_repeated(rows, ["query", "item", "grade"], read.name)


def _with_rest(rows: pl.DataFrame, read: Input) -> pl.DataFrame:
    """The same with grade 0 for what the probabilities of an item lack to 1, which they then sum to."""
    import polars as pl

    of = ["query", "item"]
    whole = added_up(
        rows, of, sums={"chance": pl.col("chance")}, others={"zero": (pl.col("grade") == 0).any()}
    )
    too_much = whole["chance"] > 1 + TOLERANCE
    too_little = whole["zero"] & (whole["chance"] < 1 - TOLERANCE)
    for wrong, said in ((too_much, "more than 1"), (too_little, "less, though grade 0 is among the grades")):
        if wrong.any():
            row = whole.row(int(wrong.arg_max() or 0), named=True)
            raise DataError(
                f"{read.name}: the probabilities of {counted(int(wrong.sum()), 'item')} come to {said}: of "
                f"query {row['query']!r} and item {row['item']!r} to {row['chance']:g}; those of an item's "
                "grades sum to 1, or to less where the rest is grade 0"
            )
    rest = whole.filter(~pl.col("zero") & (pl.col("chance") < 1 - TOLERANCE))
    rest = rest.select(*of, grade=pl.lit(0.0), chance=1 - pl.col("chance"))
    rows = pl.concat([rows, rest])
    return rows.with_columns(pl.col("chance") / pl.col("chance").sum().over(of))
