"""The page in a real browser, without a network: it sorts, filters, opens queries, and can be read by all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from rankmark.errors import ToolMissingError
from rankmark.tools import tool
from reports.browsing import browser, opened, skip

pytestmark = pytest.mark.process

ODD = [
    "<script>alert(1)</script>",
    "</script>",
    "=cmd()",
    "\u05e9\u05dc\u05d5\u05dd",
    "\N{FIRE} & co",
    "plain",
]
"""Ids that would do harm where they are not taken as texts."""


@pytest.fixture(scope="module")
def started() -> Iterator[Any]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six queries with odd names, of two systems: B finds what A has on rank 3, but for the last query."""
    qrels = {query: {"good": 2, f"item {query}": 1, "bad": 0} for query in ODD}
    one = {query: {"x": 3.0, "bad": 2.0, "good": 1.0, f"item {query}": 1.0} for query in ODD}
    other = {**{query: {"good": 3.0, "x": 2.0} for query in ODD[:-1]}, "plain": {"x": 1.0}}
    path = tmp_path_factory.mktemp("report") / "report.html"
    texts = {query: f"what {query} means" for query in ODD}
    rm.report(
        qrels,
        {"<b>A</b>": one, "B": other},
        ["nDCG@10", "RR"],
        baseline="<b>A</b>",
        items={"good": "The <i>good</i> one"},
        queries=texts,
        by={query: "short" if len(query) < 8 else "long" for query in ODD},
        title="Odd </title> names",
    ).write(path)
    return path


def rows(tab: Any) -> list[list[str]]:
    """What the table of queries shows."""
    found: list[list[str]] = tab.eval_on_selector_all(
        "#body tr:not(.space)", "rows => rows.map(row => [...row.cells].map(cell => cell.innerText))"
    )
    return found


def test_names_are_texts_wherever_they_stand(started: Any, page: Path) -> None:
    with opened(started, page) as tab:
        assert tab.title() == "Odd </title> names"
        assert {name.partition("what")[0].strip() for name, *_ in rows(tab)} == set(ODD)
        assert "<b>A</b>" in tab.inner_text("#heads")
        assert tab.locator("main i:has-text('good')").count() == 0
        assert tab.locator("script").count() == 2


def test_a_click_on_a_head_sorts_and_another_turns_round(started: Any, page: Path) -> None:
    with opened(started, page) as tab:
        assert rows(tab)[0][0].startswith("plain")  # which changed most
        tab.click("#heads th:nth-child(4) button")
        falling = [row[3] for row in rows(tab)]
        assert falling[-1].startswith("−")
        assert tab.get_attribute("#heads th:nth-child(4)", "aria-sort") == "descending"
        tab.click("#heads th:nth-child(4) button")
        assert [row[3] for row in rows(tab)] == falling[::-1]


def test_words_filter_queries_and_their_texts(started: Any, page: Path) -> None:
    with opened(started, page) as tab:
        tab.fill("#find", "=CMD means")
        assert [row[0] for row in rows(tab)] == ["=cmd() what =cmd() means"]
        assert tab.inner_text("#count") == "1 of 6 queries"
        tab.fill("#find", "")
        tab.select_option("#slice", label="short")
        assert {row[0].partition(" what")[0] for row in rows(tab)} == {each for each in ODD if len(each) < 8}
        tab.select_option("#slice", label="all")
        tab.select_option("#which", "worse")
        assert [row[0] for row in rows(tab)] == ["plain what plain means"]


def test_values_are_those_of_the_results(started: Any, page: Path) -> None:
    with opened(started, page) as tab:
        # B: good on 1 of (2, 1): 2 / (2 + 1/log2(3)); A: 2/log2(4) + 1/log2(5), equal scores by item-desc.
        (shown,) = [row for row in rows(tab) if row[0].startswith("=cmd")]
        ideal = 2 + 0.6309297535714574
        assert shown[1] == f"{2 / ideal:.4f}"
        assert shown[2] == f"{(0.5 + 2 * 0.43067655807339306) / ideal:.4f}"
        tab.select_option("#measure", label="RR")
        (shown,) = [row for row in rows(tab) if row[0].startswith("=cmd")]
        assert shown[1:] == ["1.0000", "0.3333", "+0.6667"]


def test_a_query_opens_with_both_lists_side_by_side(started: Any, page: Path) -> None:
    with opened(started, page) as tab:
        tab.click("#body button:has-text('=cmd')")
        assert tab.inner_text("#detail h3") == "=cmd()"
        lists = tab.eval_on_selector_all(
            ".list",
            "lists => lists.map(list => [...list.querySelectorAll('li')].map(line => line.innerText))",
        )
        told = [[re.sub(r"\s+", " ", line) for line in own] for own in lists]
        assert told[0][0].startswith("1 2 grade 2 The <i>good</i> one good")
        assert "higher than in the other list" in told[0][0]
        assert told[0][1].startswith("2 ? nobody judged it x")
        assert [line.split()[1] for line in told[1]] == ["?", "0", "1", "2"]
        assert all("its score is equal to another's" in line for line in told[1][2:])
        assert [line.split()[1] for line in told[2]] == ["2", "1", "0"]  # judged items, best first


