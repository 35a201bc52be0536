"""The ten published p-values of two TREC-8 runs, from Python and from the command line."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from rankmark.cli import main

# J. Urbano, H. Lima and A. Hanjalic, SIGIR 2019, the README beside the data: one-sided and two-sided p-values
# of run126 against run125. The last two are of 10⁶ draws; random signs are exact here, for values have four
# decimals. R's Wilcoxon test is normal where values are tied, and tells apart what only rounding does.
PUBLISHED: list[tuple[str, dict[str, Any], float, float, float]] = [
    ("t", {}, 0.0006596986, 0.0013193972, 5e-10),
    ("wilcoxon", {"method": "normal", "digits": None}, 0.001722594, 0.003445188, 5e-10),
    ("sign", {"tie": 0.01}, 0.004779939, 0.009559879, 1e-9),
    ("bootstrap", {}, 0.000424, 0.000586, 1e-4),
    ("randomisation", {}, 0.000603, 0.001188, 2e-5),
]


@pytest.fixture(scope="module")
def matrix(data_file: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The average precision of the two runs on 50 topics."""
    path = tmp_path_factory.mktemp("published") / "ap.csv"
    with Path(data_file("urbano_sigir2019/data/adhoc8_ap.csv")).open(encoding="utf-8") as whole:
        rows = [[row["run125"], row["run126"]] for row in csv.DictReader(whole)]
    with path.open("w", encoding="utf-8", newline="") as two:
        csv.writer(two).writerows([["run125", "run126"], *rows])
    return path


@pytest.mark.parametrize(("test", "options", "one_sided", "two_sided", "near"), PUBLISHED)
def test_published_p_values_come_out_of_a_comparison(
    matrix: Path, test: Any, options: dict[str, Any], one_sided: float, two_sided: float, near: float
) -> None:
    how: dict[str, Any] = {
        "baseline": "run125",
        "test": test,
        "test_options": options,
        "resamples": 1_000_000,
    }
    for alternative, expected in (("greater", one_sided), ("two-sided", two_sided)):
        compared = rm.compare_matrix(str(matrix), "AP", alternative=alternative, interval="t", **how)
        assert compared.pairs[0].p == pytest.approx(expected, abs=near)


@pytest.mark.parametrize(("test", "options", "one_sided", "two_sided", "near"), PUBLISHED)
def test_published_p_values_come_out_of_the_command_line(
    matrix: Path,
    tmp_path: Path,
    test: str,
    options: dict[str, Any],
    one_sided: float,
    two_sided: float,
    near: float,
) -> None:
    said = [f"--test-option={name}={str(value).lower()}" for name, value in options.items()]
    for alternative, expected in (("greater", one_sided), ("two-sided", two_sided)):
        out = tmp_path / f"{alternative}.json"
        args = ["compare-matrix", str(matrix), "-m", "AP", "--baseline", "run125", "--test", test, *said]
        args += ["--alternative", alternative, "--resamples", "1000000", "--interval", "t", "-o", str(out)]
        assert main(args) in (0, None)
        assert json.loads(out.read_text(encoding="utf-8"))["pairs"][0]["p"] == pytest.approx(
            expected, abs=near
        )
