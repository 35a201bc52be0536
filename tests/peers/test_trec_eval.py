"""`rankmark trec_eval` beside trec_eval itself; `against_trec_eval` says how, and runs for longer."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from against_trec_eval import (
    SOURCE,
    Case,
    Outcome,
    built,
    compare,
    explained,
    group_cases,
    random_cases,
    real_cases,
)

RANDOM, REAL = 400, 40


@pytest.fixture(scope="module")
def program() -> Iterator[Path]:
    """The program, built of its source; the tests are skipped where it cannot be, and say so."""
    with built() as path:
        if path is None:
            reason = f"NOT COMPARED with trec_eval: its source in {SOURCE}, make and gcc are needed"
            warnings.warn(reason, pytest.PytestWarning, stacklevel=1)
            pytest.skip(reason)
        yield path


@pytest.mark.parametrize("seed", [1, 2])
def test_random_files_and_command_lines(program: Path, seed: int) -> None:
    tally = compare(program, islice(random_cases(seed), RANDOM), show=3)
    assert tally.compared == RANDOM
    assert not tally.unexplained, str(tally)
    assert sum(tally.wanted.values()) < RANDOM / 4


def test_random_preferences_and_judgements_of_several_people(program: Path) -> None:
    tally = compare(program, islice(group_cases(1), RANDOM), show=3)
    assert tally.compared == RANDOM
    assert not tally.unexplained, str(tally)
    assert sum(tally.wanted.values()) < RANDOM / 10


def test_random_command_lines_for_real_collections(program: Path) -> None:
    tally = compare(program, islice(real_cases(1), REAL), show=3)
    if not tally.compared:
        pytest.skip("the collections are not beside the checkout")
    assert not tally.unexplained, str(tally)


@pytest.mark.parametrize(
    ("run", "theirs", "wanted"),
    [
        (b"\n", b"runid                 \tall\t0\x15\n\x85\rU\nnum_q                 \tall\t1\n", True),
        (b"\n", b"runid                 \tall\t0\x15\n\x85\rU\nnum_q                 \tall\t2\n", False),
        (b"q Q0 a 1 1 t\n", b"runid                 \tall\tu\nnum_q                 \tall\t1\n", False),
    ],
)
def test_only_the_name_of_a_run_without_rows_may_be_what_stands_in_memory(
    run: bytes, theirs: bytes, wanted: bool
) -> None:
    case = Case((b"q 0 a 1\n",), (run,), (("-m", "runid"), ("-m", "num_q"), ("-c",)))
    ours = Outcome(0, b"runid                 \tall\t\nnum_q                 \tall\t1\n", "")
    assert bool(explained(case, Outcome(0, theirs, ""), ours)) == wanted
