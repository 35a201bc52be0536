"""What pages and notebooks show: escaped, readable for everybody, without anything from outside."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from rankmark.rendering.blocks import Cell, Code, Formulas, Grid, Notes, Section
from rankmark.rendering.html import MOST_ROWS, STYLE, html, in_cell
from rankmark.results.runs import Runs
from reports.browsing import browser

IDS = ["<script>alert(1)</script>", "</td>", "=cmd()", "עברית", "😀", "plain & simple"]
QRELS = {f"{name}{i}": {"a": 2, "b": 1, "c": 0} for name in IDS for i in range(3)}
GOOD = {query: {"a": 3.0, "b": 2.0, "x": 1.0} for query in QRELS}
BAD = {query: {"x": 3.0, "b": 2.0, "a": 1.0} for query in QRELS}
CLICKS = {"label": [0, 1] * 20, "score": [0.1 + 0.02 * i for i in range(40)]}
MEASURES = ["nDCG", "RR", "MaxRank"]

SHOWN: dict[str, Callable[[], Any]] = {
    "result": lambda: rm.evaluate(QRELS, GOOD, MEASURES),
    "runs": lambda: Runs({name: rm.evaluate(QRELS, GOOD, "RR") for name in IDS}),
    "predictions": lambda: rm.evaluate_predictions(CLICKS, ["AUC", "LogLoss"]),
    "comparison": lambda: rm.compare(QRELS, {"<b>": GOOD, "other": BAD}, MEASURES),
    "slices": lambda: rm.evaluate(QRELS, BAD, MEASURES).by({q: IDS[i % 6] for i, q in enumerate(QRELS)}),
    "gate": lambda: rm.gate(QRELS, GOOD, BAD, "nDCG", max_drop=0.01),
    "check": lambda: rm.check(QRELS, {**GOOD, "<i>": {"a": 1.0}}),
    "explanation": lambda: rm.explain(QRELS, GOOD, "nDCG", query=next(iter(QRELS))),
    "difference": lambda: rm.explain(QRELS, GOOD, "nDCG", query=next(iter(QRELS)), other=BAD),
    "agreement": lambda: rm.agree(GOOD, BAD),
    "agreement of systems": lambda: rm.agree_on_systems({"q": QRELS}, {"<b>": GOOD, "b": BAD}, MEASURES),
    "board": lambda: rm.board(rm.compare(QRELS, {"<b>": GOOD, "other": BAD}, "nDCG")),
    "power": lambda: rm.power(deviation=0.1, difference=0.05),
    "identification": lambda: rm.identify(QRELS, BAD, "RR", "0.5"),
    "differences": lambda: rm.differences(QRELS, BAD, "nDCG", like=["trec_eval", "lightgbm"]),
    "curve": lambda: rm.curve(CLICKS, "ROC"),
    "calibration": lambda: rm.curve(CLICKS, "calibration"),
    "measure": lambda: rm.nDCG(gain="exp2") @ 10,
    "its page": lambda: (rm.nDCG @ 10).page,
    "coefficient": lambda: rm.Coefficient("RBO", {"p": 0.8}),
    "convention": lambda: rm.conventions()["ranx"],
    "conventions": rm.conventions,
    "choices": lambda: rm.evaluate(QRELS, GOOD, "RR").choices,
    "counts": lambda: rm.evaluate(QRELS, GOOD, "RR").counts,
    "interval": lambda: rm.evaluate(QRELS, BAD, "nDCG", intervals=True).intervals["nDCG"],
    "nothing odd": lambda: rm.check(QRELS, GOOD),
}


@pytest.mark.parametrize("name", SHOWN)
def test_whatever_is_shown_has_html_and_a_short_form(name: str) -> None:
    shown = SHOWN[name]()
    page = shown._repr_html_()
    assert page.startswith('<div class="rankmark"><style>')
    assert page.count("<div") == page.count("</div>")
    assert len(re.findall(r"<t[hd][ >]", page)) == len(re.findall(r"</t[hd]>", page))
    assert not re.search(r"<script|<b>|<i>|href=|src=|url\(|@import| on\w+=|\x1b", page)
    assert all("scope=" in header for header in re.findall(r"<th[ >][^>]*>", page))
    assert len(repr(shown)) < 1000
    assert "\n" not in repr(shown)
    assert "(measure='" not in repr(shown)
    assert "(name='" not in repr(shown)


def test_words_from_right_to_left_stand_apart() -> None:
    assert html([Notes(["a, עברית שלום: 60 queries"])]) == (
        '<div class="notes"><p>a, <bdi>עברית שלום</bdi>: 60 queries</p></div>'
    )


def test_the_best_is_told_and_what_is_better_by_more_than_a_colour() -> None:
    compared = rm.compare(QRELS, {"good": GOOD, "bad": BAD}, ["nDCG", "MaxRank"], baseline="bad")
    page = compared._repr_html_()
    means, pairs = re.findall(r"<tbody>(.*?)</tbody>", page)
    best = [['class="best"' in cell for cell in row.split("<td")[1:]] for row in means.split("</tr>")[:-1]]
    assert best == [[True, True], [False, False]]
    # Less is better of MaxRank: a difference below 0 is good.
    assert re.search(r'MaxRank</th><td class="n">good</td><td class="good">−\d', pairs)
    assert re.search(r'nDCG</th><td class="n">good</td><td class="good">\+\d', pairs)
    assert 'td.good::before{content:"▲"' in STYLE
    assert 'class="t bad v"' in rm.gate(QRELS, GOOD, BAD, "nDCG", max_drop=0.01)._repr_html_()


def test_the_style_of_tables_does_not_touch_pictures() -> None:
    own = [
        rule for rule in re.findall(r"([^{}]*){([^{}]*)}", STYLE) if re.search(r"\.rankmark[^\s>]*$", rule[0])
    ]
    assert all("not(svg)" in selector for selector, rule in own if not rule.startswith("--rm-"))
    assert any("font:" in rule for _, rule in own)


def test_what_may_be_chance_is_neither_good_nor_bad() -> None:
    few = {name: {q: run[q] for q in list(run)[:2]} for name, run in (("good", GOOD), ("bad", BAD))}
    compared = rm.compare(QRELS, few, ["nDCG"], missing="skip", by=dict.fromkeys(QRELS, "a"))
    assert compared.pairs[0].difference
    assert not compared.pairs[0].significant
    assert "good" not in re.findall(r'<td class="(\w+)"', compared.to_html())
    assert compared.slices is not None
    assert not re.search(r'<td class="(good|bad)"', compared.slices.to_html())


def test_numbers_below_0_have_a_minus_and_names_and_code_stay_as_they_are() -> None:
    grid = Grid(1, [["name", "value"], ["-1", "-0.5"], ["b", "[-0.5, 3e-7]"]])
    page = html([grid, Notes(["from -1 to 2-3"]), Code(["--seed -1"])])
    assert '<th scope="row" class="n">-1</th><td>−0.5</td>' in page
    assert "<td>[−0.5, 3e-7]</td>" in page
    assert "<p>from −1 to 2-3</p>" in page
    assert "--seed -1" in page


def test_texts_are_the_same_with_and_without_a_tone() -> None:
    grid = Grid(1, [["name", "value"], ["a", Cell("1", "best")]], "A caption")
    plain = Grid(1, [["name", "value"], ["a", "1"]])
    from rankmark.rendering.formats import markdown, table

    for form in (table.FORMAT, markdown.FORMAT):
        assert form.grid(grid) == form.grid(plain)
    assert "<caption>A caption</caption>" in html([grid])
    assert html([Section(Cell("failed", "bad"), [])]).startswith('<div class="t bad v"')


def test_of_long_tables_a_cell_shows_the_first_rows_and_how_many_more_there_are() -> None:
    grid = Grid(1, [["name", "value"], *([str(i), "1"] for i in range(MOST_ROWS + 5))])
    shown = in_cell([grid])
    assert shown.count("<tr>") == MOST_ROWS + 1
    assert "<p>5 more rows: to_html() and to_csv() have them all</p>" in shown
    assert html([grid]).count("<tr>") == MOST_ROWS + 6


def test_formulas_are_typeset_and_what_cannot_be_read_is_shown_as_it_is() -> None:
    assert html([Formulas(["P = a / D"])]) == (
        '<div class="f" tabindex="0"><div title="P = a / D"><math displaystyle="true"><mrow><mi>P</mi>'
        "<mo>=</mo><mfrac><mi>a</mi><mi>D</mi></mfrac></mrow></math></div></div>"
    )
    assert "<div><code>P = (a &lt; $</code></div>" in html([Formulas(["P = (a < $"])])


def test_the_page_of_a_measure_of_ones_own_without_a_word_is_shown() -> None:
    @rm.list_measure("Silent", bounds=(0, 1))
    def silent(lists: rm.JudgedLists) -> Any:
        return lists.retrieved * 0.0

    assert ">Silent</div>" in silent._repr_html_()


def test_a_page_lets_nothing_in_but_its_own_style() -> None:
    page = rm.evaluate(QRELS, BAD, MEASURES).to_html(per_query=True)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None
    digest = b64encode(sha256(style[1].encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy[1].replace("&#x27;", "'") == (
        f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-{digest}'"
    )
    assert '<html lang="en">' in page
    assert "<title>List result · rankmark</title>" in page
    assert 'name="viewport"' in page
    assert page.count("<style") == 1
    assert " style=" not in page
    for words in ("prefers-color-scheme:dark", "@media print", "data-jp-theme-light=false"):
        assert words in style[1]


def test_a_column_without_a_title_has_no_empty_header() -> None:
    assert '<tr><td></td><th scope="col">value</th></tr>' in html([Grid(1, [["", "value"], ["a", "1"]])])


@pytest.mark.process
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_pages(scheme: str, tmp_path: Path) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe
    with browser() as started:
        # The page lets no script in, and axe is one.
        tab = started.new_context(color_scheme=scheme, offline=True, bypass_csp=True).new_page()
        for name in ("result", "comparison", "gate", "check", "calibration", "power"):
            path = tmp_path / f"{name}.html"
            SHOWN[name]().write(path)
            tab.goto(path.as_uri())
            found = axe().run(tab, options={"resultTypes": ["violations"]})
            assert [each["id"] for each in found.response["violations"]] == [], name
