"""How large reports are, and how long a browser takes with them: `python -m benchmarks.pages`.

It needs `playwright`, and a Chromium as `scripts/install-chromium` installs it.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl

import rankmark as rm

MEASURES = "nDCG@10, AP, RR, P@10"
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
JUDGED, RETRIEVED, ITEMS = 5, 20, 50_000
TIMED = """async ([first, last, click]) => {
  const times = [];
  for (let place = first; place < last; place++) {
    const found = document.querySelectorAll(click)[place];
    const start = performance.now();
    found.click();
    document.body.offsetHeight;
    times.push(performance.now() - start);
    await new Promise((done) => setTimeout(done, 20));
  }
  return times;
}"""


def tables(queries: int) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    """Judgements, and two runs of which one has less noise."""
    rng = np.random.default_rng(0)

    def pairs(each: int) -> pl.DataFrame:
        query, item = np.repeat(np.arange(queries), each), rng.integers(0, ITEMS, queries * each)
        named = pl.DataFrame({"query": query, "item": item}).unique(maintain_order=True)
        return named.select(
            pl.format("query-{}", "query").alias("query"), pl.format("item-{}", "item").alias("item")
        )

    judged = pairs(JUDGED)
    judged = judged.with_columns(relevance=pl.Series(rng.integers(0, 4, judged.height)))

    def run(noise: float) -> pl.DataFrame:
        score = pl.col("relevance") + pl.Series(rng.normal(0, noise, judged.height))
        others = pairs(RETRIEVED)
        others = others.with_columns(score=pl.Series(rng.normal(0.5, 1, others.height)))
        found = judged.select("query", "item", score=score)
        return pl.concat([found, others]).unique(["query", "item"], keep="first", maintain_order=True)

    return judged, {"old": run(2.0), "new": run(1.5)}


def opened(driver: Any, path: Path, repeat: int) -> list[float]:
    """Milliseconds until a page can be used, a query opened, and a column sorted."""
    browser = driver.chromium.launch(
        executable_path=next(filter(None, map(shutil.which, NAMES))), args=["--no-sandbox"]
    )
    found: list[list[float]] = []
    for _ in range(repeat):
        tab = browser.new_context(offline=True).new_page()
        tab.goto(path.as_uri())
        tab.wait_for_selector("html[data-ready]")
        ready = float(tab.evaluate("document.documentElement.dataset.ready"))
        drilled = median(tab.evaluate(TIMED, [1, 8, "#body button"]))
        found.append([ready, drilled, median(tab.evaluate(TIMED, [1, 4, "#heads button"]))])
    browser.close()
    return [median(column) for column in zip(*found, strict=True)]


def main() -> None:
    """Prints a line a size."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, nargs="+", default=[1_000, 100_000])
    parser.add_argument("--repeat", type=int, default=5)
    asked = parser.parse_args()
    print(f"{'queries':>8} {'MB':>6} {'at most':>8} {'made':>8} {'opens':>9} {'a query':>9} {'a sort':>9}")
    for queries in asked.queries:
        judged, runs = tables(queries)
        start = perf_counter()
        report = rm.report(judged, runs, MEASURES, baseline="old")
        made = perf_counter() - start
        most = 1.3 + queries / 100_000 * len(runs)
        with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
            path = Path(folder) / "report.html"
            report.write(path)
            times = " ".join(f"{each:>6.0f} ms" for each in opened(driver, path, asked.repeat))
            print(f"{queries:>8,} {path.stat().st_size / 1e6:>6.2f} {most:>8.2f} {made:>6.1f} s {times}")


if __name__ == "__main__":
    main()
