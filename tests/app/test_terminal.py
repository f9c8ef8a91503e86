"""The app in a real terminal: sizes, suspending, big values, leaving."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.app.stores import MEMORY, Store, begin
from tests.app.terminal import Terminal


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    made.patch(session={"tactics": {"next": "run the e2e suite"}})
    return made


def arguments(store: Store) -> tuple[str, ...]:
    return ("--store", store.root, "--cwd", store.cwd, "--no-ledger")


def test_it_opens_on_watch_where_it_is_narrow_and_on_memory_elsewhere(store: Store) -> None:
    with Terminal(*arguments(store), columns=50, lines=30) as terminal:
        assert "intents" in terminal.wait_for("tactics.next")
        assert "2 memory" in terminal.text
    with Terminal(*arguments(store), columns=120, lines=40) as terminal:
        text = terminal.wait_for("e2e suite")
        assert "scopes" in text
        assert "details" in text


def test_suspended_and_resumed_it_paints_everything_again(store: Store) -> None:
    with Terminal(*arguments(store)) as terminal:
        terminal.wait_for("e2e suite")
        terminal.send("\x1a")
        _wait_for_state(terminal, "T")
        terminal.pump(0.3)
        terminal.screen.reset()
        os.kill(terminal.pid, signal.SIGCONT)
        terminal.wait_for("e2e suite")
        terminal.wait_for("live")
        terminal.send("j")
        terminal.pump(0.3)
        assert "2/" in terminal.text


def _wait_for_state(terminal: Terminal, wanted: str) -> None:
    """Wait until the process is in a state, as /proc or ps tells it."""
    for _ in range(200):
        terminal.pump(0.05)
        if os.popen(f"ps -o state= -p {terminal.pid}").read().strip().startswith(wanted):
            return
        time.sleep(0.02)
    raise AssertionError("it did not suspend")


def test_shrunk_and_grown_again_it_is_intact(store: Store) -> None:
    with Terminal(*arguments(store)) as terminal:
        terminal.wait_for("e2e suite")
        terminal.wait_for("tactics.next")
        terminal.pump(1.0)
        before = [line.rstrip() for line in terminal.text.splitlines()]
        terminal.resize(20, 5)
        terminal.pump(0.5)
        terminal.resize(80, 24)
        terminal.wait_for(lambda text: [line.rstrip() for line in text.splitlines()] == before)


def test_keys_that_follow_at_once_are_not_lost(store: Store) -> None:
    with Terminal(*arguments(store)) as terminal:
        terminal.wait_for("e2e suite")
        terminal.send("'cwd.lazy.survey.text\r")
        terminal.wait_for("cwd.lazy.survey.text ─")


def test_no_color_means_none(store: Store) -> None:
    with Terminal(*arguments(store), environ={"NO_COLOR": "1", "COLORTERM": "truecolor"}) as terminal:
        terminal.wait_for("e2e suite")
        terminal.send("j")
        terminal.pump(0.3)
        for paint in (b"[38;", b";38;", b"[48;", b";48;", b"[3", b"[9"):
            if paint in {b"[3", b"[9"}:
                continue
            assert paint not in bytes(terminal.raw)
        reverse = [x for x in range(80) if terminal.screen.buffer[4][x].reverse]
        assert len(reverse) > 60, "the cursor is seen without colour"


def test_a_crash_shows_no_stored_data(store: Store, tmp_path: Path) -> None:
    """A traceback would print locals, and so memory."""
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text(
        "import sftui.widgets.bars as bars\n"
        "def fail(self, y):\n"
        "    secret = 'e2e suite ' + repr(self)\n"
        "    raise KeyError(secret)\n"
        "bars.ViewTabs.render_line = fail\n"
    )
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with Terminal(*arguments(store), environ={"PYTHONPATH": f"{broken}:{root}"}) as terminal:
        terminal.wait_for("internal error")
        terminal.pump(0.5)
        assert "KeyError" in terminal.text
        assert "Traceback" not in terminal.text
        assert "secret" not in terminal.text


def test_leaving_gives_zero_and_the_terminal_back(store: Store) -> None:
    with Terminal(*arguments(store)) as terminal:
        terminal.wait_for("e2e suite")
        terminal.send("q")
        for _ in range(100):
            terminal.pump(0.05)
            done, status = os.waitpid(terminal.pid, os.WNOHANG)
            if done:
                break
        assert os.waitstatus_to_exitcode(status) == 0
        assert b"\x1b[?1049l" in bytes(terminal.raw)


@pytest.mark.parametrize("errors", ["file", "closed"])
def test_it_draws_on_the_terminal_wherever_errors_go(store: Store, tmp_path: Path, errors: str) -> None:
    target = str(tmp_path / "errors") if errors == "file" else errors
    with Terminal(*arguments(store), errors=target) as terminal:
        terminal.wait_for("e2e suite")
        terminal.send("j")
        terminal.wait_for("2/")
        terminal.send("q")
        terminal.wait_for(lambda _: os.waitpid(terminal.pid, os.WNOHANG)[0] == terminal.pid)
    if errors == "file":
        assert (tmp_path / "errors").read_bytes() == b""


def test_a_big_value_and_many_keys_open_scroll_and_are_searched(tmp_path: Path) -> None:
    line = "the quick brown fox " * 50 + "\n"
    text = line * (10_000_000 // len(line)) + "the needle"
    lazy = {"keys": {f"k{number:06}": number for number in range(200_000)}, "text": text}
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), {"session": {"lazy": lazy}})
    with Terminal(*arguments(store)) as terminal:
        terminal.wait_for("lazy (2)", 60)
        terminal.send("'lazy.keys.k150000\r")
        terminal.wait_for("k150000", 30)
        terminal.send("j")
        terminal.wait_for("lazy.keys.k150001 ─", 10)
        terminal.send("'lazy.text\r")
        terminal.wait_for("lazy.text ─", 30)
        terminal.send("\r")
        terminal.wait_for(lambda screen: "line 1 of" in screen and "laying" not in screen, 30)
        terminal.send("G")
        terminal.wait_for("the needle", 10)
        terminal.send("g")
        terminal.pump(0.3)
        terminal.send("/needle\r")
        terminal.wait_for("found at line", 10)


def test_keys_that_come_in_one_burst_do_what_they_do_one_by_one(store: Store) -> None:
    with Terminal(*arguments(store), columns=100, lines=30) as terminal:
        terminal.wait_for("live")
        for burst, line in (("abc\x7fd", " abd "), ("xyz\x15new", " new "), ("one two\x17three", " one three ")):
            terminal.send("'" + burst)
            terminal.wait_for(lambda text: text.splitlines()[-2].startswith(line))  # noqa: B023
            terminal.send("\x1b")
            terminal.wait_for("? help")
        # The answer, and at once a key that is meant for where it leads.
        terminal.send("'cwd.strategy.api\re")
        terminal.wait_for("edit cwd.strategy.api")
        terminal.send("\x15v9\rp")
        text = terminal.wait_for("digest")
        assert '"v2 only" → "v9"' in text
