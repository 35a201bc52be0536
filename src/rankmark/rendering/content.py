"""What a class can have, of which formats make texts and files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from rankmark.rendering.blocks import Block, Grid

__all__ = ["Content"]


class Content:
    """A class has as many of these methods as it can; they take its options by name."""

    __slots__ = ()

    _blocks: Callable[..., Iterator[Block]]
    """Tables and lines for people, with so many digits."""
    _record: Callable[..., Any]
    """What JSON holds; numbers can be NaN or infinite."""
    _frame: Callable[..., pl.DataFrame | Grid]
    """What CSV holds."""
    _trec: Callable[..., Iterable[tuple[str, str, str]]]
    """The lines of trec_eval's format: name, query and value, with so many digits."""
    _queries: Callable[[], pl.DataFrame | None]
    """The values of each query; None if no measure has any."""

    def _paper(self, digits: int, **options: Any) -> Iterator[Block]:
        """As `_blocks`, for papers."""
        return self._blocks(digits, **options)
