"""Training data among the results or the judgements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rankmark.checks.data import IDS, CheckedPair, CheckedTable
from rankmark.checks.finding import Finding, effects, share
from rankmark.rendering.formats import counted

if TYPE_CHECKING:
    import polars as pl

__all__ = ["in_qrels", "in_results"]


def in_results(train: CheckedTable, pair: CheckedPair) -> Iterator[Finding]:
    """Results that the system was trained on for the same query."""
    known = _like(train, pair.run)
    found = _shared(pair.run, known)
    if found.height:
        others = pair.run.with_frame(pair.run.frame.join(known, on=IDS, how="anti", maintain_order="left"))
        yield Finding(
            "train-in-results",
            "worth knowing",
            pair.where,
            f"{share(found.height, pair.run.frame.height, 'result')} in the training data, in "
            f"{counted(found['query'].n_unique(), 'query', 'queries')}",
            found.height,
            pair.run.examples(found),
            "they take the places of items that could be found",
            effects(pair.result, {"without": pair.with_tables(run=others).result}),
        )


def in_qrels(train: CheckedTable, pair: CheckedPair) -> Iterator[Finding]:
    """Judgements that the system may have seen in training."""
    known = _like(train, pair.qrels)
    found = _shared(pair.qrels, known)
    if found.height:
        others = pair.qrels.with_frame(
            pair.qrels.frame.join(known, on=IDS, how="anti", maintain_order="left")
        )
        left = pair.with_tables(qrels=others).result if others.frame.height else None
        yield Finding(
            "train-in-qrels",
            "serious",
            pair.qrels.where,
            f"{share(found.height, pair.qrels.frame.height, 'judgement')} in the training data, of "
            f"{counted(found['query'].n_unique(), 'query', 'queries')}",
            found.height,
            pair.qrels.examples(found),
            "a system need only remember them",
            effects(pair.result, {"without": left}),
        )


def _like(train: CheckedTable, other: CheckedTable) -> pl.DataFrame:
    """The training data's pairs of ids, in the types of another table."""
    import polars as pl

    types = {role: other.frame.schema[role] for role in IDS}
    known = train.frame.select(pl.col(role).cast(dtype, strict=False) for role, dtype in types.items())
    return known.drop_nulls()


def _shared(rows: CheckedTable, known: pl.DataFrame) -> pl.DataFrame:
    return rows.frame.join(known, on=IDS, how="semi", maintain_order="left")
