"""What is built and tested in environments of its own, in `.nox`; `nox --list` names the sessions.

nox runs it: `make wheel` and `make ends` install that. A Python that is not here is skipped, aloud.
"""

from __future__ import annotations

import shutil
import sys
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

import nox
from packaging.tags import sys_tags
from packaging.utils import parse_wheel_filename

nox.needs_version = ">=2025.5"
nox.options.default_venv_backend = "uv"
nox.options.reuse_venv = "yes"
nox.options.error_on_missing_interpreters = False

ROOT = Path(__file__).parent
DIST = ROOT / "dist"
RELEASE = ROOT / "release"
PROJECT = nox.project.load_toml("pyproject.toml")
MATURIN, *_ = PROJECT["build-system"]["requires"]
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
TESTS_OF_TABLES = [
    "tests/inputs",
    "tests/results",
    "tests/checks",
    "tests/api/test_evaluation.py",
    "tests/api/test_evaluator.py",
    "tests/engines/test_stream.py",
]
NOT_FAST = ["tests/peers", "tests/test_benchmarks.py", "tests/api/test_spark.py"]


@nox.session(python=PYTHONS)
@nox.parametrize("end", ["oldest", "newest"])
def ends(session: nox.Session, end: str) -> None:
    """What reads and hands out tables, with a Python's oldest or newest libraries; needs the core built."""
    tests = requirements(
        *("duckdb", "hypothesis", "ir_measures", "jinja2", "pandas", "pyarrow", "pytest", "pytest-timeout"),
        "pytrec_eval-terrier",
    )
    # Libraries older than a Python have no wheels for it, and are passed over.
    session.install(
        f"--resolution={'lowest-direct' if end == 'oldest' else 'highest'}",
        "--upgrade",
        "--only-binary=:all:",
        *PROJECT["project"]["dependencies"],
        *tests,
    )
    installed = session.run("uv", "pip", "freeze", silent=True, external=True) or ""
    named = ("numpy", "pandas", "polars", "pyarrow", "scipy")
    session.log(" ".join(line for line in installed.splitlines() if line.partition("==")[0] in named))
    session.run(
        *("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--hypothesis-profile=quick"),
        *("-m", "not (process or slow)"),
        *(session.posargs or TESTS_OF_TABLES),
        env={"PYTHONPATH": str(ROOT / "src")},
    )


@nox.session
def build(session: nox.Session) -> None:
    """Builds the wheel, on Linux for all its distributions, and the sdist, into `dist`.

    Named as posargs, `maturin build` takes what else it should do: ``-- --target aarch64-unknown-linux-gnu``.
    """
    shutil.rmtree(DIST, ignore_errors=True)
    session.install(MATURIN, *(["ziglang", "auditwheel"] if sys.platform == "linux" else []))
    portable = ["--zig", "--compatibility", "manylinux2014"] if sys.platform == "linux" else []
    session.run("maturin", "build", "--release", "--locked", *portable, "--out", str(DIST), *session.posargs)
    session.run("maturin", "sdist", "--out", str(DIST))
    if sys.platform == "linux":
        for each in DIST.glob("*.whl"):
            session.run("auditwheel", "show", str(each))
    for each in sorted(DIST.iterdir()):
        session.log(f"{each.name}: {each.stat().st_size / 1e6:.1f} MB")


@nox.session
def wheel(session: nox.Session) -> None:
    """Installs the wheel of `dist`, which takes no Rust, runs the demo and the fast tests."""
    session.install("--reinstall-package", "rankmark", str(wheel_for_this()))
    try_installed(session)


@nox.session
def sdist(session: nox.Session) -> None:
    """Installs the sdist of `dist`, which builds the core, runs the demo and the fast tests."""
    (packed,) = DIST.glob("*.tar.gz")
    session.install("--reinstall-package", "rankmark", str(packed))
    try_installed(session)


@nox.session
def materials(session: nox.Session) -> None:
    """Writes into `release` the checksums of `dist`, and what a wheel is made of and installed with."""
    session.install("cyclonedx-bom>=7")
    chosen = wheel_for_this()
    RELEASE.mkdir(exist_ok=True)
    sums = [f"{sha256(each.read_bytes()).hexdigest()}  {each.name}\n" for each in sorted(DIST.iterdir())]
    (RELEASE / "SHA256SUMS").write_text("".join(sums))
    with ZipFile(chosen) as archive:
        (crates,) = (each for each in archive.namelist() if each.endswith(".cyclonedx.json"))
        (RELEASE / "crates.cdx.json").write_bytes(archive.read(crates))
    with TemporaryDirectory() as folder:
        session.run("uv", "venv", "--quiet", folder, external=True)
        python = f"{folder}/{'Scripts' if sys.platform == 'win32' else 'bin'}/python"
        session.run("uv", "pip", "install", "--quiet", "--python", python, str(chosen), external=True)
        listed = str(RELEASE / "packages.cdx.json")
        session.run("cyclonedx-py", "environment", "--output-file", listed, python)


def try_installed(session: nox.Session) -> None:
    """The demo and the fast tests of what is installed, away from the sources."""
    folder = session.create_tmp()
    with session.chdir(folder):
        session.run("rankmark", "demo", silent=True)
    session.install(
        *requirements(
            *("altair", "duckdb", "hypothesis", "ir_measures", "jinja2", "pandas", "pyarrow"),
            *("pytest", "pytest-timeout", "pytest-xdist", "pytrec_eval-terrier", "pyyaml"),
            *("scikit-learn", "statsmodels"),
        ),
        *PROJECT["project"]["optional-dependencies"]["pictures"],
    )
    session.run(
        *("python", "-c"),
        "import rankmark, sys; print(rankmark.__file__); sys.exit('site-packages' not in rankmark.__file__)",
    )
    session.run(
        *("python", "-m", "pytest", "-q", "-n", "auto", "--dist", "worksteal", "-p", "no:cacheprovider"),
        *("--hypothesis-profile=quick", "-m", "not (spark or peer or process or slow)"),
        *(f"--ignore={each}" for each in NOT_FAST),
        *(session.posargs or ["tests"]),
    )


def requirements(*names: str) -> list[str]:
    """The lines of the extra `test` that ask for these."""
    lines = PROJECT["project"]["optional-dependencies"]["test"]
    return [each for each in lines if each.split(">=")[0] in names]


def wheel_for_this() -> Path:
    """The wheel of `dist` that this Python can install."""
    tags = set(sys_tags())
    for each in sorted(DIST.glob("*.whl")):
        if tags & parse_wheel_filename(each.name)[3]:
            return each
    raise SystemExit(f"{DIST} has no wheel for this Python: nox -s build")
