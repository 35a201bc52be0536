"""Pictures of results, a page each: a function from a result to a described figure.

A page shows what a result holds, and computes no statistics of its own. ``result.plot(name, **options)``
draws it, ``rankmark plot RESULT NAME`` does so of what was saved, and ``help(rankmark.pictures)`` lists all.
"""

from __future__ import annotations

import sys
from types import ModuleType


class _Folder(ModuleType):
    """The module, whose help lists the pictures."""

    @property
    def __doc__(self) -> str:  # type: ignore[override] # of which help asks for the text alone
        from rankmark.figures import picture_list

        return f"{vars(self)['__doc__']}\n{picture_list()}\n"


sys.modules[__name__].__class__ = _Folder
