"""`rankmark trec_eval`."""

from __future__ import annotations

from typing import Any

import click

from rankmark.errors import UsageError

__all__ = ["trec_eval"]


@click.command("trec_eval")
@click.argument("qrels")
@click.argument("run")
@click.option("-q", "per_query", is_flag=True, help="Print each query's values, too.")
@click.option("-n", "no_summary", is_flag=True, help="Print no values of all queries together.")
@click.option("-c", "complete", is_flag=True, help="Count judged queries without results as empty lists.")
@click.option(
    "-m",
    "measure",
    multiple=True,
    metavar="MEASURE[.PARAMETERS]",
    help="What to measure; repeat it. Also official, set, all_trec.  [default: official]",
)
@click.option(
    "-l",
    "level",
    type=int,
    default=1,
    show_default=True,
    metavar="N",
    help="Least grade that counts as relevant.",
)
@click.option("-M", "most", type=click.IntRange(min=1), metavar="N", help="Use the first N items of a list.")
@click.option("-J", "judged_only", is_flag=True, help="Take unjudged items out of the lists.")
@click.option("-N", "items", type=click.IntRange(min=1), metavar="N", help="Items in the collection.")
@click.option("-R", "qrels_format", default="qrels", metavar="qrels", help="Format of QRELS.")
@click.option("-T", "run_format", default="trec_results", metavar="trec_results", help="Format of RUN.")
def trec_eval(
    qrels: str,
    run: str,
    *,
    per_query: bool,
    no_summary: bool,
    measure: tuple[str, ...],
    level: int,
    items: int | None,
    qrels_format: str,
    run_format: str,
    **options: Any,
) -> None:
    """Print what trec_eval 10.0 prints, byte for byte.

    The same options and measures, for scripts that read what trec_eval prints.
    Parameters follow a measure's name after a dot: P.5,10 ndcg_cut.10
    utility.2,-1,0,0. QRELS and RUN may have any format that rankmark reads.

    \b
    rankmark trec_eval qrels.txt bm25.run
    rankmark trec_eval -q -c -M 1000 -m all_trec qrels.txt bm25.run
    """  # noqa: D301
    from rankmark.peers.trec_eval import evaluate, plan

    for option, asked, known in (("-R", qrels_format, "qrels"), ("-T", run_format, "trec_results")):
        if asked != known:
            raise UsageError(f"{option} {asked}: rankmark trec_eval knows the format {known} only")
    report = evaluate(qrels, run, plan(measure, level=level, items=items or 0), **options)
    if report.missing:
        count = f"{report.missing} judged {'query' if report.missing == 1 else 'queries'}"
        click.echo(f"rankmark: note: {count} without results left out (-c counts them as 0)", err=True)
    for block in report.blocks(per_query=per_query, summary=not no_summary):
        click.echo(block, nl=False)
