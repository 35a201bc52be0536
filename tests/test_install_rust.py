"""A machine without Rust gets one, or is told what to do; servers and packages are played."""

from __future__ import annotations

import hashlib
import platform
import shutil
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import CompletedProcess
from threading import Thread

import pytest

from processes import ran

PROJECT = Path(__file__).parent.parent
pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform != "linux", reason="the installer that is played is Linux's"),
]
NOWHERE = "http://127.0.0.1:9/rustup"
INSTALLER = """#!/bin/sh
echo "$@" > "$RUSTUP_HOME.asked"
bin="$RUSTUP_HOME/toolchains/$(echo "$@" | sed 's/.*--default-toolchain \\([^ ]*\\).*/\\1/')"
bin="$bin-$(echo "$@" | sed 's/.*--default-host \\([^ ]*\\).*/\\1/')/bin"
mkdir -p "$bin"
for each in rustc cargo; do
    printf '#!/bin/sh\\necho %s 1.95.0\\n' $each > "$bin/$each"
    chmod +x "$bin/$each"
done
"""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder with the script, and programs in `bin`, where there is a C compiler and no Rust."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "bin").mkdir()
    shutil.copy(PROJECT / "scripts" / "install_rust.py", tmp_path / "scripts")
    (tmp_path / "Cargo.toml").write_text('[package]\nrust-version = "1.88"\n')
    for each in ("sh", "env", "sed", "mkdir", "chmod"):
        (tmp_path / "bin" / each).symlink_to(str(shutil.which(each)))
    program(tmp_path, "cc", "")
    program(tmp_path, "sudo", 'shift; exec "$@"')
    return tmp_path


@pytest.fixture
def server(machine: Path) -> Iterator[tuple[str, Path]]:
    """Where rustup's server is played, and its installer's file."""
    kind = "gnu" if platform.libc_ver()[0] == "glibc" else "musl"
    served = machine / "served" / "dist" / f"{platform.machine()}-unknown-linux-{kind}"
    served.mkdir(parents=True)
    installer = served / "rustup-init"
    installer.write_text(INSTALLER)
    checksum = hashlib.sha256(INSTALLER.encode()).hexdigest()
    installer.with_suffix(".sha256").write_text(f"{checksum} *rustup-init\n")
    handler = type("Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    with ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(handler, directory=str(machine / "served"))
    ) as listening:
        Thread(target=listening.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_port}", installer
        listening.shutdown()


def program(machine: Path, name: str, script: str) -> None:
    path = machine / "bin" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def packages(machine: Path, **offered: str) -> None:
    """Plays apt: what is offered has these versions, and works once it is installed."""
    known = "\n".join(f'[ "$2" = {name.replace("_", "-")} ] && v={each}' for name, each in offered.items())
    program(machine, "apt-cache", f'v="(none)"\n{known}\necho "$2:\n  Candidate: $v+dfsg1-1"')
    program(
        machine,
        "apt-get",
        'case "$*" in *install*) echo "$*" > "$0.asked"\n'
        f'printf "#!/bin/sh\\necho rustc {max(offered.values())}\\n" > "{machine}/bin/rustc"\n'
        f'chmod +x "{machine}/bin/rustc"\nprintf "#!/bin/sh\\n" > "{machine}/bin/cargo"\n'
        f'chmod +x "{machine}/bin/cargo";; esac',
    )


def installing(machine: Path, *tools: str, root: str = NOWHERE) -> CompletedProcess[str]:
    environment = {"PATH": str(machine / "bin"), "HOME": str(machine), "RUSTUP_UPDATE_ROOT": root}
    return ran([sys.executable, str(machine / "scripts" / "install_rust.py"), *tools], env=environment)


@pytest.mark.parametrize("tools", [(), ("clippy", "fmt")], ids=["to build", "to lint"])
def test_a_rust_that_is_new_enough_is_left_alone(machine: Path, tools: tuple[str, ...]) -> None:
    program(machine, "rustc", "echo rustc 1.88.0")
    program(machine, "cargo", "echo cargo 1.88.0")
    done = installing(machine, *tools)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (machine / ".rust").exists()


@pytest.mark.parametrize("there", ["nothing", "an old rustc", "no clippy"])
def test_rustup_installs_what_is_missing_into_the_project(
    machine: Path, server: tuple[str, Path], there: str
) -> None:
    if there != "nothing":
        program(machine, "rustc", f"echo rustc {'1.63.0' if there == 'an old rustc' else '1.90.0'}")
        program(machine, "cargo", '[ "$1" != clippy ]')
    done = installing(machine, "clippy", root=server[0])
    assert done.returncode == 0, done.stderr
    assert ran([str(machine / ".rust" / "bin" / "rustc")]).stdout == "rustc 1.95.0\n"
    asked = (machine / ".rust" / "rustup.asked").read_text()
    assert "-y -q --no-modify-path --profile minimal" in asked
    assert "--component clippy,rustfmt" in asked
    assert installing(machine, "clippy", root=NOWHERE).stderr == "", "once is enough"


def test_an_installer_that_is_not_as_its_checksum_says_does_not_run(
    machine: Path, server: tuple[str, Path]
) -> None:
    root, installer = server
    installer.write_text(INSTALLER + "# otherwise\n")
    done = installing(machine, root=root)
    assert done.returncode == 1
    assert "not what the checksum beside it says" in done.stderr
    assert not (machine / ".rust").exists()


def test_packages_take_its_place_if_they_are_new_enough(machine: Path) -> None:
    packages(machine, rustc="1.63.0", rustc_web="1.96.0")
    done = installing(machine)
    assert done.returncode == 0, done.stderr
    asked = (machine / "bin" / "apt-get.asked").read_text()
    assert asked.endswith("--no-remove rustc-web cargo-web rust-web-clippy rustfmt-web\n")


@pytest.mark.parametrize("apt", [True, False], ids=["old packages", "no apt"])
def test_where_nothing_helps_it_says_what_to_do(machine: Path, apt: bool) -> None:
    if apt:
        packages(machine, rustc="1.63.0")
    done = installing(machine, "clippy", "fmt")
    assert done.returncode == 1
    assert "Rust 1.88 or newer with clippy and fmt is not here and cannot be installed:\n" in done.stderr
    assert f"{NOWHERE}/dist/" in done.stderr
    assert ("packages: rustc is 1.63.0" if apt else "those of apt-get alone are known") in done.stderr
    assert "https://rustup.rs" in done.stderr
    assert "RUSTUP_UPDATE_ROOT" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (machine / ".rust").exists()
    assert not (machine / "bin" / "apt-get.asked").exists()


def test_a_missing_c_compiler_is_said(machine: Path) -> None:
    program(machine, "rustc", "echo rustc 1.90.0")
    program(machine, "cargo", "")
    (machine / "bin" / "cc").unlink()
    done = installing(machine)
    assert done.returncode == 1
    assert done.stderr == "Rust links with a C compiler, and there is no `cc`: install gcc or clang.\n"
