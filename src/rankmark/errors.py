"""What can go wrong, as a tree.

::

    RankmarkError
    ├── UsageError (ValueError)          what was asked for cannot be done        exit code 2
    │   ├── MeasureError                 a measure's name, parameter or cutoff
    │   │   └── NotEvaluatedError (KeyError)
    │   ├── ChoiceError                  an argument that is not one of its values
    │   ├── SignatureError               what is no signature that can be read back
    │   └── FileMissingError (FileNotFoundError)
    └── DataError (ValueError)           what was given cannot be used            exit code 1
        ├── FormatError                  a file that cannot be read: file and line
        ├── ColumnError                  a column is missing, or two fit
        ├── IdTypeError (TypeError)      integer ids against strings
        └── TooLargeError (MemoryError)  more rows than memory

Every message says what is wrong, where, and what to do about it.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

__all__ = [
    "ChoiceError",
    "ColumnError",
    "DataError",
    "FileMissingError",
    "FormatError",
    "IdTypeError",
    "MeasureError",
    "NotEvaluatedError",
    "RankmarkError",
    "SignatureError",
    "TooLargeError",
    "UsageError",
    "calling",
    "did_you_mean",
]


class RankmarkError(Exception):
    """Any error that rankmark raises on purpose."""


class UsageError(RankmarkError, ValueError):
    """What was asked for cannot be done, whatever the data."""


class MeasureError(UsageError):
    """A measure that does not exist, or a parameter or cutoff that it does not take."""


class NotEvaluatedError(MeasureError, KeyError):
    """A measure that exists but that a result does not hold."""

    __str__ = Exception.__str__  # KeyError would show the message as a quoted string


class ChoiceError(UsageError):
    """An argument that is not one of the values it can have."""


class SignatureError(UsageError):
    """A text that is no signature, or one that this version cannot read back."""


class FileMissingError(UsageError, FileNotFoundError):
    """A path or a glob that names no file."""


class DataError(RankmarkError, ValueError):
    """The data given cannot be evaluated as it is."""


class FormatError(DataError):
    """A file that does not follow its format; the message names file and line."""


class ColumnError(DataError):
    """A table without a needed column, or with several that fit."""


class IdTypeError(DataError, TypeError):
    """Integer ids in one table, strings in the other."""


class TooLargeError(DataError, MemoryError):
    """Data that takes more memory than there is."""


@contextmanager
def calling(function: Callable[..., object], argument: str, of: str) -> Iterator[None]:
    """Makes an error in a user's function a `UsageError` that names it, and what it is called for."""
    try:
        yield
    except RankmarkError:
        raise
    except Exception as error:
        name, kind = getattr(function, "__name__", type(function).__name__), type(error).__name__
        raise UsageError(f"{argument}: the function {name!r} raises {kind} for {of}: {error}") from error


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``"; did you mean X?"`` for the known words nearest to `word`, or the empty string."""
    by_lower = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), by_lower, n=3, cutoff=0.6)
    if not near:
        return ""
    return "; did you mean " + " or ".join(repr(by_lower[name]) for name in near) + "?"
