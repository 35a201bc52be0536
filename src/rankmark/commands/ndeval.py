"""`rankmark ndeval`."""

from __future__ import annotations

import click

from rankmark.errors import UsageError
from rankmark.rendering.words import harmless

__all__ = ["ndeval"]


@click.command("ndeval")
@click.argument("qrels")
@click.argument("run")
@click.option("-alpha", type=float, default=0.5, show_default=True, metavar="A", help="Of all but MAP-IA.")
@click.option("-beta", type=float, default=0.5, show_default=True, metavar="B", help="Of NRBP and nNRBP.")
@click.option("-traditional", is_flag=True, help="Order results by their scores, and not by their ranks.")
@click.option("-c", "whole", is_flag=True, help="Average over all judged topics, also without results.")
def ndeval(qrels: str, run: str, *, alpha: float, beta: float, traditional: bool, whole: bool) -> None:
    """Print what ndeval 4.5 prints.

    QRELS has lines 'topic aspect item grade', RUN 'topic Q0 item rank score tag';
    either can be compressed, or any other table that rankmark reads. The lines are
    CSV: a topic each, and their means. Where nothing is relevant to a topic nNRBP is
    -nan, and so is its mean. A number halfway between two of six digits can be
    rounded to the other, about one in 20,000. Topics have to be numbers, as there;
    other measures and cutoffs, and other ids, `rankmark eval --like ndeval` has.

    \b
    rankmark ndeval -traditional -c diversity.qrels a.run
    """  # noqa: D301
    from rankmark.peers.ndeval import printed

    for name, value in (("alpha", alpha), ("beta", beta)):
        if not 0 <= value <= 1:
            raise UsageError(f"-{name} {value:g} is not between 0 and 1")
    for line in printed(qrels, run, alpha=alpha, beta=beta, by_score=traditional, whole=whole):
        click.echo(harmless(line))
