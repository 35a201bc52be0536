"""What is odd in the rows of one table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rankmark.checks.data import IDS, CheckedPair, CheckedTable
from rankmark.checks.finding import Effect, Finding, effects, examples, share
from rankmark.rendering.formats import counted

if TYPE_CHECKING:
    import polars as pl

__all__ = ["grades", "infinite_scores", "judged_twice", "returned_twice", "unusable", "usable"]

WHAT = {"null": "a null", "nan": "NaN", "infinite": "an infinite grade"}


def usable(rows: CheckedTable) -> CheckedTable:
    """The rows without those that `evaluate` refuses."""
    import polars as pl

    kept = rows.frame.filter(~pl.any_horizontal(*_refused(rows).values()))
    return rows if kept.height == rows.frame.height else rows.with_frame(kept)


def _refused(rows: CheckedTable) -> dict[str, pl.Expr]:
    """Which rows are refused, by the finding's code."""
    import polars as pl

    refused = {"null": pl.any_horizontal(pl.all().is_null())}
    if rows.has_floats:
        refused["nan"] = pl.col("value").is_nan().fill_null(value=False)
        if rows.source.side == "qrels":
            refused["infinite"] = pl.col("value").is_infinite().fill_null(value=False)
    return refused


def unusable(rows: CheckedTable, pair: CheckedPair) -> Iterator[Finding]:
    """CheckedTable with nulls, NaN and infinite grades; the pair is without them."""
    for code, condition in _refused(rows).items():
        found = rows.frame.with_row_index("row").filter(condition)
        if found.height:
            yield Finding(
                code,
                "serious",
                rows.where,
                f"{WHAT[code]} in {share(found.height, rows.frame.height, 'row')}",
                found.height,
                rows.examples(found),
                "evaluate refuses the table; the values are those without such rows",
                effects(None, {"without": pair.result}),
            )


def infinite_scores(rows: CheckedTable) -> Iterator[Finding]:
    """Scores that are infinite, which is legal."""
    import polars as pl

    if not rows.has_floats:
        return
    found = rows.frame.filter(pl.col("value").is_infinite())
    if found.height:
        negative = int((found["value"] < 0).sum())
        yield Finding(
            "infinite",
            "worth knowing",
            rows.where,
            f"{share(found.height, rows.frame.height, 'score')} are infinite ({negative:,} of them negative)",
            found.height,
            rows.examples(found),
            "infinite scores of the same sign are equal, however they came about",
        )


def returned_twice(pair: CheckedPair) -> Iterator[Finding]:
    """The same item twice in a list."""
    found = pair.run.repeated
    if found.is_empty():
        return
    judged = found.join(pair.qrels.ids("query"), on="query", how="semi").height
    queries = counted(found["query"].n_unique(), "query", "queries")
    yield Finding(
        "duplicate-results",
        "serious" if judged else "fine",
        pair.where,
        f"{counted(found.height, 'result')} of an item that its list has already, in {queries}",
        found.height,
        pair.run.examples(found),
        "evaluate refuses the run unless told which row counts"
        if judged
        else "these queries are not judged, so that they count nowhere",
        _by_row(pair) if judged else (),
    )


def judged_twice(pair: CheckedPair) -> Iterator[Finding]:
    """The same item judged twice for a query."""
    import polars as pl

    found = pair.qrels.repeated
    if found.is_empty():
        return
    same = pair.qrels.frame.join(found, on=IDS, how="semi")
    differing = 0
    if pair.qrels.has_values:
        grades = same.group_by(IDS).agg(grades=pl.col("value").n_unique())
        differing = grades.filter(pl.col("grades") > 1).height
    yield Finding(
        "duplicate-judgements",
        "serious",
        pair.qrels.where,
        f"{counted(found.height, 'judgement')} of an item that its query has already, in "
        f"{counted(found['query'].n_unique(), 'query', 'queries')}; "
        f"{counted(differing, 'item has', 'items have')} grades that differ",
        found.height,
        pair.qrels.examples(found),
        "evaluate refuses the judgements unless told which row counts",
        _by_row(pair),
    )


def _by_row(pair: CheckedPair) -> tuple[Effect, ...]:
    return effects(None, {f"duplicates={rule}": pair.evaluate(duplicates=rule) for rule in ("first", "best")})


def grades(pair: CheckedPair) -> Iterator[Finding]:
    """Grades below 0, grades that are not whole, and queries without a grade that is relevant."""
    import polars as pl

    rows = pair.qrels
    if not rows.has_values:
        return
    value = pl.col("value")
    yield from _grades(
        pair,
        "negative-grades",
        value < 0,
        "below 0",
        "what they count is said on each measure's page; mostly as much as 0",
        ("as grade 0", pl.max_horizontal(value, 0)),
    )
    if rows.has_floats:
        yield from _grades(
            pair,
            "fractional-grades",
            value != value.round(),
            "not whole",
            "they count as they are, but several tools cut them off, trec_eval and ranx among them",
            ("cut off", value.sign() * value.abs().floor()),
        )
    barren = rows.frame.group_by("query", maintain_order=True).agg(highest=value.max())
    found = barren.filter(pl.col("highest") < 1)
    if found.height:
        yield Finding(
            "no-relevant",
            "worth knowing",
            rows.where,
            f"{share(found.height, barren.height, 'query', 'queries')} without an item graded 1 or higher",
            found.height,
            examples(found),
            "no system can find anything there; they count as 0 unless told otherwise",
            effects(pair.result, {"no_relevant=skip": pair.evaluate(no_relevant="skip")}),
        )


def _grades(
    pair: CheckedPair,
    code: str,
    condition: pl.Expr,
    what: str,
    note: str,
    otherwise: tuple[str, pl.Expr],
) -> Iterator[Finding]:
    import polars as pl

    rows = pair.qrels
    found = rows.frame.filter(condition)
    if found.is_empty():
        return
    value = found["value"].cast(pl.Float64).to_numpy()
    name, instead = otherwise
    changed = pair.qrels.with_frame(pair.qrels.frame.with_columns(value=instead))
    yield Finding(
        code,
        "worth knowing",
        rows.where,
        f"{share(found.height, rows.frame.height, 'grade')} {what}, from {value.min():g} to {value.max():g}",
        found.height,
        rows.examples(found),
        note,
        effects(pair.result, {name: pair.with_tables(qrels=changed).evaluate()}),
    )
