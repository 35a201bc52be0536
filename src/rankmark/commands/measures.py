"""`rankmark measures`."""

from __future__ import annotations

import click

from rankmark.commands.names import measure_in

__all__ = ["measures"]


@click.command("measures")
@click.argument("name", required=False)
def measures(name: str | None) -> None:
    """List the measures, or show the page of one.

    The page of NAME gives its formula, parameters, source and a worked example.
    A measure of your own is MODULE:FUNCTION, of a module that is installed or in
    the current folder; naming it imports that module, here and after -m.
    """
    from rankmark.language.manual import measure_list, measure_page

    click.echo(measure_page(measure_in(name)) if name else measure_list())