def test_arrow_keys_go_from_query_to_query(started: Any, page: Path) -> None:
    with opened(started, page) as tab:
        tab.focus("#rows")
        first = tab.inner_text("#detail h3")
        tab.keyboard.press("ArrowDown")
        assert tab.inner_text("#detail h3") != first
        tab.keyboard.press("ArrowUp")
        assert tab.inner_text("#detail h3") == first


def test_it_can_be_read_without_javascript(started: Any, page: Path) -> None:
    with opened(started, page, java_script_enabled=False) as tab:
        assert not tab.is_visible("#explorer")
        assert "=cmd()" in tab.inner_text(".still")
        assert "cannot be told apart" in tab.inner_text("main") or "is better than" in tab.inner_text("main")


def test_a_phone_scrolls_down_and_not_sideways(started: Any, page: Path) -> None:
    with opened(started, page, viewport={"width": 390, "height": 844}) as tab:
        assert tab.evaluate("document.documentElement.scrollWidth") == 390


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three systems of long names, the last of which is the best, by seven measures."""
    qrels = {f"q{i}": {"a": 1, "b": 1} for i in range(8)}
    lists = {"bad": "xyza", "worse": "xyzw", "best": "abxy"}
    runs = {
        f"{name} system with a name that is much longer than the columns of numbers": {
            query: list(items) if i or name != "best" else list("xabw") for i, query in enumerate(qrels)
        }
        for name, items in lists.items()
    }
    path = tmp_path_factory.mktemp("long") / "report.html"
    measures = ["nDCG@10", "AP", "RR", "P@10", "R@100", "P@1", "P@2"]
    rm.report(qrels, runs, measures, baseline=next(iter(runs)), conventions=False).write(path)
    return path


def seen(tab: Any) -> list[bool]:
    """Whether each value of the systems lies within the page and within the box of its table."""
    found: list[bool] = tab.eval_on_selector_all(
        ".values td",
        """cells => cells.map(cell => {
            const [own, box] = [cell, cell.closest(".wide")].map(each => each.getBoundingClientRect());
            return own.width > 0 && own.left >= 0 && own.right <= Math.min(box.right, innerWidth) + 1;
        })""",
    )
    return found


@pytest.mark.parametrize("width", [1280, 390])
def test_every_value_of_the_systems_is_seen_without_scrolling_sideways(
    started: Any, long: Path, width: int
) -> None:
    with opened(started, long, viewport={"width": width, "height": 844}) as tab:
        assert seen(tab) == [True] * 21
        numbers = tab.eval_on_selector_all(
            "#body td:not(:first-child)", "all => all.map(each => each.scrollWidth <= each.clientWidth)"
        )
        assert numbers
        assert all(numbers)


def test_every_value_of_the_systems_is_on_paper(started: Any, long: Path) -> None:
    with opened(started, long, viewport={"width": 673, "height": 1000}) as tab:  # A4 less its margins
        tab.emulate_media(media="print")
        assert seen(tab) == [True] * 21


def test_what_is_open_is_one_of_those_that_are_shown(started: Any, long: Path) -> None:
    with opened(started, long) as tab:
        for word in ("q3", "q5"):
            tab.fill("#find", word)
            assert tab.inner_text("#detail h3") == word
        tab.fill("#find", "none of them")
        assert tab.inner_text("#detail") == ""
        tab.fill("#find", "")
        assert tab.inner_text("#detail h3")


def test_a_system_is_not_compared_with_itself(started: Any, long: Path) -> None:
    with opened(started, long) as tab:
        one, other = (tab.input_value(name) for name in ("#one", "#other"))
        tab.select_option("#one", other)
        assert (tab.input_value("#one"), tab.input_value("#other")) == (other, one)


def test_pictures_are_of_the_best_system_and_its_baseline(started: Any, long: Path) -> None:
    with opened(started, long) as tab:
        titles = tab.eval_on_selector_all("figure .broad svg > title", "all => all.map(e => e.textContent)")
        of_pairs = [title for title in titles if "query by query" in title or "each query" in title]
        assert len(of_pairs) == 2
        assert all("best system" in title and "bad system" in title for title in of_pairs)
        assert any("changed most" in title for title in titles)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(started: Any, page: Path, scheme: str) -> None:
    try:
        axe = tool("axe_playwright_python.sync_playwright", "axe-playwright-python").Axe
    except ToolMissingError as error:
        skip(str(error))
    with opened(started, page, color_scheme=scheme, bypass_csp=True) as tab:
        found = axe().run(tab, options={"resultTypes": ["violations"]})
        assert [(each["id"], each["nodes"][0]["html"]) for each in found.response["violations"]] == []


def test_what_is_not_of_the_page_does_not_run(started: Any, page: Path) -> None:
    with opened(started, page, refused="Content Security Policy") as tab:
        ran = tab.evaluate(
            "() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
            " try { document.body.append(s); } catch { } return window.ran; }"
        )
        assert ran is None
