"""What eight kinds of users get wrong, and the answers: a table a door, of inputs, exit codes and words."""

from __future__ import annotations

import io
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankmark as rm
from rankmark.cli import main

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 2\nq2 0 c 1\n"
RUN = "q1 Q0 a 1 3.0 t\nq1 Q0 b 2 2.0 t\nq2 Q0 c 1 5.0 t\nq2 Q0 a 2 4.0 t\n"
CLICKS = "user,item,label,score\nu1,a,1,0.9\nu1,b,0,0.2\nu2,a,0,0.4\nu2,c,1,0.6\n"
JUDGED = "query,item,relevance\nq1,a,1\nq1,b,0\n"
EVAL = "eval qrels.txt a.run -m AP"
COMPARE = "compare qrels.txt a.run b.run -m AP"
GATE = "gate qrels.txt a.run b.run -m AP"
AUC = "predictions x.csv -m AUC"


def parquet(**columns: Any) -> bytes:
    pl.DataFrame(columns).write_parquet(written := io.BytesIO())
    return written.getvalue()


RECOMMENDED = parquet(user=[1, 2], item=[1, 3], relevance=[1, 1])
Row = tuple[str, str | bytes | None, str, int, str]

# The content of the file x, where one is needed; the command line; the exit code; words of the answer.
ENGINEER_OF_RECOMMENDERS: list[Row] = [
    ("a folder that Spark wrote", None, "eval qrels.txt folder", 2, "is a directory; name its files, for ex"),
    ("text called .parquet", RUN, "eval qrels.txt x.parquet", 1, "it does not begin as Parquet"),
    ("Parquet cut off", RECOMMENDED[:-30], "eval qrels.txt x.parquet", 1, "the end of the file is missing"),
    ("an empty file", b"", "eval qrels.txt x.parquet", 1, "is empty"),
    ("a pattern for no file", None, "eval qrels.txt 'folder/*.csv'", 2, "no file fits the pattern"),
    (
        "users as text, and as numbers",
        parquet(user=["1"], item=[1], score=[0.5]),
        "eval judged.parquet x.parquet",
        1,
        "the query ids are strings in run 'x.parquet' (column 'user'), such as '1', but integers in qrels",
    ),
    (
        "users as floats",
        parquet(user=[1.0], item=[1], score=[0.5]),
        "eval judged.parquet x.parquet",
        1,
        "the query column 'user' is Float64; ids are integers or strings: cast the column",
    ),
    (
        "scores as text",
        parquet(user=[1], item=[1], score=["0.5"]),
        "eval judged.parquet x.parquet",
        1,
        "the score column 'score' is text, not numbers; cast it",
    ),
    (
        "a user that is null",
        parquet(user=[1, None], item=[1, 2], score=[0.5, 0.1]),
        "eval judged.parquet x.parquet",
        1,
        "the query column 'user' has 1 null, the first in row 1 (from 0); remove those rows",
    ),
    (
        "a score that is NaN",
        parquet(user=[1], item=[1], score=[float("nan")]),
        "eval judged.parquet x.parquet",
        1,
        "the score column 'score' has 1 NaN, the first in row 0 (from 0)",
    ),
    (
        "results without scores",
        parquet(user=[1], item=[1]),
        "eval judged.parquet x.parquet",
        1,
        "has no column for a score or a rank; its columns are 'user', 'item'; say which it is with",
    ),
    (
        "two columns of users",
        parquet(user=[1], user_id=[1], item=[1], score=[0.5]),
        "eval judged.parquet x.parquet",
        1,
        "has 2 columns that can be the query: 'user', 'user_id'; say which with",
    ),
    (
        "an item twice",
        parquet(user=[1, 1], item=[1, 1], score=[0.5, 0.1]),
        "eval judged.parquet x.parquet",
        1,
        "the first is item 1 of query 1 in row 1, already in row 0 (from 0); remove them or choose",
    ),
    (
        "other users",
        parquet(user=[8], item=[1], score=[0.5]),
        "eval judged.parquet x.parquet",
        1,
        "its queries are such as 8, those of qrels 'judged.parquet' such as 1",
    ),
    (
        "a folder of the cloud",
        None,
        "eval qrels.txt hdfs://bucket/run.parquet",
        2,
        "is an address, and here only files",
    ),
]
SEARCH_RESEARCHER: list[Row] = [
    (
        "a line of three fields",
        RUN + "q1 Q0 b\n",
        "eval qrels.txt x.run",
        1,
        "line 5: 3 fields where the first",
    ),
    (
        "a decimal comma",
        RUN.replace("3.0", "3,0"),
        "eval qrels.txt x.run",
        1,
        'the score "3,0" is not a number',
    ),
    (
        "judgements and run swapped",
        None,
        "eval a.run qrels.txt",
        1,
        "these are lines of a run, and judgements come",
    ),
    (
        "two files of judgements",
        None,
        "eval qrels.txt qrels.txt",
        1,
        "these are lines of judgements, which come",
    ),
    ("an item twice", RUN + RUN, "eval qrels.txt x.run", 1, "the first is item 'a' of query 'q1' in row 4"),
    ("judged twice", QRELS + QRELS, "eval x.txt a.run", 1, "4 items judged again for the same query"),
    ("only blank lines", "\n\n", "eval qrels.txt x.run", 1, "has only blank and comment lines"),
    (
        "names of columns",
        "qid Q0 docno rank score tag\n" + RUN,
        "eval qrels.txt x.run",
        1,
        'line 1: the score "score"',
    ),
    ("a name mistyped", None, "eval qrels.txt a.rn", 2, "there is no file 'a.rn'; did you mean 'a.run'"),
    ("a measure mistyped", None, "eval qrels.txt a.run -m ndgc_cut_10", 2, "did you mean 'ndcg_cut'?"),
    ("a cutoff of 0", None, "eval qrels.txt a.run -m nDCG@0", 2, "the cutoff is a whole number from 1"),
    ("semicolons between measures", None, "eval qrels.txt a.run -m 'nDCG@10;AP'", 2, "not '10;AP'"),
    (
        "a measure as a file",
        None,
        "eval qrels.txt a.run ndcg_cut_10",
        2,
        "'ndcg_cut_10' is a measure where a file",
    ),
    ("a measure of predictions", None, "eval qrels.txt a.run -m AUC", 2, "of lists there is ListAUC"),
    ("ids of other cases", RUN.replace("q", "Q"), "eval qrels.txt x.run", 1, "such as 'Q1', those of qrels"),
    (
        "results as ranx saves them, cut off",
        '{"q1": {"a": 1.5},\n"q2": {"b"',
        "eval qrels.txt x.json",
        1,
        "x.json', line 2, column 11: this is no JSON",
    ),
    (
        "a web page",
        "<!doctype html>\n<html>",
        "eval x.txt a.run",
        1,
        "is a web page, perhaps one that reports",
    ),
    ("compress", b"\x1f\x9dabc", "eval x.txt a.run", 1, "is compressed by compress; unpack it"),
]
CLICK_ENGINEER: list[Row] = [
    ("another name of clicks", CLICKS.replace("label", "clk"), AUC, 1, "did you mean 'clk'?"),
    ("scores of a new model", "click,p_new\n1,.5\n0,.2\n", AUC, 1, "known as the score; its columns"),
    ("labels 0, 1, 2", CLICKS.replace("a,1,0.9", "a,2,0.9"), AUC, 1, "AUC takes binary labels (0 and 1"),
    (
        "labels in words",
        "label,score\nyes,1\nno,0\n",
        AUC,
        1,
        "say which is the positive one with --positive yes",
    ),
    (
        "logits",
        CLICKS.replace("0.9", "1.9"),
        "predictions x.csv -m LogLoss",
        1,
        "make probabilities of logits by",
    ),
    (
        "a score is missing",
        CLICKS.replace("0.9", ""),
        AUC,
        1,
        "the score column 'score' has 1 null, the first in",
    ),
    (
        "NULL in words",
        CLICKS.replace("0.9", "NULL"),
        AUC,
        1,
        "row 0 (from 0): 'NULL' in column 'score' is not a",
    ),
    (
        "per cent",
        CLICKS.replace("0.9", "90%"),
        AUC,
        1,
        "row 0 (from 0): '90%' in column 'score' is not a number",
    ),
    ("no rows", "label,score\n", AUC, 1, "has no rows; there is nothing to evaluate"),
    (
        "no names of columns",
        "1,0.9\n0,0.2\n",
        AUC,
        1,
        "its first line should name the columns, and holds numbers",
    ),
    (
        "a column that is not there",
        CLICKS,
        f"{AUC} --label clicked",
        1,
        "has no column 'clicked' for the label",
    ),
    (
        "the label as score",
        CLICKS,
        f"{AUC} --score label",
        1,
        "'label' is said to be the score, its columns are",
    ),
    (
        "two columns of one name",
        "label,score,score\n1,.5,.4\n",
        AUC,
        1,
        "two columns called 'score'; rename one",
    ),
    (
        "a threshold after @",
        CLICKS,
        "predictions x.csv -m F1@0.5",
        2,
        "its threshold is written F1(threshold=0.5)",
    ),
    (
        "an Excel workbook",
        b"PK\x03\x04[Content_Types].xml",
        "predictions x.xlsx",
        1,
        "is an Excel workbook; save it",
    ),
    ("to write a workbook", CLICKS, f"{AUC} -o out.xlsx", 2, "'.xlsx' does not say which format to write"),
    (
        "half a row",
        CLICKS + 'u3,"a',
        AUC,
        1,
        'line 6: a text that begins with a quote (") does not end with one',
    ),
    (
        "NaN in JSON",
        '{"label": 1, "score": NaN}\n',
        "predictions x.jsonl",
        1,
        "line 1: NaN is no number in JSON",
    ),
    (
        "rows in arrays",
        '[["a", 1]]',
        "predictions x.json",
        1,
        "line 1: this is JSON, but no object with a value for",
    ),
]
WITH_WINDOWS: list[Row] = [
    (
        "semicolons",
        CLICKS.replace(",", ";"),
        AUC,
        1,
        "(…, separator=';') reads, with decimal_comma=True where",
    ),
    (
        "decimal commas",
        CLICKS.replace(".", ","),
        AUC,
        1,
        "line 2: 5 fields, but the first line names 4 columns",
    ),
    (
        "sep=;",
        "sep=;\n" + CLICKS,
        AUC,
        1,
        "its first line, 'sep=;', is for Excel and names no columns; remove",
    ),
    (
        "UTF-16 of PowerShell",
        CLICKS.encode("utf-16"),
        AUC,
        1,
        "is UTF-16 text, and only UTF-8 is read; convert it",
    ),
    ("GBK", CLICKS.replace("u1", "用").encode("gbk"), AUC, 1, "line 2, column 1: byte 0xd3 is no UTF-8 text"),
    (
        "latin-1",
        CLICKS.replace("u2", "é").encode("latin-1"),
        AUC,
        1,
        "line 4, column 1: byte 0xe9 is no UTF-8",
    ),
    (
        "lines that end with CR",
        CLICKS.replace("\n", "\r"),
        AUC,
        1,
        r"has lines that end with \r alone; end them",
    ),
    ("thousands", CLICKS.replace("0.9", "1.234,5"), AUC, 1, "field 5 is '5'; quote what has ',' in it"),
    (
        "single quotes",
        None,
        'eval qrels.txt a.run -m "\'nDCG@10" "AP\'"',
        2,
        "this shell knows no single quotes",
    ),
    ("a typeset dash", None, "eval qrels.txt a.run –m AP", 2, "'–m' begins with a typeset dash"),
    (
        "a path of Windows",
        None,
        r"eval 'C:\data\qrels.txt' a.run",
        2,
        r"there is no file 'C:\\data\\qrels.txt'",
    ),
    ("typeset quotes", None, "eval “qrels.txt” a.run", 2, "did you mean 'qrels.txt'"),
    ("tabs in .csv", JUDGED.replace(",", "\t"), "eval x.csv a.run", 1, "it looks separated by '\\t'"),
]
ENGINEER_OF_BUILDS: list[Row] = [
    ("no allowance", None, GATE, 2, "nothing decides: give --max-drop 0.5%, say"),
    ("an allowance of 100%", None, f"{GATE} --max-drop 1", 2, 'this gate cannot fail; did you mean "1%"?'),
    (
        "a decimal comma",
        None,
        f"{GATE} --max-drop 0,5%",
        2,
        "is neither a number from 0, such as 0.005, nor a share",
    ),
    (
        "a file that is missing",
        None,
        "gate qrels.txt a.run no -m AP --max-drop 1%",
        2,
        "not decided: there is no",
    ),
    (
        "an empty run",
        "",
        "gate qrels.txt a.run x.run -m AP --max-drop 1%",
        2,
        "not decided: run 'x.run' is empty",
    ),
    (
        "a confidence of 95",
        None,
        f"{GATE} --max-drop 1% --confidence 95",
        2,
        "--confidence 95.0 is not a number above",
    ),
    (
        "a pointer of Git LFS",
        "version https://git-lfs.github.com/spec/v1\n",
        "eval x.txt a.run",
        1,
        "git lfs pull",
    ),
    (
        "JSON over several lines",
        '{\n"query": 1\n}\n',
        "eval x.json a.run",
        1,
        "one object over several lines",
    ),
    (
        "an input as output",
        None,
        f"{EVAL} -o qrels.txt",
        2,
        "-o qrels.txt would overwrite the input qrels.txt",
    ),
    ("output into no folder", None, f"{EVAL} -o no/x.json", 2, "cannot write no/x.json: there is no folder"),
    ("a device", None, "eval /dev/null a.run", 2, "is a pipe or a device, not a file"),
    ("an empty variable", None, "eval '' a.run", 2, "'' is not a path"),
    ("a name without its file", None, "eval qrels.txt new=", 2, "'' is not a path"),
    ("a damaged archive", b"\x1f\x8b\x08\xff", "eval x.gz a.run", 1, "the compressed file is damaged"),
    (
        "an option of others",
        None,
        "eval --qrels qrels.txt a.run",
        2,
        "files are given without options: QRELS RUN",
    ),
    ("--metrics", None, "eval qrels.txt a.run --metrics AP", 2, "measures are given with -m"),
    ("-k 10", None, f"{EVAL} -k 10", 2, "a cutoff is part of a measure: -m nDCG@10"),
    ("evaluate", None, "evaluate qrels.txt a.run", 2, "did you mean 'eval'?"),
    ("an unknown tool", None, f"{EVAL} --like trec-eval", 2, "did you mean 'trec_eval'"),
]
COMPARER: list[Row] = [
    ("one system", None, "compare qrels.txt a.run", 2, "1 system to compare; give two or more"),
    (
        "the same file twice",
        None,
        "compare qrels.txt a.run a.run",
        2,
        "two runs are called a.run; write NAME=a.run",
    ),
    ("one name twice", None, "eval qrels.txt x=a.run x=b.run", 2, "x has 2 runs; a system has one"),
    (
        "an unknown baseline",
        None,
        f"{COMPARE} --baseline c",
        2,
        "--baseline c is not one of the systems a, b",
    ),
    (
        "a baseline by its file",
        None,
        "compare qrels.txt old=a.run b.run --baseline a.run",
        2,
        "--baseline a.run is not one of the systems old, b; did you mean 'old'?",
    ),
    (
        "alpha of 5",
        None,
        f"{COMPARE} --alpha 5",
        2,
        "--alpha 5.0 is not a number above 0 and below 1; did you mean 0.05?",
    ),
    ("alpha of 0,05", None, f"{COMPARE} --alpha 0,05", 2, "'0,05' is not a valid float; did you mean 0.05?"),
    ("an unknown test", None, f"{COMPARE} --test t-test", 2, "is not one of randomisation, t, wilcoxon"),
    (
        "an unknown correction",
        None,
        f"{COMPARE} --correction bh",
        2,
        "is not one of holm, hochberg, benjamini",
    ),
    ("slices by no column", None, f"{COMPARE} --by country", 1, "--by country: no table has such a column"),
    (
        "measures without quotes",
        None,
        f"{COMPARE} RR P@5",
        2,
        "'RR' is a measure where a file is wanted; put measures",
    ),
    ("a negative margin", None, f"{COMPARE} --margin -1", 2, "--margin -1.0 is not a number above 0"),
    (
        "a query that is not there",
        None,
        "explain qrels.txt a.run -m AP --query q9",
        2,
        "no judgements of query 'q9'",
    ),
    ("three runs to agree", None, "agree a.run b.run a.run", 2, "two runs are called a.run"),
]
LATER_COMMANDS: list[Row] = [
    (
        "gate: a wrong column",
        CLICKS,
        "gate-predictions x.csv --score sc0re --at-least AUC=.5",
        2,
        "did you mean 'sco",
    ),
    (
        "gate: a wrong measure",
        CLICKS,
        "gate-predictions x.csv --at-least ACU=.5",
        2,
        "no measure 'ACU'; did you mean",
    ),
    ("gate: no such file", None, "gate-predictions y.csv --at-least AUC=.5", 2, "there is no file 'y.csv'"),
    ("check: a wrong column", CLICKS, "check-predictions x.csv --score sc0re", 1, "did you mean 'score'?"),
    (
        "check: a measure",
        CLICKS,
        "check-predictions x.csv -m AUC",
        2,
        "'-m'; check-predictions takes no measures",
    ),
    ("check: no such file", None, "check-predictions y.csv", 2, "there is no file 'y.csv'"),
    (
        "slices: a wrong column",
        "query,c\nq1,x\n",
        f"{COMPARE} --by cc --attributes x.csv",
        1,
        "--by cc: no table has",
    ),
    ("slices: a wrong measure", None, "compare qrels.txt a.run b.run -m APP --by c", 2, "did you mean 'AP'"),
    ("slices: no such file", None, f"{COMPARE} --by c --attributes y.csv", 2, "there is no file 'y.csv'"),
    (
        "a wrong column of runs",
        None,
        f"{GATE} --max-drop 1% --column query=qid",
        2,
        "--column query=qid: neither",
    ),
    *(
        (
            f"a wrong column: {command.split()[0]}",
            None,
            f"{command} --column query=usr",
            1,
            "--column query=usr: neither qrels nor run has a column 'usr'",
        )
        for command in (
            EVAL,
            f"{EVAL} --like trec_eval --like sklearn",
            COMPARE,
            "agree a.run b.run",
            "check qrels.txt a.run",
            "explain qrels.txt a.run -m AP --query q1",
            "identify qrels.txt a.run -m AP --value 0.5",
        )
    ),
    (
        "a wrong measure of runs",
        None,
        "gate qrels.txt a.run b.run -m APP --max-drop 1%",
        2,
        "did you mean 'AP'",
    ),
    (
        "a run that is not there",
        None,
        "gate qrels.txt a.rnu b.run -m AP --max-drop 1%",
        2,
        "did you mean 'a.run'",
    ),
    ("show: no such file", None, "show a.rnu", 2, "there is no file 'a.rnu'; did you mean 'a.run'"),
    (
        "show: a run",
        None,
        "show a.run",
        1,
        "holds no saved result, or is damaged: File is not a zip file; `-o NAME",
    ),
    ("show: a measure", None, "show a.run -m AP", 2, "No such option '-m'; show takes no measures"),
    ("explain: a wrong measure", None, "explain qrels.txt a.run -m APP --query q1", 2, "did you mean 'AP'"),
]
WIDE = "query,old,new\nq1,0.1,0.2\nq2,0.3,0.4\nq3,0.2,0.6\n"
USERS = "query,user,weight\nq1,u,1\nq2,v,2\n"
SYSTEMS = "label,p,q\n1,0.9,0.8\n0,0.2,0.1\n1,0.5,0.6\n0,0.4,0.7\n"
MATRIX, BOARD, POWER = "compare-matrix x.csv -m AP", "board x.csv -m AP", "power x.csv -m AP"
SYSTEM = "predictions x.csv --label label --system old=p -m AUC"
# A wrong column, a wrong name and a missing file at each command of inference.
INFERENCE: list[Row] = [
    (
        "matrix: no such column",
        WIDE,
        f"{MATRIX} --column query=qid",
        1,
        "no column 'qid'; its columns are 'qu",
    ),
    (
        "matrix: no such role",
        WIDE,
        f"{MATRIX} --column querry=query",
        2,
        "no role of a matrix; did you mean 'qu",
    ),
    ("matrix: no such system", WIDE, f"{MATRIX} --baseline odl", 2, "systems old, new; did you mean 'old'?"),
    ("matrix: no such test", WIDE, f"{MATRIX} --test wilcoxn", 2, "did you mean 'wilcoxon'?"),
    (
        "matrix: no such file",
        WIDE,
        f"{MATRIX.replace('x.csv', 'y.csv')} -o x.csv",
        2,
        "did you mean 'x.csv'?",
    ),
    (
        "matrix: text",
        WIDE.replace("0.1", "a"),
        MATRIX,
        1,
        "row 0 (from 0): 'a' in column 'old' is not a number",
    ),
    (
        "matrix: two tables as CSV",
        WIDE,
        f"{MATRIX} -o y.csv --margin .1 --anova",
        2,
        "one of margin, anova, or",
    ),
    ("board: no such column", WIDE, f"{BOARD} --column query=qid", 1, "no column 'qid'; its columns are 'qu"),
    ("board: no such units", WIDE, f"{BOARD} --over collectoins", 2, "did you mean 'collections'?"),
    ("board: no such file", WIDE, "board y.csv -m AP -o x.csv", 2, "did you mean 'x.csv'?"),
    (
        "board: judgements and runs",
        None,
        "board qrels.txt a.run b.run",
        1,
        "the judgements are given by --qrels)",
    ),
    ("power: no such column", WIDE, f"{POWER} --column query=qid", 1, "no column 'qid'; its columns are 'qu"),
    ("power: no such design", WIDE, f"{POWER} --design intervall", 2, "did you mean 'interval'?"),
    ("power: in per cent", WIDE, f"{POWER} --power 80", 2, "did you mean 0.8?"),
    ("power: a share", None, f"{POWER} --difference 5%", 2, "is not a valid float; did you mean 0.05?"),
    ("power: no such file", None, "power a.rnu -m AP", 2, "did you mean 'a.run'"),
    (
        "intervals: a method",
        None,
        f"{EVAL} --intervals studentized",
        2,
        "--interval-method says how they are",
    ),
    ("intervals: in per cent", None, f"{EVAL} --intervals --confidence 95", 2, "did you mean 0.95?"),
    (
        "weights: no such column",
        USERS,
        f"{EVAL} --weights wieght --attributes x.csv",
        1,
        "did you mean 'weight'?",
    ),
    (
        "weights: text",
        USERS,
        f"{EVAL} --weights user --attributes x.csv",
        1,
        "no number, but 'u', is that of",
    ),
    (
        "weights: no such file",
        USERS,
        f"{EVAL} --weights w --attributes y.csv -o x.csv",
        2,
        "did you mean 'x.csv'?",
    ),
    (
        "clusters: no such column",
        USERS,
        f"{COMPARE} --clusters usr --attributes x.csv",
        1,
        "did you mean 'user'?",
    ),
    (
        "clusters: no such file",
        USERS,
        f"{COMPARE} --clusters user --attributes y.csv -o x.csv",
        2,
        "did you mean",
    ),
    (
        "compare: weights",
        USERS,
        f"{COMPARE} --weights wieght --attributes x.csv",
        1,
        "did you mean 'weight'?",
    ),
    ("compare: a wrong option", None, f"{COMPARE} --detials", 2, "--details"),
    (
        "gate: no such column",
        USERS,
        f"{GATE} --max-drop 1% --clusters usr --attributes x.csv",
        2,
        "not decided: --clusters usr: no table has such a column; did you mean 'user'?",
    ),
    (
        "gate: no such file",
        None,
        f"{GATE} --max-drop 1% --clusters u --attributes a.rnu",
        2,
        "did you mean 'a.run'",
    ),
    (
        "systems: no such column",
        SYSTEMS,
        f"{SYSTEM} --system new=qq",
        1,
        "no column 'qq' for scores; did you mean",
    ),
    ("systems: no such system", SYSTEMS, f"{SYSTEM} --system new=q --baseline odl", 2, "did you mean 'old'?"),
    (
        "systems: a test's other name",
        SYSTEMS,
        f"{SYSTEM} --system new=q --test mid-p",
        2,
        "did you mean 'mcnemar'?",
    ),
    ("systems: no name", SYSTEMS, "predictions x.csv -m AUC --system p", 2, "each is NAME=COLUMN"),
    (
        "systems: no such file",
        SYSTEMS,
        SYSTEM.replace("x.csv", "y.csv") + " --system new=q -o x.csv",
        2,
        "did you mean 'x.csv'?",
    ),
]
GROUPS = {
    "later commands": LATER_COMMANDS,
    "recommender engineer": ENGINEER_OF_RECOMMENDERS,
    "search researcher": SEARCH_RESEARCHER,
    "click engineer": CLICK_ENGINEER,
    "Windows": WITH_WINDOWS,
    "builds": ENGINEER_OF_BUILDS,
    "comparing": COMPARER,
    "inference": INFERENCE,
}
ROWS = [pytest.param(*row, id=f"{who}: {row[0]}") for who, rows in GROUPS.items() for row in rows]


