"""What functions say of their arguments, in the words of options."""

from __future__ import annotations

import click
import pytest

from rankmark.commands.wording import as_options

COMMAND = click.Command(
    "any",
    params=[
        click.Option([f"--{name}"])
        for name in (
            "max-drop",
            "at-least",
            "ties",
            "duplicates",
            "column",
            "score",
            "bins",
            "like",
            "system",
        )
    ],
)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ('give max_drop="0.5%", say', "give --max-drop 0.5%, say"),
        ('or limits: at_least={"nDCG@10": 0.3}', "or limits: --at-least nDCG@10=0.3"),
        ("max_drop is of measures", "--max-drop is of measures"),
        ("ties='bset' is not one of best", "--ties bset is not one of best"),
        ('choose duplicates="first" or "best"', "choose --duplicates first or best"),
        ("columns={'query': 'user'}: no", "--column query=user: no"),
        ('say score="p" (on the command line --score p), or', "say --score p, or"),
        (
            'scores={"a": "p"} (on the command line --system a=p)',
            "--system a=p",
        ),
        ("no measure ECE(bins=15), nor ECE(a=1,bins=15)", "no measure ECE(bins=15), nor ECE(a=1,bins=15)"),
        ("there is no file 'ties=best.run'", "there is no file 'ties=best.run'"),
        ("folder/max_drop.csv is empty", "folder/max_drop.csv is empty"),
        ('say k=10 or item=""', 'say k=10 or item=""'),
        ('none with score=""', 'none with --score ""'),
    ],
)
def test_arguments_become_options(said: str, shown: str) -> None:
    assert as_options(said, COMMAND) == shown
