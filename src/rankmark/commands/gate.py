"""`rankmark gate`."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.compare import check_saved
from rankmark.commands.names import (
    column_names,
    items_known,
    judged_in,
    limits_in,
    measures_in,
    name_and_path,
    named_paths,
)
from rankmark.commands.options import (
    with_aspect_weights,
    with_choices,
    with_columns,
    with_conditions,
    with_items,
    with_like,
    with_threads,
    with_weights,
)
from rankmark.commands.output import Output, answered, with_output_of
from rankmark.errors import UsageError

__all__ = ["gate"]

ONE_EACH = (
    "a gate decides of one candidate, with one baseline; before runs of several seeds of one write its NAME="
)


@click.command("gate")
@click.argument("qrels", metavar="[QRELS]")
@click.argument("runs", nargs=-1, metavar="[[NAME=]BASELINE]... [NAME=]CANDIDATE...")
@with_conditions
@with_weights
@click.option(
    "--clusters",
    metavar="COLUMN",
    help="Count queries as one that have the same value, such as a user, in a column of FILE, QRELS or RUN.",
)
@click.option("--attributes", metavar="FILE", help="Queries with columns for --weights and --clusters.")
@click.option(
    "--always-valid",
    is_flag=True,
    help="As sure however often the gate runs while queries are added at the end of QRELS.",
)
@click.option(
    "--seedless", multiple=True, metavar="NAME", help="The one run of NAME depends on no seed, as BM25's."
)
@with_items
@with_like
@with_choices
@with_columns
@with_aspect_weights
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
    aspect_weights: str | None,
    seedless: tuple[str, ...],
    no_qrels: bool,
    items: str | None,
    train: str | None,
    open_catalogue: bool,
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
    has to be of the same judgements and choices; where all are saved, there is
    no QRELS. Limits (--at-least, --at-most) need no baseline. Names are baseline and
    candidate in any order, or what you like; runs of one NAME are one system with
    several seeds, and the bound is then of other seeds, too.
    Measures of what is recommended know the items by --items and --train; with
    --no-qrels all files are runs.
    JSON has signatures and hashes of the inputs. With -o the reasons are on
    standard error.

    \b
    rankmark gate qrels.txt old.run new.run -m nDCG@10 --max-drop 0.5%
    rankmark gate qrels.txt old.run new.run -m AP --max-drop 0.01 --confidence .95
    rankmark gate qrels.txt old.rankmark new.run -m AP --max-drop 1% -o gate.json
    rankmark gate old.rankmark new.rankmark -m AP --max-drop 1%
    rankmark gate qrels.txt old=a.run old=b.run new=c.run -m AP --max-drop 1%
    rankmark gate qrels.txt new.run --at-least nDCG@10=.3 --at-least R@100=.6
    """  # noqa: D301
    from rankmark.comparing import gating
    from rankmark.loading import is_saved

    output.check()
    alone = not no_qrels and is_saved(name_and_path(qrels)[1])
    if no_qrels or alone:
        runs = (qrels, *runs)
    if not runs:
        raise click.MissingParameter(ctx=context, param=context.command.params[1])
    systems = _systems(runs)
    if alone:
        check_saved(systems)
    output.keep(qrels, *(path for paths in systems.values() for path in paths), items, train)
    columns = column_names(column)
    places = dict(zip(systems, ["baseline", "candidate"][-len(systems) :], strict=True))
    seeds = {places[name]: own if len(own) > 1 else own[0] for name, own in systems.items()}
    options["seed"] = options["seed"] or 0
    with answered("not decided"):
        decided = gating.gate(
            judged_in(None if no_qrels or alone else qrels, aspect_weights, columns),
            seeds.get("baseline"),
            seeds["candidate"],
            measures_in(measure) or None,
            at_least=limits_in(at_least),
            at_most=limits_in(at_most),
            columns=columns,
            items=items_known(items, train, columns, closed=not open_catalogue),
            seedless=[places.get(name, name) for name in seedless],
            hash_inputs=output.is_kept,
            **options,
        )
    output.write(decided)
    output.tell(decided.reasons)
    context.exit(0 if decided else 1)


def _systems(texts: tuple[str, ...]) -> dict[str, list[str]]:
    """The runs of the baseline, if there is one, and then of the candidate, by what they are called."""
    unnamed = not any(name for name, _ in map(name_and_path, texts))
    if unnamed and len(texts) == 2:
        return {"baseline": [texts[0]], "candidate": [texts[1]]}  # which may be one and the same
    if unnamed and len(texts) > 2:
        raise UsageError(f"{len(texts)} runs given: {ONE_EACH}")
    systems = named_paths(texts, "runs")
    if len(systems) > 2:
        raise UsageError(f"{len(systems)} systems given, {', '.join(systems)}: {ONE_EACH}")
    first, *others = systems
    if others and (first == "candidate" or others[0] == "baseline"):
        return {others[0]: systems[others[0]], first: systems[first]}
    return systems