def answer(
    content: str | bytes | None, command: str, folder: Path, said: pytest.CaptureFixture[str]
) -> tuple[int, str]:
    """The exit code of a command line in a folder with some files, and what it says."""
    (folder / "folder").mkdir()
    files = {
        "qrels.txt": QRELS,
        "a.run": RUN,
        "b.run": RUN.replace("3.0", "1.0"),
        "judged.parquet": RECOMMENDED,
    }
    args = shlex.split(command)
    if content is not None:
        files[next(arg for arg in args if arg.startswith("x."))] = content
    for name, text in files.items():
        (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return main(args), said.readouterr().err


@pytest.mark.parametrize(("what", "content", "command", "code", "words"), ROWS)
def test_bad_command_lines_are_answered(
    what: str,  # noqa: ARG001 - the table says it to its readers
    content: str | bytes | None,
    command: str,
    code: int,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    found, err = answer(content, command, tmp_path, capsys)
    assert found == code
    assert err.startswith("rankmark: error: ")
    assert words in err
    assert "Traceback" not in err


JUDGEMENTS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2, "c": 1}}
RESULTS = {"q1": {"a": 3.0, "b": 2.0}, "q2": {"c": 5.0, "a": 4.0}}
BOTH = {"A": RESULTS, "B": RESULTS}
LABELS, SCORES = [0, 1, 1, 0], [0.1, 0.8, 0.4, 0.5]
MIXED = pd.DataFrame({"query": ["q1", "q1"], "item": ["a", 2], "relevance": [1, 0]})
Call = tuple[str, Callable[[], object], type[Exception], str]

