"""`rankmark interleaving`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from rankmark.commands.names import column_names, one_path_each
from rankmark.commands.options import is_said, with_columns, with_confidence, with_words
from rankmark.commands.output import KEPT, Output, with_output_of
from rankmark.errors import UsageError

__all__ = ["interleaving"]

OF_LISTS = ("k", "lists", "credit", "softness", "ties", "seed")
"""The options of lists that are made."""
OF_LOGS = ("clusters", "alpha", "confidence", "names")
"""The options of clicks that are credited."""


def _methods() -> Any:
    from rankmark.logs.interleaved import METHODS

    return METHODS


def _credits() -> Any:
    from rankmark.statistics.interleaving import CREDITS

    return CREDITS


@click.command("interleaving")
@click.argument("file", nargs=-1, required=True, metavar="LOG | [NAME=]RUN [NAME=]RUN")
@with_words("--method", _methods, "How lists are made, and clicks credited.")
@click.option("-k", "k", type=click.IntRange(min=1), default=10, show_default=True, metavar="N",
              help="How long a list is at most.")  # fmt: skip
@click.option("--lists", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
              help="How many of each query.")  # fmt: skip
@with_words("--credit", _credits, "Of --method optimized.")
@click.option("--softness", type=float, default=3.0, show_default=True, metavar="T",
              help="Of --method probabilistic.")  # fmt: skip
@click.option("--ties", default="item-desc", show_default=True, metavar="ORDER", help="Of equal scores.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Of what is drawn.")
@click.option("--clusters", metavar="COLUMN", help="Count lists together that have one user, say.")
@click.option("--names", nargs=2, metavar="A B", help="What A and B of a log are, if it does not say it.")
@click.option("--alpha", type=float, default=0.05, show_default=True, metavar="P", help="Of the test.")
@with_confidence("the intervals")
@with_columns
@with_output_of("InterleavedLists", KEPT)
def interleaving(
    file: tuple[str, ...], *, method: Any, column: tuple[str, ...], output: Output, **options: Any
) -> None:
    """Mix two runs in one list, or credit the clicks on it.

    RUN RUN makes lists of both for users to be shown, -o FILE.csv or .parquet
    all of them, with whom a click is credited to. LOG is what came of it: those
    rows again, with the column click (0 or 1), and the impression or session if
    a list was shown several times. What NAME= calls the runs it says, too.

    \b
    rankmark interleaving old=old.run new=new.run -k 10 -o lists.csv
    rankmark interleaving log.csv
    rankmark interleaving unnamed.csv --names old new
    rankmark interleaving old.run new.run --method optimized -o lists.csv
    rankmark interleaving log.csv --method optimized --clusters user
    """  # noqa: D301
    from rankmark.logs.interleaving import evaluate_interleaving, interleave

    scored = len(file) == 1
    foreign = [name for name in (OF_LISTS if scored else OF_LOGS) if is_said(name)]
    if foreign:
        name = "-k" if foreign[0] == "k" else f"--{foreign[0]}"
        raise UsageError(f"{name} is of {'lists that are made of two runs' if scored else 'a log of clicks'}")
    output = replace(output, shown="Interleaving") if scored else output
    output.check()
    own = {name: options[name] for name in (OF_LOGS if scored else OF_LISTS) if options[name] is not None}
    columns = column_names(column)
    if scored:
        output.keep(file[0])
        output.write(evaluate_interleaving(file[0], method=method, columns=columns, **own))
        return
    runs = one_path_each(file, "runs")
    if len(runs) != 2:
        raise UsageError(
            f"{len(runs)} files given: two runs make lists, a log of clicks says which is better"
        )
    output.keep(*runs.values())
    one, other = runs.values()
    named: dict[str, Any] = {"names": tuple(runs)} if any("=" in each for each in file) else {}
    made = interleave(one, other, method=method, columns=columns, **named, **own)
    output.write(made)
    output.tell(f"{output.path}: {line}" for line in made.account())
