"""`rankmark eval-expected`."""

from __future__ import annotations

from typing import Any, Literal

import click

from rankmark.commands.names import column_names, measures_in, one_path_each
from rankmark.commands.options import (
    with_attributes,
    with_choices,
    with_columns,
    with_intervals,
    with_like,
    with_per_query,
    with_signatures,
    with_threads,
)
from rankmark.commands.output import Output, with_output_of

__all__ = ["evaluate_runs_by_uncertain_labels"]


@click.command("eval-expected")
@click.argument("judgements")
@click.argument("run", nargs=-1, required=True, metavar="[NAME=]RUN...")
@click.option("-m", "--measure", multiple=True, metavar="MEASURE", help="What to measure; repeat it.")
@click.option(
    "--people",
    metavar="FILE",
    help="Labels of people, of which JUDGEMENTS of a judge become probable grades.",
)
@click.option(
    "--draws",
    type=click.IntRange(min=2),
    default=1000,
    show_default=True,
    metavar="N",
    help="Outcomes of labels that are looked at of each query.",
)
@with_like
@with_choices
@with_columns
@with_intervals
@click.option("--by", multiple=True, metavar="COLUMN", help="Show slices by a column; repeat it.")
@with_attributes
@with_threads
@with_per_query
@with_signatures("Show of this what is not the standard.")
@with_output_of("Result", papers=True, pictures=True)
def evaluate_runs_by_uncertain_labels(
    judgements: str,
    run: tuple[str, ...],
    *,
    measure: tuple[str, ...],
    people: str | None,
    column: tuple[str, ...],
    by: tuple[str, ...],
    clusters: tuple[str, ...],
    per_query: bool,
    signatures: bool | Literal["short"],
    output: Output,
    **options: Any,
) -> None:
    """Measure runs by labels that are probabilities.

    JUDGEMENTS has a row for each grade that an item can have (query, item, relevance,
    probability), or is a TREC file whose relevances are probabilities, such as those
    of a language model. A value is the mean over what the labels could be. With
    --people it is a judge's plain labels, and each of its grades stands for those
    that people gave where it said so.

    \b
    rankmark eval-expected probable.csv bm25.run -m "nDCG@10 AP"
    rankmark eval-expected model.txt a.run b.run --people people.txt
    """  # noqa: D301
    from rankmark.commands.eval import MEASURES
    from rankmark.judges.expected import evaluate_expected

    output.check_queries(per_query)
    runs = one_path_each(run, "runs")
    output.keep(judgements, people, *runs.values(), options["attributes"])
    found = evaluate_expected(
        judgements,
        runs if len(runs) > 1 else next(iter(runs.values())),
        measures_in(measure or MEASURES),
        people=people,
        columns=column_names(column),
        by=by or None,
        clusters=list(clusters) or None,
        **{name: value for name, value in options.items() if value is not None},
    )
    output.write(found, per_query=per_query, signatures=signatures)
