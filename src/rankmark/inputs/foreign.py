"""Files that no format reads, known by their first bytes: what they are, and what to do instead."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["foreign"]

BOMS = {
    "utf-32-le": b"\xff\xfe\0\0",
    "utf-32-be": b"\0\0\xfe\xff",
    "utf-16-le": b"\xff\xfe",
    "utf-16-be": b"\xfe\xff",
}
"""Encodings and the marks of their files; wider ones first, whose marks begin as those of the others do."""
OLD_LINES = r"has lines that end with \r alone; end them with \n, for example by tr '\r' '\n'"
LOOKED_AT = 1 << 10
"""Bytes by which an encoding without a mark is told."""

TABLE = "save it as Parquet or CSV, or in Python give the table that pandas or polars reads of it"
UNPACKED = "unpack it, or compress the file with gzip or zstd, which are read as they are"
LOADED = "it has values and no rows, so that it is shown, compared and gated, and not evaluated again"
NO_TABLE = "give a file that holds a table"


class _Kind(NamedTuple):
    """What a file is whose first bytes fit `start`, and what to do; of some only where its name ends so."""

    start: re.Pattern[bytes]
    what: str
    instead: str
    endings: frozenset[str] = frozenset()


def _kind(start: bytes, what: str, instead: str, *endings: str) -> _Kind:
    return _Kind(re.compile(start, re.DOTALL), what, instead, frozenset(endings))


ZIP = rb"PK\x03\x04"
KINDS = (
    _kind(ZIP, "an Excel workbook", TABLE, ".xlsx", ".xlsm"),
    _kind(ZIP + rb".{0,2000}(\[Content_Types\]\.xml|xl/)", "an Excel workbook", TABLE),
    _kind(rb"\xd0\xcf\x11\xe0", "an old Excel workbook", TABLE),
    _kind(ZIP, "an OpenDocument spreadsheet", TABLE, ".ods"),
    _kind(ZIP + rb".{22}\x08\0.{2}mimetypeapplication/vnd\.oasis\.", "an OpenDocument file", TABLE),
    _kind(ZIP, "an archive of NumPy arrays", "give the arrays to rm.evaluate_arrays", ".npz"),
    _kind(ZIP + rb".{22}\x0b\0.{2}result\.json", "what rankmark saved of a result", LOADED),
    _kind(ZIP, "a ZIP archive", UNPACKED),
    _kind(rb".{257}ustar", "a tar archive", UNPACKED),
    _kind(rb"BZh\d1AY&SY", "compressed by bzip2", UNPACKED),
    _kind(rb"\xfd7zXZ\0", "compressed by xz", UNPACKED),
    _kind(rb"\x1f\x9d", "compressed by compress", UNPACKED),
    _kind(rb"7z\xbc\xaf", "a 7z archive", UNPACKED),
    _kind(rb"\x04\x22\x4d\x18", "compressed by LZ4", UNPACKED),
    _kind(rb"PARE.{3}\0", "encrypted Parquet", TABLE),
    _kind(rb"ORC", "an ORC file", TABLE, ".orc"),
    _kind(rb"Obj\x01", "an Avro file", TABLE),
    _kind(
        rb"X\n\0\0\0[\x02\x03]|RD[XA][23]\n",
        "data of R",
        "save it in R with arrow::write_parquet or write.csv",
    ),
    _kind(
        rb"MATLAB \d\.\d MAT-file",
        "data of MATLAB",
        "save it with parquetwrite or writetable, or give the arrays that scipy.io reads to "
        "rm.evaluate_arrays",
    ),
    _kind(rb"\$FL[23]", "data of SPSS", TABLE),
    _kind(rb"<stata_dta>", "data of Stata", TABLE),
    _kind(rb"\x89HDF\r\n", "an HDF5 file", TABLE),
    _kind(rb"SQLite format 3\0", "an SQLite database", TABLE),
    _kind(rb"\x93NUMPY", "a NumPy array", "give the array to rm.evaluate_arrays"),
    _kind(rb"\x80[\x02-\x05]", "a pickle, which could run any program", TABLE),
    _kind(rb"%PDF-", "a PDF document", NO_TABLE),
    _kind(rb"\x89PNG|\xff\xd8\xff|GIF8[79]a", "a picture", NO_TABLE),
    _kind(
        rb"(?i:\s*(<!doctype html|<html))",
        "a web page, perhaps one that reports an error or asks for a password",
        "download the file itself",
    ),
    _kind(rb"\s*<\?xml", "XML", TABLE),
    _kind(
        rb"version https://git-lfs\.github\.com/",
        "only a pointer of Git LFS to the file",
        "fetch the file with git lfs pull",
    ),
)


def foreign(head: bytes, ending: str) -> str | None:
    """What a file is that cannot be read, and what to do; None if nothing speaks against it.

    Args:
        head: the first bytes of the content, decompressed.
        ending: of the file's name, such as ``.csv``.

    """
    for kind in KINDS:
        if kind.start.match(head) and (not kind.endings or ending in kind.endings):
            return f"is {kind.what}; {kind.instead}"
    encoding = _wide_encoding(head)
    if encoding is None:
        return OLD_LINES if b"\r" in head and b"\n" not in head else None
    return (
        f"is {encoding} text, and only UTF-8 is read; convert it with iconv -f {encoding} -t UTF-8, "
        "or in PowerShell with Out-File -Encoding utf8"
    )


def _wide_encoding(head: bytes) -> str | None:
    """What iconv calls the encoding of text whose characters take two or four bytes; None of other text."""
    for encoding, mark in BOMS.items():
        if head.startswith(mark):
            return encoding[:6].upper()
    start = head[:LOOKED_AT]
    if start.count(0) * 6 < len(start):  # even Chinese text has as many, in what separates its fields
        return None
    for encoding in BOMS:
        text = start[: len(start) // 4 * 4].decode(encoding, errors="replace")
        if re.search(r"[ \t\n,;]", text) and re.fullmatch(r"[^\0-\x08\ufffd]+", text):
            return encoding[:6].upper() + encoding[7:].upper()
    return None
