"""What a report says, and that it says what the results do."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from rankmark.errors import ColumnError, ToolMissingError, UsageError
from rankmark.reports import page, parts
from rankmark.reports.packed import packed_values

pytest.importorskip("jinja2", reason="NOT COMPARED: jinja2 is not installed")

QUERIES = [f"q{i}" for i in range(12)]
QRELS = {query: {"a": 2, "b": 1, "c": 0} for query in QUERIES}
BAD = {query: {"x": 3.0, "c": 2.0, "a": 1.0} for query in QUERIES}
GOOD = {query: {"a": 3.0, "b": 2.0, "x": 1.0} for query in QUERIES}


def words(report: str) -> str:
    """What is read of a page, without its script and data."""
    text = re.sub(r"<(script|style)\b.*?</\1>", " ", report, flags=re.DOTALL)
    text = html.unescape(re.sub(r"<[^>]*>", " ", text))
    return re.sub(r"\s+", " ", re.sub("[\u2068\u2069]", "", text))


def data(report: str) -> dict[str, Any]:
    """What the script of a page reads."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', report, re.DOTALL)
    assert found is not None
    read: dict[str, Any] = json.loads(found[1])
    return read


def unpacked(packed: Mapping[str, Any]) -> Any:
    """What is packed, as the script unpacks it."""
    content = zlib.decompress(base64.b64decode(packed["data"]))
    if packed["type"] == "json":
        return json.loads(content)
    numbers = np.frombuffer(content, f"<{packed['type']}")
    if "scale" not in packed:
        return numbers
    return np.where(numbers == packed["none"], np.nan, numbers / packed["scale"])


def test_the_summary_says_which_is_better_by_how_much_and_how_sure() -> None:
    comparison = rm.compare(QRELS, {"old": BAD, "new": GOOD}, "RR, P@1", baseline="old")
    read = words(comparison.to_html_report())
    pair = comparison.pair("RR", "new")
    assert "-0." not in read
    assert "new is better than old." in read
    assert f"By RR, new has 1.0000 and old 0.3333: a difference of {pair.difference:+.4f}" in read
    assert f"with p = {pair.corrected:.4f}, corrected for all 2 tests" in read
    assert "On 12 queries, new is better 12 times, worse 0 times and as good 0 times." in read
    assert "new is also better by P@1." in read


def test_systems_that_cannot_be_told_apart_are_called_so() -> None:
    alike = {**GOOD, "q0": BAD["q0"]}
    read = words(rm.compare(QRELS, {"one": GOOD, "other": alike}, "RR").to_html_report())
    assert "other and one cannot be told apart." in read
    assert "better than" not in read.partition("Systems")[0].partition("cannot be told apart.")[2]


def test_systems_that_give_the_same_are_called_so() -> None:
    read = words(rm.compare(QRELS, {"one": GOOD, "other": GOOD}, "RR").to_html_report())
    assert "other and one are equally good in every query." in read
    mixed = {**GOOD, "q0": BAD["q0"]}
    read = words(rm.compare(QRELS, {"one": mixed, "other": mixed}, "RR, AP").to_html_report())
    assert read.count("is it one run under two names?") == 1
    assert "By AP the two are also equally good in every query." in read


def test_names_of_systems_are_written_as_they_are_wherever_a_sentence_begins() -> None:
    read = words(rm.compare(QRELS, {"bm25": [GOOD, BAD, GOOD], "dense": BAD}, "RR").to_html_report())
    assert "dense: one run says nothing of how others vary by seeds" in read


def test_pictures_that_are_too_large_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    comparison = rm.compare(QRELS, {"old": BAD, "new": GOOD}, "RR")
    assert "Too large" not in words(comparison.to_html_report())
    monkeypatch.setattr(parts, "LARGEST", 10_000)
    page_of_few = words(comparison.to_html_report())
    assert "Too large for this page: movers and distribution; rankmark plot draws them." in page_of_few


