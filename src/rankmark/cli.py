"""The command line. Each command calls one public function."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from io import TextIOWrapper
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankmark.choices import Choices, values_of
from rankmark.errors import RankmarkError, UsageError

if TYPE_CHECKING:
    from rankmark.measure import Page

__all__ = ["main"]

DEFAULTS = Choices()
WIDTH = 80  # of pages, whatever the terminal's, so that they look alike everywhere
MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@100"]
# What typer raises for a wrong command line; its own name is public in no version.
WrongCommandLine: type[Any] = typer.BadParameter.__bases__[0]
LEGEND = """\
Written Name(parameter=value,...)@cutoff, for example nDCG(gain=exp2)@10; names
are understood in any case, and so are trec_eval's, such as ndcg_cut_10.
The page of one, with its parameters: rankmark measures NAME"""

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,  # rich would double the time of --help
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main(args: list[str] | None = None) -> int:
    """Run a command line and return the exit code: 0, 1 for bad data, 2 for bad usage, 130 for Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # formulas on a terminal without Unicode
    try:
        return typer.main.get_command(app).main(args, prog_name="rankmark", standalone_mode=False) or 0
    except WrongCommandLine as error:
        command = error.ctx.command_path if error.ctx else "rankmark"
        return _fail(f"{error.format_message()} ({command} --help shows what there is)", 2)
    except RankmarkError as error:
        return _fail(str(error), 2 if isinstance(error, UsageError) else 1)


def _fail(message: str, code: int) -> int:
    print(f"rankmark: error: {message}", file=sys.stderr)  # noqa: T201
    return code


def _version(wanted: bool) -> None:
    if wanted:
        from rankmark.result import version

        typer.echo(f"rankmark {version()}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _rankmark(
    context: typer.Context,
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Measure how good rankings are, in numbers that say how they were computed."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)


def _choice(name: str, text: str) -> Any:
    return typer.Option(metavar="|".join(values_of(name)), help=text)


@app.command("eval")
def _eval(
    qrels: Annotated[str, typer.Argument(metavar="QRELS", help="Judgements: query, item, relevance.")],
    runs: Annotated[list[str], typer.Argument(metavar="RUN", help="Results: query, item, score.")],
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            metavar="MEASURE",
            help=f"What to measure; repeat it, or give several in one.  [default: {' '.join(MEASURES)}]",
        ),
    ] = None,
    ties: Annotated[str, _choice("ties", "Order of equal scores.")] = DEFAULTS.ties,
    seed: Annotated[int, typer.Option(metavar="N", help="Of --ties random.")] = DEFAULTS.seed,
    missing: Annotated[str, _choice("missing", "Judged queries without results.")] = DEFAULTS.missing,
    unjudged_queries: Annotated[
        str, _choice("unjudged_queries", "Queries with results but no judgements.")
    ] = DEFAULTS.unjudged_queries,
    no_relevant: Annotated[
        str, _choice("no_relevant", "Queries for which nothing is relevant.")
    ] = DEFAULTS.no_relevant,
    duplicates: Annotated[
        str, _choice("duplicates", "The same item twice in one query.")
    ] = DEFAULTS.duplicates,
    unjudged: Annotated[str, _choice("unjudged", "Items without a judgement.")] = DEFAULTS.unjudged,
    scores: Annotated[str, _choice("scores", "Precision in which scores are compared.")] = DEFAULTS.scores,
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=NAME", help="A column by its name, such as query=user_id; repeat it."),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="How many to use.  [default: all]")
    ] = None,
    per_query: Annotated[
        bool, typer.Option("-q", "--per-query", help="Show each query's values, too.")
    ] = False,
    signature: Annotated[
        bool, typer.Option("--signature", help="Show what each number depends on (always in JSON).")
    ] = False,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="table|json|csv|markdown|latex|trec",
            help="How to show it.  [default: by the ending of FILE, or else table]",
        ),
    ] = None,
    digits: Annotated[
        int, typer.Option(metavar="N", min=0, max=17, help="Digits after the point; JSON and CSV show all.")
    ] = 4,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write here, whole or not at all."),
    ] = None,
) -> None:
    """Measure one or several runs against judgements.

    QRELS and RUN are files: TREC text, CSV, TSV, JSON lines or Parquet, also compressed (gz, zst). A measure
    is written Name(parameter=value)@cutoff; `rankmark measures` lists them.

    \b
    rankmark eval qrels.txt bm25.run
    rankmark eval qrels.parquet a.parquet b.parquet -m "nDCG(gain=exp2)@10 AP" --ties expected
    """  # noqa: D301
    from rankmark.evaluation import evaluate
    from rankmark.formats import check_writable, format_of, known_format, render, write_whole

    name = known_format(format_ or format_of(output or ""))
    if output:
        check_writable(output)
    options: dict[str, Any] = {
        "ties": ties,
        "seed": seed,
        "missing": missing,
        "unjudged_queries": unjudged_queries,
        "no_relevant": no_relevant,
        "duplicates": duplicates,
        "unjudged": unjudged,
        "scores": scores,
        "columns": _columns(column or []),
        "threads": threads,
    }
    measures = [name for text in measure or MEASURES for name in split_measures(text)]
    results = [evaluate(qrels, run, measures, **options) for run in runs]
    shown = dict(zip(_names(runs), results, strict=True)) if len(runs) > 1 else results[0]
    text = render(shown, name, per_query=per_query, signatures=signature, digits=digits)
    if output:
        write_whole(output, text)
    else:
        typer.echo(text, nl=False)


