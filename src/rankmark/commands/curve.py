"""`rankmark curve`."""

from __future__ import annotations

from typing import Any, Literal

import click

from rankmark.commands.options import with_label, with_positive, with_threads, with_weight
from rankmark.commands.output import Output, with_output_of
from rankmark.errors import UsageError

__all__ = ["draw_curve"]


@click.command("curve")
@click.argument("table")
@click.argument("kind", metavar="ROC|PR|DET|gain|lift|KS|F1|calibration|scores")
@with_label
@click.option("--score", metavar="NAME", help="The column of predictions.")
@with_weight
@with_positive
@click.option(
    "--points",
    type=click.IntRange(min=2),
    metavar="N",
    help="How many to keep; more where the area takes more.  [default: 1000]",
)
@click.option("--exact", is_flag=True, help="Keep every threshold.")
@click.option("--bins", type=int, metavar="N", help="Of calibration and scores, how many.  [default: 15, 30]")
@click.option(
    "--binning", metavar="width|mass", help="Of calibration and scores, bins of equal what.  [default: width]"
)
@click.option(
    "--confidence",
    type=float,
    metavar="P",
    help="Of intervals of calibration [default: 0.95], or of a band of ROC, PR or DET.",
)
@with_threads
@with_output_of("CurveTable")
def draw_curve(
    table: str,
    kind: Any,
    points: int | None,
    exact: bool,
    binning: Literal["width", "mass"] | None,
    output: Output,
    **options: Any,
) -> None:
    """Write a curve of the predictions in TABLE as a table.

    TABLE is as for `rankmark predictions`. The curves of thresholds (ROC, PR,
    DET, gain, lift) are thinned to some points, without changing the area under
    them by more than 0.000001; KS and F1 are by threshold, with where they are
    greatest; calibration and scores (of each class) are tables of bins.
    FILE.svg, .png and .pdf are pictures of them.

    \b
    rankmark curve clicks.parquet ROC --score p -o roc.csv
    rankmark curve clicks.parquet ROC --confidence 0.95 -o roc.svg
    rankmark curve clicks.parquet calibration --binning mass
    """  # noqa: D301
    from rankmark.api.curves import BINNED, curve, known_curve

    kind = known_curve(kind)
    if kind in BINNED and (exact or points):
        raise UsageError(f"{'--exact' if exact else '--points'} is of thresholds; {kind} has --bins")
    if exact and points:
        raise UsageError(f"--exact keeps every threshold, and --points {points} does not; say one of them")
    output.check()
    output.keep(table)
    found = curve(table, kind, points=None if exact else points or 1000, binning=binning, **options)
    output.write(found)
