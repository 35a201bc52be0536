"""Arrays of NumPy, torch, JAX, CuPy …: what they have in common, and where they live.

No library but NumPy is imported: an array brings its own. Those in this machine's memory are viewed as NumPy
arrays without copying; those elsewhere are computed on where they are, with the functions of the array API
standard (https://data-apis.org/array-api) or those of torch that do the same.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from rankmark import _numpy as np
from rankmark.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Array",
    "Factors",
    "Masked",
    "Matrix",
    "RowNumbers",
    "Scores",
    "as_matrix",
    "as_vector",
    "first_true",
    "highest",
    "is_array",
    "is_torch",
    "least",
    "like",
    "namespace",
    "take_rows",
    "to_numpy",
]

Array: TypeAlias = Any
"""An array of any library."""

RowNumbers: TypeAlias = "NDArray[np.intp]"
"""Numbers of rows, ascending or not."""


class Scores(Protocol):
    """Scores of which some rows at a time are looked at."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of queries and of items."""

    @property
    def local(self) -> bool:
        """Whether they are in this machine's memory; `block` then gives arrays of NumPy."""

    def block(self, rows: RowNumbers) -> Array:
        """The scores of some rows."""


class Matrix:
    """Scores that are there."""

    def __init__(self, array: Array) -> None:
        view = local_view(array)
        self.local = view is not None
        self._array = array if view is None else view
        self.shape: tuple[int, int] = (int(array.shape[0]), int(array.shape[1]))

    def block(self, rows: RowNumbers) -> Array:
        """The rows, as a view where they follow one another."""
        return take_rows(self._array, rows)


class Factors:
    """Scores that are products: of a query's factors and an item's."""

    def __init__(self, queries: Array, items: Array) -> None:
        views = local_view(queries), local_view(items)
        self.local = all(view is not None for view in views)
        if not self.local and type(queries) is not type(items):
            raise UsageError(
                f"query_factors is a {type(queries).__name__} and item_factors a {type(items).__name__}; one "
                "of them is on another device, so that both need to be of one library"
            )
        self._queries: Array = views[0] if self.local else queries
        self._items: Array = views[1] if self.local else items
        self.shape: tuple[int, int] = (int(queries.shape[0]), int(items.shape[0]))

    def block(self, rows: RowNumbers) -> Array:
        """The products of the rows with all items."""
        return take_rows(self._queries, rows) @ self._items.T


class Masked:
    """Scores of which some are no candidates: these become -inf, whatever they are."""

    def __init__(self, scores: Scores, candidates: Array) -> None:
        self.shape, self.local = scores.shape, scores.local
        self._scores, self._candidates = scores, candidates

    def block(self, rows: RowNumbers) -> Array:
        """The rows, as floats."""
        block, present = self._scores.block(rows), self.present(rows)
        if not self.local:
            return namespace(block).where(like(present, block), block, float("-inf"))
        floats = block if block.dtype.kind == "f" else block.astype(np.float64)
        return np.where(present, floats, np.array(-np.inf, dtype=floats.dtype))

    def present(self, rows: RowNumbers) -> NDArray[np.bool_]:
        """Which of the scores of these rows are candidates."""
        chosen = self._candidates[rows]
        if chosen.ndim == 1:
            chosen = np.arange(self.shape[1]) < chosen[:, None]
        return chosen  # type: ignore[no-any-return]


def is_array(value: object) -> bool:
    """Whether a value is an array of some library, and no sequence of Python."""
    return hasattr(value, "shape") and hasattr(value, "dtype") and hasattr(value, "__getitem__")


def as_matrix(value: Array, name: str) -> Array:
    """An array of two axes, of real numbers.

    Raises:
        UsageError: it is something else.

    """
    array = _real_numbers(value, name)
    if len(array.shape) != 2:
        raise UsageError(f"{_shown_shape(array, name)}, and needs two: queries and items")
    return array


def as_vector(value: Array, name: str) -> Array:
    """An array of one axis, of real numbers.

    Raises:
        UsageError: it is something else.

    """
    array = _real_numbers(value, name)
    if len(array.shape) != 1:
        raise UsageError(f"{_shown_shape(array, name)}, and needs one: a value for each row")
    return array


def _real_numbers(value: Array, name: str) -> Array:
    if isinstance(value, list | tuple):
        value = _from_lists(value, name)
    if isinstance(value, np.matrix):  # whose rows are matrices again, of two axes
        value = np.asarray(value)
    if is_no_array(value):
        raise UsageError(
            f"{name} is of type {type(value).__name__}, not a dense array of NumPy, torch, JAX, CuPy or "
            "another library that follows the array API"
        )
    dtype = str(value.dtype)
    if "complex" in dtype or (isinstance(value, np.ndarray) and value.dtype.kind not in "biuf"):
        raise UsageError(f"{name} holds {dtype}, not real numbers")
    if isinstance(value, np.ndarray):
        return _plain(value, name)
    return value.detach() if is_torch(value) else value


