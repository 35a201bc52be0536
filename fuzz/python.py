"""Fuzzes one target of `fuzz.targets`, guided by which code is reached.

``python -m fuzz.python NAME [OPTION…]``

Options are those of libFuzzer; what has no ``-`` before it is a folder of inputs.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

GUIDES = {
    "measures": ["language"],
    "signatures": ["language"],
    "saved": ["results", "loading", "language"],
    "tables": ["inputs"],
    "commands": ["cli", "commands", "inputs", "rendering"],
}
"""The parts of rankmark by which each target is guided: to watch all of it takes a minute to begin with."""


def main() -> None:
    """Fuzzes until the options say that it ends."""
    name, *options = sys.argv[1:]
    # As long as this lasts, since much of rankmark is imported when it is first used.
    with atheris.instrument_imports(include=[f"rankmark.{part}" for part in GUIDES[name]]):
        from fuzz.targets import TARGETS
        from rankmark.language.registry import pages

        pages()  # a hundred modules, for which an input would be taken for a hang
        for folder in (Path(option) for option in options if not option.startswith("-")):
            for known in folder.iterdir():  # what they import is no time that an input takes
                TARGETS[name](known.read_bytes())
        atheris.Setup([name, *options], TARGETS[name])
        atheris.Fuzz()


if __name__ == "__main__":
    main()
