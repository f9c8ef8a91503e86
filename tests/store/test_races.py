"""Several real processes at one store, and a disk that is really full."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.errors import Fenced
from engine.memory.scope import Wanted
from engine.store.layout import locate
from engine.store.lock import acquire
from engine.store.publication import publish
from engine.store.snapshot import Snapshot, snapshot
from tests.store.building import CWD, KEY, SESSION, Home, build, ended, in_child

SHARED: Wanted = ("global", "cwd")


def patch(
    home: Home, authored: dict[str, Any], previous: Snapshot | None = None, session: str | None = None
) -> Snapshot:
    wanted: Wanted = SHARED if session is None else ("global", "cwd", "session")
    return publish(locate(str(home.root), CWD, session), authored, wanted=wanted, previous=previous).snapshot


def writer(home: Home, name: str, count: int) -> None:
    """`count` patches to the cwd scope, each of a key of its own, each from what was seen last."""
    warm: Snapshot | None = None
    for number in range(count):
        warm = patch(home, {"cwd": {"tactics": {f"{name}{number}": number}}}, warm)


def run_all(works: list[Callable[[], object]]) -> None:
    assert [ended(pid) for pid in [in_child(work) for work in works]] == [0] * len(works)


def test_two_processes_lose_nothing(tmp_path: Path) -> None:
    """Twenty patches each: forty accepted, forty there, forty revisions."""
    home = build(tmp_path / "store")
    run_all([partial(writer, home, name, 20) for name in "ab"])
    value = home.value("cwd")["tactics"]
    assert {key: value[key] for key in value if key != "kept"} == {f"{n}{i}": i for n in "ab" for i in range(20)}
    assert home.meta("cwd")["temporal"]["revision"] == 42
    found = snapshot(locate(str(home.root), CWD))
    assert (found.verdict, found.lock.kind) == ("ok", "free")


def test_threads_of_one_process_lose_nothing_either(tmp_path: Path) -> None:
    home = build(tmp_path / "store")
    threads = [threading.Thread(target=writer, args=(home, name, 10)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert home.meta("cwd")["temporal"]["revision"] == 42
    assert len(home.value("cwd")["tactics"]) == 41


def test_writers_of_different_scopes_share_one_history(tmp_path: Path) -> None:
    home = build(tmp_path / "store")

    def of_global() -> None:
        for number in range(10):
            patch(home, {"global": {"tactics": {f"g{number}": number}}})

    def of_session() -> None:
        for number in range(10):
            patch(home, {"session": {"tactics": {f"s{number}": number}}}, session=SESSION)

    run_all([of_global, of_session, partial(writer, home, "c", 10)])
    assert {scope: home.meta(scope)["temporal"]["revision"] for scope in ("global", "cwd", "session")} == {
        "global": 12,
        "cwd": 12,
        "session": 12,
    }
    assert home.runtime()["step"] == 12
    assert snapshot(locate(str(home.root), CWD, SESSION)).verdict == "ok"


def test_the_last_accepted_wins_and_other_keys_stay(tmp_path: Path) -> None:
    """A patch made while the agent wrote other keys leaves those alone."""
    home = build(tmp_path / "store")
    opened = snapshot(locate(str(home.root), CWD))
    run_all([partial(writer, home, "agent", 5)])
    patch(home, {"cwd": {"tactics": {"kept": "mine"}}}, opened)
    assert home.value("cwd")["tactics"] == {"kept": "mine", **{f"agent{i}": i for i in range(5)}}


def test_a_killed_writer_blocks_nobody(tmp_path: Path) -> None:
    """Killed at any time, again and again, while another one goes on: what was accepted is there."""
    home = build(tmp_path / "store")
    done = tmp_path / "done"
    done.mkdir()

    def endless() -> None:
        for number in range(10_000):
            patch(home, {"cwd": {"tactics": {"endless": number}}})
            (done / "last").write_text(str(number))

    for round_number in range(6):
        (done / "last").unlink(missing_ok=True)
        pid = in_child(endless)
        deadline = time.monotonic() + 10
        while not (done / "last").exists() and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(0.003 * round_number)
        os.kill(pid, 9)
        ended(pid)
        accepted = int((done / "last").read_text() or 0)
        patch(home, {"global": {"tactics": {f"round{round_number}": True}}})
        assert home.value("cwd")["tactics"]["endless"] >= accepted
    assert snapshot(locate(str(home.root), CWD)).verdict == "ok"
    assert not [name for name in home.files() if "/." in name or name.startswith(".")]


def test_a_dead_agents_lock_stops_writing_but_not_reading(tmp_path: Path) -> None:
    home = build(tmp_path / "store")
    pid = in_child(lambda: None)
    ended(pid)
    home.lock.write_bytes(b"%d\n" % pid)
    began = time.monotonic()
    with pytest.raises(Fenced) as caught:
        patch(home, {"cwd": {"tactics": {"a": 1}}})
    assert time.monotonic() - began < 1
    assert str(pid) in str(caught.value)
    assert home.lock.read_bytes() == b"%d\n" % pid
    stream = snapshot(locate(str(home.root), CWD)).scopes["cwd"].stream
    assert stream is not None
    assert stream.current["tactics"] == {"kept": "cwd"}


def test_an_agent_at_work_is_waited_for(tmp_path: Path) -> None:
    home = build(tmp_path / "store")
    ready, go = os.pipe(), os.pipe()

    def agent() -> None:
        with acquire(str(home.root)):
            os.write(ready[1], b"x")
            os.read(go[0], 1)

    pid = in_child(agent)
    os.read(ready[0], 1)
    told: list[int | None] = []

    def hear(state: Any) -> None:
        told.append(state.pid)
        os.write(go[1], b"x")

    authored: dict[str, Any] = {"cwd": {"tactics": {"a": 1}}}
    publish(locate(str(home.root), CWD), authored, wanted=SHARED, on_wait=hear)
    assert told[0] == pid
    assert ended(pid) == 0
    assert home.value("cwd")["tactics"]["a"] == 1


FULL = textwrap.dedent(
    """
    import os, sys
    sys.path.insert(0, sys.argv[2])
    from engine.errors import EngineError
    from engine.store.layout import locate
    from engine.store.publication import publish
    root, space = sys.argv[1], sys.argv[3]
    accepted, refused = 0, None
    for number in range(1000):
        patch = {"cwd": {"lazy": {f"k{number}": "x" * 3000}}}
        try:
            publish(locate(root, "/work/demo/app"), patch, wanted=("global", "cwd"))
        except EngineError as error:
            refused = error.code
            break
        accepted += 1
    print(accepted, refused)
    """
)


def test_a_full_disk(tmp_path: Path) -> None:
    """A file system of 64 kB where one may be mounted, else a limit on how large a file may grow: both are real."""
    project = str(Path(__file__).resolve().parents[2])
    root = tmp_path / "small" / "store"
    root.parent.mkdir()
    kept = tmp_path / "kept"
    mounted = f"mount -t tmpfs -o size=64k tmpfs {root.parent}"
    python = f"{sys.executable} -c '{FULL}' {root} {project} -"
    build(tmp_path / "made", patches=2, session=False)
    script = f"{mounted} && cp -r {tmp_path}/made {root} && {python} && cp -r {root} {kept}"
    unshare = shutil.which("unshare")
    done = None
    if unshare is not None:
        done = subprocess.run([unshare, "-Urm", "sh", "-c", script], capture_output=True, text=True)
    if done is None or done.returncode:
        shutil.copytree(tmp_path / "made", root)
        limited = f"ulimit -f 40 && {python}"
        done = subprocess.run(["sh", "-c", limited], capture_output=True, text=True)
        shutil.copytree(root, kept)
    assert done.returncode == 0, done.stderr
    accepted, refused = done.stdout.split()
    assert refused in ("no-space", "write-failed", "lock-failed")
    home = Home(kept)
    assert home.value("cwd")["lazy"].keys() == {"n", *(f"k{number}" for number in range(int(accepted)))}
    assert int(accepted) >= 3
    assert set(home.files()) == {
        f"{at}{name}" for at in ("", f"{KEY}/") for name in ("checkpoint.json", "meta.json", "patches.jsonl")
    }
    found = snapshot(locate(str(kept), CWD))
    assert (found.verdict, found.lock.kind) == ("ok", "free")


def test_a_read_only_store_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.errors import StoreFailure
    from engine.store import files

    home = build(tmp_path / "store")
    before = home.files()
    real = files.open

    def opened(path: str, flags: int, *arguments: Any, **named: Any) -> int:
        if flags & os.O_CREAT and not path.endswith(".publication"):
            raise OSError(30, "Read-only file system")
        return real(path, flags, *arguments, **named)

    monkeypatch.setattr(files, "open", opened)
    with pytest.raises(StoreFailure) as caught:
        patch(home, {"cwd": {"tactics": {"a": 1}}})
    assert "Read-only" in str(caught.value)
    assert home.files() == before


def test_what_a_patch_says_is_what_a_plain_reader_finds(tmp_path: Path) -> None:
    """The receipt, the returned snapshot and the bytes on disk agree after each of many patches."""
    home = build(tmp_path / "store", limit=3)
    warm: Snapshot | None = None
    for number in range(12):
        authored: dict[str, Any] = {
            "cwd": {"lazy": {"list": list(range(number)), "gone": None if number % 2 else number}},
            "global": {"tactics": {"n": number}},
        }
        warm = patch(home, authored, warm)
        for scope in SHARED:
            stream = warm.scopes[scope].stream
            assert stream is not None
            assert json.dumps(stream.current, sort_keys=True) == json.dumps(home.value(scope), sort_keys=True)
        fresh = snapshot(locate(str(home.root), CWD))
        assert fresh.cohort == warm.cohort
