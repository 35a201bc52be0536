"""`rankmark eval`."""

from __future__ import annotations

from typing import Any, Literal

import click

from rankmark.commands.options import (
    column_names,
    keep_inputs,
    known_format_of,
    run_names,
    show,
    usual_measures,
    with_choices,
    with_columns,
    with_output_of,
)
from rankmark.errors import UsageError

__all__ = ["MEASURES", "evaluate_runs"]

MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@100"]


@click.command("eval")
@click.argument("qrels")
@click.argument("run", nargs=-1, required=True)
@click.option(
    "-m",
    "--measure",
    multiple=True,
    metavar="MEASURE",
    help=f"What to measure; repeat it, or give several in one.  [default: {' '.join(MEASURES)}]",
)
@click.option(
    "--like",
    multiple=True,
    metavar="TOOL",
    help="Compute as this tool does; repeat it to see where tools differ and why.",
)
@with_choices
@with_columns
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="How many to use, if not all.")
@click.option("--engine", metavar="local|stream", help="In memory or in batches; by itself for large files.")
@click.option("--memory", metavar="SIZE", help="What --engine stream may use.  [default: 2GiB]")
@click.option(
    "--by",
    multiple=True,
    metavar="COLUMN",
    help="Show slices of the queries by a column of FILE, QRELS or RUN, too; repeat it.",
)
@click.option("--attributes", metavar="FILE", help="Queries with columns for --by.")
@click.option("-q", "--per-query", is_flag=True, help="Show each query's values, too.")
@click.option("--bounds", is_flag=True, help="Show what other orders of equal scores give, too.")
@click.option("--signature", is_flag=True, help="Show what each number depends on.")
@click.option("--short-signature", is_flag=True, help="Show of this what is not the standard.")
@with_output_of("Result")
def evaluate_runs(
    qrels: str,
    run: tuple[str, ...],
    *,
    measure: tuple[str, ...],
    like: tuple[str, ...],
    column: tuple[str, ...],
    by: tuple[str, ...],
    attributes: str | None,
    per_query: bool,
    signature: bool,
    short_signature: bool,
    format_: str | None,
    digits: int,
    output: str | None,
    **options: Any,
) -> None:
    """Measure one or several runs against judgements.

    QRELS holds the judgements (query, item, relevance), each RUN the results of
    a system (query, item, score), as TREC text, CSV, TSV, JSON lines or Parquet,
    also compressed (gz, zst). A measure is written Name(parameter=value)@cutoff;
    `rankmark measures` lists them. An option takes the first of its values
    unless told otherwise, by itself or by --like, whose tools `rankmark
    convention` lists. JSON and CSV show all digits, JSON all signatures and a
    hash of the inputs; --bounds shows the values under --ties worst, expected
    and best, and counts the queries that equal scores change. --by shows every
    measure for each value of a column, which has to be the same in all rows of a
    query; CSV shows either these slices or, with -q, the queries. -q -o FILE.parquet
    writes the values of each query.

    \b
    rankmark eval qrels.txt bm25.run
    rankmark eval qrels.txt bm25.run --like trec_eval --like ranx
    rankmark eval qrels.parquet a.parquet b.parquet -m "nDCG(gain=exp2)@10 AP"
    """  # noqa: D301
    from rankmark.api.evaluation import evaluate
    from rankmark.engines.selection import is_streamed
    from rankmark.inputs import read_qrels
    from rankmark.language.measure import split_measures
    from rankmark.peers.difference import differences
    from rankmark.rendering.files import check_writable
    from rankmark.rendering.formats import format_of, formats
    from rankmark.results.runs import Runs

    name = format_ or format_of(output or "")
    if name not in formats() or formats()[name].is_text:
        known_format_of("Result", name)
    elif not (output and per_query):
        raise UsageError("Parquet files hold the values of each query: add -q and -o FILE")
    if by and name == "trec":
        raise UsageError("--format trec has no place for --by")
    if output:
        check_writable(output)
        keep_inputs(output, qrels, *run, *([attributes] if attributes else []))
    asked = [each for text in measure for each in split_measures(text)]
    measures = asked if measure else usual_measures(MEASURES, like)
    options["columns"] = column_names(column)
    # What has been read has no longer the columns to slice by.
    # Nor is anything read at once that is to be read in batches.
    engine, memory = options["engine"], options["memory"]
    whole = by or (
        len(like) < 2 and any(is_streamed(engine, memory, {"qrels": qrels, "run": path}) for path in run)
    )
    judged = qrels if whole else read_qrels(qrels, options["columns"])
    if len(like) > 1:
        if options.pop("engine") == "stream" or options.pop("memory"):
            raise UsageError("several --like are compared in memory, without --engine stream and --memory")
        if len(run) > 1 or per_query or signature or short_signature or by or options.pop("bounds"):
            raise UsageError(
                "several --like show one run, without --by, --per-query, --bounds and --signature"
            )
        text = differences(judged, run[0], measures, like=like, **options).format(name, digits)
    else:
        options |= {"like": like[0] if like else None, "hash_inputs": name == "json"}
        options |= {"by": by or None, "attributes": attributes}
        results = [evaluate(judged, path, measures, **options) for path in run]
        named = dict(zip(run_names(run), results, strict=True)) if len(run) > 1 else {"": results[0]}
        shown = Runs(named)
        if not formats()[name].is_text:
            shown.write(str(output), name)
            return
        signatures: bool | Literal["short"] = "short" if short_signature else signature
        text = shown.format(name, digits, per_query=per_query, signatures=signatures)
    show(text, output)
