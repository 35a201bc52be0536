"""Writes a manual page of rankmark and of each of its commands into a folder, by what ``--help`` says."""

from __future__ import annotations

import re
import sys
from inspect import cleandoc
from pathlib import Path

import click

import rankmark as rm
from rankmark.cli import COMMANDS, command_line


def page(command: click.Command, name: str) -> str:
    """The page of a command in roff."""
    context = click.Context(command, info_name=name.replace("-", " ", 1) if name != "rankmark" else name)
    title, version = name.upper(), f"rankmark {rm.__version__}"
    about = cleandoc(command.help or "").replace("\f", "")
    lines = [
        f'.TH "{_roff(title)}" "1" "" "{version}" "rankmark"',
        ".SH NAME",
        f"{_roff(name)} \\- {_roff(command.get_short_help_str(400).rstrip('.'))}",
        ".SH SYNOPSIS",
        rf"\fB{_roff(name.replace('-', ' ', 1))}\fR {_roff(' '.join(command.collect_usage_pieces(context)))}",
        ".SH DESCRIPTION",
        *_paragraphs(about),
    ]
    options = [each.get_help_record(context) for each in command.get_params(context)]
    if written := [each for each in options if each and each[1]]:
        lines.append(".SH OPTIONS")
        for names, said in written:
            lines += [".TP", rf"\fB{_roff(names)}\fR", _roff(said)]
    if isinstance(command, click.Group):
        lines.append(".SH COMMANDS")
        for each in command.list_commands(context):
            known = command.get_command(context, each)
            said = known.get_short_help_str(400) if known else ""
            lines += [".TP", rf"\fBrankmark\-{_roff(each)}\fR(1)", _roff(said)]
    return "\n".join(lines) + "\n"


def _paragraphs(text: str) -> list[str]:
    """Paragraphs, and those that click leaves as they are, of examples under a title of their own."""
    lines = []
    for paragraph in re.split(r"\n\s*\n", text):
        if paragraph.startswith("\b"):
            lines += [".SH EXAMPLES"] if "\nrankmark " in paragraph else []
            lines += [".nf", _roff(paragraph.removeprefix("\b\n")), ".fi"]
        else:
            lines += [".PP", _roff(" ".join(paragraph.split()))]
    return lines


def _roff(text: str) -> str:
    """A text in which nothing is taken for an instruction."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", escaped, flags=re.MULTILINE)


def write(folder: Path) -> list[Path]:
    """Writes all pages: ``rankmark.1``, ``rankmark-eval.1`` and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    context = click.Context(command_line, info_name="rankmark")
    commands = {f"rankmark-{name}": command_line.get_command(context, name) for name in COMMANDS}
    written = []
    for name, command in {"rankmark": command_line, **commands}.items():
        if command is not None:
            path = folder / f"{name}.1"
            path.write_text(page(command, name))
            written.append(path)
    return written


if __name__ == "__main__":
    print(f"{len(write(Path(sys.argv[1])))} pages in {sys.argv[1]}")
