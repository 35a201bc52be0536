"""A page for each command, of its help."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from _generators import words
from _generators.pages import page
from rankmark.cli import COMMANDS, command_named

PLACE = 50


def write(folder: Path) -> Path:
    """Writes the pages of commands, and the list of all."""
    known = commands()
    for name, command in known.items():
        page(folder / "commands" / f"{name}.md", command_page(name, command))
    rows = (
        [words.linked(words.code(f"rankmark {name}"), f"commands/{name}.md"), words.text(_summary(command))]
        for name, command in known.items()
    )
    return page(
        folder / "commands" / "index.md",
        words.joined("# Commands", words.table(["command", "what it does"], rows)),
    )


def commands() -> Mapping[str, click.Command]:
    """Every command by its name."""
    return {name: command for name in COMMANDS if (command := command_named(name))}


def command_page(name: str, command: click.Command) -> str:
    """The page of a command."""
    context = click.Context(command, info_name=f"rankmark {name}")
    told = inspect.cleandoc(command.help or "").split("\n\n")
    options = [each.get_help_record(context) for each in command.params if isinstance(each, click.Option)]
    return words.leaf(
        "commands/index.md",
        name,
        f"```text\n{' '.join(command.get_usage(context).split())}\n```",
        *_paragraphs(told),
        words.section(
            "Options",
            words.definitions(
                (words.code(" ".join(said.split())), words.text(what)) for said, what in filter(None, options)
            ),
        ),
    )


def _summary(command: click.Command) -> str:
    return " ".join(inspect.cleandoc(command.help or "").partition("\n\n")[0].split())


def _paragraphs(told: list[str]) -> Iterator[str]:
    """Paragraphs; those that are marked so, as they stand."""
    for each in told:
        if each.startswith("\b\n"):
            yield f"```text\n{each[2:]}\n```"
        else:
            yield words.text(" ".join(each.split()))
