"""`rankmark answers`."""

from __future__ import annotations

from typing import Any, Literal

import click

from rankmark.commands.names import column_names
from rankmark.commands.options import (
    with_attributes,
    with_columns,
    with_intervals,
    with_per_query,
    with_signatures,
    with_threads,
    with_words,
)
from rankmark.commands.output import Output, with_output_of

__all__ = ["evaluate_answer_tables"]


def _missing() -> Any:
    from rankmark.answers.evaluating import MISSING

    return MISSING


def _no_vital() -> Any:
    from rankmark.answers.evaluating import NO_VITAL

    return NO_VITAL


@click.command("answers")
@click.argument("table")
@click.option(
    "-m",
    "--measure",
    multiple=True,
    metavar="NAME",
    help="What to measure.  [default: all that TABLE allows]",
)
@with_words("--missing", _missing, "A query that a system does not answer, and others do.")
@with_words("--no-vital", _no_vital, "A query without vital nuggets.")
@with_columns
@with_intervals
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Of resamples.")
@click.option(
    "--by", multiple=True, metavar="COLUMN", help="Show slices of the queries by a column, too; repeat it."
)
@with_attributes
@with_threads
@with_per_query
@with_signatures("Show of this what is not the standard.")
@with_output_of("Result", papers=True, pictures=True)
def evaluate_answer_tables(
    table: str,
    *,
    measure: tuple[str, ...],
    column: tuple[str, ...],
    by: tuple[str, ...],
    clusters: tuple[str, ...],
    per_query: bool,
    signatures: bool | Literal["short"],
    output: Output,
    **options: Any,
) -> None:
    """Measure answers by nuggets or citations.

    TABLE says what people or a model found of answers; no model is called. It has a
    row a nugget (query, nugget, assignment: support, partial_support or not_support,
    and importance: vital or okay), or a row a citation (query, sentence, citation,
    support: full, partial or none; a sentence without citations has one row without
    both), and system where there are several. What is saved of several systems
    `rankmark compare` compares.

    \b
    rankmark answers nuggets.csv --intervals
    rankmark answers citations.parquet -m "weighted_precision weighted_recall"
    rankmark answers nuggets.csv -o answers.rankmark
    rankmark compare answers.rankmark -m vital_strict
    """  # noqa: D301
    from rankmark.answers.evaluating import evaluate_answers
    from rankmark.commands.names import measures_in

    output.check_queries(per_query)
    output.keep(table, options["attributes"])
    found = evaluate_answers(
        table,
        measures_in(measure) if measure else None,
        columns=column_names(column),
        by=by or None,
        clusters=list(clusters) or None,
        **options,
    )
    output.write(found, per_query=per_query, signatures=signatures)
