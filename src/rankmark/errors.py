"""What can go wrong, as a tree.

::

    RankmarkError
    ├── UsageError (ValueError)          what was asked for cannot be done        exit code 2
    │   ├── MeasureError                 a measure's name, parameter or cutoff
    │   │   └── NotEvaluatedError (KeyError)
    │   ├── CallError (TypeError)        a function called with other arguments than it takes
    │   ├── ChoiceError                  an argument that is not one of its values
    │   ├── SignatureError               what is no signature that can be read back
    │   ├── FileMissingError (FileNotFoundError)
    │   ├── NotHereError (NotImplementedError)  what another tool's interface has, and rankmark does not do
    │   └── ToolMissingError (ImportError)   another package, which has to be installed
    └── DataError (ValueError)           what was given cannot be used            exit code 1
        ├── FormatError                  a file that cannot be read: file and line
        ├── ColumnError                  a column is missing, or two fit
        ├── IdTypeError (TypeError)      integer ids against strings
        └── TooLargeError (MemoryError)  more rows than memory

Every message says what is wrong, where, and what to do about it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "CallError",
    "ChoiceError",
    "ColumnError",
    "DataError",
    "FileMissingError",
    "FormatError",
    "IdTypeError",
    "MeasureError",
    "NotEvaluatedError",
    "NotHereError",
    "PictureError",
    "RankmarkError",
    "SignatureError",
    "TooLargeError",
    "ToolMissingError",
    "UsageError",
    "calling",
    "did_you_mean",
    "no_file",
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


class CallError(UsageError, TypeError):
    """A function called with other arguments than it takes."""


class ChoiceError(UsageError):
    """An argument that is not one of the values it can have."""


class SignatureError(UsageError):
    """A text that is no signature, or one that this version cannot read back."""


class FileMissingError(UsageError, FileNotFoundError):
    """A path or a glob that names no file."""


class NotHereError(UsageError, NotImplementedError):
    """What another tool's interface has, and rankmark does not do."""


class ToolMissingError(UsageError, ImportError):
    """A tool that is not installed, or cannot be imported."""


class PictureError(UsageError):
    """A picture that does not exist, or that shows what a result lacks."""


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


def number_of(function: Callable[..., object], argument: str, of: str, *given: object) -> float:
    """The number that a user's function gives for something.

    Raises:
        UsageError: the function raises.
        MeasureError: it gives no number, or none that is finite.

    """
    with calling(function, argument, of):
        found: Any = function(*given)
    try:
        number = float(found)
    except (TypeError, ValueError) as error:
        raise MeasureError(f"{argument}: the function gives no number for {of}: {error}") from error
    if not math.isfinite(number):
        raise MeasureError(f"{argument}: the function gives {number} for {of}")
    return number


def no_file(text: str) -> FileMissingError:
    """The error for a path at which there is no file, with the names beside it that come near."""
    from pathlib import Path  # of which errors have no need before

    path = Path(text)
    if not path.parent.is_dir():
        return FileMissingError(f"there is no file {text!r}: there is no directory {str(path.parent)!r}")
    # Written with the folder, so that it can be copied.
    folder = "" if str(path) == path.name else f"{path.parent}/".replace("//", "/")
    near = did_you_mean(path.name, (beside.name for beside in path.parent.iterdir()), before=folder)
    return FileMissingError(f"there is no file {text!r}{near}")


def did_you_mean(word: str, known: Iterable[str], *, share: float = 0.6, before: str = "") -> str:
    """``"; did you mean X?"`` for the known words nearest to `word`, or the empty string.

    Near is a word that has this share of letters in common with it, or all of them in another order; where
    such a word is the nearest it stands alone. `before` is written before each, such as the folder of files.
    """
    from difflib import get_close_matches  # which messages alone need

    word, by_lower = word.lower(), {name.lower(): name for name in known}
    # Lengths alone rule out many.
    alike = [name for name in by_lower if share * (len(word) + len(name)) <= 2 * min(len(word), len(name))]
    likeliest, bare = _likeliest(word, alike), _bare(word)
    close = get_close_matches(word, likeliest, n=3, cutoff=share)
    swapped = [name for name in likeliest if sorted(name) == sorted(word)]
    near = (
        [name for name in likeliest if bare and _bare(name) == bare][:1]
        or [name for name in close[:1] if name in swapped]
        or close
        or swapped
    )
    if not near:
        return ""
    return "; did you mean " + " or ".join(repr(before + by_lower[name]) for name in near) + "?"


def _bare(word: str) -> str:
    """A word without signs, and without zeros that numbers begin with: of ``q05`` and ``q5``, say."""
    return re.sub(r"[\W_]|(?<!\d)0+(?=\d)", "", word)


_COMPARED = 500
"""Words that are compared in earnest, which takes some 70 µs each."""
_GLANCED = 64
"""Letters at both ends of a word that are looked at to choose those."""


def _likeliest(word: str, names: list[str]) -> list[str]:
    """Of very many names those that have most letters of a word near their places, from either end."""
    if len(names) <= _COMPARED:
        return names
    ahead = _in_place(word[:_GLANCED], [name[:_GLANCED] for name in names])
    back = _in_place(word[: -_GLANCED - 1 : -1], [name[: -_GLANCED - 1 : -1] for name in names])
    most = (-ahead - back).argsort(kind="stable")[:_COMPARED]
    return [names[each] for each in most]


def _in_place(word: str, names: list[str]) -> NDArray[np.int64]:
    """How many letters of a word stand in each name within two places from where they are in the word."""
    import numpy as np  # errors are there before anything that takes long to import

    letters = np.array(names).view(np.uint32).reshape(len(names), -1).T.copy()
    found = np.zeros(len(names), dtype=np.int64)
    for place, letter in enumerate(word):
        found += (letters[max(0, place - 2) : place + 3] == ord(letter)).any(axis=0)
    return found