def split_measures(text: str) -> list[str]:
    """Measures separated by spaces or commas, those inside brackets excepted."""
    names, depth = [""], 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        if depth <= 0 and (char.isspace() or char == ","):
            names.append("")
        else:
            names[-1] += char
    return [name for name in names if name]


def _columns(pairs: list[str]) -> dict[str, str]:
    columns = {}
    for pair in pairs:
        role, equals, name = pair.partition("=")
        if not (role and equals and name):
            raise UsageError(f"--column {pair!r} is not ROLE=NAME, such as query=user_id")
        columns[role] = name
    return columns


def _names(paths: list[str]) -> list[str]:
    """What to call runs: their files' names without endings, or whole paths where these are not unique."""
    from rankmark.formats import printable

    names = [Path(path.removesuffix(".gz").removesuffix(".zst")).stem for path in paths]
    return list(map(printable, names if len(set(names)) == len(names) else paths))


@app.command("measures")
def _measures(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Show this one's page.")] = None,
) -> None:
    """List the measures, or show the page of one: formula, parameters, source, example."""
    from rankmark.measure import pages, parse

    typer.echo(_page(parse(name).page) if name else _listing(pages().values()))


def _listing(pages: Iterable[Page]) -> str:
    groups: dict[str, list[str]] = {"Graded relevance": [], "Relevant or not": [], "Counts and coverage": []}
    for page in pages:
        binary = "Relevant or not" if "rel" in page.parameters else "Graded relevance"
        counts = page.aggregate == "sum" or not page.parameters
        groups["Counts and coverage" if counts else binary].append(_listed(page))
    blocks = ["\n".join([title, *lines]) for title, lines in groups.items() if lines]
    return "\n\n".join([*blocks, LEGEND])


def _listed(page: Page) -> str:
    also = f" Also {', '.join(page.aliases)}." if page.aliases else ""
    return fill(page.summary + also, WIDTH, initial_indent=f"  {page.name:<11}", subsequent_indent=" " * 13)


def _page(page: Page) -> str:
    """A page, with its paragraphs broken to the width of a terminal and all else as it is."""
    header = [page.grammar, f"also {', '.join(page.aliases)}"] if page.aliases else [page.grammar]
    paragraphs = _paragraphs(page.doc.replace("`", "").splitlines())
    return "\n".join([*header, "", *map(_broken, paragraphs)]).rstrip()


def _paragraphs(lines: Iterable[str]) -> Iterator[list[str]]:
    paragraph: list[str] = []
    for line in lines:
        if paragraph and not _goes_on(paragraph, line):
            yield paragraph
            paragraph = []
        paragraph.append(line)
    yield paragraph


def _goes_on(paragraph: list[str], line: str) -> bool:
    """Whether a line goes on with a paragraph, rather than being one of its own."""
    first, last = paragraph[0], paragraph[-1]
    if not line.strip() or not last.strip() or last.endswith(":") or ">>>" in first + line:
        return False
    label = re.match(r"\s*(\w+|[A-Z][^.,;]*?): ", line)
    return _indent(line) >= _indent(last) and not (label and _indent(line) == _indent(first))


def _broken(paragraph: list[str]) -> str:
    if max(map(len, paragraph)) <= WIDTH or ">>>" in paragraph[0]:
        return "\n".join(paragraph)
    words = " ".join(line.strip() for line in paragraph)
    indents = [" " * _indent(line) for line in (paragraph[0], paragraph[-1])]
    return fill(words, WIDTH, initial_indent=indents[0], subsequent_indent=indents[1])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


@app.command("demo")
def _demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where to write the data.")] = Path(
        "rankmark-demo"
    ),
) -> None:
    """Simulate a small shop and evaluate two recommenders on it."""
    from rankmark.demo import show

    for text in show(out):
        typer.echo(text)
