"""The command line. Each command calls one public function."""

from __future__ import annotations

import sys
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import click

from rankmark.choices import Choices, values_of
from rankmark.errors import RankmarkError, UsageError, did_you_mean
from rankmark.formats import FORMATS

__all__ = ["main"]

MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@100"]
CHOICES = {
    "ties": "Order of equal scores.",
    "seed": "Of --ties random.",
    "missing": "Judged queries without results.",
    "unjudged_queries": "Queries with results but no judgements.",
    "no_relevant": "Queries for which nothing is relevant.",
    "duplicates": "The same item twice in one query.",
    "unjudged": "Items without a judgement.",
    "scores": "Precision in which scores are compared.",
}


def main(args: list[str] | None = None) -> int:
    """Run a command line and return the exit code: 0, 1 for bad data, 2 for bad usage, 130 for Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # formulas on a terminal without Unicode
    try:
        return _rankmark.main(args, prog_name="rankmark", standalone_mode=False) or 0
    except click.Abort:
        return 130
    except click.UsageError as error:
        hint = f" ({error.ctx.command_path} --help shows what there is)" if error.ctx else ""
        return _fail(error.format_message() + hint, 2)
    except RankmarkError as error:
        return _fail(str(error), 2 if isinstance(error, UsageError) else 1)
    except OSError as error:  # a full disk behind standard output, for example
        return _fail(str(error), 1)


def _fail(message: str, code: int) -> int:
    click.echo(f"rankmark: error: {message}", err=True)
    return code


class _Commands(click.Group):
    """Commands in the order in which they stand here, of which a wrong name brings up the nearest."""

    def list_commands(self, _: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0]
        if name not in self.commands:  # older versions of click do not say which comes near
            raise click.UsageError(f"No such command {name!r}{did_you_mean(name, self.commands)}", ctx)
        return super().resolve_command(ctx, args)


def _version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from rankmark.result import version

        click.echo(f"rankmark {version()}")
        context.exit()


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version and exit.",
)
@click.pass_context
def _rankmark(context: click.Context) -> None:
    """Measure how good rankings are, in numbers that say how they were computed."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
        context.exit(2)


