"""`rankmark check-predictions`."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import click

from rankmark.commands.options import (
    with_item,
    with_label,
    with_positive,
    with_query,
    with_strict,
    with_weight,
)
from rankmark.commands.output import Output, answered, with_output_of

__all__ = ["check_predictions"]


@click.command("check-predictions")
@click.argument("table")
@with_label
@click.option("--score", metavar="NAME", help="The column of predictions.")
@with_query
@with_item
@with_weight
@with_positive
@with_strict
@with_output_of("CheckReport")
def check_predictions(table: str, *, strict: bool, output: Output, **columns: Any) -> None:
    """Report what is odd in predictions, and what that does.

    Looks in TABLE for nulls, NaN, labels of one class or of many, scores that are
    no probabilities, the wrong way round or too good, calibration, queries of one
    label and rows that stand twice. What `rankmark predictions` refuses is
    reported, too.

    \b
    rankmark check-predictions clicks.parquet --score p --query user_id
    rankmark check-predictions clicks.parquet --strict --format json
    """  # noqa: D301
    from rankmark.checks.predictions import check_predictions

    output.check()
    output.keep(table)
    with answered("not checked") if strict else nullcontext():
        report = check_predictions(table, **columns)
    output.write(report)
    if strict and report.serious:
        click.get_current_context().exit(1)
