"""Measures and coefficients in words, as the command line shows them: the list of all, the page of one."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import fill
from typing import TYPE_CHECKING

from rankmark.errors import MeasureError
from rankmark.language.coefficient import coefficient_page, coefficient_pages
from rankmark.language.conventions.trec_table import split_name
from rankmark.language.layout import WIDTH
from rankmark.language.names import parse
from rankmark.language.registry import CLASSES_FIRST, LISTS_FIRST, ROWS_FIRST, is_known, page, pages

if TYPE_CHECKING:
    from rankmark.language.registry import Kind, Page

__all__ = ["coefficient_list", "measure_groups", "measure_list", "measure_page"]

PREDICTIONS = "Predictions: labelled scores (rankmark predictions)"
CLASSES = "Predictions of classes: scores or the predicted one (rankmark predictions)"
ITEMS = "What is recommended, judged or not (rankmark eval --items, --train)"
KINDS: Mapping[Kind, str] = {"list": "lists", "item": "items", "row": "predictions", "class": "classes"}
LEGEND = """\
Written Name(parameter=value,...)@cutoff, for example nDCG(gain=exp2)@10; names
are understood in any case, with or without hyphens and underscores, and so are
those of other tools, such as ndcg_cut_10, ndcg_at_10 or RetrievalMAP.
Where queries are averaged, mean=geometric does so as GMAP: AP(mean=geometric);
mean=median, q05 to q95, std and trimmed are what their values come to instead.
The page of one, with its parameters: rankmark measures NAME"""


def measure_list() -> str:
    """Every measure with its summary and aliases, in groups."""
    blocks = ("\n".join([title, *map(_listed, known)]) for title, known in measure_groups().items())
    return "\n\n".join([*blocks, LEGEND])


def measure_groups() -> Mapping[str, list[Page]]:
    """The measures of each group that has some, by its title."""
    titles = ("Graded relevance", "Relevant or not", "Counts and coverage", ITEMS, PREDICTIONS, CLASSES)
    groups: dict[str, list[Page]] = {title: [] for title in titles}
    for known in pages().values():
        groups[_group(known)].append(known)
    return {title: known for title, known in groups.items() if known}


def _group(page: Page) -> str:
    if page.kind != "list":
        return {"item": ITEMS, "row": PREDICTIONS, "class": CLASSES}[page.kind]
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

    Where the name means other measures of predictions, these are named beneath. What is no measure may be a
    coefficient of agreement.

    Raises:
        MeasureError: there is no such measure.

    """
    known = split_name(measure)
    if known and known[0].measure:
        return str(page(known[0].base.name))
    if not is_known(measure) and (coefficient := coefficient_page(measure)):
        return str(coefficient)
    of_lists, of_rows, of_classes = (_meant(measure, k) for k in (LISTS_FIRST, ROWS_FIRST, CLASSES_FIRST))
    found = of_lists or of_rows or parse(measure).page
    others = {other.name: other.kind for other in (of_rows, of_classes) if other and other is not found}
    if not others:
        return str(found)
    names = " and ".join(f"{name} of {KINDS[kind]}" for name, kind in others.items())
    note = f"{measure} also means {names}; see {'its page' if len(others) == 1 else 'their pages'}."
    return f"{found}\n\n{fill(note, WIDTH)}"


def _meant(measure: str, kinds: tuple[Kind, ...]) -> Page | None:
    """The page of what a name means where these kinds of measures are looked at first."""
    try:
        return parse(measure, kinds).page
    except MeasureError:
        return None


def coefficient_list() -> str:
    """Every coefficient of agreement with its parameters and its summary."""
    blocks = (
        f"  {known.grammar}\n{fill(known.summary, WIDTH, initial_indent='    ', subsequent_indent='    ')}"
        for known in coefficient_pages().values()
    )
    return "\n".join(blocks)