def _plain(array: NDArray[Any], name: str = "an array") -> NDArray[Any]:
    """An array of NumPy in this machine's order of bytes, whose floats have 64 bits at the most.

    Raises:
        UsageError: some of it is masked, and what that means is for its owner to say.

    """
    if isinstance(array, np.ma.MaskedArray):
        if hidden := int(np.ma.getmaskarray(array).sum()):
            raise UsageError(
                f"{name} is a masked array, {hidden} of whose {array.size} values are masked; say what these "
                "are: give array.filled(value), -inf for scores of no candidate and NaN for grades of what "
                "is not judged, or mask=~numpy.ma.getmaskarray(scores)"
            )
        array = array.data
    if array.dtype.kind == "f" and array.dtype.itemsize > FLOAT:
        return array.astype(np.float64)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


FLOAT = 8
"""Bytes of the floats that are evaluated; NumPy has longer ones."""


def _shown_shape(array: Array, name: str) -> str:
    axes = len(array.shape)
    return f"{name} has {axes} {'axis' if axes == 1 else 'axes'}, shape {tuple(array.shape)}"


def is_no_array(value: Any) -> bool:
    """Whether a value is none, or looks like one and is a table or sparse."""
    tables = type(value).__module__.partition(".")[0] in ("pandas", "polars", "scipy")
    return not is_array(value) or tables or (is_torch(value) and "strided" not in str(value.layout))


def _from_lists(value: Any, name: str) -> NDArray[Any]:
    try:
        return np.array(value)
    except ValueError as error:
        raise UsageError(f"{name} is a list of rows of unequal length; pad them and give lengths") from error


def is_torch(array: Array) -> bool:
    """Whether an array is torch's, which has its own names for some functions."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def local_view(array: Array) -> NDArray[Any] | None:
    """The array as one of NumPy's, without copying, or None if it is not in this machine's memory."""
    if isinstance(array, np.ndarray):
        return _plain(array)
    if is_torch(array):
        if array.device.type != "cpu":
            return None
        # NumPy has no bfloat16.
        detached = array.detach()
        return np.asarray((detached.float() if "bfloat16" in str(array.dtype) else detached).numpy())
    if hasattr(array, "devices"):  # JAX
        platforms = {device.platform for device in array.devices()}
        return np.asarray(array) if platforms == {"cpu"} else None
    if hasattr(array, "__dlpack_device__") and array.__dlpack_device__()[0] == CPU:
        return np.from_dlpack(array)
    return None


CPU = 1
"""DLPack's number of the main memory."""


def to_numpy(array: Array) -> NDArray[Any]:
    """The array as one of NumPy's, wherever it is."""
    view = local_view(array)
    if view is not None:
        return view
    if is_torch(array):
        return to_numpy(array.detach().cpu())
    return np.asarray(array.get() if hasattr(array, "get") else array)  # CuPy copies only when told to


def take_rows(array: Array, rows: RowNumbers) -> Array:
    """Some rows, as a view where they follow one another."""
    if len(rows) and rows[-1] - rows[0] + 1 == len(rows) and (np.diff(rows) == 1).all():
        return array[int(rows[0]) : int(rows[-1]) + 1, :]
    if isinstance(array, np.ndarray):
        return array[rows]
    numbers = like(rows, array)
    return array[numbers] if is_torch(array) else namespace(array).take(array, numbers, axis=0)


def highest(scores: Array, depth: int) -> tuple[Array, Array]:
    """The highest scores of each row, in any order, and their columns; `scores` is no array of NumPy."""
    library = namespace(scores)
    if is_torch(scores):
        return tuple(library.topk(scores, depth, dim=1, sorted=False))
    if library.__name__.startswith("jax"):
        return tuple(sys.modules["jax"].lax.top_k(scores, depth))
    columns = library.argsort(scores, axis=1)[:, scores.shape[1] - depth :]
    return library.take_along_axis(scores, columns, axis=1), columns


def least(scores: Array) -> Array:
    """The least score of each row, NaN where one is; `scores` is no array of NumPy."""
    return scores.amin(dim=1) if is_torch(scores) else namespace(scores).min(scores, axis=1)


def first_true(true: Array) -> Array:
    """The column of the first that is true in each row, 0 where none is; `true` is no array of NumPy."""
    library = namespace(true)
    if is_torch(true):
        return library.argmax(true.to(library.uint8), dim=1)
    return library.argmax(library.astype(true, library.uint8), axis=1)


def namespace(array: Array) -> Any:
    """The library's functions: those of the array API standard, or torch."""
    return sys.modules["torch"] if is_torch(array) else array.__array_namespace__()


def like(values: NDArray[Any], array: Array) -> Array:
    """NumPy's values as an array of another one's library, where that one lives."""
    library = namespace(array)
    if values.dtype.kind == "i":  # JAX has no more by default, and no block has more scores
        values = values.astype(np.int32)
    if library.__name__.startswith("cupy"):
        with array.device:
            return library.asarray(values)
    if is_torch(array) and array.is_cuda:  # which otherwise waits for all that the device was told to do
        return library.tensor(values, pin_memory=True).to(array.device, non_blocking=True)
    return library.asarray(values, device=array.device)
