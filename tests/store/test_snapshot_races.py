"""Readers beside a writer that never rests: no mixed read, no false fence."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.store.layout import locate
from engine.store.readings import Snapshot
from engine.store.snapshot import snapshot
from tests.store.building import CWD, SESSION, Home, build, dump, ended, in_child

READERS = 3
SECONDS = 2.0


def publish_for_ever(home: Home) -> None:
    """One counter in all three scopes, changed as one cohort: temporaries first, then renames, under the lock."""
    number = home.meta("global")["temporal"]["revision"]
    while True:
        number += 1
        new: list[tuple[Path, bytes]] = []
        metas: list[tuple[Path, bytes]] = []
        boundary = {"id": f"n{number}", "position": number, "parent": f"n{number - 1}" if number > 3 else "b2"}
        for scope in ("global", "cwd", "session"):
            folder, meta = home.folder(scope), home.meta(scope)
            lines = (folder / "patches.jsonl").read_bytes().splitlines(keepends=True)
            checkpoint = json.loads((folder / "checkpoint.json").read_bytes())
            lines.append(dump({"lazy": {"n": number % 10}}))
            meta["temporal"]["patches"].append(boundary)
            meta["temporal"]["revision"] += 1
            if len(lines) > 3:
                checkpoint["lazy"] = json.loads(lines.pop(0))["lazy"]
                meta["temporal"]["checkpoint"] = meta["temporal"]["patches"].pop(0)
                new.append((folder / "checkpoint.json", dump(checkpoint)))
            new.append((folder / "patches.jsonl", b"".join(lines)))
            metas.append((folder / "meta.json", dump(meta)))
        runtime = home.runtime()
        runtime["lineage"] = [*runtime["lineage"], boundary][-4:]
        runtime["step"] += 1
        write_all(home, [*new, *metas, (home.session / "runtime.json", dump(runtime))])
        if number % 7 == 0:
            time.sleep(0.002)


def write_all(home: Home, cohort: list[tuple[Path, bytes]]) -> None:
    lock = os.open(home.lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    os.write(lock, b"%d\n" % os.getpid())
    os.close(lock)
    for path, data in cohort:
        path.with_name(f".{path.name}.tmp").write_bytes(data)
    for path, _ in cohort:
        os.replace(path.with_name(f".{path.name}.tmp"), path)
    home.lock.unlink()


def read_for(home: Home, seconds: float, *, warm: bool) -> None:
    address = locate(str(home.root), CWD, SESSION)
    until = time.monotonic() + seconds
    taken: Snapshot | None = None
    seen: set[int] = set()
    looks = 0
    while time.monotonic() < until:
        taken = snapshot(address, taken if warm else None, limit=3)
        looks += 1
        if taken.verdict == "busy" and taken.cohort is None:
            continue
        assert taken.verdict in ("ok", "busy"), taken.all_faults
        assert taken.cohort is not None, taken.all_faults
        assert not taken.cohort.adopted, "a mixed read: the scopes do not fit the lineage"
        states = [stream.current["lazy"] for stream in taken.cohort.streams.values()]
        assert states[0] == states[1] == states[2], f"a mixed read: {states}"
        seen.add(taken.cohort.head.position)
    assert len(seen) > 1, f"{looks} looks saw one state only"


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Home]:
    home = build(tmp_path / "store", limit=3)
    pid = in_child(lambda: publish_for_ever(home))
    yield home
    os.kill(pid, signal.SIGKILL)
    ended(pid)


@pytest.mark.parametrize("warm", [True, False])
def test_readers_beside_a_busy_writer_never_see_a_mixture(writer: Home, warm: bool) -> None:
    readers = [in_child(lambda: read_for(writer, SECONDS, warm=warm)) for _ in range(READERS)]
    assert [ended(reader) for reader in readers] == [0] * READERS


def test_a_writer_without_a_lock_is_still_no_mixture(tmp_path: Path) -> None:
    """Files that move while they are read are read again; a store that never rests is busy, not broken."""
    home = build(tmp_path / "store")
    texts = [dump({"tactics": {"kept": "cwd"}, "lazy": {"n": n, "pad": "x" * 20000}}) for n in range(2)]

    def flip() -> None:
        while True:
            for text in texts:
                temporary = home.cwd / ".t"
                temporary.write_bytes(text)
                os.replace(temporary, home.cwd / "checkpoint.json")

    pid = in_child(flip)
    try:
        for _ in range(50):
            taken = snapshot(locate(str(home.root), CWD, SESSION), patience=0.1)
            assert taken.verdict in ("ok", "busy")
            assert taken.scopes["cwd"].status == "healthy"
    finally:
        os.kill(pid, signal.SIGKILL)
        ended(pid)
