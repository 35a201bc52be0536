"""The command line. Each command calls one public function."""

from __future__ import annotations

import atexit
import gc
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

from rankmark.commands.names import COMPLETING, MEASURE, refuse_mistyped
from rankmark.commands.output import UnansweredError
from rankmark.commands.wording import as_options
from rankmark.errors import RankmarkError, ToolMissingError, UsageError, did_you_mean
from rankmark.panics import hide_panics
from rankmark.rendering.files import is_file, write_whole
from rankmark.rendering.words import harmless
from rankmark.stopping import cleaned_up
from rankmark.tools import SPARED

__all__ = ["COMMANDS", "command_line", "command_named", "main"]

COMMANDS: Mapping[str, str] = {
    "eval": "eval.evaluate_runs",
    "predictions": "predictions.evaluate_table",
    "curve": "curve.draw_curve",
    "compare": "compare.compare_runs",
    "compare-matrix": "compare_matrix.compare_values",
    "board": "board.show_board",
    "gate": "gate.gate",
    "gate-predictions": "gate_predictions.gate_predictions",
    "power": "power.show_power",
    "judge": "judge.evaluate_judged",
    "answers": "answers.evaluate_answer_tables",
    "instructions": "instructions.evaluate_instructed",
    "abstention": "abstention.show_abstention",
    "pool": "pool.show_pool",
    "report": "report.write_report",
    "show": "show.show",
    "plot": "plot.plot",
    "explain": "explain.explain",
    "identify": "identify.identify_number",
    "check": "check.check_data",
    "check-predictions": "check_predictions.check_predictions",
    "agree": "agree.agree",
    "clicks": "clicks.show_clicks",
    "interleaving": "interleaving.interleaving",
    "logged": "logged.evaluate_log",
    "sample": "sample.draw_candidates",
    "correct-sampled": "correct_sampled.correct_values",
    "preferences": "preferences.rank_systems",
    "eval-expected": "eval_expected.evaluate_runs_by_uncertain_labels",
    "eval-preferences": "eval_preferences.evaluate_runs_by_preferences",
    "trec_eval": "trec_eval.trec_eval",
    "ndeval": "ndeval.ndeval",
    "measures": "measures.measures",
    "convention": "convention.convention",
    "completion": "completion.completion",
    "demo": "demo.demo",
}
"""The module and the function of each command, in the order in which they are listed."""
INSTEAD = {
    **dict.fromkeys(("--metric", "--metrics"), "measures are given with -m"),
    **dict.fromkeys(("--qrels", "--run", "--runs"), "files are given without options: QRELS RUN"),
    **dict.fromkeys(("-k", "--k", "--cutoff", "--topk"), "a cutoff is part of a measure: -m nDCG@10"),
}
"""What to do instead of using the options of others."""

WITHOUT_ARRAYS = ("eval",)
"""Which of those that measure mostly do without NumPy."""

OBJECTS = 50_000
"""So many more are made between two looks for cycles; imports alone make as many."""


