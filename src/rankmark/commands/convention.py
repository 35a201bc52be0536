"""`rankmark convention`."""

from __future__ import annotations

import click

__all__ = ["convention"]


@click.command("convention")
@click.argument("name", required=False)
def convention(name: str | None) -> None:
    """List the tools whose numbers can be had, or show one.

    The page of NAME gives the version that is followed, its choices, what it
    calls the measures, and what of it cannot be reproduced.
    """
    from rankmark.language.conventions.convention import convention as record
    from rankmark.language.conventions.convention import convention_list

    click.echo(record(name).page if name else convention_list())
