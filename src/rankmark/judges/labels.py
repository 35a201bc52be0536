"""Labels of people and of a judge as tables, and how they go together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from rankmark._native import Table
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    import polars as pl

    from rankmark.inputs import Input

__all__ = ["Labels", "label_rows"]


@dataclass(frozen=True)
class Labels:
    """The labels of people in queries that the judge labelled, and how they go together with its own.

    Attributes:
        people: these labels.
        elsewhere: how many queries people labelled and the judge did not.
        both: how many items of these queries both labelled.
        judge_alone: how many the judge alone did.
        people_alone: how many people alone did.
        grades: the least and the greatest grade of people and of the judge.
        identical: whether all labels in these queries are the same.

    """

    people: Input
    elsewhere: int
    both: int
    judge_alone: int
    people_alone: int
    grades: tuple[tuple[float, float], tuple[float, float]]
    identical: bool

    @classmethod
    def of(cls, people: Input, judge: Input) -> Labels:
        """What labels of both come to.

        Raises:
            DataError: there are no queries, or one, that both labelled.

        """
        import polars as pl

        own, others = label_rows(people), label_rows(judge)
        known = own["query"].is_in(others["query"].unique().implode())
        queries, elsewhere = (own.filter(each)["query"].n_unique() for each in (known, ~known))
        if queries < 2:
            raise DataError(
                f"{counted(queries, 'query', 'queries')} with labels of people and of the judge: label 2 at "
                f"least, better 30; people's are such as {own['query'][0]!r}, the judge's such as "
                f"{others['query'][0]!r}"
            )
        if elsewhere and queries == others["query"].n_unique():
            raise DataError(
                f"people labelled all {queries:,} queries that the judge labelled, and {elsewhere:,} others: "
                "are the two swapped? Labels of people, of some queries, come first"
            )
        kept = pl.DataFrame(people.table).filter(known)
        rows = None if people.rows is None else people.rows[known.to_numpy()]
        same = replace(people, table=Table.from_arrow(kept.to_struct()), rows=rows, aspects=None)
        own = own.filter(known)
        others = others.filter(others["query"].is_in(own["query"].unique().implode()))
        both = own.select("query", "item").join(others, on=["query", "item"], how="semi").height
        same_labels = own.join(others, on=["query", "item", "grade"], how="semi").height
        identical = same_labels == own.height == others.height
        grades = tuple((_least(each), _most(each)) for each in (own, others))
        alone = others.height - both, own.height - both
        return cls(same, elsewhere, both, *alone, (grades[0], grades[1]), identical)

    def notes(self, *, sampled: bool) -> Iterator[str]:
        """What a reader should know of how labels of both go together, `sampled` or not within queries."""
        if self.identical:
            yield (
                f"labels of people and of the judge are identical, all {self.both:,}: was one table given "
                "twice? Then nothing here says how good the judge is"
            )
        if self.elsewhere:
            yield (
                f"{counted(self.elsewhere, 'query', 'queries')} with labels of people and none of the judge: "
                "left out, since nothing says what the judge makes of them"
            )
        if self.judge_alone and not sampled:
            whole = self.judge_alone + self.both
            yield (
                f"people did not label {self.judge_alone:,} of {whole:,} items that the judge labelled in "
                "their queries; these count as not labelled, which is wrong where people did not look at them"
            )
        if self.people_alone:
            yield (
                f"the judge did not label {self.people_alone:,} of {self.people_alone + self.both:,} items "
                "that people labelled; where it does not label such, its values are lower, which is put right"
            )
        people, judge = self.grades
        if people != judge:
            yield (
                f"people gave grades from {people[0]:g} to {people[1]:g}, and the judge in the same queries "
                f"from {judge[0]:g} to {judge[1]:g}: measures that look at grades are on other scales, which "
                "is put right, but with one scale the judge would be worth more"
            )


def label_rows(table: Input) -> pl.DataFrame:
    """Labels with the columns query, item and grade, ids as texts."""
    import polars as pl

    grade = pl.lit(1.0) if table.value is None else pl.col(table.value).cast(pl.Float64)
    ids = {"query": table.query, "item": table.item}
    texts = {name: pl.col(column).cast(pl.String) for name, column in ids.items()}
    return pl.DataFrame(table.table).select(**texts, grade=grade)


def _least(labels: pl.DataFrame) -> float:
    return float(labels["grade"].min())  # type: ignore[arg-type]


def _most(labels: pl.DataFrame) -> float:
    return float(labels["grade"].max())  # type: ignore[arg-type]
