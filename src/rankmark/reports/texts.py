"""Titles of items and texts of queries, by their ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from rankmark.errors import ColumnError, DataError
from rankmark.inputs.attributes import open_attributes
from rankmark.inputs.column_checks import half_a_character, is_text
from rankmark.inputs.names import fitting, listed, normal
from rankmark.inputs.roles import Roles

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_texts", "texts_of"]

IDS = ("id", "_id")
"""What columns of ids are called beside the usual names."""
TITLES = ("title", "name", "text", "headline", "description", "body", "contents")
TEXTS = ("text", "query_text", "title", "name", "query", "keywords", "description", "body")
"""What columns of texts are called, the likeliest first."""


def read_texts(source: Any, of: Literal["items", "queries"], *, needed: bool = True) -> pl.DataFrame | None:
    """A table of ``id`` and ``text``, both as texts, each id once; None where nothing is given.

    Args:
        source: a path or a table with a column of ids and one of texts, or ``{id: text}``. A TSV file of
            two columns needs no header.
        of: what the ids are of.
        needed: whether there have to be texts; else a table without any is as none.

    Raises:
        ColumnError: no column of ids, or none of texts, where these are needed.
        UsageError: it is no table.
        DataError: one that cannot be read.

    """
    import polars as pl

    if source is None:
        return None
    if isinstance(source, Mapping) and all(isinstance(each, str) for each in source.values()):
        for text in (*map(str, source), *source.values()):
            if not is_text(text):
                raise DataError(half_a_character(f"a text of the {of}", text))
        return pl.DataFrame(
            {"id": [*map(str, source)], "text": [*source.values()]},
            schema=dict.fromkeys(("id", "text"), pl.String),
        )
    opened = open_attributes(source, None, of)
    names = list(opened.names)
    found = _columns(names, of)
    if found is None:
        if len(names) == 2 and str(source).lower().partition(".gz")[0].endswith((".tsv", ".txt")):
            # Without a header, whose place its first row took.
            frame = pl.DataFrame(opened.take(Roles(names[0], (names[1],), False, None, None)))
            frame = pl.concat([pl.DataFrame([names], frame.columns, orient="row"), frame.cast(pl.String)])
            return _of(frame, *names)
        if not needed:
            return None
        ids, texts = ("item", "title") if of == "items" else ("query", "text")
        raise ColumnError(
            f"{opened.where}: no two columns of which one is the {ids} and one its {texts}; "
            f"its columns are {listed(names)}: call them {ids} and {texts}"
        )
    return _of(pl.DataFrame(opened.take(Roles(found[0], (found[1],), False, None, None))), *found)


def texts_of(frame: pl.DataFrame | None, ids: Sequence[str]) -> dict[str, str]:
    """The texts of those ids that have any."""
    import polars as pl

    if frame is None:
        return {}
    wanted = pl.DataFrame({"id": pl.Series(ids, dtype=pl.String)})
    return dict(frame.join(wanted, on="id", how="semi").drop_nulls().iter_rows())


def _columns(names: Sequence[str], of: Literal["items", "queries"]) -> tuple[str, str] | None:
    """The column of ids and that of texts."""
    role, words = ("item", TITLES) if of == "items" else ("query", TEXTS)
    known = [*_called(names, IDS), *fitting(names, role)]
    # A column called "query" beside one of ids is the query's text.
    ids = next((name for name in known if name != role), next(iter(known), None))
    text = next((name for name in _called(names, words) if name != ids), None)
    return None if ids is None or text is None else (ids, text)


def _called(names: Sequence[str], words: Iterable[str]) -> list[str]:
    """The names that are among these words, in the order of the words."""
    return [name for word in words for name in names if normal(name) == normal(word)]


def _of(frame: pl.DataFrame, ids: str, text: str) -> pl.DataFrame:
    import polars as pl

    both = frame.select(pl.col(ids).cast(pl.String).alias("id"), pl.col(text).cast(pl.String).alias("text"))
    return both.unique("id", keep="first", maintain_order=True)
