"""Small stores written by hand, and read back by hand: none of the engine's code is used here."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CWD = "/work/demo/app"
KEY = "--work-demo-app--"
SESSION = "2026-11-01T10-00-00-000Z_11111111-1111-4111-8111-111111111111"
LOCK = ".state-flow-publication.lock"
Files = dict[str, bytes]


@dataclass(frozen=True)
class Home:
    """A store on disk; `plane` is one in which facts are kept in its dialect."""

    root: Path
    plane: str = "tactics"

    @property
    def cwd(self) -> Path:
        return self.root / KEY

    @property
    def session(self) -> Path:
        return self.cwd / SESSION

    @property
    def lock(self) -> Path:
        return self.root / LOCK

    def folder(self, scope: str) -> Path:
        return {"global": self.root, "cwd": self.cwd, "session": self.session}[scope]

    def value(self, scope: str) -> Any:
        """The current value of a scope, folded naively."""
        value = json.loads((self.folder(scope) / "checkpoint.json").read_bytes())
        for line in (self.folder(scope) / "patches.jsonl").read_bytes().split(b"\n"):
            if line.strip():
                value = merged(value, json.loads(line))
        return value

    def meta(self, scope: str) -> Any:
        return json.loads((self.folder(scope) / "meta.json").read_bytes())

    def runtime(self) -> Any:
        return json.loads((self.session / "runtime.json").read_bytes())

    def files(self) -> Files:
        """Every file below the root, the lock and temporaries included."""
        return files_below(self.root)


def merged(base: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    result = dict(base) if isinstance(base, dict) else {}
    for key, change in patch.items():
        if change is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), change)
    return result


def files_below(root: Path) -> Files:
    return {
        os.path.relpath(os.path.join(folder, name), root): Path(folder, name).read_bytes()
        for folder, _, names in os.walk(root)
        for name in names
    }


def dump(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def build(root: Path, *, version: int = 4, patches: int = 2, limit: int | None = None, session: bool = True) -> Home:
    """Three healthy scopes on one lineage, each with `patches` retained patches (at most `limit` of them)."""
    home = Home(root, "tactics" if version == 4 else "working")
    chain = [{"id": f"b{n}", "position": n, "parent": f"b{n - 1}" if n else None} for n in range(patches + 1)]
    for scope in ("global", "cwd", "session") if session else ("global", "cwd"):
        folder = home.folder(scope)
        folder.mkdir(parents=True, exist_ok=True)
        meta: dict[str, Any] = {
            "version": version,
            "artifacts": {},
            "temporal": {"revision": patches, "checkpoint": chain[0], "patches": chain[1:]},
        }
        if scope == "cwd":
            meta["owner"] = {"cwd": CWD}
        (folder / "checkpoint.json").write_bytes(dump({home.plane: {"kept": scope}, "lazy": {"n": 0}}))
        (folder / "patches.jsonl").write_bytes(b"".join(dump({"lazy": {"n": n}}) for n in range(1, patches + 1)))
        (folder / "meta.json").write_bytes(dump(meta))
    if session:
        runtime = {
            "version": 1,
            "identity": {"cwd": CWD, "sessionId": SESSION.split("_")[1]},
            "lineage": chain,
            "step": patches,
            "validation": {"kept": True},
        }
        (home.session / "config.json").write_bytes(dump({"mode": "active"}))
        (home.session / "runtime.json").write_bytes(dump(runtime))
    if limit is not None:
        (root / "config.json").write_bytes(dump({"historyLimit": limit}))
    return home


def copied(home: Home, to: Path) -> Home:
    shutil.copytree(home.root, to)
    return Home(to, home.plane)


def in_child(work: Callable[[], object]) -> int:
    """Run `work` in a forked child and answer its number; it leaves with 0, or 1 when `work` raises."""
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        work()
        code = 0
    except BaseException as error:
        os.write(2, f"child: {type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(code)


def ended(pid: int) -> int:
    """The exit status of a child, negative for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def counted_ids(prefix: str = "id") -> Callable[[], str]:
    numbers = iter(range(1_000_000))
    return lambda: f"{prefix}{next(numbers)}"


@dataclass
class Calls:
    """Every system call that the store makes through its seam, counted; one of them can be made to go wrong.

    `at` is the number of the call (from 0) that meets `instead`, which may raise or not return.
    """

    instead: Callable[[str, Callable[[], object]], object]
    at: int = -1
    count: int = 0
    only: frozenset[str] = frozenset()
    forever: bool = False

    def wrap(self, name: str, call: Callable[..., object]) -> Callable[..., object]:
        def wrapped(*arguments: Any, **named: Any) -> object:
            if self.only and name not in self.only:
                return call(*arguments, **named)
            number, self.count = self.count, self.count + 1
            if number == self.at or (self.forever and 0 <= self.at <= number):
                return self.instead(name, lambda: call(*arguments, **named))
            return call(*arguments, **named)

        return wrapped


SEAM = (
    "open",
    "close",
    "read",
    "write",
    "writev",
    "pread",
    "fstat",
    "stat",
    "fsync",
    "rename",
    "link",
    "unlink",
    "mkdir",
    "rmdir",
)
