"""Folders of Delta Lake and Apache Iceberg are tables, where their packages are installed."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path

import polars as pl
import pytest

import rankmark as rm

FRAME = pl.DataFrame({"query": ["q1", "q1"], "item": ["b", "a"], "score": [0.9, 0.8]})
QRELS = {"q1": {"a": 1}}


def _needs(package: str) -> None:
    if importlib.util.find_spec(package) is None:
        warnings.warn(f"NOT COMPARED: {package} is not installed", stacklevel=2)
        pytest.skip(f"{package} is not installed")


def test_a_folder_of_delta_is_a_table(tmp_path: Path) -> None:
    _needs("deltalake")
    FRAME.write_delta(tmp_path / "run")
    for path in (tmp_path / "run", tmp_path / "run" / "_delta_log"):
        assert rm.evaluate(QRELS, path, "RR").values == {"RR": 0.5}
    (tmp_path / "broken" / "_delta_log").mkdir(parents=True)
    with pytest.raises(rm.FormatError, match="cannot be read as a table of Delta: ") as error:
        rm.evaluate(QRELS, tmp_path / "broken", "RR")
    assert "\n" not in str(error.value)


@pytest.mark.filterwarnings("ignore:Iceberg scan planning")
def test_a_folder_of_iceberg_is_a_table(tmp_path: Path) -> None:
    _needs("pyiceberg")
    _needs("sqlalchemy")
    memory = importlib.import_module("pyiceberg.catalog.memory")
    catalog = memory.InMemoryCatalog("here", warehouse=f"file://{tmp_path}")
    catalog.create_namespace("of")
    table = catalog.create_table("of.run", schema=FRAME.to_arrow().schema)
    table.append(FRAME.to_arrow())
    described = Path(table.metadata_location.removeprefix("file://"))
    for path in (described, described.parent.parent):
        assert rm.evaluate(QRELS, path, "RR").values == {"RR": 0.5}


@pytest.mark.parametrize(("made", "package"), [("_delta_log", "deltalake"), ("metadata", "pyiceberg")])
def test_what_is_to_be_installed_is_said(
    made: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run" / made).mkdir(parents=True)
    (tmp_path / "run" / made / "00001-x.metadata.json").write_text("{}")
    monkeypatch.setattr("rankmark.inputs.lakes.find_spec", lambda _: None)
    with pytest.raises(rm.ToolMissingError, match=f"{package} is not installed: pip install {package}"):
        rm.evaluate(QRELS, tmp_path / "run", "RR")


def test_other_folders_are_no_tables(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    with pytest.raises(rm.UsageError, match="is a directory; name its files"):
        rm.evaluate(QRELS, tmp_path / "run", "RR")
