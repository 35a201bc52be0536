"""`rankmark gate`."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.names import column_names, limits_in, measures_in, name_and_path
from rankmark.commands.options import (
    with_choices,
    with_columns,
    with_conditions,
    with_like,
    with_threads,
)
from rankmark.commands.output import Output, answered, with_output_of
from rankmark.errors import UsageError

__all__ = ["gate"]


@click.command("gate")
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True, metavar="[[NAME=]BASELINE] [NAME=]CANDIDATE")
@with_conditions
@click.option(
    "--clusters",
    metavar="COLUMN",
    help="Count queries as one that have the same value, such as a user, in a column of FILE, QRELS or RUN.",
)
@click.option("--attributes", metavar="FILE", help="Queries with columns for --clusters.")
@click.option(
    "--always-valid",
    is_flag=True,
    help="As sure however often the gate runs while queries are added at the end of QRELS.",
)
@with_like
@with_choices
@with_columns
@with_threads
@with_output_of("Gate")
@click.pass_context
def gate(
    context: click.Context,
    /,
    qrels: str,
    runs: tuple[str, ...],
    *,
    measure: tuple[str, ...],
    at_least: tuple[str, ...],
    at_most: tuple[str, ...],
    column: tuple[str, ...],
    output: Output,
    **options: Any,
) -> None:
    """Pass a candidate unless it is worse than the baseline.

    For scripts: the exit code is 0 if it passes, 1 if it fails, and 2 if that
    could not be decided, be it for wrong usage or for wrong data. Without
    --confidence the difference of the means decides; with it the candidate
    passes only if the data exclude a greater drop: by Gaffke's one-sided bound,
    which holds for few queries, too. How small a drop they can show, and how many
    it takes for --max-drop, is printed. Of measures of which less is better, a rise
    is a drop.
    Either is a run, or what `rankmark eval -o NAME.rankmark` saved of one, which
    has to be of the same judgements and choices; of saved ones alone QRELS is not
    looked at. Limits (--at-least, --at-most)
    need none. Names are baseline and candidate in any order, or what you like.
    JSON has signatures and hashes of the inputs.

    \b
    rankmark gate qrels.txt old.run new.run -m nDCG@10 --max-drop 0.5%
    rankmark gate qrels.txt old.run new.run -m AP --max-drop 0.01 --confidence .95
    rankmark gate qrels.txt old.rankmark new.run -m AP --max-drop 1% -o gate.json
    rankmark gate qrels.txt new.run --at-least nDCG@10=.3 --at-least R@100=.6
    """  # noqa: D301
    from rankmark.comparing import gating

    output.check()
    if len(runs) > 2:
        raise UsageError(f"{len(runs)} runs given: a gate decides of one candidate, with one baseline")
    named = [name_and_path(run) for run in runs]
    if len(named) == 2 and (named[0][0] == "candidate" or named[1][0] == "baseline"):
        named.reverse()
    *given, candidate = (path for _, path in named)
    output.keep(qrels, candidate, *given)
    options["seed"] = options["seed"] or 0
    with answered("not decided"):
        decided = gating.gate(
            qrels,
            next(iter(given), None),
            candidate,
            measures_in(measure) or None,
            at_least=limits_in(at_least),
            at_most=limits_in(at_most),
            columns=column_names(column),
            hash_inputs=output.is_kept,
            **options,
        )
    output.write(decided)
    context.exit(0 if decided else 1)
