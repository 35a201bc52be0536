"""`python -m benchmarks.spark`: rankmark on Spark beside Spark SQL by hand and Spark's own evaluator."""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rankmark as rm
from benchmarks import data, report
from benchmarks.contenders import SIX, Call, Means, duckdb_by_hand
from benchmarks.timing import check_agreement, duration, time_calls

OWN = {"AP": "meanAveragePrecision", "P@10": "precisionAtK", "R@10": "recallAtK"}
"""The measures that Spark's own evaluator computes as well, and what it calls them."""


def ours(qrels: Any, run: Any, *, grouped: bool = False) -> Call:
    """`rm.spark.evaluate`."""
    return lambda: rm.spark.evaluate(qrels, run, SIX, grouped=grouped).values


def sql(spark: Any, qrels: Any, run: Any) -> Call:
    """One query with window functions, for exactly these measures."""
    qrels.createOrReplaceTempView("qrels")
    run.createOrReplaceTempView("run")
    text = duckdb_by_hand.query(SIX).replace("filter (", "filter (where ").replace('"', "`")
    return lambda: dict(zip(SIX, spark.sql(text).collect()[0], strict=True))


def evaluator(qrels: Any, run: Any) -> Call:
    """`pyspark.ml`'s RankingEvaluator, a call a measure, on lists that are made once."""
    from pyspark.ml.evaluation import RankingEvaluator
    from pyspark.sql import functions as F  # noqa: N812

    relevant = qrels.where("relevance >= 1").groupBy("query")
    labels = relevant.agg(F.collect_list(F.col("item").cast("double")).alias("label"))
    best_first = F.sort_array(F.collect_list(F.struct("score", "item")), asc=False)
    lists = run.groupBy("query").agg(best_first.getField("item").cast("array<double>").alias("prediction"))

    def work() -> Means:
        both = labels.join(lists, "query").cache()
        try:
            return {
                name: RankingEvaluator(metricName=theirs, k=10).evaluate(both) for name, theirs in OWN.items()
            }
        finally:
            both.unpersist(blocking=True)

    return work


def processes() -> Iterator[list[str]]:
    """What Linux says of this process and of those that it started, and they in turn (``man proc_pid_stat``).

    The first is the number of the process, the fourth its parent's; without its name, which may have spaces.
    """
    every = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, rest = path.read_text().split(" (", 1)
        except OSError:  # it has ended
            continue
        every[number] = [number, "", *rest.rsplit(") ", 1)[1].split()]
    started = {str(os.getpid())}
    while found := {number for number, each in every.items() if each[3] in started} - started:
        started |= found
    return (every[number] for number in started)


def cpu_seconds() -> float:
    """Seconds that the cores have worked for this session: Python here, Java, and Python on the executors."""
    ticks = sum(sum(map(int, each[13:17])) for each in processes())
    return ticks / os.sysconf("SC_CLK_TCK")


def counted(call: Call, seconds: list[float]) -> Call:
    """The same, which notes the seconds of cores that it takes."""

    def work() -> Means:
        before = cpu_seconds()
        means = call()
        seconds.append(cpu_seconds() - before)
        return means

    return work


def session(cores: int) -> Any:
    """A session in this process and a JVM beside it, without what a small machine has no use for."""
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.memory": "6g",
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": str(4 * cores),
        "spark.ui.enabled": "false",
    }
    builder = SparkSession.builder.master(f"local[{cores}]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def main(args: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="results (default: 1,000,000)")
    parser.add_argument("--repeat", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument("--cores", type=int, default=2, help="of the session (default: 2)")
    options = parser.parse_args(args)
    spark = session(options.cores)
    with tempfile.TemporaryDirectory() as folder:
        generated = data.parquet(options.rows, Path(folder))
        qrels, run = (spark.read.parquet(str(path)) for path in generated.files)
        calls = {
            "rankmark": ours(qrels, run),
            "rankmark, grouped=True": ours(qrels, run, grouped=True),
            "Spark SQL by hand": sql(spark, qrels, run),
            f"RankingEvaluator, {len(OWN)} of {len(SIX)} measures": evaluator(qrels, run),
        }
        print("agreeing …", file=sys.stderr)
        check_agreement({name: call() for name, call in calls.items()})
        cores: dict[str, list[float]] = {name: [] for name in calls}
        calls = {name: counted(call, cores[name]) for name, call in calls.items()}
        timings = time_calls(calls, options.repeat)
        rows = generated.run.height
    spark.stop()
    print(
        f"{rows:,} results from Parquet, {options.cores} cores, {options.repeat} rounds; {report.machine()}\n"
    )
    print("| | time | results a second | ratio | time of cores | ratio |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    first, least = timings["rankmark"], statistics.median(cores["rankmark"])
    for name, timing in timings.items():
        rate, seconds = f"{rows / timing.median:,.0f}", statistics.median(cores[name])
        print(
            f"| {name} | {duration(timing.median)} | {rate} | {timing.ratio(first):.3g} × "
            f"| {duration(seconds)} | {seconds / least:.3g} × |"
        )


if __name__ == "__main__":
    main()