def _choices(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command an option for each choice."""
    for name, text in reversed(CHOICES.items()):
        command = click.option(
            f"--{name.replace('_', '-')}",
            type=type(getattr(Choices(), name)),
            default=None,  # the convention's, or without one the standard's
            # No click.Choice: a wrong value is for Choices to refuse, which says what comes near.
            metavar="|".join(values_of(name)) or "N",
            help=text,
        )(command)
    return command


@_rankmark.command("eval")
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
@_choices
@click.option(
    "--column",
    multiple=True,
    metavar="ROLE=NAME",
    help="A column by its name, such as query=user_id; repeat it.",
)
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="How many to use, if not all.")
@click.option("-q", "--per-query", is_flag=True, help="Show each query's values, too.")
@click.option("--signature", is_flag=True, help="Show what each number depends on.")
@click.option(
    "--format", "format_", metavar="|".join(FORMATS), help="How to show it, whatever the ending of FILE."
)
@click.option(
    "--digits",
    type=click.IntRange(0, 17),
    default=4,
    show_default=True,
    metavar="N",
    help="Decimals to show.",
)
@click.option("-o", "--output", metavar="FILE", help="Write here, whole or not at all.")
def _eval(
    qrels: str,
    run: tuple[str, ...],
    *,
    measure: tuple[str, ...],
    like: tuple[str, ...],
    column: tuple[str, ...],
    per_query: bool,
    signature: bool,
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
    convention` lists; JSON and CSV show all digits, JSON all signatures.

    \b
    rankmark eval qrels.txt bm25.run
    rankmark eval qrels.txt bm25.run --like trec_eval --like ranx
    rankmark eval qrels.parquet a.parquet b.parquet -m "nDCG(gain=exp2)@10 AP"
    """  # noqa: D301
    from rankmark.difference import differences
    from rankmark.evaluation import evaluate
    from rankmark.formats import check_writable, format_of, known_format, render, write_whole
    from rankmark.inputs import read_qrels
    from rankmark.measure import split_measures

    name = known_format(format_ or format_of(output or ""))
    if output:
        check_writable(output)
        _keep_inputs(output, qrels, *run)
    asked = [each for text in measure for each in split_measures(text)]
    measures = asked if measure else _usual_measures(like)
    columns = _columns(column)
    judged = read_qrels(qrels, columns)
    if len(like) > 1:
        if len(run) > 1 or per_query or signature:
            raise UsageError("several --like show one run, without --per-query and --signature")
        found = differences(judged, run[0], measures, like=like, columns=columns, **options)
        text = found.format(name, digits)
    else:
        options["like"] = like[0] if like else None
        results = [evaluate(judged, path, measures, columns=columns, **options) for path in run]
        shown = dict(zip(_names(run), results, strict=True)) if len(run) > 1 else results[0]
        text = render(shown, name, per_query=per_query, signatures=signature, digits=digits)
    if output:
        write_whole(output, text)
    else:
        click.echo(text, nl=False)


def _usual_measures(like: tuple[str, ...]) -> list[str]:
    """What is measured if nothing is asked for: of the usual measures those that a tool has."""
    from rankmark.convention import convention

    tools = [convention(name) for name in like]
    return [each for each in MEASURES if not tools or any(tool.has(each) for tool in tools)]


def _keep_inputs(output: str, *inputs: str) -> None:
    for path in inputs:
        if Path(output).exists() and Path(path).exists() and Path(output).samefile(path):
            raise UsageError(f"-o {output} would overwrite the input {path}")


def _columns(pairs: tuple[str, ...]) -> dict[str, str | None]:
    columns: dict[str, str | None] = {}
    for pair in pairs:
        role, equals, name = pair.partition("=")
        if not (role and equals):
            raise UsageError(f"--column {pair!r} is not ROLE=NAME, such as query=user_id")
        columns[role] = name or None
    return columns


def _names(paths: tuple[str, ...]) -> list[str]:
    """What to call runs: their files' names without endings, or whole paths where these are not unique."""
    from rankmark.formats import printable

    names = [Path(path.removesuffix(".gz").removesuffix(".zst")).stem for path in paths]
    return list(map(printable, names if len(set(names)) == len(names) else paths))


@_rankmark.command("trec_eval")
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
def _trec_eval(
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
    from rankmark.trec_eval import evaluate, plan

    for option, asked, known in (("-R", qrels_format, "qrels"), ("-T", run_format, "trec_results")):
        if asked != known:
            raise UsageError(f"{option} {asked}: rankmark trec_eval knows the format {known} only")
    report = evaluate(qrels, run, plan(measure, level=level, items=items or 0), **options)
    if report.missing:
        count = f"{report.missing} judged {'query' if report.missing == 1 else 'queries'}"
        click.echo(f"rankmark: note: {count} without results left out (-c counts them as 0)", err=True)
    for block in report.blocks(per_query=per_query, summary=not no_summary):
        click.echo(block, nl=False)


@_rankmark.command("measures")
@click.argument("name", required=False)
def _measures(name: str | None) -> None:
    """List the measures, or show the page of one.

    The page of NAME gives its formula, parameters, source and a worked example.
    """
    from rankmark.manual import measure_list, measure_page

    click.echo(measure_page(name) if name else measure_list())


@_rankmark.command("convention")
@click.argument("name", required=False)
def _convention(name: str | None) -> None:
    """List the tools whose numbers can be had, or show one.

    The page of NAME gives the version that is followed, its choices, what it
    calls the measures, and what of it cannot be reproduced.
    """
    from rankmark.convention import convention, convention_list

    click.echo(convention(name).page if name else convention_list())


@_rankmark.command("demo")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default="rankmark-demo",
    show_default=True,
    metavar="DIR",
    help="Where to write the data.",
)
def _demo(out: Path) -> None:
    """Simulate a small shop and evaluate two recommenders on it."""
    from rankmark.demo import show

    for text in show(out):
        click.echo(text)
