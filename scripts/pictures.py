"""Draws the pictures that README.md shows, of the simulated shop, in docs/pictures or the folder named."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

import rankmark as rm
from rankmark.commands.shop import MODELS, SYSTEMS, simulate

HERE = Path(__file__).parents[1] / "docs" / "pictures"


def draw(folder: Path) -> None:
    """Writes all of them."""
    tables = simulate()
    qrels = pl.DataFrame(tables["qrels"])
    runs = {name: pl.DataFrame(tables[name]) for name in SYSTEMS}
    compared = rm.compare(qrels, runs, "nDCG@10")
    compared.plot("differences").write(folder / "differences.svg")
    found = rm.differences(qrels, runs["personalised"], "nDCG@10")
    found.plot("conventions").write(folder / "conventions.svg")
    clicks = pl.DataFrame(tables["clicks"])
    curve = rm.curve(clicks, "calibration", label="click", score=MODELS["old"], binning="mass")
    curve.plot().write(folder / "calibration.svg")


if __name__ == "__main__":
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
