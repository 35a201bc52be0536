"""What fuzzing began with and what it found, tried again: nothing is raised but rankmark's errors."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # fuzzing is no part of the installed package

from fuzz.__main__ import NATIVE
from fuzz.targets import TARGETS

CORPUS = Path(__file__).parent.parent / "fuzz" / "corpus"
INPUTS = {f"{name}/{path.name}": path for name in TARGETS for path in sorted((CORPUS / name).iterdir())}


@pytest.mark.parametrize("name", INPUTS)
def test_an_input_is_answered(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKMARK_PROGRESS", "off")
    TARGETS[name.partition("/")[0]](INPUTS[name].read_bytes())


def test_every_target_has_inputs_to_begin_with() -> None:
    assert {path.name for path in CORPUS.iterdir()} == {*TARGETS, *NATIVE}
    assert sum(path.stat().st_size for path in CORPUS.rglob("*") if path.is_file()) < 1 << 20
