"""What several commands take, and what they do with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from rankmark.errors import UsageError
from rankmark.language.choices import Choices, values_of

if TYPE_CHECKING:
    from rankmark.language.measure import Kind
    from rankmark.rendering.shown import Shown

__all__ = [
    "column_names",
    "is_said",
    "keep_inputs",
    "known_format_of",
    "named_paths",
    "run_names",
    "show",
    "usual_measures",
    "with_choice",
    "with_choices",
    "with_columns",
    "with_format_of",
    "with_like",
    "with_output_of",
    "with_significance",
]

Command = Callable[..., None]

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


def with_choices(command: Command) -> Command:
    """Gives a command an option for each choice."""
    for name in reversed(CHOICES):
        command = with_choice(name)(command)
    return command


def with_choice(name: str) -> Callable[[Command], Command]:
    """Gives a command the option for one choice."""
    return click.option(
        f"--{name.replace('_', '-')}",
        type=type(getattr(Choices(), name)),
        default=None,  # the convention's, or without one the standard's
        # No click.Choice: a wrong value is for Choices to refuse, which says what comes near.
        metavar="|".join(values_of(name)) or "N",
        help=CHOICES[name],
    )


def with_like(command: Command) -> Command:
    """Gives a command the option --like, of one tool."""
    option = click.option(
        "--like", multiple=True, callback=_one, metavar="TOOL", help="Compute as this tool does."
    )
    return option(command)


def _one(_: click.Context, __: click.Parameter, said: tuple[str, ...]) -> str | None:
    """The tool; refuses several, of which click would take the last."""
    if len(said) > 1:
        raise UsageError(f"--like is said {len(said)} times; only `rankmark eval` compares several tools")
    return next(iter(said), None)


def with_significance(corrections: Iterable[str]) -> Callable[[Command], Command]:
    """Gives a command the options --alternative, --correction, of these, and --alpha."""
    first, *_ = known = list(corrections)

    def give(command: Command) -> Command:
        for option in (
            click.option(
                "--alpha",
                type=float,
                default=0.05,
                show_default=True,
                metavar="P",
                help="What is significant.",
            ),
            click.option(
                "--correction",
                default=first,
                metavar="|".join(known),
                help="Of p-values, for several systems and measures.",
            ),
            click.option(
                "--alternative",
                default="two-sided",
                metavar="two-sided|greater|less",
                help="Which differences count: of a system less its baseline.",
            ),
        ):
            command = option(command)
        return command

    return give


def with_columns(command: Command) -> Command:
    """Gives a command the option --column, for `column_names`."""
    return click.option(
        "--column",
        multiple=True,
        metavar="ROLE=NAME",
        help="A column by its name, such as query=user_id; repeat it.",
    )(command)


def with_output_of(shown: str) -> Callable[[Command], Command]:
    """Gives a command that shows this class of `rankmark.results` --format, --digits and --output."""

    def give(command: Command) -> Command:
        for option in (
            click.option("-o", "--output", metavar="FILE", help="Write here, whole or not at all."),
            click.option(
                "--digits",
                type=click.IntRange(0, 17),
                default=4,
                show_default=True,
                metavar="N",
                help="Decimals to show.",
            ),
            with_format_of(shown, help="How to show it, whatever the ending of FILE."),
        ):
            command = option(command)
        return command

    return give


def with_format_of(shown: str, **how: Any) -> Callable[[Command], Command]:
    """Gives a command --format, whose values are the formats of this class."""

    class Format(click.Option):
        def make_metavar(self, *_: Any, **__: Any) -> str:
            return "|".join(_class(shown).formats())  # which no run needs that is not asked for help

    return click.option("--format", "format_", cls=Format, **how)


def known_format_of(shown: str, name: str | None, output: str | None = None) -> str:
    """The format that is said, or that of the file's ending, if this class has it."""
    from rankmark.rendering.formats import format_of, known_format

    return known_format(name or format_of(output or ""), _class(shown).formats())


def _class(name: str) -> type[Shown]:
    from rankmark import results

    found: type[Shown] = getattr(results, name)
    return found


def usual_measures(measures: list[str], like: Iterable[str], kind: Kind = "list") -> list[str]:
    """What is measured if nothing is asked for: of some measures those that a tool has, or all."""
    from rankmark.language.conventions.convention import convention
    from rankmark.language.measure import CLASSES_FIRST, LISTS_FIRST, ROWS_FIRST

    kinds = {"list": LISTS_FIRST, "row": ROWS_FIRST, "class": CLASSES_FIRST}[kind]
    tools = [convention(name) for name in like]
    return [each for each in measures if any(tool.has(each, kinds) for tool in tools)] or measures


def show(text: str, output: str | None) -> None:
    """Prints the text, or writes it to the file."""
    from rankmark.rendering.files import write_whole

    if output:
        write_whole(output, text)
    else:
        click.echo(text, nl=False)


def keep_inputs(output: str, *inputs: str) -> None:
    """Refuses an output that is one of the inputs."""
    for path in inputs:
        if Path(output).exists() and Path(path).exists() and Path(output).samefile(path):
            raise UsageError(f"-o {output} would overwrite the input {path}")


def is_said(name: str) -> bool:
    """Whether an option of the command that runs is on the command line."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def column_names(pairs: tuple[str, ...]) -> dict[str, str | None]:
    """Each role's column, of pairs written ROLE=NAME."""
    columns: dict[str, str | None] = {}
    for pair in pairs:
        role, equals, name = pair.partition("=")
        if not (role and equals):
            raise UsageError(f"--column {pair!r} is not ROLE=NAME, such as query=user_id")
        columns[role] = name or None
    return columns


def run_names(paths: tuple[str, ...]) -> list[str]:
    """What to call runs: their files' names without endings, or whole paths where these are not unique."""
    from rankmark.rendering.words import printable

    names = [Path(path.removesuffix(".gz").removesuffix(".zst")).stem for path in paths]
    return list(map(printable, names if len(set(names)) == len(names) else paths))


def named_paths(texts: tuple[str, ...], what: str) -> dict[str, list[str]]:
    """The paths of each name: that said in NAME=PATH, or the file's. `what` they are is for messages."""
    pairs = [_split(text) for text in texts]
    said = {name for name, _ in pairs if name}
    own = iter(run_names(tuple(path for name, path in pairs if not name)))
    named: dict[str, list[str]] = {}
    for name, path in pairs:
        called = name or next(own)
        if not name and (called in said or called in named):
            raise UsageError(f"two {what} are called {called}; write NAME={path} to call it otherwise")
        named.setdefault(called, []).append(path)
    return named


def _split(text: str) -> tuple[str, str]:
    """Name and path; a file that is there under the whole text has no name."""
    name, equals, path = text.partition("=")
    return (name, path) if name and equals and not Path(text).exists() else ("", text)