NOTEBOOK: list[Call] = [
    (
        "a file's text",
        lambda: rm.evaluate(QRELS, RESULTS, "AP"),
        rm.FileMissingError,
        "a text names a file, and not",
    ),
    (
        "an open file",
        lambda: rm.evaluate(io.StringIO(QRELS), RESULTS, "AP"),
        rm.UsageError,
        "qrels is an open file;",
    ),
    (
        "bytes",
        lambda: rm.evaluate(QRELS.encode(), RESULTS, "AP"),
        rm.UsageError,
        "qrels is of type bytes, none of",
    ),
    (
        "None",
        lambda: rm.evaluate(None, RESULTS, "AP"),
        rm.UsageError,
        "without judgements there is no 'AP'",
    ),
    (
        "rows that are dicts",
        lambda: rm.evaluate([{"query": 1}], RESULTS, "AP"),
        rm.UsageError,
        "polars.DataFrame(qre",
    ),
    (
        "scores by item",
        lambda: rm.evaluate({"a": 1}, RESULTS, "AP"),
        rm.UsageError,
        "query 'a' has 1; give {item: va",
    ),
    (
        "ids of mixed types",
        lambda: rm.evaluate(MIXED, RESULTS, "AP"),
        rm.ColumnError,
        "1 of int (the first 2 in row 1",
    ),
    (
        "measures in a dict",
        lambda: rm.evaluate(JUDGEMENTS, RESULTS, {"n": "AP"}),
        rm.MeasureError,
        "is neither a measu",
    ),
    (
        "a function",
        lambda: rm.evaluate(JUDGEMENTS, RESULTS, [len]),
        rm.MeasureError,
        "of type builtin_function_or_meth",
    ),
    (
        "a cutoff in brackets",
        lambda: rm.nDCG(k=10),
        rm.MeasureError,
        "the cutoff is written after the name: nDCG@10",
    ),
    ("a cutoff in quotes", lambda: rm.nDCG @ "10", rm.MeasureError, "the cutoff is a whole number from 1"),
    (
        "a value not asked for",
        lambda: rm.evaluate(JUDGEMENTS, RESULTS, "AP")["RR"],
        KeyError,
        "RR was not evaluated",
    ),
    ("the name in capitals", lambda: getattr(rm, "NDCG"), AttributeError, "it is rm.nDCG"),  # noqa: B009
    (
        "a gain that raises",
        lambda: rm.evaluate(JUDGEMENTS, RESULTS, rm.nDCG(gain=lambda grade: 1 / (grade - 1))),
        rm.UsageError,
        "gain: the function '<lambda>' raises ZeroDivisionError for grade 1",
    ),
    (
        "a slice that raises",
        lambda: rm.evaluate(JUDGEMENTS, RESULTS, "AP", by=int),
        rm.UsageError,
        "for query 'q1'",
    ),
]
FROM_OTHER_TOOLS: list[Call] = [
    (
        "arrays of sklearn",
        lambda: rm.evaluate(np.eye(2), np.eye(2), "AP"),
        rm.UsageError,
        "rm.evaluate_arrays(scores",
    ),
    (
        "a tuple of arrays",
        lambda: rm.evaluate_predictions((LABELS, SCORES), "AUC"),
        rm.UsageError,
        '{"label": labels,',
    ),
    (
        "scores before labels",
        lambda: predicted(SCORES, LABELS),
        rm.DataError,
        "AUC takes binary labels (0 and 1, −1",
    ),
    (
        "arrays of other lengths",
        lambda: predicted(LABELS, SCORES[:3]),
        rm.UsageError,
        "4 of the label, 3 of the score",
    ),
    (
        "flat tensors",
        lambda: rm.evaluate_arrays(SCORES, LABELS, "AP"),
        rm.UsageError,
        "has 1 axis, shape (4,), and",
    ),
    (
        "top_k",
        lambda: rm.evaluate_arrays([SCORES], [[1]], "AP", top_k=1),
        rm.UsageError,
        "has no argument 'top_k'",
    ),
    (
        "ragged",
        lambda: rm.evaluate_arrays([[1, 2], [3]], [[0], [0]], "AP"),
        rm.UsageError,
        "rows of unequal length;",
    ),
    (
        "other shapes",
        lambda: rm.evaluate_arrays(np.eye(2), np.eye(3), "AP"),
        rm.UsageError,
        "relevance has the shape",
    ),
    (
        "grades as text",
        lambda: rm.evaluate({"q1": {"a": "1"}}, RESULTS, "AP"),
        rm.DataError,
        "the relevance '1' is a",
    ),
    (
        "a tool unknown",
        lambda: rm.evaluate(JUDGEMENTS, RESULTS, "AP", like="irmeasures"),
        rm.ChoiceError,
        "did you me",
    ),
    (
        "systems in a list",
        lambda: rm.compare(JUDGEMENTS, [RESULTS], "AP"),
        rm.UsageError,
        "give them by name: {name:",
    ),
    (
        "pair swapped",
        lambda: compared().pair("B", "AP"),
        rm.UsageError,
        "'B' is a system, where a measure is asked",
    ),
    (
        "alpha=5",
        lambda: rm.compare(JUDGEMENTS, BOTH, "AP", alpha=5),
        rm.ChoiceError,
        "alpha=5 is not a number above 0",
    ),
    (
        "no common measure",
        lambda: rm.compare_results(results()),
        rm.UsageError,
        "there is no measure that all results",
    ),
]


