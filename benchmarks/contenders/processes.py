"""Processes from start to end."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

from benchmarks.contenders import SIX, Call, Contender
from benchmarks.data import Data


def command(*arguments: str) -> Callable[[Data], Call]:
    """The installed command."""
    path = Path(sysconfig.get_path("scripts")) / "rankmark"
    return lambda _data: _process(str(path), *arguments)


def command_eval(data: Data) -> Call:
    """`rankmark eval` on TREC files."""
    options = [option for measure in SIX for option in ("-m", measure)]
    return command("eval", *map(str, data.files), *options)(data)


def python(code: str) -> Callable[[Data], Call]:
    """An interpreter that does one thing."""
    return lambda _data: _process(sys.executable, "-c", code)


def _process(*command: str) -> Call:
    def work() -> None:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    return work


IMPORT = Contender("import rankmark", python("import rankmark"))
HELP = Contender("rankmark --help", command("--help"))
EVAL = Contender("rankmark eval", command_eval)
PYTHON = Contender("floor: python", python("pass"))
NUMPY = Contender("floor: import numpy", python("import numpy"))
