"""`rankmark ndeval`, beside what ndeval 4.5 printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankmark.cli import main

QRELS = "10 1 a 1\n10 2 b 1\n2 1 a 1\n3 1 a 0\n5 1 c 1\n"
RUN = "10 Q0 a 1 3 r\n10 Q0 b 2 2 r\n7 Q0 a 1 1 r\n2 Q0 b 1 1 r\n2 Q0 a 2 2 r\n3 Q0 a 1 1 r\n"
HEAD = (
    "runid,topic,ERR-IA@5,ERR-IA@10,ERR-IA@20,nERR-IA@5,nERR-IA@10,nERR-IA@20,alpha-DCG@5,alpha-DCG@10,"
    "alpha-DCG@20,alpha-nDCG@5,alpha-nDCG@10,alpha-nDCG@20,NRBP,nNRBP,MAP-IA,P-IA@5,P-IA@10,P-IA@20,strec@5,"
    "strec@10,strec@20\n"
)
PRINTED = {
    "-traditional": (
        "r,2,0.726172,0.721433,0.721348,1.000000,1.000000,1.000000,0.658554,0.649763,0.649540,1.000000,1.000000,1.000000,0.750000,1.000000,1.000000,0.200000,0.100000,0.050000,1.000000,1.000000,1.000000\n"
        "r,3,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,-nan,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000\n"
        "r,7,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000\n"
        "r,10,0.544629,0.541075,0.541011,1.000000,1.000000,1.000000,0.537028,0.529859,0.529677,1.000000,1.000000,1.000000,0.562500,1.000000,0.750000,0.200000,0.100000,0.050000,1.000000,1.000000,1.000000\n"
        "r,amean,0.423601,0.420836,0.420786,0.666667,0.666667,0.666667,0.398527,0.393207,0.393072,0.666667,0.666667,0.666667,0.437500,-nan,0.583333,0.133333,0.066667,0.033333,0.666667,0.666667,0.666667\n"
    ),
    "-c": (
        "r,2,0.363086,0.360717,0.360674,0.500000,0.500000,0.500000,0.415501,0.409955,0.409814,0.630930,0.630930,0.630930,0.375000,0.500000,0.500000,0.200000,0.100000,0.050000,1.000000,1.000000,1.000000\n"
        "r,3,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,-nan,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000\n"
        "r,7,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000\n"
        "r,10,0.544629,0.541075,0.541011,1.000000,1.000000,1.000000,0.537028,0.529859,0.529677,1.000000,1.000000,1.000000,0.562500,1.000000,0.750000,0.200000,0.100000,0.050000,1.000000,1.000000,1.000000\n"
        "r,amean,0.226929,0.225448,0.225421,0.375000,0.375000,0.375000,0.238132,0.234953,0.234873,0.407732,0.407732,0.407732,0.234375,-nan,0.312500,0.100000,0.050000,0.025000,0.500000,0.500000,0.500000\n"
    ),
}
"""Without judgements 7, without results 5; nothing is relevant to 3; scores of 2 order other than ranks."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("run").write_text(RUN)
    return tmp_path


@pytest.mark.parametrize("option", PRINTED)
def test_it_prints_what_ndeval_printed(option: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["ndeval", option, "qrels", "run"]) == 0
    assert capfd.readouterr() == (HEAD + PRINTED[option], "")


def test_parameters_are_those_of_the_measures(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["ndeval", "-traditional", "-alpha", "0.3", "-beta", "0.8", "qrels", "run"]) == 0
    *_, mean = capfd.readouterr().out.splitlines()
    assert mean.startswith("r,amean,0.354157,0.340601,0.339178,")
    assert ",0.278667,-nan,0.583333," in mean


@pytest.mark.parametrize(
    ("qrels", "run", "options", "code", "said"),
    [
        (QRELS.replace("10 ", "q10 "), RUN.replace("10 ", "q10 "), [], 1, "'q10' is no number"),
        (QRELS, RUN, ["-alpha", "7"], 2, "-alpha 7 is not between 0 and 1"),
        (QRELS, RUN.replace("b 2 2", "b 1 2"), [], 1, "topic '10' has rank 1 twice"),
        (QRELS, RUN.replace("b 2 2", "b x 2"), [], 1, "the rank 'x' is no whole number"),
    ],
)
def test_what_it_would_not_print_is_refused(
    qrels: str, run: str, options: list[str], code: int, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("qrels").write_text(qrels)
    Path("run").write_text(run)
    assert main(["ndeval", *options, "qrels", "run"]) == code
    assert said in capfd.readouterr().err
