"""The one Spark session of all tests that need one; they are of one group, which runs in one process."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from installed import need_java, peer

__all__ = ["QUICK_START", "spark"]

QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Java's options for programs that end before they would have become fast."""


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session on a cluster of two executors, each a process of its own."""
    pyspark = peer("pyspark", "'rankmark[spark]'")
    need_java()
    sql = peer("pyspark.sql", "'rankmark[spark]'")
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": QUICK_START,
        "spark.executor.extraJavaOptions": QUICK_START,
        "spark.executor.memory": "768m",
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "spark.pyspark.python": sys.executable,
        # More than there are large queries, so that some partitions are empty; not joined to fewer.
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.task.maxFailures": "1",
        "spark.ui.enabled": "false",
    }
    builder = sql.SparkSession.builder.master("local-cluster[2,1,768]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    application = session.sparkContext.applicationId
    yield session
    session.stop()
    shutil.rmtree(Path(pyspark.__file__).parent / "work" / application, ignore_errors=True)
