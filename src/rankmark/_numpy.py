"""NumPy, which the first who uses it imports: `from rankmark import _numpy as np`.

Importing it takes longer than a small command, and most of them make no array. Modules that these import take
it from here.
"""

from __future__ import annotations


def __getattr__(name: str) -> object:
    import numpy

    found = globals()[name] = getattr(numpy, name)
    return found
