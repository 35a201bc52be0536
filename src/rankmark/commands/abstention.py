"""`rankmark abstention`."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.names import column_names, measures_in, usual_measures
from rankmark.commands.options import (
    with_choices,
    with_clusters,
    with_columns,
    with_confidence,
    with_like,
    with_threads,
)
from rankmark.commands.output import Output, with_output_of

__all__ = ["MEASURES", "show_abstention"]

MEASURES = ["nDCG@10"]


@click.command("abstention")
@click.argument("qrels")
@click.argument("run")
@click.option(
    "-m",
    "--measure",
    multiple=True,
    metavar="MEASURE",
    help=f"What to measure; repeat it, or give several in one.  [default: {' '.join(MEASURES)}]",
)
@click.option(
    "--confidences",
    metavar="NAMES",
    help="By which figures of a query's scores, with commas.  [default: max,std,diff1]",
)
@with_like
@with_choices
@with_columns
@click.option("--intervals/--no-intervals", help="Give intervals by resamples of the queries.")
@with_confidence("intervals")
@with_clusters
@click.option("--attributes", metavar="FILE", help="Queries with columns for --clusters.")
@click.option(
    "--resamples", type=click.IntRange(min=1), default=1_000, show_default=True, metavar="N", help="How many."
)
@with_threads
@with_output_of("Abstention")
def show_abstention(
    qrels: str,
    run: str,
    *,
    measure: tuple[str, ...],
    confidences: str | None,
    like: str | None,
    column: tuple[str, ...],
    attributes: str | None,
    clusters: tuple[str, ...],
    seed: int | None,
    output: Output,
    **options: Any,
) -> None:
    """Say whether a run's scores tell which queries it fails.

    QRELS and RUN, with scores, are as for `rankmark eval`. nAUC is 1 where leaving out
    queries of low confidence leaves out those of low values, 0 where it is as good as
    chance; confidence is the highest score of a query's list (max), the standard
    deviation of its scores (std), or the highest less the second (diff1). MTEB prints
    it as nAUC_NDCG@10_max and so on.

    \b
    rankmark abstention qrels.txt bm25.run
    rankmark abstention qrels.txt bm25.run -m "nDCG@10 R@10" --intervals
    rankmark abstention qrels.txt bm25.run --confidences max,diff1
    """  # noqa: D301
    from rankmark.api.abstention import evaluate_abstention

    output.check()
    output.keep(qrels, run, attributes)
    if confidences is not None:
        options["confidences"] = confidences
    found = evaluate_abstention(
        qrels,
        run,
        measures_in(measure) if measure else usual_measures(MEASURES, filter(None, [like])),
        like=like,
        columns=column_names(column),
        attributes=attributes,
        clusters=list(clusters) or None,
        seed=seed or 0,
        **options,
    )
    output.write(found)
