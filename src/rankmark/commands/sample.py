"""`rankmark sample`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rankmark.commands.names import column_names
from rankmark.commands.options import with_columns, with_threads, with_words

__all__ = ["draw_candidates"]


def _methods() -> Any:
    from rankmark.candidates.sampling import METHODS

    return METHODS


@click.command("sample")
@click.argument("train")
@click.argument("test")
@click.option("-n", "n", type=int, default=99, show_default=True, metavar="N", help="Drawn for each user.")
@with_words("--method", _methods, "How items are drawn.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Of the draws.")
@click.option("--items", metavar="FILE", help="All items.  [default: those of TRAIN and TEST]")
@click.option("--exponent", type=float, metavar="X", help="Of popularity.  [default: 1]")
@click.option(
    "--strata",
    metavar="COLUMN|N",
    help="A column of the items, or so many groups of like popularity.  [default: 10]",
)
@with_words("--allocation", lambda: ("proportional", "equal"), "How many of each stratum.", needed=False)
@click.option("--replacement", is_flag=True, help="Let an item be drawn again, which then counts once.")
@with_words("--fewer", lambda: ("all", "skip", "error"), "Users with fewer than N items to draw.")
@with_columns
@with_threads
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    help="Where to write: .parquet, .csv, .tsv, .txt (TREC) or .rankmark.",
)
def draw_candidates(
    train: str, test: str, *, output: str, column: tuple[str, ...], strata: str | None, **options: Any
) -> None:
    """Draw the candidates of sampled evaluation.

    For each user of TEST the held-out items and N others that the user has
    neither in TRAIN nor in TEST, the same for a seed whatever the order of rows.
    Values among them are marked as such; Parquet says how they were sampled, and
    of other files --candidates sampled-N does.

    \b
    rankmark sample train.csv test.csv -n 99 --seed 1 -o candidates.parquet
    rankmark eval candidates.parquet scored.run -m HR@10
    rankmark correct-sampled candidates.parquet scored.run -m HR@10
    """  # noqa: D301
    from rankmark.candidates.sampled import SampledCandidates
    from rankmark.candidates.sampling import sample_candidates
    from rankmark.commands.output import check_target, echo

    check_target("--output", output, train, test, options["items"])
    SampledCandidates.writer(output)
    groups = int(strata) if strata is not None and strata.isdecimal() else strata
    drawn = sample_candidates(train, test, strata=groups, columns=column_names(column), **options)
    drawn.to_file(output)
    kept = Path(output).suffix.lower() in (".parquet", ".rankmark")
    said = "" if kept else f", which does not say how they were sampled: evaluate --candidates {drawn.mark}"
    echo(f"{drawn.format().rstrip()}\n\nwritten to {output}{said}\n")