def main(args: list[str] | None = None) -> int:
    """Run a command line and return the exit code: 0, 1 for bad data, 2 for bad usage, 130 for Ctrl-C.

    `rankmark trec_eval` ends with the exit codes of trec_eval.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # formulas on a terminal without Unicode
    if args is None:
        _collect_rarely()
        _own_standard_error()
    given = sys.argv[1:] if args is None else args
    if COMPLETING in os.environ:
        from rankmark.commands.completion import complete_files

        complete_files()
    try:
        with cleaned_up():
            return command_line.main(given, prog_name="rankmark", standalone_mode=False, obj=given) or 0
    except click.Abort:
        return 130
    except click.UsageError as error:
        hint = f" ({error.ctx.command_path} --help shows what there is)" if error.ctx else ""
        return _fail(_message(error) + hint, UsageError.__name__, 2, given)
    except UnansweredError as error:
        return _fail(str(error), type(error.why).__name__, 2, given)
    except RankmarkError as error:
        code = 2 if isinstance(error, UsageError) else 1
        return _fail(str(error), type(error).__name__, code, given)
    except ModuleNotFoundError as error:
        if error.name is None or (package := error.name.partition(".")[0]) not in SPARED:
            raise
        wanted = f"{package} is not installed, which this needs: pip install {package}"
        return _fail(wanted, ToolMissingError.__name__, 2, given)
    except OSError as error:  # a full disk behind standard output, for example
        return _fail(str(error), type(error).__name__, 1, given)
    except MemoryError as error:
        return _fail("there is not enough memory for this", type(error).__name__, 1, given)


def _collect_rarely() -> None:
    """Lets Python look for unused cycles rarely, and not at the end: a sixth of a small command."""
    gc.set_threshold(OBJECTS, 10, 10)
    atexit.register(gc.freeze)


def _own_standard_error() -> None:
    """Gives Python a number of its own for standard error, so that what native code prints can be hidden."""
    if isinstance(sys.stderr, TextIOWrapper):
        number, encoding = os.dup(sys.stderr.fileno()), sys.stderr.encoding
        sys.stderr = os.fdopen(number, "w", buffering=1, encoding=encoding, errors="replace")
        hide_panics()


def _message(error: click.UsageError) -> str:
    """What is wrong, and what to write instead of the options that other tools have."""
    if isinstance(error, click.NoSuchOption):
        if error.option_name in MEASURE and error.ctx is not None:
            return f"No such option {error.option_name!r}; {error.ctx.info_name} takes no measures"
        if error.option_name in INSTEAD:
            return f"No such option {error.option_name!r}; {INSTEAD[error.option_name]}"
    if isinstance(error, click.BadParameter):
        return error.format_message().rstrip(".") + _number_meant(error.message)
    return error.format_message()


def _number_meant(message: str) -> str:
    """``"; did you mean 0.05?"`` where a number was written as 5% or 0,05, or the empty string."""
    found = re.match(r"'(-?\d*[.,]?\d+) ?(%?)' is not a valid float", message)
    return (
        f"; did you mean {float(found[1].replace(',', '.')) / (100 if found[2] else 1):g}?" if found else ""
    )


def _fail(message: str, kind: str, code: int, given: Sequence[str]) -> int:
    """Says what is wrong; also as JSON, for a program that asked for that, where it looks for the result."""
    if command := command_named(given[0]) if given else None:
        message = as_options(message, command)
    click.echo(harmless(f"rankmark: error: {message}"), err=True)
    path = _output_of(given)
    if _is_json(given, path):
        from rankmark.rendering.formats.json import document

        error = {"kind": kind, "message": message, "exit_code": code}
        with suppress(OSError):  # where that is what is wrong
            _leave(document({"error": error}), path, given)
    elif path and is_file(path):
        click.echo(harmless(f"rankmark: {path} was not written; it is what was there before"), err=True)
    return code


def _leave(text: str, path: str | None, given: Sequence[str]) -> None:
    """Writes the text in the place of an older result, but over no input; else prints it."""
    if path and not _is_input(path, given):
        with suppress(UsageError):
            write_whole(path, text)
            return
    if path is None or _said(given, "--format"):
        click.echo(text, nl=False)


def _output_of(given: Sequence[str]) -> str | None:
    """The file that a command line, which need not be right, asks to write to."""
    command = command_named(given[0]) if given else None
    has_output = command is not None and any("--output" in option.opts for option in command.params)
    return _said(given, "-o", "--output") if has_output else None


def _is_json(given: Sequence[str], path: str | None) -> bool:
    """Whether a command line that need not be right asks for JSON."""
    said = _said(given, "--format")
    return said == "json" or (said is None and path is not None and path.lower().endswith(".json"))


def _said(given: Sequence[str], *names: str) -> str | None:
    """The value of an option as far as a command line that need not be right has one; the last counts."""
    found = None
    for each, following in pairwise((*given, "")):
        for name in names:
            joined = f"{name}=" if name.startswith("--") else name
            if each == name:
                found = following or found
            elif each.startswith(joined):
                found = each.removeprefix(joined)
    return found


def _is_input(path: str, given: Sequence[str]) -> bool:
    """Whether a command line names the file more than once, so that it is more than its output."""
    named = [each.removeprefix("-o").rpartition("=")[2] for each in given]
    with suppress(OSError, ValueError):
        written = Path(path).resolve()
        return sum(bool(each) and Path(each).resolve() == written for each in named) > 1
    return False


def command_named(name: str) -> click.Command | None:
    """The command of a name, whose module is imported when it is asked for."""
    if name not in COMMANDS:
        return None
    module, _, function = COMMANDS[name].partition(".")
    found: click.Command = getattr(import_module(f"rankmark.commands.{module}"), function)
    return found


class _Commands(click.Group):
    """Commands in the order in which they stand here, of which a wrong name brings up the nearest."""

    def list_commands(self, _: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        return command_named(name)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0]
        if (command := command_named(name)) is None:  # older versions of click do not say which comes near
            raise click.UsageError(f"No such command {name!r}{did_you_mean(name, COMMANDS)}", ctx)
        if any("--measure" in option.opts for option in command.params):
            refuse_mistyped(args[1:])
            completing = ctx.resilient_parsing
            if name not in WITHOUT_ARRAYS and not completing:
                # Deeper in the stack its import takes a tenth longer: where a piece of the stack ends, Python
                # 3.11 takes the next with every call, and gives it back.
                import_module("numpy")
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
def command_line(context: click.Context) -> None:
    """Measure rankings and predictions, in numbers that say how they were computed."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
        context.exit(2)
