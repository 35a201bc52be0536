"""Saved files whose entries are not those that were saved."""

from __future__ import annotations

import json
import warnings
import zipfile
from pathlib import Path

import pytest

import rankmark as rm


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "saved"
    evaluator = rm.Evaluator("RR")
    evaluator.update({"q": {"a": 1}}, {"q": ["a"]})
    evaluator.save(path)
    return path


def test_an_entry_that_stands_twice_is_refused(saved: Path) -> None:
    with warnings.catch_warnings(), zipfile.ZipFile(saved, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("evaluator.json", b"{}")
    with pytest.raises(rm.FormatError, match="several entries of one name"):
        rm.Evaluator.load(saved)


def test_entries_within_each_other_are_refused_before_they_are_read(saved: Path) -> None:
    with zipfile.ZipFile(saved, "a") as archive:
        archive.writestr("long", b"x" * 10_000)
        entry = archive.getinfo("long")
        for number in range(100):
            again = zipfile.ZipInfo(f"again{number}")
            again.header_offset, again.CRC = entry.header_offset, entry.CRC
            again.file_size = again.compress_size = entry.file_size
            archive.filelist.append(again)
    with pytest.raises(rm.FormatError, match="its entries are longer than the file"):
        rm.Evaluator.load(saved)


def test_a_header_with_two_values_of_one_name_is_refused(saved: Path) -> None:
    with zipfile.ZipFile(saved) as archive:
        parts = {each: archive.read(each) for each in archive.namelist()}
    header = json.dumps(json.loads(parts["evaluator.json"]))
    with zipfile.ZipFile(saved, "w") as archive:
        for name, content in parts.items():
            text = header[:-1] + ', "hits": 5}' if name == "evaluator.json" else content
            archive.writestr(name, text)
    with pytest.raises(rm.FormatError, match="no readable evaluator.json"):
        rm.Evaluator.load(saved)
