"""`rankmark gate`."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.names import column_names, measures_in
from rankmark.commands.options import with_choices, with_columns, with_like, with_resamples, with_threads
from rankmark.commands.output import answered, known_format_of, with_format_of

__all__ = ["gate"]


@click.command("gate")
@click.argument("qrels")
@click.argument("baseline")
@click.argument("candidate")
@click.option(
    "-m",
    "--measure",
    multiple=True,
    required=True,
    metavar="MEASURE",
    help="What decides; repeat it, or give several in one: all must pass.",
)
@click.option(
    "--max-drop",
    required=True,
    metavar="D|P%",
    help="How much worse it may be: 0.005, or 0.5% of the baseline's mean.",
)
@click.option(
    "--confidence", type=float, metavar="P", help="Pass only if a greater drop is excluded so surely."
)
@with_resamples
@with_like
@with_choices
@with_columns
@with_threads
@with_format_of("Gate", default="table", help="How to show it.")
@click.pass_context
def gate(
    context: click.Context,
    /,
    qrels: str,
    baseline: str,
    candidate: str,
    *,
    measure: tuple[str, ...],
    column: tuple[str, ...],
    format_: str,
    **options: Any,
) -> None:
    """Pass a candidate unless it is worse than the baseline.

    For scripts: the exit code is 0 if it passes, 1 if it fails, and 2 if that
    could not be decided, be it for wrong usage or for wrong data. Without
    --confidence the difference of the means decides; with it the candidate
    passes only if the data exclude a greater drop (a one-sided bound, bootstrap
    over queries). Of measures of which less is better, a rise is a drop.

    \b
    rankmark gate qrels.txt old.run new.run -m nDCG@10 --max-drop 0.5%
    rankmark gate qrels.txt old.run new.run -m AP --max-drop 0.01 --confidence .95
    """  # noqa: D301
    from rankmark.comparing import gating

    known_format_of("Gate", format_)
    measures = measures_in(measure)
    options["seed"] = options["seed"] or 0
    with answered("not decided"):
        decided = gating.gate(qrels, baseline, candidate, measures, columns=column_names(column), **options)
    click.echo(decided.format(format_), nl=False)
    context.exit(0 if decided.passed else 1)
