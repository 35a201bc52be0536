"""What the pages show is what one sees: every block of code of docs/ is run, page by page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
import registries
from documentation import given
from documentation.blocks import ROOT, Block, blocks, forget, run

PAGES = sorted(
    each.relative_to(ROOT)
    for each in [*ROOT.glob("README*.md"), *(ROOT / "docs").rglob("*.md")]
    if not {"_build", "reference"} & set(each.relative_to(ROOT).parts)
)


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the pages read."""
    return given.write(tmp_path_factory.mktemp("given"))


@pytest.fixture
def folder(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with these files, for the page alone."""
    for each in files.iterdir():
        (tmp_path / each.name).symlink_to(each, target_is_directory=each.is_dir())
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    with registries.restored():
        yield tmp_path
    forget(tmp_path)


ON_SPARK = Path("docs", "guides", "spark.md")


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # files that are not closed, as in many a script
@pytest.mark.parametrize(
    "page", [page for page in PAGES if page != ON_SPARK and any(blocks(ROOT / page))], ids=str
)
def test_every_block_runs_and_prints_what_the_page_says(page: Path) -> None:
    names = given.names()
    for block in blocks(ROOT / page):
        run(block, names)


@pytest.mark.spark
@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(600)  # a busy machine starts Java slowly
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.usefixtures("folder")
def test_every_block_on_spark_runs(spark: Any) -> None:
    frames = {f"{name}_df": spark.createDataFrame(*table) for name, table in given.on_a_cluster().items()}
    for block in blocks(ROOT / ON_SPARK):
        run(block, {"rm": rm, **frames})


def test_a_block_that_prints_otherwise_is_found() -> None:
    for language, code in (("python", ">>> 1 + 1\n3\n"), ("console", "$ rankmark --version\nother\n")):
        with pytest.raises(AssertionError):
            run(Block(Path("page.md"), 1, language, code), {})


def test_a_block_of_an_unknown_language_and_a_command_that_fails_are_found() -> None:
    for language, code in (("pyhton", "1\n"), ("sh", "rankmark eval\n"), ("sh", "make nothing\n")):
        with pytest.raises(AssertionError):
            run(Block(Path("page.md"), 1, language, code), {})


NAMES = [
    (page.stem, *names)
    for page in sorted((ROOT / "docs" / "coming_from").glob("*.md"))
    if page.stem != "sklearn"  # whose names mean other measures of lists than of rows
    for names in re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|$", page.read_text(), re.MULTILINE)
]


@pytest.mark.parametrize(("tool", "there", "here"), NAMES)
def test_a_tools_name_means_the_measure_beside_it(tool: str, there: str, here: str) -> None:
    assert str(rm.conventions()[tool].measure(there)) == here


def test_names_of_five_tools_are_listed() -> None:
    assert {"rectools", "recbole", "ranx", "torchmetrics", "trec_eval"} <= {tool for tool, *_ in NAMES}
