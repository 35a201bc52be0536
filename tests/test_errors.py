"""What messages say of words that are misspelt."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from rankmark.errors import did_you_mean, no_file

FILES = [f"system-{number:06d}/run_{number % 97}.txt" for number in range(100_000)]


@pytest.mark.parametrize(
    "slip",
    [
        "system-054321/run_1.txt",  # one letter is missing
        "sytem-054321/run_q.txt",  # two slips
        "ssystem-054312/run_1.txt",  # one too many, and two that changed places
        "SYSTEM-054321/run_1.tx",
    ],
)
def test_the_nearest_of_very_many_words_is_found_at_once(slip: str) -> None:
    start = time.process_time()
    assert "'system-054321/run_1.txt'" in did_you_mean(slip, FILES)
    assert time.process_time() - start < 2  # seven seconds if all are compared


def test_the_nearest_word_stands_alone_if_its_letters_only_changed_places() -> None:
    known = ["RnDCG", "nDCG", "α_nDCG", "MSnDCG", "DCG"]
    assert did_you_mean("NDGC", known) == "; did you mean 'nDCG'?"
    assert did_you_mean("NDCGG", known).startswith("; did you mean 'nDCG' or ")


def test_a_word_that_differs_by_signs_and_leading_zeros_alone_is_meant() -> None:
    known = ["q05", "q25", "q75", "q95", "nDCG_10"]
    assert did_you_mean("q5", known) == "; did you mean 'q05'?"
    assert did_you_mean("ndcg-10", known) == "; did you mean 'nDCG_10'?"


def test_letters_that_only_changed_places_are_near() -> None:
    known = ["FOR", "AUC", "ACE", "AP", "PAP"]
    assert did_you_mean("foo", known, share=0.7) == ""
    assert did_you_mean("ACU", known, share=0.7) == "; did you mean 'AUC'?"
    assert did_you_mean("APP", known, share=0.7) == "; did you mean 'AP'?"


def test_nothing_is_near_a_word_that_is_like_none() -> None:
    assert did_you_mean("zzz", FILES) == ""
    assert did_you_mean("x" * 10_000, FILES) == ""
    assert did_you_mean("", FILES) == ""
    assert did_you_mean("a\udc80b", ["a\udc80c", *FILES]) == "; did you mean 'a\\udc80c'?"


def test_files_beside_a_missing_one_are_named_with_their_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "all.run").touch()
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert str(no_file("../al.run")).endswith("did you mean '../all.run'?")
    assert str(no_file(str(tmp_path / "al.run"))).endswith(f"did you mean {str(tmp_path / 'all.run')!r}?")
    monkeypatch.chdir(tmp_path)
    assert str(no_file("al.run")).endswith("did you mean 'all.run'?")
