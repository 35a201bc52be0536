"""Installs the Rust that the core is built and checked with, unless there is one that is new enough.

    python scripts/install_rust.py               cargo and rustc
    python scripts/install_rust.py clippy fmt    and these subcommands of cargo

rustup installs it into `.rust` of the project and changes nothing else. If its server cannot be reached and
the packages of the system have a Rust that is new enough, those are installed (by apt-get, as root).
RUSTUP_UPDATE_ROOT and RUSTUP_DIST_SERVER name a mirror of the server, as for rustup itself.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / ".rust"
SERVER = "https://static.rust-lang.org/rustup"
TOOLCHAIN = "1.95.0"
"""What rustup installs: the lints of another may say something else."""
PACKAGES = (
    ("rustc", "cargo", "rust-clippy", "rustfmt"),
    ("rustc-web", "cargo-web", "rust-web-clippy", "rustfmt-web"),
)
"""Of Debian and its kin; the second are newer, for browsers."""
SECONDS = 60
"""So long a server may be silent."""


class NoRustError(Exception):
    """Why one way leads to no Rust."""


def main(tools: Sequence[str]) -> int:
    """Installs what is missing; 1 if that is not possible."""
    least = tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]["rust-version"]
    reasons = []
    for install in (lambda _: None, from_rustup, from_packages):
        try:
            install(least)
        except NoRustError as error:
            reasons.append(str(error))
        if is_there(least, tools):
            return is_linked()
    say(
        f"The core is written in Rust. Rust {least} or newer{' with ' * bool(tools)}{' and '.join(tools)}"
        " is not here and cannot be installed:",
        *(f"  {each}" for each in reasons),
        "Do one of these, then run the command again:",
        "  - install it as https://rustup.rs says, or from packages, and put cargo and rustc on PATH;",
        "  - say where a mirror of rustup's server is, in RUSTUP_UPDATE_ROOT and RUSTUP_DIST_SERVER,",
        "    or the proxy that leads to it, in HTTPS_PROXY.",
        "A wheel of rankmark needs no Rust; `make wheel` makes one where Rust is.",
    )
    return 1


def is_there(least: str, tools: Sequence[str]) -> bool:
    """Whether rustc, cargo and these subcommands of it run, and rustc is new enough."""
    os.environ["PATH"] = os.pathsep.join(dict.fromkeys([str(FOLDER / "bin"), *os.get_exec_path()]))
    version = said("rustc", "--version")
    rest = [said("cargo", "--version"), *(said("cargo", each, "--version") for each in tools)]
    return version is not None and None not in rest and numbers(version) >= numbers(least)


def is_linked() -> int:
    """1, and a word on it, where there is nothing to link with."""
    if shutil.which("cc"):
        return 0
    say("Rust links with a C compiler, and there is no `cc`: install gcc or clang.")
    return 1


def from_rustup(_: str) -> None:
    """Installs by rustup's own installer, into `.rust`."""
    triple = host()
    root = os.environ.get("RUSTUP_UPDATE_ROOT") or SERVER
    say(f"Installing Rust {TOOLCHAIN} by rustup into {FOLDER.name}: some hundred megabytes.")
    content = downloaded(f"{root.rstrip('/')}/dist/{triple}/rustup-init")
    FOLDER.mkdir(exist_ok=True)
    installer = FOLDER / "rustup-init"
    installer.write_bytes(content)
    installer.chmod(0o755)
    command = [str(installer), "-y", "-q", "--no-modify-path", "--profile", "minimal"]
    command += ["--default-host", triple, "--default-toolchain", TOOLCHAIN, "--component", "clippy,rustfmt"]
    homes = {"RUSTUP_HOME": str(FOLDER / "rustup"), "CARGO_HOME": str(FOLDER / "cargo")}
    environment = {**os.environ, **homes, "RUSTUP_INIT_SKIP_PATH_CHECK": "yes"}
    if subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False).returncode:
        raise NoRustError("rustup: its installer failed, as it says above")
    # The programs themselves, which need no variables to find their toolchain.
    link = FOLDER / "bin"
    link.unlink(missing_ok=True)
    link.symlink_to(Path("rustup", "toolchains", f"{TOOLCHAIN}-{triple}", "bin"))


def from_packages(least: str) -> None:
    """Installs the packages of the system, if they are new enough."""
    if not shutil.which("apt-get"):
        raise NoRustError("packages: those of apt-get alone are known here")
    as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if as_root and said("sudo", "-n", "true") is None:
        raise NoRustError("packages: apt-get needs root")
    apt = [*as_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-y"]
    subprocess.run([*apt, "update"], check=False)
    offers = [(numbers(offered(names[0])), names) for names in PACKAGES]
    newest, names = max(offers)
    if newest < numbers(least):
        raise NoRustError(f"packages: {names[0]} is {'.'.join(map(str, newest)) or 'not among them'}")
    say(f"Installing Rust from packages: {', '.join(names)}.")
    command = [*apt, "install", "--no-install-recommends", "--no-remove", *names]
    if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode:
        raise NoRustError("packages: apt-get failed, as it says above")


def host() -> str:
    """What rustup calls this machine."""
    machine = {"arm64": "aarch64"}.get(platform.machine(), platform.machine())
    if sys.platform == "darwin":
        return f"{machine}-apple-darwin"
    if sys.platform == "linux":
        return f"{machine}-unknown-linux-{'gnu' if platform.libc_ver()[0] == 'glibc' else 'musl'}"
    raise NoRustError(f"rustup: its installer is to be run by hand on {sys.platform}")


def downloaded(address: str) -> bytes:
    """What is at an address, if it is as the checksum beside it says."""
    try:
        content, checksum = (urlopen(each, timeout=SECONDS).read() for each in (address, f"{address}.sha256"))
    except OSError as error:
        raise NoRustError(f"{address}: {getattr(error, 'reason', error)}") from None
    if hashlib.sha256(content).hexdigest() != checksum.split()[0].decode():
        raise NoRustError(f"{address}: not what the checksum beside it says")
    return bytes(content)


def offered(package: str) -> str:
    """The version that apt-get would install, or nothing."""
    found = re.search(r"Candidate: (\d\S*)", said("apt-cache", "policy", package) or "")
    return found[1] if found else ""


def said(*command: str) -> str | None:
    """What a program prints; None if it is not there or fails."""
    if shutil.which(command[0]) is None:
        return None
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    return None if ran.returncode else ran.stdout


def numbers(version: str) -> tuple[int, ...]:
    """The first three numbers of a version, to compare by."""
    return tuple(int(each) for each in re.findall(r"\d+", version)[:3])


def say(*lines: str) -> None:
    """To people, beside what make prints."""
    sys.stderr.write("\n".join([*lines, ""]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
