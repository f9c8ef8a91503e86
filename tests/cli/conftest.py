"""Recorded stores to work on, each test on its own copy, and the command line as a subprocess."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[1] / "conformance" / "data"
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Store:
    """A copy of a recorded store."""

    root: Path
    expected: dict[str, Any]

    @property
    def cwd(self) -> str:
        cwd: str = self.expected.get("cwd") or self.expected["sessions"][0]["cwd"]
        return cwd

    @property
    def session(self) -> str:
        key: str = self.expected.get("sessionKey") or self.expected["sessions"][0]["sessionKey"]
        return key

    def at(self, *, session: bool = False) -> list[str]:
        """The options that name this cohort."""
        place = ["--store", str(self.root), "--cwd", self.cwd]
        return [*place, "--session", self.session] if session else place


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Result]
Stores = Callable[[str], Store]


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("recorded")
    for name in ("stores", "corrupt_stores"):
        with tarfile.open(DATA / f"{name}.tar.gz") as archive:
            archive.extractall(target, filter="fully_trusted")
    return target


@pytest.fixture
def stores(unpacked: Path, tmp_path: Path) -> Stores:
    """Give a fresh copy of a recorded store by its name."""

    def copy(name: str) -> Store:
        source = unpacked / "stores" / name
        if not source.exists():
            source = unpacked / "corrupt_stores" / name
        root = tmp_path / name / "store"
        shutil.copytree(source / "store", root, symlinks=True)
        return Store(root, json.loads((source / "expected.json").read_text()))

    return copy


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run `python -m sftui` to its end."""

    def call(*arguments: str, stdin: bytes | str = b"", **variables: str) -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "sftui", *arguments],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            env={**environment(), **variables},
            cwd=tmp_path,
            timeout=60,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call


def fingerprint(root: Path) -> dict[str, str]:
    """Every name below `root` with what it is and when it changed: equal only if nothing was touched."""
    found: dict[str, str] = {}
    for directory, names, files in os.walk(root):
        for name in [*names, *files, "."]:
            path = Path(directory, name)
            info = path.lstat()
            content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() and not path.is_symlink() else ""
            link = os.readlink(path) if path.is_symlink() else ""
            found[str(path)] = f"{info.st_mode} {info.st_mtime_ns} {info.st_size} {info.st_ino} {link} {content}"
    return found


def contents(root: Path) -> dict[str, str]:
    """Every file below `root` with what it is; a lock that came and went leaves no mark here."""
    return {name: mark for name, mark in fingerprint(root).items() if not Path(name).is_dir()}


def heed_signals() -> None:
    """For a child: heed what asks it to end, whatever the tests themselves were started to ignore (as by nohup)."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
