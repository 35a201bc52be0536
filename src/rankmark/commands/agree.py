"""`rankmark agree`."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.names import column_names, measures_in, one_path_each
from rankmark.commands.options import CHOICES, with_choices, with_columns, with_per_query
from rankmark.commands.output import Output, with_output_of
from rankmark.errors import UsageError

__all__ = ["agree"]


class _Agree(click.Command):
    """A command whose help ends with what can be computed, as the pages say it."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        from rankmark.language.manual import coefficient_list

        formatter.write(f"\nCoefficients:\n{coefficient_list()}\n")


@click.command("agree", cls=_Agree)
@click.argument("run", nargs=-1, required=True, metavar="[NAME=]RUN...")
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
@with_per_query
@with_choices
@with_columns
@with_output_of("Agreement")
def agree(
    run: tuple[str, ...],
    *,
    coefficient: tuple[str, ...],
    qrels: tuple[str, ...],
    measure: tuple[str, ...],
    per_query: bool,
    column: tuple[str, ...],
    output: Output,
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
    output.check()
    runs, judgements = one_path_each(run, "runs"), one_path_each(qrels, "judgements")
    output.keep(*judgements.values(), *runs.values())
    columns = column_names(column)
    if qrels:
        if per_query:
            raise UsageError("-q shows queries, but with --qrels it is the runs that are ranked")
        agreement: Any = _of_systems(runs, coefficient, judgements, measure, columns, choices)
        output.write(agreement)
        return
    from rankmark.comparing.agreement import COEFFICIENTS, agree

    if measure:
        raise UsageError("-m needs --qrels, the judgements by which to measure; for coefficients there is -c")
    if len(runs) != 2:
        given = "1 run" if len(runs) == 1 else f"{len(runs)} runs"
        raise UsageError(f"{given} given: two are compared, or with --qrels the order of many")
    compared = ("ties", "seed", "duplicates", "scores")
    for option in CHOICES.keys() - set(compared):
        if choices[option] is not None:
            raise UsageError(f"--{option.replace('_', '-')} needs --qrels: two runs alone have no judgements")
    asked = {option: choices[option] for option in compared if choices[option] is not None}
    one, other = runs.values()
    agreement = agree(one, other, coefficient or COEFFICIENTS, columns=columns, **asked)
    output.write(agreement, per_query=per_query)


def _of_systems(
    runs: dict[str, str],
    coefficient: tuple[str, ...],
    qrels: dict[str, str],
    measure: tuple[str, ...],
    columns: dict[str, str | None],
    choices: dict[str, Any],
) -> Any:
    from rankmark.commands.eval import MEASURES
    from rankmark.comparing.agreement import SYSTEM_COEFFICIENTS, agree_on_systems

    return agree_on_systems(
        qrels,
        runs,
        measures_in(measure or MEASURES),
        coefficient or SYSTEM_COEFFICIENTS,
        columns=columns,
        **choices,
    )
