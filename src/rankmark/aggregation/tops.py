"""What the items at the top of lists tell of whether a tool's number is the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankmark.kinds.items import RecommendedLists

__all__ = ["TopsLookedAt"]


class TopsLookedAt:
    """As `rankmark.language.conventions.limits.ItemListFacts`, of lists down to a cutoff."""

    __slots__ = ("_cutoff", "_top")

    def __init__(self, lists: RecommendedLists, cutoff: int | None) -> None:
        self._top, self._cutoff = lists.top(cutoff), cutoff

    def short(self) -> bool:
        """Whether a list has fewer items than the cutoff."""
        length = self._top.length
        return self._cutoff is not None and bool(((length > 0) & (length < self._cutoff)).any())

    def uneven(self) -> bool:
        """Whether lists are of different lengths."""
        length = self._top.length
        return bool((length[length > 0] != length.max(initial=0)).any())

    def of_one_item(self) -> bool:
        """Whether there is a list of one item."""
        return bool((self._top.length == 1).any())

    def had_by_nobody(self) -> bool:
        """Whether an item is recommended that nobody had before."""
        facts = self._top.facts
        return facts.train is not None and not facts.popularity("interactions")[self._top.item].all()

    def repeated_before(self) -> bool:
        """Whether a user had an item before more than once."""
        train = self._top.facts.train
        return train is not None and train.repeated
