"""`rankmark demo`."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["demo"]


@click.command("demo")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default="rankmark-demo",
    show_default=True,
    metavar="DIR",
    help="Where to write the data.",
)
def demo(out: Path) -> None:
    """Simulate a small shop and evaluate recommenders on it."""
    from rankmark.commands.shop import show

    for text in show(out):
        click.echo(text)
