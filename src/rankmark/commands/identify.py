"""`rankmark identify`."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.names import column_names, measure_in
from rankmark.commands.options import with_choices, with_columns, with_threads
from rankmark.commands.output import Output, with_output_of

__all__ = ["identify_number"]


@click.command("identify")
@click.argument("qrels")
@click.argument("run")
@click.option("-m", "--measure", required=True, metavar="MEASURE", help="What the number is said to be.")
@click.option("--value", required=True, metavar="NUMBER", help="The number, with all digits that are known.")
@with_choices
@with_columns
@with_threads
@with_output_of("Identification")
def identify_number(
    qrels: str,
    run: str,
    *,
    measure: str,
    value: str,
    column: tuple[str, ...],
    output: Output,
    **choices: Any,
) -> None:
    """Find by which definition a published number came about.

    QRELS and RUN are as for `rankmark eval`. Tried is what each convention
    computes under the name, and every parameter and choice otherwise than here,
    alone and together; then other cutoffs. What fits to the digits given comes
    first, then what is nearest. Options hold for all that is tried.

    \b
    rankmark identify qrels.txt bm25.run -m nDCG@10 --value 0.4373
    rankmark identify qrels.txt bm25.run -m MAP@100 --value 27.1%
    """  # noqa: D301
    from rankmark.peers.identification import identify

    output.check()
    output.keep(qrels, run)
    found = identify(qrels, run, measure_in(measure), value, columns=column_names(column), **choices)
    output.write(found)
