"""A draft beside everybody else: what moved is shown first, nobody's keys are touched, and nothing of it is lost."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from engine.memory.draft import Draft, PreImage, Put, Remove, Step
from engine.memory.scope import SCOPES, Scope
from engine.store.snapshot import snapshot
from sftui.app import SftuiApp
from sftui.drafts import Drafts
from sftui.reading import Reading
from tests.app.driving import Driver, opened
from tests.app.reviewing import patch_elsewhere, put, reviewed, screen_of, worked_out
from tests.app.stores import MEMORY, Store, begin
from tests.app.terminal import REPOSITORY, Terminal


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY, specification=None)


def stored(store: Store, scope: Scope) -> Any:
    stream = snapshot(store.address).scopes[scope].stream
    assert stream is not None
    return stream.current


# 6: the same key.


async def test_what_another_program_made_of_the_same_key_is_seen_before_it_is_overwritten(store: Store) -> None:
    async with reviewed(store, put("cwd", "strategy", "api", value="mine"), size=(100, 40)) as driver:
        patch_elsewhere(store, cwd={"strategy": {"api": "theirs"}})
        await driver.press("enter")
        await driver.until(lambda: '"theirs"' in driver.text)
        assert stored(store, "cwd")["strategy"] == {"api": "theirs"}
        for words in ('before  "v2 only"', 'theirs  "theirs"', 'mine    "mine"'):
            assert words in driver.text
        # Only now, and by another key, is theirs given up.
        await driver.press("m")
        await worked_out(driver)
        assert '"theirs" → "mine"' in driver.text
        await driver.press("enter")
        await driver.until(lambda: stored(store, "cwd")["strategy"] == {"api": "mine"})
        await driver.until(lambda: driver.app.picture.states["cwd"]["strategy"] == {"api": "mine"})
        # What was overwritten can be had again.
        await driver.press("1", "g", "u")
        await driver.until(lambda: driver.app.drafting.count == 1)
        await driver.press("p")
        await worked_out(driver)
        assert '"mine" → "theirs"' in driver.text
        await driver.press("enter")
        await driver.until(lambda: stored(store, "cwd")["strategy"] == {"api": "theirs"})


async def test_their_value_can_be_left_to_stand(store: Store) -> None:
    steps = put("cwd", "strategy", "api", value="mine"), put("cwd", "tactics", "own", value=1)
    async with reviewed(store, *steps, size=(100, 40)) as driver:
        patch_elsewhere(store, cwd={"strategy": {"api": "theirs"}})
        await driver.until(lambda: bool(screen_of(driver).page.conflicts))
        await driver.press("t")
        await worked_out(driver)
        await driver.press("enter")
        await driver.until(lambda: "own" in stored(store, "cwd")["tactics"])
        assert stored(store, "cwd")["strategy"] == {"api": "theirs"}


# 7: other keys.


async def test_a_patch_left_open_touches_none_of_the_keys_that_an_agent_wrote_meanwhile(store: Store) -> None:
    async with reviewed(store, put("cwd", "strategy", "api", value="mine")) as driver:
        for number in range(5):
            patch_elsewhere(
                store,
                cwd={"tactics": {"agent": number, f"k{number}": [number]}, "strategy": {"more": {"n": number}}},
                **{"global": {"strategy": {"style": {"commits": f"style {number}"}}}},
            )
        before = {scope: stored(store, scope) for scope in SCOPES}
        await driver.press("enter")
        await driver.until(lambda: stored(store, "cwd")["strategy"]["api"] == "mine")
        after = {scope: stored(store, scope) for scope in SCOPES}
        before["cwd"] = {**before["cwd"], "strategy": {**before["cwd"]["strategy"], "api": "mine"}}
        assert after == before


# 11: the cursor is on a key, rows come above it.


def rows_above(store: Store, word: str) -> None:
    patch_elsewhere(store, cwd={"strategy": {f"{word}{number}": number for number in range(7)}})


async def on_next(driver: Driver) -> None:
    """Put the cursor on `cwd.tactics.store`, between other keys."""
    driver.app.open_path("cwd", ("tactics", "store"))
    await driver.until(lambda: driver.at() == ("tactics", "store"))


async def test_a_deletion_takes_the_key_that_the_cursor_is_on_whatever_came_above(store: Store) -> None:
    async with opened(store, (80, 24)) as driver:
        await on_next(driver)
        before = driver.tree.cursor
        rows_above(store, "b")
        # Pressed while the rows arrive, and once they are there.
        await driver.press("d")
        await driver.until(lambda: driver.tree.cursor > before)
        await driver.until(lambda: driver.app.drafting.count == 1)
        (step,) = driver.app.drafting.draft.steps
        assert isinstance(step.operation, Remove)
        assert (step.operation.scope, step.operation.path) == ("cwd", ("tactics", "store"))
        assert driver.at() == ("tactics", "store")
        await driver.press("x")
        await driver.until(lambda: driver.app.drafting.count == 0)
        rows_above(store, "a")
        await driver.until(lambda: ("strategy", "a6") in driver.tree.keys)
        await driver.press("d")
        await driver.until(lambda: driver.app.drafting.count == 1)
        (step,) = driver.app.drafting.draft.steps
        assert isinstance(step.operation, Remove)
        assert step.operation.path == ("tactics", "store")


async def test_a_deletion_of_a_key_that_has_just_gone_is_refused_or_none(store: Store) -> None:
    async with opened(store, (80, 24)) as driver:
        await on_next(driver)
        patch_elsewhere(store, cwd={"tactics": {"store": None}})
        await driver.press("d")
        await driver.until(lambda: ("tactics", "store") not in driver.tree.keys or driver.app.drafting.count == 1)
        await driver.pilot.pause(0.5)
        for step in driver.app.drafting.draft.steps:
            assert isinstance(step.operation, Remove)
            # Pressed before the change was there; it is flagged, and there is nothing left to delete.
            assert step.operation.path == ("tactics", "store")


# 20: no space left.

FULL = textwrap.dedent(
    """
    import asyncio, json, os, sys
    sys.path.insert(0, sys.argv[1])
    from tests.app.reviewing import files_of, put, reviewed
    from tests.app.stores import Store

    async def main(root, cwd, fill):
        store = Store(root, cwd)
        before = files_of(store)
        async with reviewed(store, put("cwd", "lazy", "mine", value="y" * 500), size=(100, 40)) as driver:
            if fill:
                with open(os.path.join(os.path.dirname(root), "filler"), "wb", buffering=0) as file:
                    try:
                        while True:
                            file.write(b"x" * 1024)
                    except OSError:
                        # Room for the lock, and for no more.
                        file.truncate(file.tell() // 4096 * 4096 - 4096)
            await driver.press("enter")
            await driver.until(lambda: "not written:" in driver.text)
            print(json.dumps([driver.text, driver.app.drafting.count, files_of(store) == before]))

    asyncio.run(main(sys.argv[2], sys.argv[3], sys.argv[4] == "fill"))
    """
)


def test_with_no_space_left_the_old_bytes_and_the_draft_are_kept_and_nothing_else(tmp_path: Path) -> None:
    """A file system of 96 kB where one may be mounted, else a limit on how large a file may grow: both are real."""
    home, state = tmp_path / "small", tmp_path / "state"
    home.mkdir()
    cwd = str(tmp_path / "app")
    made = begin(str(tmp_path / "made"), cwd, specification=None)
    made.patch(cwd={"lazy": {"old": "x" * 24_000}})
    root = home / "store"
    environ = {**os.environ, "XDG_STATE_HOME": str(state)}
    python = [sys.executable, "-c", FULL, REPOSITORY, str(root), cwd]
    unshare = shutil.which("unshare")
    done = None
    if unshare is not None:
        script = f'mount -t tmpfs -o size=96k tmpfs {home} && cp -r {made.root} {root} && exec "$@"'
        command = [unshare, "-Urm", "sh", "-c", script, "sh", *python, "fill"]
        done = subprocess.run(command, capture_output=True, text=True, env=environ, cwd=REPOSITORY)
    if done is None or done.returncode:
        shutil.copytree(made.root, root)
        command = ["sh", "-c", 'ulimit -f 20 && exec "$@"', "sh", *python, "-"]
        done = subprocess.run(command, capture_output=True, text=True, env=environ, cwd=REPOSITORY)
    assert done.returncode == 0, done.stderr
    text, steps, same = json.loads(done.stdout.splitlines()[-1])
    assert os.strerror(errno.ENOSPC) in text or os.strerror(errno.EFBIG) in text
    assert "the draft is kept" in text
    assert steps == 1
    # Every byte of the store is as it was, and no temporary stands beside it.
    assert same
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(state))
        (saved,) = Drafts(str(root)).orphans()
    assert saved.draft is not None
    (step,) = saved.draft.steps
    assert isinstance(step.operation, Put)
    assert step.operation.value == "y" * 500


# 22: nothing is whole.


def test_with_every_scope_broken_the_window_opens_and_explains_each(store: Store) -> None:
    files = {}
    for scope in SCOPES:
        path = Path(store.address.scope_dir(scope), "checkpoint.json")
        path.write_bytes(b"{" + scope.encode())
        files[path] = path.read_bytes()
    with Terminal("--store", store.root, "--cwd", store.cwd, "--no-ledger", columns=120, lines=40) as terminal:
        terminal.wait_for("✖")
        terminal.send("6")
        text = terminal.wait_for("checkpoint.json")
        for scope in SCOPES:
            assert scope in text
        assert "not valid JSON" in text or "JSON" in text
        terminal.send("q")
        # What is asked of memory that cannot be read is refused, and the window stays.
        for keys in ("2", "n", "\x1b", "d", "e", "p", "\x1b", "4", "1"):
            terminal.send(keys)
            terminal.pump(0.3)
        terminal.wait_for("✖")
        assert "Internal error" not in terminal.text
    assert {path: path.read_bytes() for path in files} == files


async def test_a_draft_is_asked_for_before_anything_was_read(
    left_behind: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, begin_ = asyncio.Event(), Reading.begin

    async def later(reading: Reading) -> None:
        await slow.wait()
        await begin_(reading)

    monkeypatch.setattr(Reading, "begin", later)
    app = SftuiApp(left_behind.root, left_behind.cwd, left_behind.session, no_ledger=True)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        driver = Driver(app, pilot)
        await driver.press("O")
        assert "Nothing has been read yet" in driver.told
        for key in ("p", "U", "X", "e", "d", "n", "u"):
            await driver.press(key)
        slow.set()
        await driver.until(lambda: app.picture.snapshot is not None)
        await driver.press("escape", "O")
        await driver.until(lambda: app.drafting.count == 1)


# 30: terminals that shrink, go away and come back.


@pytest.fixture
def left_behind(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store whose draft an earlier run has left."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    file = Drafts(store.root).open()
    before = PreImage(exists=True, value="v2 only")
    file.save(snapshot(store.address).address, Draft((Step(Put("cwd", ("strategy", "api"), "mine", before)),)))
    file.release()
    return store


def arguments(store: Store) -> tuple[str, ...]:
    return ("--store", store.root, "--cwd", store.cwd, "--session", str(store.session), "--no-ledger")


def test_shrunk_suspended_and_hung_up_the_screen_is_intact_and_the_draft_is_kept(left_behind: Store) -> None:
    with Terminal(*arguments(left_behind), columns=100, lines=30) as terminal:
        terminal.wait_for("live")
        terminal.send("O")
        terminal.wait_for("draft 1")
        terminal.resize(20, 5)
        terminal.pump(1.0)
        terminal.resize(100, 30)
        terminal.wait_for("draft 1")
        terminal.wait_for("strategy")
        terminal.send("\x1a")
        stopped = time.monotonic() + 10
        while os.waitpid(terminal.pid, os.WUNTRACED | os.WNOHANG) == (0, 0) and time.monotonic() < stopped:
            terminal.pump(0.1)
        terminal.screen.reset()
        os.kill(terminal.pid, signal.SIGCONT)
        terminal.wait_for("draft 1")
        # The terminal is closed while the app runs.
        os.kill(terminal.pid, signal.SIGHUP)
        terminal.pump(2.0)
    with Terminal(*arguments(left_behind), columns=100, lines=30) as terminal:
        terminal.wait_for("live")
        terminal.send("O")
        terminal.wait_for("draft 1")
        terminal.send("p")
        text = terminal.wait_for("digest")
        assert '"v2 only" → "mine"' in text


@pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux")
def test_detached_and_attached_again_it_is_as_it_was(left_behind: Store, tmp_path: Path) -> None:
    socket = str(tmp_path / "tmux")

    def tmux(*words: str) -> str:
        # Our own environment and no more: readline, where it was loaded, adds a size to that of the process.
        command = ["tmux", "-S", socket, *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ)).stdout

    def until(words: str) -> str:
        end = time.monotonic() + 20
        while words not in (shown := tmux("capture-pane", "-p")):
            assert time.monotonic() < end, shown
            time.sleep(0.1)
        return shown

    command = " ".join([sys.executable, "-m", "sftui", *arguments(left_behind)])
    tmux("new-session", "-d", "-x", "100", "-y", "30", "-c", REPOSITORY, command)
    try:
        until("live")
        tmux("send-keys", "O")
        until("draft 1")
        # What the draft changes is worked out a moment later.
        before = until("tok (")
        # Somebody attaches with a small terminal, and goes away; then with the old size.
        for size in ((20, 5), (100, 30)):
            tmux("resize-window", "-x", str(size[0]), "-y", str(size[1]))
            time.sleep(1.0)
        after = until("tok (")
        assert after.splitlines()[0] == before.splitlines()[0]
        assert "strategy" in after
        # As wide and as high as before: details beside the tree, hints in the last line.
        assert "─ details ─" in after
        assert "? help" in after.splitlines()[29]
    finally:
        tmux("kill-server")
