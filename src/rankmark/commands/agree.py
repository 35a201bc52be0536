"""`rankmark agree`."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.options import (
    CHOICES,
    column_names,
    keep_inputs,
    run_names,
    show,
    with_choices,
    with_columns,
    with_output_in,
)
from rankmark.errors import UsageError
from rankmark.rendering.shown import FORMATS

__all__ = ["agree"]


class _Agree(click.Command):
    """A command whose help ends with what can be computed, as the pages say it."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        from rankmark.language.manual import coefficient_list

        formatter.write(f"\nCoefficients:\n{coefficient_list()}\n")


@click.command("agree", cls=_Agree)
@click.argument("run", nargs=-1, required=True)
@click.option(
    "-c",
    "--coefficient",
    multiple=True,
    metavar="COEFFICIENT",
    help="How to compare; repeat it, or give several in one.  [default: RBO Tau TauAP Overlap@10 Jaccard@10, "
    "of systems Tau TauAP]",
)
@click.option(
    "--qrels",
    multiple=True,
    metavar="QRELS",
    help="Compare how measures order the runs, against these judgements; repeat it to compare judgements.",
)
@click.option(
    "-m", "--measure", multiple=True, metavar="MEASURE", help="With --qrels, by which to order; repeat it."
)
@click.option("-q", "--per-query", is_flag=True, help="Show each query's values, too.")
@with_choices
@with_columns
@with_output_in(FORMATS)
def agree(
    run: tuple[str, ...],
    *,
    coefficient: tuple[str, ...],
    qrels: tuple[str, ...],
    measure: tuple[str, ...],
    per_query: bool,
    column: tuple[str, ...],
    format_: str | None,
    digits: int,
    output: str | None,
    **choices: Any,
) -> None:
    """Show how far two runs agree, or two ways to order runs.

    RUN RUN compares how two runs rank items, query by query. With --qrels the
    runs themselves are ranked: by each measure against each set of judgements,
    and every two of these rankings are compared. The coefficients beneath are
    written Name(parameter=value)@cutoff; `rankmark measures RBO` shows the page
    of one.

    \b
    rankmark agree bm25.run dense.run -c "RBO(p=0.98) Tau Jaccard@10"
    rankmark agree --qrels qrels.txt -m nDCG@10 -m AP *.run
    rankmark agree --qrels old.txt --qrels new.txt -m nDCG@10 *.run
    """  # noqa: D301
    from rankmark.rendering.formats import check_writable, format_of, known_format

    name = known_format(format_ or format_of(output or ""), FORMATS)
    if output:
        check_writable(output)
        keep_inputs(output, *qrels, *run)
    columns = column_names(column)
    if qrels:
        if per_query:
            raise UsageError("-q shows queries, but with --qrels it is the runs that are ranked")
        agreement: Any = _of_systems(run, coefficient, qrels, measure, columns, choices)
        show(agreement.format(name, digits=digits), output)
        return
    from rankmark.comparing.agreement import COEFFICIENTS, agree

    if measure:
        raise UsageError("-m needs --qrels, the judgements by which to measure; for coefficients there is -c")
    if len(run) != 2:
        given = "1 run" if len(run) == 1 else f"{len(run)} runs"
        raise UsageError(f"{given} given: two are compared, or with --qrels the order of many")
    compared = ("ties", "seed", "duplicates", "scores")
    for option in CHOICES.keys() - set(compared):
        if choices[option] is not None:
            raise UsageError(f"--{option.replace('_', '-')} needs --qrels: two runs alone have no judgements")
    asked = {option: choices[option] for option in compared if choices[option] is not None}
    agreement = agree(*run, coefficient or COEFFICIENTS, columns=columns, **asked)
    show(agreement.format(name, digits=digits, per_query=per_query), output)


def _of_systems(
    run: tuple[str, ...],
    coefficient: tuple[str, ...],
    qrels: tuple[str, ...],
    measure: tuple[str, ...],
    columns: dict[str, str | None],
    choices: dict[str, Any],
) -> Any:
    from rankmark.commands.eval import MEASURES
    from rankmark.comparing.agreement import SYSTEM_COEFFICIENTS, agree_on_systems
    from rankmark.language.grammar import split_measures

    measures = [each for text in measure or MEASURES for each in split_measures(text)]
    return agree_on_systems(
        dict(zip(run_names(qrels), qrels, strict=True)),
        dict(zip(run_names(run), run, strict=True)),
        measures,
        coefficient or SYSTEM_COEFFICIENTS,
        columns=columns,
        **choices,
    )