def test_of_several_systems_the_best_is_named_and_whom_it_is_not_surely_ahead_of() -> None:
    alike = {**GOOD, "q0": BAD["q0"]}
    read = words(rm.compare(QRELS, {"bad": BAD, "good": GOOD, "near": alike}, "RR").to_html_report())
    assert (
        "No one of 3 systems is surely the best by RR. good leads with 1.0000, not told apart from near."
        in read
    )
    assert "It is better than bad." in read


def test_marks_of_tables_have_the_colours_of_the_page() -> None:
    report = rm.report_predictions(
        {"label": [0, 1] * 40, "score": [i / 80 for i in range(80)]}, ["AUC", "ECE"]
    ).html
    assert '<svg class="d"' in report
    assert "svg.d circle{fill:var(--rm-series-1)}" in report


@pytest.mark.parametrize("name", ["page.pdf", "page.png", "page.rankmark"])
def test_a_page_is_written_to_no_file_that_is_called_something_else(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"a report is a page: FILE.html; browsers print pages as PDF"):
        page.Report("title", "<p>").write(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_what_is_neither_better_nor_worse_is_not_called_so() -> None:
    rows = pl.DataFrame({"click": [0, 1] * 40, "p": [0.3, 0.6] * 40, "r": [0.1, 0.2] * 40})
    found = rm.compare_predictions(rows, {"one": "p", "two": "r"}, "AUC, PCOPC", label="click")
    read = words(found.to_html_report())
    assert "is better by PCOPC" not in read


def test_the_values_are_those_of_the_results_for_every_query() -> None:
    report = rm.report(QRELS, {"old": BAD, "new": GOOD}, "nDCG@10, RR", conventions=False)
    said, comparison = data(report.html), rm.compare(QRELS, {"old": BAD, "new": GOOD}, "nDCG@10, RR")
    assert unpacked(said["queries"]) == QUERIES
    for own, measure in zip(said["values"], comparison.measures, strict=True):
        for packed, system in zip(own, said["systems"], strict=True):
            np.testing.assert_allclose(unpacked(packed), comparison.query_values(system, measure), rtol=1e-7)


def test_many_values_keep_the_digits_that_are_shown() -> None:
    values = np.append(np.random.default_rng(1).random(30_000), np.nan)
    packed = packed_values(values)
    assert packed["type"] == "u2"
    np.testing.assert_allclose(unpacked(packed), values, atol=0.50001e-4, rtol=0)
    assert packed_values(-values)["type"] == "f4"
    assert packed_values(values[:100])["type"] == "f4"


def test_the_lists_are_those_that_are_evaluated() -> None:
    run = {"q": {"a": 1.0, "b": 1.0, "x": 2.0}}
    said = data(rm.report({"q": {"a": 1, "c": 2}}, run, "RR", conventions=False).html)["lists"]
    names = unpacked(said["names"])
    assert unpacked(said["lengths"]).tolist() == [3, 2]  # of the run, and all judged items, best first
    assert [names[i] for i in unpacked(said["items"])] == ["x", "b", "a", "c", "a"]
    assert unpacked(said["tied"]).tolist() == [0, 1, 1, 0, 0]
    np.testing.assert_array_equal(unpacked(said["grades"]), [np.nan, np.nan, 1, 2, 1])


def test_nothing_runs_but_the_script_whose_hash_is_in_the_policy() -> None:
    report = rm.evaluate(QRELS, GOOD, "RR").to_html_report()
    policy = html.unescape(re.search(r'Content-Security-Policy" content="(.*?)"', report)[1])
    scripts = re.findall(r"<script>(.*?)</script>", report, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", report, re.DOTALL)
    assert (len(scripts), len(styles)) == (1, 1)
    for what, text in (("script-src", scripts[0]), ("style-src", styles[0])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{what} 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")
    assert not re.search(
        r"""\s(src|href|style|on\w+)=""", re.sub(r"<script\b.*?</script>", "", report, flags=re.DOTALL)
    )


def test_files_are_named_with_their_hashes_and_the_command_that_makes_it_again(tmp_path: Path) -> None:
    qrels, run = tmp_path / "q.txt", tmp_path / "r.txt"
    qrels.write_text("q 0 a 1\n")
    run.write_text("q Q0 a 1 2.0 tag\n")
    read = words(rm.report(qrels, {"r": run}, "RR", conventions=False, command="rankmark report …").html)
    for path in (qrels, run):
        assert hashlib.sha256(path.read_bytes()).hexdigest() in read
    assert "rankmark report …" in read
    assert rm.evaluate(qrels, run, "RR").signature("RR") in read


def test_what_is_serious_in_the_data_is_in_the_summary() -> None:
    tied = {query: dict.fromkeys("xab", 1.0) for query in QUERIES}
    read = words(rm.report(QRELS, tied, "RR", conventions=False).html)
    assert "What to distrust" in read.partition("Values")[0]
    assert rm.check(QRELS, tied, measures="RR").serious[0].statement in read


def test_conventions_say_who_computes_what_and_why() -> None:
    read = words(rm.report(QRELS, {"r": GOOD}, "nDCG@2").html)
    assert "The nDCG@2 of r on these data, as tools compute it" in read
    assert "trec_eval" in read


def test_predictions_of_numbers_have_no_curves() -> None:
    rows = pl.DataFrame({"label": [0.1, 0.4, 0.35], "score": [0.2, 0.3, 0.4]})
    read = words(rm.report_predictions(rows, "RMSE").html)
    assert "RMSE is 0.0866." in read
    assert "Curves" not in read


def test_predictions_have_curves_bins_and_slices() -> None:
    rng = np.random.default_rng(0)
    rows = pl.DataFrame({"p": rng.random(400), "country": ["DE", "FR"] * 200})
    rows = rows.with_columns(click=(pl.col("p") > pl.Series(rng.random(400))).cast(pl.Int8))
    read = words(rm.report_predictions(rows, "AUC, LogLoss", by="country").html)
    assert "AUC is " in read
    assert "mean_score" in read
    assert all(title in read for title in ("Curves", "Slices", "DE", "FR"))


@pytest.mark.parametrize(
    ("given", "titles"),
    [
        ({"a": "one", "b": "two"}, {"a": "one", "b": "two"}),
        (pl.DataFrame({"item_id": ["a", "b"], "title": ["one", None]}), {"a": "one"}),
        (pl.DataFrame({"_id": [1, 2], "title": ["one", "two"], "text": ["", ""]}), {"1": "one", "2": "two"}),
    ],
)
def test_titles_are_found_by_the_usual_names(given: Any, titles: dict[str, str]) -> None:
    from rankmark.reports.texts import read_texts, texts_of

    assert texts_of(read_texts(given, "items"), ["a", "b", "1", "2"]) == titles


def test_a_file_of_two_columns_needs_no_header(tmp_path: Path) -> None:
    from rankmark.reports.texts import read_texts, texts_of

    path = tmp_path / "queries.tsv"
    path.write_text("1\twhat is it\n2\twho are you\n")
    assert texts_of(read_texts(path, "queries"), ["1", "2"]) == {"1": "what is it", "2": "who are you"}


def test_a_table_without_titles_is_refused() -> None:
    with pytest.raises(ColumnError, match="no two columns of which one is the item and one its title"):
        rm.report(QRELS, GOOD, "RR", items=pl.DataFrame({"item": ["a"], "price": [1.0]}))


@pytest.mark.parametrize("read", [False, True])
def test_measures_of_what_is_recommended_know_the_table_that_has_the_titles(read: bool) -> None:
    known = {item: {"title": f"Title of {item}", "genre": f"g{item}"} for item in "abcxyz"}
    train = {"q0": ["x"], "q1": ["a", "b"]}
    how: dict[str, Any] = {"items": known, "train": train}
    if read:
        how = {"items": rm.catalogue(known, train=train)}
    for runs in ({"old": BAD, "new": GOOD}, {"new": GOOD}):
        report = rm.report(QRELS, runs, ["Coverage@2", "RR", "Novelty@2"], **how)
        read_of = words(report.html)
        assert "Coverage@2" in read_of
        assert "0.3333" in read_of  # a and b, or x and c, of six
        assert "better 0 times" not in read_of  # no query has a value of coverage
        assert "in every query" not in read_of.partition("Values")[0].partition("Novelty")[0]
        assert "Title of a" in unpacked(data(report.html)["lists"]["titles"])
    without_titles = rm.report(QRELS, GOOD, "Coverage@2", items=["a", "b", "c", "x"])
    assert "0.5000" in words(without_titles.html)


def test_without_its_renderer_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    with pytest.raises(ToolMissingError, match=r"jinja2.*rankmark\[report\]"):
        page.check_renderer()
    with pytest.raises(UsageError):
        rm.report("no such file", "nor this", "RR")


def test_curves_of_weighted_rows_have_no_bands_and_say_so() -> None:
    rng = np.random.default_rng(0)
    rows = pl.DataFrame({"p": rng.random(400), "weight": rng.random(400), "click": [0, 1] * 200})
    read = words(rm.report_predictions(rows, "AUC").html)
    assert "ROC: positive rows found" in read
    assert "400 rows, 200 positive, weighted; no band, which takes rows without weights" in read


@pytest.mark.parametrize(("click", "why"), [(0, "no row is positive"), (1, "every row is positive")])
def test_a_page_of_one_class_says_which_curves_there_are_not(click: int, why: str) -> None:
    rows = pl.DataFrame({"p": [0.1, 0.2, 0.3] * 20, "click": [click] * 60})
    read = words(rm.report_predictions(rows, "AUC, LogLoss").html)
    assert f"there is no ROC curve: {why}" in read
    assert "AUC is undefined." in read
    assert "It is of " in read
    assert "Other values: LogLoss " in read


def contradicted() -> pl.DataFrame:
    """Rows by which one score is the better, but for those of PL."""
    rng = np.random.default_rng(0)
    click = rng.integers(0, 2, 2_000)
    noise = rng.random((2, 2_000))
    country = np.where(np.arange(2_000) % 5 == 0, "PL", "DE")
    good, bad = 0.5 * click + 0.5 * noise[0], noise[1]
    new = np.where(country == "PL", bad, good)
    old = np.where(country == "PL", good, bad)
    return pl.DataFrame({"click": click, "country": country, "new": new, "old": old})


def test_a_slice_in_which_the_verdict_is_the_other_way_is_in_the_summary() -> None:
    found = rm.compare_predictions(
        contradicted(), {"new": "new", "old": "old"}, "AUC, PCOPC", baseline="old", by="country"
    )
    read = words(found.to_html_report())
    assert "new is better than old." in read
    summary = read.partition("Values")[0]
    assert "In slices old is significantly better than new: country PL by AUC." in summary
    assert "country DE" not in summary.partition("In slices")[2].partition(".")[0]


def test_slices_of_other_measures_than_the_first_are_drawn() -> None:
    read = words(rm.report_predictions(contradicted(), "AUC, PCOPC", scores="new", by="country").html)
    assert "AUC by country" in read
    assert "PCOPC by country" in read


def test_of_several_systems_none_is_the_best_by_what_is_neither_better() -> None:
    rows = contradicted().with_columns(other=pl.col("new") / 2)
    scores = {"new": "new", "old": "old", "other": "other"}
    for baseline in (None, "old"):
        found = rm.compare_predictions(rows, scores, "PCOPC", baseline=baseline)
        summary = words(found.to_html_report()).partition("bold:")[0]
        assert "Neither more nor less PCOPC is better." in summary
        assert "better than" not in summary
        assert "the best" not in summary


def test_runs_without_judgements_have_a_report() -> None:
    items, train = ["a", "b", "c", "x"], {query: ["a"] for query in QUERIES[:6]}
    how: dict[str, Any] = {"items": items, "train": train}
    alone = words(rm.report(None, GOOD, "Novelty@2 Coverage@2", **how).html)
    assert "12 queries of the run, none judged" in alone
    assert "queries of which training data have nothing" in alone
    both = words(rm.report(None, {"good": GOOD, "bad": BAD}, "Novelty@2", **how).html)
    assert "good" in both
    assert "training data among the results" in both
    with pytest.raises(UsageError, match="without judgements"):
        rm.report(None, GOOD, "nDCG@2")
