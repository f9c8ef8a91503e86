"""Stores of a wanted size, written as an agent writes them: lazy memory in the cwd scope, retained patches in each."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from engine.store.layout import Address, locate

KB, MB = 1_000, 1_000_000
PATCHES = 7
SESSION = "2026-11-01T10-00-00-000Z_11111111-1111-4111-8111-111111111111"
_NOTE = (
    "what was found in module {0}, line {1}: the list is merged before it is shown, see ticket {2}; d\u00e9j\u00e0 vu"
)


@dataclass(frozen=True, slots=True)
class Place:
    """A store and its one session. `lazy_bytes` is the size of the cwd scope's checkpoint file."""

    root: str
    cwd: str
    session: str
    lazy_bytes: int

    @property
    def address(self) -> Address:
        return locate(self.root, self.cwd, self.session)

    @property
    def shared(self) -> Address:
        return locate(self.root, self.cwd)

    def file(self, scope: str, name: str) -> str:
        return os.path.join(self.address.scope_dir("cwd" if scope == "cwd" else "session"), name)


def lazy(size: int, seed: int = 0) -> dict[str, Any]:
    """About `size` bytes of what agents keep: modules with notes, numbers, short lists; two levels of objects."""
    modules: dict[str, Any] = {}
    written, index = 0, seed
    while written < size:
        notes = [_NOTE.format(index, line * 7, index * 13 + line) for line in range(8)]
        entry = {
            "purpose": f"part {index}",
            "notes": notes,
            "lines": index * 37,
            "covered": index % 3 == 0,
            "share": 0.5,
        }
        modules[f"module-{index:06d}"] = entry
        written += len(json.dumps(entry, ensure_ascii=False).encode()) + 20
        index += 1
    return {"modules": modules}


def dump(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def write_store(
    root: str, size: int, *, limit: int = PATCHES, other_sessions: int = 0, content: dict[str, Any] | None = None
) -> Place:
    """Lay out a store by hand; the tail of each scope holds `PATCHES` small patches. `content` is lazy memory to use."""
    cwd = "/work/demo/app"
    address = locate(root, cwd, SESSION)
    chain = [{"id": f"b{n}", "position": n, "parent": f"b{n - 1}" if n > 1 else None} for n in range(1, PATCHES + 2)]
    states: dict[str, Any] = {
        "global": {"strategy": {"style": "short"}},
        "cwd": {
            "strategy": {"api": "v2"},
            "tactics": {"next": "n0"},
            "lazy": lazy(size) if content is None else content,
        },
        "session": {"tactics": {"next": "n0"}},
    }
    for scope in address.scopes:
        directory = address.scope_dir(scope)
        os.makedirs(directory, exist_ok=True)
        tail = [dump({"tactics": {"next": f"n{n}"}}) + b"\n" for n in range(1, PATCHES + 1)]
        temporal = {"revision": PATCHES, "checkpoint": chain[0], "patches": chain[1:]}
        meta: dict[str, Any] = {"version": 4, "artifacts": {}, "temporal": temporal}
        if scope == "cwd":
            meta["owner"] = {"cwd": cwd}
        put(directory, "checkpoint.json", dump(states[scope]) + b"\n")
        put(directory, "patches.jsonl", b"".join(tail))
        put(directory, "meta.json", dump(meta) + b"\n")
    runtime = {"version": 1, "identity": {"cwd": cwd, "sessionId": SESSION.split("_")[1]}, "lineage": chain, "step": 7}
    put(address.scope_dir("session"), "config.json", b'{"mode":"active"}\n')
    put(address.scope_dir("session"), "runtime.json", dump(runtime) + b"\n")
    if limit != PATCHES:
        put(root, "config.json", dump({"historyLimit": limit}) + b"\n")
    for number in range(other_sessions):
        os.makedirs(os.path.join(address.scope_dir("cwd"), f"2026-10-01T10-00-00-000Z_{number:08d}"), exist_ok=True)
    checkpoint = os.path.join(address.scope_dir("cwd"), "checkpoint.json")
    return Place(root, cwd, SESSION, os.path.getsize(checkpoint))


def put(directory: str, name: str, data: bytes) -> None:
    with open(os.path.join(directory, name), "wb") as file:
        file.write(data)


@contextmanager
def store(size: int, **more: Any) -> Iterator[Place]:
    """A store in a directory of its own, settled (no file as young as the clock's grain), gone afterwards."""
    home = tempfile.mkdtemp(prefix="sftui-bench-")
    try:
        place = write_store(os.path.join(home, "store"), size, **more)
        age(place.root)
        yield place
    finally:
        shutil.rmtree(home, ignore_errors=True)


def age(root: str, seconds: int = 60) -> None:
    """Let the files' times lie in the past, as they do in a store that was left alone for a while.

    The change time cannot be set; the pause lets it leave the window in which a reader looks twice.
    """
    import time

    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            found = os.stat(path)
            os.utime(path, ns=(found.st_atime_ns - seconds * 10**9, found.st_mtime_ns - seconds * 10**9))
    time.sleep(0.05)


def all_files(root: str) -> list[str]:
    return [os.path.join(folder, name) for folder, _, names in os.walk(root) for name in sorted(names)]
