"""The command line. Each command calls one public function."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import Any

import click

from rankmark.commands.agree import agree
from rankmark.commands.check import check_data
from rankmark.commands.compare import compare_runs
from rankmark.commands.convention import convention
from rankmark.commands.curve import draw_curve
from rankmark.commands.demo import demo
from rankmark.commands.eval import evaluate_runs
from rankmark.commands.explain import explain
from rankmark.commands.gate import gate
from rankmark.commands.measures import measures
from rankmark.commands.predictions import evaluate_table
from rankmark.commands.trec_eval import trec_eval
from rankmark.errors import RankmarkError, UsageError, did_you_mean
from rankmark.panics import hide_panics

__all__ = ["main"]


def main(args: list[str] | None = None) -> int:
    """Run a command line and return the exit code: 0, 1 for bad data, 2 for bad usage, 130 for Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # formulas on a terminal without Unicode
    if args is None:
        _own_standard_error()
    try:
        return _rankmark.main(args, prog_name="rankmark", standalone_mode=False) or 0
    except click.Abort:
        return 130
    except click.UsageError as error:
        hint = f" ({error.ctx.command_path} --help shows what there is)" if error.ctx else ""
        return _fail(error.format_message() + hint, 2)
    except RankmarkError as error:
        return _fail(str(error), 2 if isinstance(error, UsageError) else 1)
    except OSError as error:  # a full disk behind standard output, for example
        return _fail(str(error), 1)
    except MemoryError:
        return _fail("there is not enough memory for this", 1)


def _own_standard_error() -> None:
    """Gives Python a number of its own for standard error, so that what native code prints can be hidden."""
    if isinstance(sys.stderr, TextIOWrapper):
        number = os.dup(sys.stderr.fileno())
        sys.stderr = open(number, "w", buffering=1, encoding=sys.stderr.encoding, errors="replace")  # noqa: PTH123, SIM115
        hide_panics()


def _fail(message: str, code: int) -> int:
    click.echo(f"rankmark: error: {message}", err=True)
    return code


class _Commands(click.Group):
    """Commands in the order in which they stand here, of which a wrong name brings up the nearest."""

    def list_commands(self, _: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0]
        if name not in self.commands:  # older versions of click do not say which comes near
            raise click.UsageError(f"No such command {name!r}{did_you_mean(name, self.commands)}", ctx)
        return super().resolve_command(ctx, args)


def _version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from rankmark._native import __version__

        click.echo(f"rankmark {__version__}")
        context.exit()


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version and exit.",
)
@click.pass_context
def _rankmark(context: click.Context) -> None:
    """Measure rankings and predictions, in numbers that say how they were computed."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
        context.exit(2)


for _command in (
    evaluate_runs,
    evaluate_table,
    draw_curve,
    compare_runs,
    gate,
    explain,
    check_data,
    agree,
    trec_eval,
    measures,
    convention,
    demo,
):
    _rankmark.add_command(_command)
