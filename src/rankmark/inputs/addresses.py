"""Files at addresses, ``s3://``, ``gs://``, ``az://``, ``hf://``, ``https://``, which polars reaches."""

from __future__ import annotations

import re
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rankmark._native import Table
from rankmark.errors import FileMissingError, FormatError, RankmarkError, UsageError
from rankmark.forking import need_polars_threads
from rankmark.inputs.format import COMPRESSED, File, polars_errors
from rankmark.inputs.formats import format_of
from rankmark.inputs.roles import Chosen, ColumnNames, TableName
from rankmark.inputs.source import Source
from rankmark.inputs.tables.polars_frames import from_lazy_frame

if TYPE_CHECKING:
    import polars as pl

__all__ = ["is_address", "open_address"]

ADDRESS = r"(s3a?|gs|gcs|az|azure|abfss?|adl|hf|https?)://"
SCANNED = {
    ".parquet": "scan_parquet",
    ".pq": "scan_parquet",
    ".arrow": "scan_ipc",
    ".feather": "scan_ipc",
    ".ipc": "scan_ipc",
}
"""Files of columns, of which only what is needed travels, by their endings; all others are taken for text."""
TRIES = {"max_retries": 1}
"""Polars tries a cloud so often again; it would 10 times."""
WAIT = 10
"""Seconds in which a server of HTTP has to answer."""
MISSING = r"(?i)\bstatus[ a-z:(]*404\b|\b404 not found"
REFUSED = (
    r"(?i)\bstatus[ a-z:(]*40[137]\b|\b40[137] (unauthorized|forbidden|proxy)"
    r"|credential|token request|account must be|access ?denied|unauthorized"
)
"""What errors say where there is nothing, and where somebody is not let in.

A number alone is none of a status: errors name ports and say how long it took, too.
"""
REASONS = {
    "lookup address": "there is no such host, or no network",
    "name or service not known": "there is no such host, or no network",
    "connection refused": "the connection is refused",
    "timed out": "it does not answer in time",
}
"""Why an address cannot be reached, by what errors say."""
OWN = "in Python give what pl.scan_parquet(address, storage_options={…}) or its like gives"


def is_address(text: str) -> bool:
    """Whether a text is an address that polars reaches, and no path."""
    return "://" in text and re.match(ADDRESS, text) is not None


def open_address(address: str, table: TableName, columns: ColumnNames | None) -> Source:
    """The table at an address, or those of a glob in a cloud.

    Parquet and Arrow are read where they are, a column at a time; everything else is text, of which a copy is
    read as any file is, decompressed if need be.

    Raises:
        FileMissingError: there is nothing there, or it cannot be reached.
        UsageError: it is not for everybody, and the environment has no credentials.
        FormatError: it cannot be read.

    """
    where = f"{table} {address!r}"
    need_polars_threads()
    if address.startswith("http"):
        _check_answer(address)
    name = PurePosixPath(urlsplit(address).path).name
    scan = SCANNED.get(PurePosixPath(name).suffix.lower())
    with _reached(address, where):
        if scan is None:
            return _copied(address, name, table, columns, where)
        source = from_lazy_frame(_scanned(scan, address), where)
    return replace(source, take=_reaching(source.take, address, where))


def _scanned(scan: str, address: str) -> pl.LazyFrame:
    """A lazy frame of what is at an address."""
    import polars as pl

    if not hasattr(pl, scan):
        raise UsageError(
            f"{address!r} is text, which polars {pl.__version__} reads at no address, and later ones do; "
            "copy it here first"
        )
    globs = not address.startswith("http")  # where a question mark is one
    frame: pl.LazyFrame = getattr(pl, scan)(address, storage_options=TRIES, glob=globs)
    return frame


def _reaching(take: Callable[[Chosen], Table], address: str, where: str) -> Callable[[Chosen], Table]:
    """What reads columns, with its errors in our words."""

    def reached(roles: Chosen) -> Table:
        with _reached(address, where):
            return take(roles)

    return reached


class _Copy:
    """A folder that is there as long as this object is."""

    def __init__(self) -> None:
        import shutil  # which files that are here do without, as the next
        import tempfile

        self.path = Path(tempfile.mkdtemp(prefix="rankmark-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def _copied(address: str, name: str, table: TableName, columns: ColumnNames | None, where: str) -> Source:
    """A text, read from a copy of it."""
    copy = _Copy()
    stem = name if PurePosixPath(name).suffix not in COMPRESSED else PurePosixPath(name).stem
    path = copy.path / (stem.replace("*", "") or "text")
    _scanned("scan_lines", address).sink_csv(path, include_header=False, quote_style="never")
    file = File(path, where)
    with _naming(path, address):
        source = format_of(file, table, columns).read(file, table)

    def take(roles: Chosen, _kept: _Copy = copy) -> Table:
        with _naming(path, address):
            return source.take(roles)

    return replace(source, take=take)


@contextmanager
def _naming(path: Path, address: str) -> Iterator[None]:
    """Makes errors name the address and not the copy."""
    try:
        yield
    except RankmarkError as error:
        if str(path) not in str(error):
            raise
        raise type(error)(str(error).replace(str(path), address)) from error


def _check_answer(address: str) -> None:
    """Refuses a server that does not answer, which polars would ask for minutes."""
    import http.client  # what reading files here does without
    import ssl
    import urllib.error
    import urllib.request

    asked = urllib.request.Request(address, method="HEAD", headers={"User-Agent": "rankmark"})
    try:
        urllib.request.urlopen(asked, timeout=WAIT).close()
    except urllib.error.HTTPError as error:
        error.close()
        if error.code in (500, 502, 503, 504):
            raise FileMissingError(
                f"{address!r} cannot be reached: its server says {error.code} {error.reason}"
            ) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        if not isinstance(
            getattr(error, "reason", error), ssl.SSLError
        ):  # polars has certificates of its own
            raise _not_reached(address, str(getattr(error, "reason", error))) from None


@contextmanager
def _reached(address: str, where: str) -> Iterator[None]:
    """Makes errors on the way to an address ours."""
    try:
        with warnings.catch_warnings(), polars_errors(where, "what its ending says"):
            warnings.filterwarnings("ignore", ".*region", UserWarning)
            yield
    except RankmarkError as error:
        if isinstance(error, FormatError) and "error sending request" in str(error):
            raise _not_reached(address, str(error.__cause__)) from error
        if isinstance(error, FormatError) and "invalid utf8" in str(error):
            raise FormatError(
                f"{where} is no text in UTF-8, for which it is taken; Parquet and Arrow are known by their "
                f"endings ({', '.join(SCANNED)}); copy other files here first"
            ) from error
        raise
    except (OSError, ValueError, ImportError) as error:
        said = str(error)
        if isinstance(error, FileNotFoundError) or re.search(MISSING, said):
            raise FileMissingError(f"there is nothing at {address!r}") from error
        if isinstance(error, PermissionError) or re.search(REFUSED, said):
            raise UsageError(
                f"{address!r} is not for everybody: access is refused; credentials are taken from the "
                f"environment as polars does, or {OWN}"
            ) from error
        raise _not_reached(address, said) from error


def _not_reached(address: str, said: str) -> FileMissingError:
    """The error for an address that cannot be reached, with the reason that another gave."""
    known = (ours for theirs, ours in REASONS.items() if theirs in said.lower())
    reason = next(known, said.strip().partition("\n")[0][:200])
    return FileMissingError(f"{address!r} cannot be reached: {reason}")
