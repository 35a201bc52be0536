"""Files that no format reads are called what they are."""

from __future__ import annotations

import gzip
import io
import sqlite3
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.io

from rankmark.errors import FormatError
from rankmark.inputs import read_qrels
from rankmark.inputs.foreign import foreign

TREC = "q1 0 a 1\nq1 0 b 0\n"
CHINESE = "用户1 0 商品甲 1\n用户2 0 商品乙 0\n"
CSV = "query,item,relevance\nq1,é,1\n"


@pytest.mark.parametrize("text", [TREC, CHINESE, CSV, CSV.replace(",", "\t"), '{"query": "q1", "item": 1}\n'])
@pytest.mark.parametrize(
    ("encoding", "mark", "called"),
    [
        ("utf-16", b"", "UTF-16"),
        ("utf-32", b"", "UTF-32"),
        ("utf-16-be", b"\xfe\xff", "UTF-16"),
        ("utf-16-le", b"", "UTF-16LE"),
        ("utf-16-be", b"", "UTF-16BE"),
        ("utf-32-le", b"", "UTF-32LE"),
        ("utf-32-be", b"", "UTF-32BE"),
    ],
)
def test_text_of_wide_characters(text: str, encoding: str, mark: bytes, called: str) -> None:
    message = foreign(mark + text.encode(encoding), ".txt")
    assert message is not None
    assert message.startswith(
        f"is {called} text, and only UTF-8 is read; convert it with iconv -f {called} -t"
    )


@pytest.mark.parametrize("text", [TREC, CHINESE, CSV, "﻿" + CSV, TREC + "\0", "q\0 0 a 1\n"])
def test_utf_8_is_nothing_foreign(text: str) -> None:
    assert foreign(text.encode(), ".csv") is None


def zipped(member: str) -> bytes:
    with zipfile.ZipFile(written := io.BytesIO(), "w") as archive:
        archive.writestr(member, "text")
    return written.getvalue()


def tarred() -> bytes:
    with tarfile.open(fileobj=(written := io.BytesIO()), mode="w") as archive:
        archive.addfile(tarfile.TarInfo("qrels.txt"))
    return written.getvalue()


def opened_document() -> bytes:
    with zipfile.ZipFile(written := io.BytesIO(), "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
    return written.getvalue()


def matlab() -> bytes:
    scipy.io.savemat(written := io.BytesIO(), {"a": np.arange(3)})
    return written.getvalue()


def numpy_array() -> bytes:
    np.save(written := io.BytesIO(), np.arange(3))
    return written.getvalue()


def database(path: Path) -> bytes:
    with sqlite3.connect(path) as connection:
        connection.execute("create table qrels (query, item)")
    connection.close()
    return path.read_bytes()


def test_files_of_other_programs(tmp_path: Path) -> None:
    lfs = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    for name, content, message in [
        (
            "a.xlsx",
            zipped("xl/workbook.xml"),
            "is an Excel workbook; save it as Parquet or CSV, or in Python",
        ),
        ("a.csv", zipped("[Content_Types].xml"), "is an Excel workbook"),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is an old Excel workbook"),
        ("a.zip", zipped("qrels.txt"), "is a ZIP archive; unpack it, or compress the file with gzip or zstd"),
        (
            "a.rankmark",
            zipped("result.json"),
            "is what rankmark saved of a result; it has values and no rows",
        ),
        ("a.npz", zipped("a.npy"), "is an archive of NumPy arrays; give the arrays to rm.evaluate_arrays"),
        ("a.npy", numpy_array(), "is a NumPy array"),
        ("a.ods", zipped("mimetype"), "is an OpenDocument spreadsheet; save it as Parquet or CSV, or in"),
        ("a.zip", opened_document(), "is an OpenDocument file"),
        ("a.rds", gzip.compress(b"X\n\0\0\0\x03\0\x04\x03\x01"), "is data of R; save it in R with arrow::wr"),
        ("a.RData", gzip.compress(b"RDX3\nX\n\0"), "is data of R"),
        ("a.mat", matlab(), "is data of MATLAB; save it with parquetwrite"),
        ("a.sav", b"$FL2@(#) SPSS DATA FILE", "is data of SPSS; save it as Parquet or CSV"),
        ("a.dta", b"<stata_dta><header><release>118", "is data of Stata"),
        ("a.tar.gz", gzip.compress(tarred()), "is a tar archive"),
        ("a.bz2", b"BZh91AY&SY\x01", "is compressed by bzip2"),
        ("a.xz", b"\xfd7zXZ\0\0", "is compressed by xz"),
        ("a.db", database(tmp_path / "database"), "is an SQLite database"),
        ("a.pkl", b"\x80\x04\x95\x10", "is a pickle, which could run any program; save it as Parquet"),
        ("a.pdf", b"%PDF-1.4\n", "is a PDF document; give a file that holds a table"),
        ("a.gif", b"GIF89a\x01\0", "is a picture"),
        ("a.parquet", b"PARE-\0\0\0\xe3[\x08\x15", "is encrypted Parquet"),
        ("a.csv", b"\n<!DOCTYPE html>\n<html>", "is a web page, perhaps one that reports an error"),
        ("a.parquet", lfs, "is only a pointer of Git LFS to the file; fetch the file with git lfs pull"),
    ]:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(FormatError) as error:
            read_qrels(tmp_path / name)
        assert str(error.value).startswith(f"qrels '{tmp_path / name}' {message}")


def test_parquet_under_another_name_is_read(tmp_path: Path) -> None:
    pl.DataFrame({"query": [1], "item": [2]}).write_parquet(tmp_path / "qrels.csv")
    assert read_qrels(tmp_path / "qrels.csv").table.num_rows == 1


def test_bytes_of_parquet_are_no_text(tmp_path: Path) -> None:
    for name in ("\r" * 100, "\0a" * 500):  # as lines of old, and as wide characters
        pl.DataFrame({"query": [name], "item": [2]}).write_parquet(
            tmp_path / "a.parquet", compression="uncompressed"
        )
        assert read_qrels(tmp_path / "a.parquet").table.num_rows == 1


def test_lines_that_end_as_on_old_machines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(TREC.replace("\n", "\r").encode())
    with pytest.raises(
        FormatError, match=r"has lines that end with \\r alone; end them with \\n, for example"
    ):
        read_qrels(tmp_path / "a.txt")


@pytest.mark.parametrize("query", ["orc", "PARE", "pare", "GIF8", "obj", "bzh9"])
def test_text_whose_ids_begin_as_other_files_do_is_read(query: str, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text(f"{query}1 0 d1 1\n")
    assert read_qrels(tmp_path / "qrels.txt").table.num_rows == 1
