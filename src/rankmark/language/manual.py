"""The measures in words: the list of all, and the page of one, as `rankmark measures` shows them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from textwrap import fill
from typing import TYPE_CHECKING

from rankmark.errors import MeasureError
from rankmark.language.conventions.trec_names import TREC_MEASURES, split_name
from rankmark.language.measure import CLASSES_FIRST, LISTS_FIRST, ROWS_FIRST, Measure, pages, parse

if TYPE_CHECKING:
    from rankmark.language.measure import Kind, Page

__all__ = ["measure_list", "measure_page", "page_text"]

WIDTH = 80  # whatever the terminal's, so that pages look alike everywhere
PREDICTIONS = "Predictions: labelled scores (rankmark predictions)"
CLASSES = "Predictions of classes: scores or the predicted one (rankmark predictions)"
KINDS: Mapping[Kind, str] = {"list": "lists", "row": "predictions", "class": "classes"}
LEGEND = """\
Written Name(parameter=value,...)@cutoff, for example nDCG(gain=exp2)@10; names
are understood in any case, with or without hyphens and underscores, and so are
those of other tools, such as ndcg_cut_10, ndcg_at_10 or RetrievalMAP.
Where queries are averaged, mean=geometric does so as GMAP: AP(mean=geometric).
The page of one, with its parameters: rankmark measures NAME"""


def measure_list() -> str:
    """Every measure with its summary and aliases, in groups."""
    titles = ("Graded relevance", "Relevant or not", "Counts and coverage", PREDICTIONS, CLASSES)
    groups: dict[str, list[str]] = {title: [] for title in titles}
    for page in pages().values():
        groups[_group(page)].append(_listed(page))
    blocks = ["\n".join([title, *lines]) for title, lines in groups.items() if lines]
    return "\n\n".join([*blocks, LEGEND])


def _group(page: Page) -> str:
    if page.kind != "list":
        return PREDICTIONS if page.kind == "row" else CLASSES
    if page.aggregate == "sum" or page.better == "neither":
        return "Counts and coverage"
    gain = page.parameters.get("gain")
    graded = "rel" not in page.parameters or (gain is not None and gain.default == "linear")
    return "Graded relevance" if graded else "Relevant or not"


def _listed(page: Page) -> str:
    names = dict.fromkeys((*page.aliases, *page.variants))
    also = f" Also {', '.join(names)}." if names else ""
    wide = max(map(len, pages())) + 2
    text = page.summary + also
    return fill(text, WIDTH, initial_indent=f"  {page.name:<{wide}}", subsequent_indent=" " * (wide + 2))


def measure_page(measure: str) -> str:
    """The page of a measure, also of a name of trec_eval that needs a parameter to be one measure.

    Where the name means other measures of predictions, these are named beneath.

    Raises:
        MeasureError: there is no such measure.

    """
    known = split_name(measure)
    if known and known[0].measure:
        return page_text(known[0].base.page)
    of_lists, of_rows, of_classes = (_meant(measure, k) for k in (LISTS_FIRST, ROWS_FIRST, CLASSES_FIRST))
    page = of_lists or of_rows or parse(measure).page
    others = {other.name: other.kind for other in (of_rows, of_classes) if other and other is not page}
    if not others:
        return page_text(page)
    names = " and ".join(f"{name} of {KINDS[kind]}" for name, kind in others.items())
    note = f"{measure} also means {names}; see {'its page' if len(others) == 1 else 'their pages'}."
    return f"{page_text(page)}\n\n{fill(note, WIDTH)}"


def _meant(measure: str, kinds: tuple[Kind, ...]) -> Page | None:
    """The page of what a name means where these kinds of measures are looked at first."""
    try:
        return parse(measure, kinds).page
    except MeasureError:
        return None


def page_text(page: Page) -> str:
    """A page with its paragraphs broken to the width of a terminal and all else as it is."""
    header = [page.grammar]
    if page.aliases:
        header.append(fill(f"also {', '.join(page.aliases)}", WIDTH, subsequent_indent="  "))
    header += [f"{alias} is {Measure(page.name, given)}" for alias, given in page.variants.items()]
    if in_trec_eval := ", ".join(_trec_names(page)):
        header.append(fill(f"in trec_eval {in_trec_eval}", WIDTH, subsequent_indent="  "))
    paragraphs = _paragraphs(page.doc.replace("`", "").splitlines())
    return "\n".join([*header, "", *map(_broken, paragraphs)]).rstrip()


def _trec_names(page: Page) -> Iterator[str]:
    """What trec_eval calls the page's measure and those with parameters, of a family the first."""
    for known in TREC_MEASURES:
        if known.measure and known.base.name == page.name:
            first = known.defaults[0] if known.each else None
            name = known.name if first is None else known.member_name(first)
            yield f"{name} = {known.base if first is None else known.member(first)}"


def _paragraphs(lines: Iterable[str]) -> Iterator[list[str]]:
    paragraph: list[str] = []
    for line in lines:
        if paragraph and not _goes_on(paragraph, line):
            yield paragraph
            paragraph = []
        paragraph.append(line)
    yield paragraph


def _goes_on(paragraph: list[str], line: str) -> bool:
    """Whether a line goes on with a paragraph, rather than being one of its own."""
    first, last = paragraph[0], paragraph[-1]
    if not line.strip() or not last.strip() or last.endswith(":") or ">>>" in first + line:
        return False
    label = re.match(r"\s*(\w+|[A-Z][^.,;]*?): ", line)
    return _indent(line) >= _indent(last) and not (label and _indent(line) == _indent(first))


def _broken(paragraph: list[str]) -> str:
    if max(map(len, paragraph)) <= WIDTH or ">>>" in paragraph[0]:
        return "\n".join(paragraph)
    words = " ".join(line.strip() for line in paragraph)
    indents = [" " * _indent(line) for line in (paragraph[0], paragraph[-1])]
    return fill(words, WIDTH, initial_indent=indents[0], subsequent_indent=indents[1])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
