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
            "bounds-of",
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
        ("'ECE（bins=15）' is no measure", "'ECE（bins=15）' is no measure"),
        ("there is no file 'ties=best.run'", "there is no file 'ties=best.run'"),
        ("folder/max_drop.csv is empty", "folder/max_drop.csv is empty"),
        ('say k=10 or item=""', 'say k=10 or item=""'),
        ('none with score=""', 'none with --score ""'),
        ('bounds="unjudged" needs one order', "--bounds-of unjudged needs one order"),
    ],
)
def test_arguments_become_options(said: str, shown: str) -> None:
    assert as_options(said, COMMAND) == shown


def test_bounds_are_an_option_of_their_own_only_where_there_is_one() -> None:
    said = 'see bounds="unjudged"'
    assert as_options(said, click.Command("other", params=[click.Option(["--ties"])])) == said
    assert as_options(said, COMMAND) == "see --bounds-of unjudged"
