"""`rankmark correct-sampled`."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.names import measures_in
from rankmark.commands.options import with_confidence, with_words
from rankmark.commands.output import KEPT, Output, with_output_of

__all__ = ["correct_values"]


def _methods() -> Any:
    from rankmark.candidates.corrected import METHODS

    return METHODS


@click.command("correct-sampled")
@click.argument("candidates", metavar="CANDIDATES")
@click.argument("run", metavar="RUN")
@click.option("-m", "--measure", multiple=True, metavar="MEASURE", help="What to estimate; repeat it.")
@with_words("--method", _methods, "How it is estimated.  [default: mes]", needed=False)
@click.option("--gamma", type=float, metavar="X", help="Of bv: less bias, more variance.  [default: 0.1]")
@click.option("--eta", type=float, metavar="X", help="Of mes: how much entropy counts.  [default: 0.001]")
@with_confidence("the intervals and of what is possible")
@click.option("--resamples", type=int, metavar="N", help="Of mle.  [default: 200]")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Of these.")
@with_output_of("SampledCorrection", KEPT)
def correct_values(
    candidates: str, run: str, *, measure: tuple[str, ...], output: Output, **options: Any
) -> None:
    """Estimate values among all items of sampled ones.

    CANDIDATES is what `rankmark sample` wrote, .parquet or .rankmark, drawn
    uniformly, and RUN has a score for each of them. Shown are estimates, and
    what the values can be at all: a small sample says little of the top of a
    long list.

    \b
    rankmark sample train.csv test.csv -n 99 -o candidates.parquet
    rankmark correct-sampled candidates.parquet scored.run -m "HR@10 nDCG@10"
    """  # noqa: D301
    from rankmark.candidates.correcting import correct_sampled

    output.check()
    output.keep(candidates, run)
    given = {name: value for name, value in options.items() if value is not None}
    if measure:
        given["measures"] = measures_in(measure)
    output.write(correct_sampled(candidates, run=run, **given))
