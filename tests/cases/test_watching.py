"""Changes that watchers of this kind have missed, and crowds that have confused readers."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.app.terminal import REPOSITORY, Terminal
from tests.cases.at import at, patch
from tests.cli.conftest import Run, environment
from tests.store.building import CWD, SESSION, Home, build, dump
from tests.store.test_watch import n_of, replace_tail, watching, whole

PROMPT_SECONDS = 0.1
SOON_SECONDS = 1.5
CROWD_SECONDS = 14.0


async def test_each_of_many_triple_replacements_is_seen_at_once(home: Home) -> None:
    late = []
    async with watching(whole(home)) as seen:
        await asyncio.sleep(0.3)
        for round_of in range(10):
            last = 10 * round_of + 13
            for n in range(last - 2, last + 1):
                replace_tail(home, n)
            written = time.monotonic()
            came = await seen.until(lambda update: n_of(update.snapshot) == {"n": last})  # noqa: B023
            late.append(came - written)
    # Silence would last until the next glance. One round in ten may be held up by the machine.
    assert max(late) < SOON_SECONDS
    assert sorted(late)[-2] < PROMPT_SECONDS, late


@pytest.mark.parametrize("how", ["in place", "replaced"])
async def test_another_text_of_the_same_size_in_the_same_second_is_seen(home: Home, how: str) -> None:
    tail = home.cwd / "patches.jsonl"
    second = time.time_ns() // 1_000_000_000 * 1_000_000_000
    os.utime(tail, ns=(second, second))
    size = tail.stat().st_size
    async with watching(whole(home)) as seen:
        for n in (3, 4, 5, 3):
            seen.updates.clear()
            if how == "replaced":
                replace_tail(home, n)
            else:
                tail.write_bytes(dump({"lazy": {"n": 1}}) + dump({"lazy": {"n": n}}))
            os.utime(tail, ns=(second, second))
            assert tail.stat().st_size == size
            written = time.monotonic()
            came = await seen.until(lambda update: n_of(update.snapshot) == {"n": n})  # noqa: B023
            assert came - written < SOON_SECONDS


# Run before the app: a user namespace of its own in which the system has no inotify instance left. Where no such
# namespace is allowed, the call itself is made to answer so.
EXHAUSTED = """
import ctypes, os
def deny():
    class Library(ctypes.CDLL):
        def inotify_init1(self, flags):
            ctypes.set_errno(24)
            return -1
    ctypes.CDLL = Library
try:
    user = os.getuid()
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(0x10000000):
        raise OSError
    with open("/proc/self/uid_map", "w") as file:
        file.write(f"{user} {user} 1")
    with open("/proc/sys/user/max_inotify_instances", "w") as file:
        file.write("0")
    if library.inotify_init1(0) >= 0:
        raise OSError
except (OSError, AttributeError):
    deny()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux")
def test_without_an_inotify_instance_the_window_polls_says_so_and_stays_correct(
    home: Home, run: Run, tmp_path: Path
) -> None:
    before = tmp_path / "before"
    before.mkdir()
    (before / "sitecustomize.py").write_text(EXHAUSTED)
    paths = {"PYTHONPATH": f"{before}:{REPOSITORY}"}
    with Terminal(*at(home, session=True), "--no-ledger", columns=120, lines=40, environ=paths) as terminal:
        terminal.wait_for("polling")
        for n in (1, 2, 3):
            assert run("patch", *at(home), stdin=patch(cwd={"tactics": {"step": f"number {n}"}})).code == 0
            terminal.wait_for(f"number {n}", 10)
        assert "polling" in terminal.text
        assert "live" not in terminal.text


def test_a_root_removed_and_made_again_is_absent_and_then_live_in_the_window(home: Home, run: Run) -> None:
    with Terminal(*at(home, session=True), "--no-ledger", columns=120, lines=40) as terminal:
        terminal.wait_for("live")
        for n in (1, 2):
            subprocess.run(["rm", "-r", str(home.root)], check=True)
            terminal.wait_for("absent", 10)
            assert "kept" not in terminal.text
            build(home.root)
            assert run("patch", *at(home), stdin=patch(cwd={"tactics": {"round": f"number {n}"}})).code == 0
            terminal.wait_for(lambda text: f"number {n}" in text and "live" in text and "absent" not in text, 10)  # noqa: B023


@contextmanager
def process(module: str, home: Home, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A process beside us that ends, with its report, when its input does."""
    command = [sys.executable, "-m", module, "--root", str(home.root), "--cwd", CWD, *words]
    started = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment(), cwd=REPOSITORY
    )
    try:
        yield started
    finally:
        if started.poll() is None:
            started.kill()
        started.communicate()


def report_of(started: subprocess.Popen[str]) -> dict[str, Any]:
    out, _ = started.communicate(timeout=60)
    assert started.returncode == 0, out
    report: dict[str, Any] = json.loads(out.splitlines()[-1])
    return report


def test_five_viewers_beside_a_busy_writer_see_no_fence_and_no_mixture(home: Home) -> None:
    """Four watchers and the window itself, beside a writer that never pauses."""
    watcher = ("tests.standin.monitor", home, "--session", SESSION)
    with (
        process(*watcher) as one,
        process(*watcher) as two,
        process(*watcher) as three,
        process(*watcher) as four,
        Terminal(*at(home, session=True), "--no-ledger", columns=120, lines=40) as terminal,
    ):
        terminal.wait_for("kept", 40)
        with process("tests.standin.writer", home, "--name", "w", "--pause", "0") as writer:
            until = time.monotonic() + CROWD_SECONDS
            screens = set()
            while time.monotonic() < until:
                terminal.pump(0.25)
                for bad in ("fenced", "✖", "broken", "Traceback"):
                    assert bad not in terminal.text, terminal.text
                screens.add(terminal.text)
            written = report_of(writer)
        time.sleep(0.5)
        seen = [report_of(viewer) for viewer in (one, two, three, four)]
    assert written["failed"] == []
    assert written["steps"] > 20
    assert len(screens) > 5
    for viewer in seen:
        assert (viewer["fences"], viewer["mixed"], viewer["backwards"]) == ([], [], [])
        assert viewer["updates"] > 10
    for scope in ("global", "cwd"):
        assert home.meta(scope)["temporal"]["revision"] == 2 + written["accepted"][scope]
