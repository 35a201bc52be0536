"""`rankmark plot`."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmark.commands.options import is_said
from rankmark.commands.output import Output, with_output_of
from rankmark.commands.wording import as_options
from rankmark.errors import PictureError, UsageError
from rankmark.rendering.files import is_there

if TYPE_CHECKING:
    from rankmark.figures import Figure, Option, Picture
    from rankmark.results.saved import Saved

__all__ = ["plot"]

DRAWN, NUMBERS = (".svg", ".png", ".pdf"), (".json", ".csv", ".md", ".txt")
"""Endings of files of pictures, and of their numbers."""
ON_TERMINAL = (
    "a picture is nothing for a terminal: say -o FILE.svg, .png or .pdf, or --format table for its numbers; "
    "--list shows which pictures there are"
)


class _Plot(click.Command):
    """A command with the options of every picture besides its own, which are looked up when it is used."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        own = super().get_params(ctx)
        return [*own[:2], *_options(), *own[2:]]


@click.command("plot", cls=_Plot)
@click.argument("result", required=False, metavar="RESULT")
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--list", "listed", is_flag=True, help="Show which pictures there are, or are of RESULT.")
@click.option(
    "--width", type=click.IntRange(240, 4000), metavar="N", help="Of the picture, in pixels.  [default: 720]"
)
@click.option(
    "--theme",
    type=click.Choice(["auto", "light", "dark"]),
    help="Of SVG by itself as whoever looks at it has it, of others light.",
)
@click.option("--bare", is_flag=True, help="Without title, subtitle and notes, for papers.")
@with_output_of("Figure", files="Write here, whole or not at all: a name that ends with .svg, .png or .pdf.")
def plot(
    result: str | None,
    name: str | None,
    *,
    listed: bool,
    output: Output,
    width: int | None,
    theme: str | None,
    bare: bool,
    **options: Any,
) -> None:
    """Draw a picture of what was saved in RESULT.

    Every command that takes -o saves its result where the name ends with .rankmark.
    NAME is one of the pictures that --list shows, by itself the first that RESULT
    has what it takes for; options that are not of the picture are refused. -o
    FILE.svg, .png and .pdf are pictures (the latter two take the extra
    `pictures`); without -o standard output gets SVG, if it is no terminal.
    --format table and csv show the numbers in the picture, json is Vega-Lite.
    `rankmark plot --list NAME` shows the page of a picture.

    \b
    rankmark compare qrels.txt old.run new.run -o compared.rankmark
    rankmark plot compared.rankmark --list
    rankmark plot compared.rankmark differences -m nDCG@10 -o differences.svg
    """  # noqa: D301
    from rankmark.figures import drawn_as

    if listed:
        click.echo("\n".join(_listed(result, name)))
        return
    if result is None:
        raise UsageError("which result? rankmark plot RESULT, and --list shows which pictures there are")
    if output.path and not output.said and Path(output.path).suffix.lower() not in (*DRAWN, *NUMBERS):
        raise UsageError(f"-o {output.path}: a picture is a file that ends with {', '.join(DRAWN)}")
    output.keep(result)
    kept = _opened(result)
    said = {option: value for option, value in options.items() if value not in (None, ())}
    digits = str(output.digits) if is_said("digits") else None
    figure = drawn_as(kept, name, _understood(said, kept, name, digits))
    command = click.get_current_context().command
    figure = replace(figure, notes=tuple(as_options(note, command) for note in figure.notes))
    _write(figure.bare() if bare else figure, output, {"width": width, "theme": theme})


def _opened(path: str) -> Saved:
    from rankmark.loading import load
    from rankmark.results.saved import Saved

    found = load(path)
    return found if isinstance(found, Saved) else found.result()


def _write(figure: Figure, output: Output, drawing: Mapping[str, Any]) -> None:
    """Writes a picture to a file, or prints it."""
    how = {name: value for name, value in drawing.items() if value is not None}
    if output.path and (output.said in ("svg", "png", "pdf") or not output.said):
        figure.write(output.path, output.said, output.digits, **how)
    elif output.said not in (None, "svg"):
        if how:
            raise UsageError(f"--{next(iter(how))} is of pictures, and --format {output.said} is none")
        output.write(figure)
    elif sys.stdout.isatty():
        raise UsageError(ON_TERMINAL)
    else:
        click.echo(figure.to_svg(**how))


def _listed(path: str | None, name: str | None) -> Iterator[str]:
    """The pictures of what is saved somewhere, or all, or the page of one."""
    from rankmark.figures import picture_list, picture_named, pictures, pictures_of

    if path is None:
        yield picture_list()
    elif path in pictures() and not is_there(path):
        yield pictures()[path].page
    elif name is not None:
        yield picture_named(name, type(_opened(path))).page
    else:
        kept = _opened(path)
        found = pictures_of(type(kept))
        if not found:
            raise PictureError(f"there is no picture of a {type(kept).__name__}, which {path} holds")
        lacking = {each: why for each in found if (why := _lacking(kept, found[each]))}
        yield picture_list([each for each in found.values() if each.name not in lacking])
        for each, why in lacking.items():
            yield f"not {each} of this one: {why}"


def _lacking(kept: Saved, picture: Picture) -> str:
    """What a result lacks for a picture; empty if it can be drawn."""
    try:
        picture.draw(kept, {})
    except UsageError as error:
        return str(error)
    return ""


def _understood(said: Mapping[str, Any], kept: Saved, name: str | None, digits: str | None) -> dict[str, Any]:
    """Options as the picture takes them, all of which are texts on a command line.

    Digits, which all commands have, are the picture's, too, if it takes them.
    """
    from rankmark.figures import picture_named, pictures_of

    known = {name: picture_named(name, type(kept))} if name is not None else pictures_of(type(kept))
    chosen: dict[str, Option] = {}
    for each in known.values():
        chosen = {**each.options, **chosen}
    if digits is not None and "digits" in chosen:
        said = {**said, "digits": (digits,)}
    for option in said:
        if known and option not in chosen:
            takes = ", ".join(map(_written, chosen)) or "none"
            raise UsageError(f"{_written(option)} is no option of {' or '.join(known)}; it takes {takes}")
    return {option: chosen[option].value(value, _written(option)) for option, value in said.items() if known}


def _written(option: str) -> str:
    return f"--{option.replace('_', '-')}"


@functools.cache
def _options() -> tuple[click.Option, ...]:
    """An option for each that a picture takes."""
    from rankmark.figures import pictures

    known: dict[str, Option] = {}
    for each in pictures().values():
        known = {**each.options, **known}
    known.pop("digits", None)  # which all commands have
    return tuple(_option(known[name]) for name in sorted(known))


def _option(option: Option) -> click.Option:
    if option.is_flag:
        both = f"{_written(option.name)}/{_written(f'no_{option.name}')}"
        return click.Option([both], default=None, help=option.told)
    names = ["-m"] * (option.name == "measure") + [_written(option.name)]
    return click.Option(names, multiple=True, metavar=option.metavar, help=option.told)