def predicted(labels: Any, scores: Any) -> object:
    evaluator = rm.PredictionEvaluator("AUC")
    evaluator.update_arrays(labels, scores)
    return evaluator.result()


def compared() -> Any:
    return rm.compare(JUDGEMENTS, BOTH, "AP")


def results() -> dict[str, Any]:
    return {name: rm.evaluate(JUDGEMENTS, RESULTS, name) for name in ("AP", "RR")}


CALLS = {"notebook": NOTEBOOK, "from other tools": FROM_OTHER_TOOLS}


@pytest.mark.parametrize(
    ("what", "call", "kind", "words"),
    [pytest.param(*call, id=f"{who}: {call[0]}") for who, calls in CALLS.items() for call in calls],
)
def test_bad_calls_are_answered(
    what: str,  # noqa: ARG001
    call: Callable[[], object],
    kind: type[Exception],
    words: str,
) -> None:
    with pytest.raises(kind) as error:
        call()
    assert words in str(error.value)


def test_a_folder_that_may_not_be_looked_into_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in (("qrels.txt", "q 0 a 1\n"), ("a.run", "q Q0 a 1 2 t\n")):
        (tmp_path / name).write_text(text)
    look = Path.stat

    def stat(path: Path, **how: bool) -> os.stat_result:
        if "closed" in str(path):
            raise PermissionError(13, "Permission denied", str(path))
        return look(path, **how)

    monkeypatch.setattr(Path, "stat", stat)
    qrels, run, closed = (str(tmp_path / name) for name in ("qrels.txt", "a.run", "closed/b.txt"))
    for words, said in (
        (
            ["eval", qrels, closed, "-m", "RR"],
            f"{closed!r} cannot be read: no permission to look into its folder",
        ),
        (["eval", qrels, run, "-m", "RR", "-o", closed], f"cannot write {closed}: Permission denied"),
        (["trec_eval", qrels, closed], f"{closed!r} cannot be read: no permission to look into its folder"),
    ):
        assert main(words) == 2
        assert said in capsys.readouterr().err
