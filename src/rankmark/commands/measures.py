"""`rankmark measures`."""

from __future__ import annotations

import click

__all__ = ["measures"]


@click.command("measures")
@click.argument("name", required=False)
def measures(name: str | None) -> None:
    """List the measures, or show the page of one.

    The page of NAME gives its formula, parameters, source and a worked example.
    """
    from rankmark.language.manual import measure_list, measure_page

    click.echo(measure_page(name) if name else measure_list())
