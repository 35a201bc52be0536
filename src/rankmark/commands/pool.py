"""`rankmark pool`."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.names import column_names, measures_in, one_path_each
from rankmark.commands.options import (
    with_choices,
    with_columns,
    with_confidence,
    with_like,
    with_threads,
)
from rankmark.commands.output import KEPT, Output, check_target, with_output_of
from rankmark.errors import UsageError

__all__ = ["show_pool"]

MEASURE = "AP"
"""By what systems are ordered if nothing is asked for."""


@click.command("pool")
@click.argument("qrels", required=True, metavar="[QRELS]")
@click.argument("run", nargs=-1, metavar="[NAME=]RUN...")
@click.option("-m", "--measure", multiple=True, metavar="MEASURE", help="By which systems are ordered.  [AP]")
@click.option(
    "--depth", type=click.IntRange(min=1), default=100, show_default=True, metavar="K", help="Of the pool."
)
@click.option("--groups", metavar="FILE", help="Systems in the first column, their groups in the next.")
@click.option("--no-qrels", is_flag=True, help="There are no judgements yet: all files are runs.")
@click.option("--to-judge", metavar="FILE", help="Write the items to judge, as judgements of -1 or .csv.")
@with_confidence("the intervals")
@click.option(
    "--resamples",
    type=int,
    default=1000,
    show_default=True,
    metavar="N",
    help="For the interval of τ.",
)
@with_like
@with_choices
@with_columns
@with_threads
@with_output_of("Pool", KEPT)
def show_pool(
    qrels: str,
    run: tuple[str, ...],
    *,
    measure: tuple[str, ...],
    no_qrels: bool,
    to_judge: str | None,
    column: tuple[str, ...],
    output: Output,
    **options: Any,
) -> None:
    """Say what to judge, and whether a pool can judge others.

    The pool are the items that some RUN has among its first. Shown is what
    judging less deep would find, which relevant items a system found alone, and
    what it loses, and how the order of systems changes, without the judgements
    of these: as much as a new system may lose that had no part in the pool.

    \b
    rankmark pool qrels.txt *.run --depth 100 --groups teams.csv
    rankmark pool --no-qrels *.run --depth 20 --to-judge pool.txt
    """  # noqa: D301
    from rankmark.pools.pooling import pool

    output.check()
    measures = measures_in(measure)
    if len(measures) > 1:
        raise UsageError(f"-m {' -m '.join(measures)}: systems are ordered by one measure")
    runs = one_path_each((qrels, *run) if no_qrels else run, "runs")
    if not runs:
        raise UsageError("a pool is of runs: rankmark pool QRELS RUN..., or --no-qrels RUN...")
    inputs = [*([] if no_qrels else [qrels]), *runs.values(), options["groups"]]
    output.keep(*inputs)
    if to_judge is not None:
        check_target("--to-judge", to_judge, *inputs)
    options["seed"] = options["seed"] or 0
    chosen = {name: value for name, value in options.items() if value is not None}
    found = pool(
        None if no_qrels else qrels,
        runs,
        next(iter(measures), MEASURE),
        columns=column_names(column),
        **chosen,
    )
    if to_judge is not None:
        found.write_to_judge(to_judge)
    output.write(found)
