"""What is said of names and arguments that will go: docs/compatibility.md has the rules."""

from __future__ import annotations

import warnings
from typing import NamedTuple

__all__ = ["Former", "warn_deprecated"]


class Former(NamedTuple):
    """What something that will go is called now.

    Attributes:
        instead: what to write in its place.
        until: the version that no longer has it.

    """

    instead: str
    until: str


def warn_deprecated(what: str, former: Former, *, depth: int = 2) -> None:
    """Warns whoever uses `what`, which a later version no longer has.

    It is a `FutureWarning`, which Python shows to everybody: those who evaluate are rarely those who test.

    Args:
        what: the name or the argument, as it is written.
        former: what to write in its place, and until when both are understood.
        depth: how many calls above this one the user's is.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     warn_deprecated("rankmark.assess", Former("rankmark.evaluate", "0.3.0"))
        >>> print(caught[0].message)
        rankmark.assess is deprecated and goes in rankmark 0.3.0: write rankmark.evaluate

    """
    message = f"{what} is deprecated and goes in rankmark {former.until}: write {former.instead}"
    warnings.warn(message, FutureWarning, stacklevel=depth + 1)
