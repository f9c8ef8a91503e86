"""Changes arrive: quickly where the system tells of them, surely where it does not."""

from __future__ import annotations

import asyncio
import os
import shutil
import struct
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from engine import values
from engine.store import notice
from engine.store.inotify import Inotify
from engine.store.layout import Address, locate
from engine.store.notice import General, watched
from engine.store.readings import Snapshot
from engine.store.snapshot import snapshot
from engine.store.watch import Update, watch
from tests.store.building import CWD, SESSION, Home, build, dump

GLANCE_SECONDS = 1.0
"""How often the files are looked at when nothing is heard."""
PATIENCE = 10.0
"""Seconds after which a test gives up; nothing takes nearly as long."""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return build(tmp_path / "above" / "store")


@pytest.fixture(params=["own", "general"], autouse=True)
def _listener(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test runs with the listener of this system and with the one for all systems."""
    if request.param == "general":
        monkeypatch.setattr(notice, "Inotify", General)


def whole(home: Home) -> Address:
    return locate(str(home.root), CWD, SESSION)


class Seen:
    """The updates of one watcher, collected as they come."""

    def __init__(self, updates: list[tuple[float, Update]]) -> None:
        self.updates = updates

    @property
    def last(self) -> Update:
        return self.updates[-1][1]

    async def until(self, wanted: Callable[[Update], bool]) -> float:
        """When the first update came that is as wanted, in monotonic seconds."""
        begun = time.monotonic()
        while time.monotonic() - begun < PATIENCE:
            for at, update in self.updates:
                if wanted(update):
                    return at
            await asyncio.sleep(0.005)
        raise AssertionError(f"nothing of the kind among {len(self.updates)} updates; the last is {self.last}")


@asynccontextmanager
async def watching(address: Address, **more: Any) -> AsyncIterator[Seen]:
    updates: list[tuple[float, Update]] = []

    async def collect() -> None:
        async for update in watch(address, **more):
            updates.append((time.monotonic(), update))  # noqa: PERF401 - as they come, not at the end

    task = asyncio.create_task(collect())
    seen = Seen(updates)
    try:
        await seen.until(lambda _: True)
        yield seen
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def n_of(taken: Snapshot) -> object:
    stream = taken.scopes["cwd"].stream
    return None if stream is None else stream.current.get("lazy")


def replace_tail(home: Home, n: int) -> None:
    temporary = home.cwd / ".patches.jsonl.1.tmp"
    temporary.write_bytes(dump({"lazy": {"n": 1}}) + dump({"lazy": {"n": n}}))
    os.replace(temporary, home.cwd / "patches.jsonl")


async def test_the_first_update_comes_at_once(home: Home) -> None:
    first = snapshot(whole(home))
    async with watching(whole(home), first=first) as seen:
        assert seen.last.feed == "live"
        assert n_of(seen.last.snapshot) == {"n": 2}
        assert seen.last.snapshot.scopes["cwd"].stream is first.scopes["cwd"].stream


async def test_three_quick_replacements_end_in_the_last_one(home: Home) -> None:
    async with watching(whole(home)) as seen:
        for round_of in range(5):
            last = 10 * (round_of + 1) + 2
            for n in range(last - 2, last + 1):
                replace_tail(home, n)
            written = time.monotonic()
            came = await seen.until(lambda update: n_of(update.snapshot) == {"n": last})  # noqa: B023
            assert came - written < 0.1 + GLANCE_SECONDS * (round_of == 0)
        assert seen.last.feed == "live"
        assert all(update.snapshot.verdict == "ok" for _, update in seen.updates)


async def test_silence_is_kept_when_nothing_changes(home: Home) -> None:
    async with watching(whole(home)) as seen:
        await asyncio.sleep(0.3)
        count = len(seen.updates)
        (home.root.parent / "unrelated").write_bytes(b"x")
        (home.cwd / ".checkpoint.json.9.tmp").write_bytes(b"left over")
        os.utime(home.cwd / "checkpoint.json")
        await asyncio.sleep(0.5)
        assert len(seen.updates) == count


async def test_a_root_removed_and_made_again_is_absent_then_live(home: Home) -> None:
    async with watching(whole(home)) as seen:
        for round_of in range(2):
            shutil.rmtree(home.root.parent if round_of else home.root)
            await seen.until(lambda update: not update.snapshot.present)
            build(home.root)
            replace_tail(home, 50 + round_of)
            await seen.until(lambda update: n_of(update.snapshot) == {"n": 50 + round_of})  # noqa: B023
            # And it is listened to, not only looked at now and then.
            await asyncio.sleep(0.1)
            replace_tail(home, 60 + round_of)
            written = time.monotonic()
            came = await seen.until(lambda update: n_of(update.snapshot) == {"n": 60 + round_of})  # noqa: B023
            assert came - written < GLANCE_SECONDS / 2
            seen.updates.clear()
            replace_tail(home, 2)
            await seen.until(lambda update: n_of(update.snapshot) == {"n": 2})


async def test_a_root_that_was_moved_is_another_place(home: Home) -> None:
    async with watching(whole(home)) as seen:
        os.rename(home.root, home.root.with_name("moved"))
        await seen.until(lambda update: not update.snapshot.present)
        os.rename(home.root.with_name("moved"), home.root)
        replace_tail(home, 77)
        await seen.until(lambda update: n_of(update.snapshot) == {"n": 77})


async def test_without_notifications_it_polls_and_says_so(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("engine.store.watch.listen", refused)
    async with watching(whole(home)) as seen:
        assert seen.last.feed == "polling"
        replace_tail(home, 31)
        await seen.until(lambda update: n_of(update.snapshot) == {"n": 31})
        assert {update.feed for _, update in seen.updates} == {"polling"}


async def test_notifications_that_come_back_are_used(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("engine.store.watch.listen", lambda *_: (_ for _ in ()).throw(RuntimeError("no watches")))
        monkeypatch.setattr("engine.store.watch.RETRY_SECONDS", 0.3)
        async with watching(whole(home)) as seen:
            assert seen.last.feed == "polling"
            patch.undo()
            await seen.until(lambda update: update.feed == "live")


async def test_a_lost_notification_is_made_up_for(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    # As a network file system is: nothing that another machine does is told.
    monkeypatch.setattr(notice, "concerns", lambda *_: False)
    async with watching(whole(home)) as seen:
        replace_tail(home, 41)
        written = time.monotonic()
        came = await seen.until(lambda update: n_of(update.snapshot) == {"n": 41})
        assert came - written < 2 * GLANCE_SECONDS


async def test_a_held_lock_is_busy_and_then_not(home: Home) -> None:
    async with watching(whole(home)) as seen:
        home.lock.write_bytes(b"%d\n" % os.getppid())
        await seen.until(lambda update: update.snapshot.verdict == "busy")
        replace_tail(home, 21)
        await seen.until(lambda update: update.snapshot.stale == {"cwd"})
        home.lock.unlink()
        await seen.until(lambda update: update.snapshot.verdict == "ok" and n_of(update.snapshot) == {"n": 21})


async def test_a_session_that_comes_or_goes_is_told(home: Home) -> None:
    async with watching(whole(home)) as seen:
        (home.cwd / "another").mkdir()
        await seen.until(lambda update: update.listing)
        seen.updates.clear()
        (home.root / "--elsewhere--").mkdir()
        await seen.until(lambda update: update.listing)
        seen.updates.clear()
        replace_tail(home, 5)
        await seen.until(lambda update: n_of(update.snapshot) == {"n": 5})
        assert not any(update.listing for _, update in seen.updates)


async def test_a_fault_appears_and_goes(home: Home) -> None:
    whole_bytes = (home.cwd / "meta.json").read_bytes()
    async with watching(whole(home)) as seen:
        (home.cwd / "meta.json").write_bytes(b"{")
        await seen.until(lambda update: update.snapshot.verdict == "broken")
        assert seen.last.snapshot.scopes["global"].status == "healthy"
        seen.updates.clear()
        (home.cwd / "meta.json").write_bytes(whole_bytes)
        await seen.until(lambda update: update.snapshot.verdict == "ok")


async def test_a_file_in_a_directorys_place_is_told_and_its_mending_seen(home: Home) -> None:
    os.rename(home.cwd, home.root / "aside")
    home.cwd.write_bytes(b"")
    async with watching(whole(home)) as seen:
        assert seen.last.feed == "live"
        assert seen.last.snapshot.scopes["cwd"].status == "fenced"
        home.cwd.unlink()
        os.rename(home.root / "aside", home.cwd)
        await seen.until(lambda update: update.snapshot.verdict == "ok")


async def test_stopping_ends_it(home: Home) -> None:
    stop = asyncio.Event()
    updates = []
    begun = time.monotonic()
    async for update in watch(whole(home), stop=stop):
        updates.append(update)
        asyncio.get_running_loop().call_later(0.05, stop.set)
    assert len(updates) == 1
    assert time.monotonic() - begun < GLANCE_SECONDS


async def test_only_the_directories_of_the_cohort_are_listened_to(home: Home) -> None:
    for number in range(50):
        (home.cwd / f"s{number}").mkdir()
    paths = [path for path, _, _ in watched(whole(home))]
    assert paths == [str(home.root.parent), str(home.root), str(home.cwd), str(home.session)]
    gone = locate(str(home.root.parent / "no" / "such"), CWD)
    assert [path for path, _, _ in watched(gone)] == [str(home.root.parent)]


@pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux")
def test_a_listener_that_is_refused_leaves_nothing_open(tmp_path: Path) -> None:
    before = os.listdir("/proc/self/fd")  # what an earlier test still held may go meanwhile
    with pytest.raises(OSError, match="inotify_add_watch"):
        Inotify([str(tmp_path), str(tmp_path / "no")], lambda _: None)
    assert len(os.listdir("/proc/self/fd")) <= len(before)
    listener = Inotify([str(tmp_path)], lambda _: None)
    listener.close()
    listener.close()
    listener._thread.join(5)
    assert not listener.alive
    assert len(os.listdir("/proc/self/fd")) <= len(before)


@pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux")
def test_lost_events_mean_look_everywhere(tmp_path: Path) -> None:
    heard: list[str | None] = []
    listener = Inotify([str(tmp_path)], heard.extend)
    try:
        overflow = struct.pack("iIII", -1, 0x4000, 0, 0)
        named = struct.pack("iIII", 1, 0x100, 0, 16) + b"a\xff".ljust(16, b"\0")
        assert listener._events(overflow + named) == [None, f"{tmp_path}/a\udcff"]
    finally:
        listener.close()


async def test_a_large_checkpoint_is_made_ready_for_the_next_fold(home: Home) -> None:
    (home.cwd / "checkpoint.json").write_bytes(
        dump({"lazy": {"n": 0, "big": {f"k{n}": "x" * 1000 for n in range(300)}}})
    )
    async with watching(whole(home)) as seen:
        stream = seen.last.snapshot.scopes["cwd"].stream
        assert stream is not None
        encoder = seen.last.snapshot.encoder
        for _ in range(200):
            if encoder._young:
                break
            await asyncio.sleep(0.01)
        assert bool(encoder._young) == values.fast_paths()
