"""A draft outlives the app in a real terminal, whatever ends it, and is applied by nobody but its person."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.memory.draft import Remove
from engine.store.snapshot import snapshot
from sftui.drafts import Drafts
from tests.app.stores import MEMORY, Store, begin
from tests.app.terminal import Terminal


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY, specification=None)


def arguments(store: Store) -> tuple[str, ...]:
    return ("--store", store.root, "--cwd", store.cwd, "--no-ledger")


def strategy(store: Store) -> object:
    stream = snapshot(store.address).scopes["cwd"].stream
    assert stream is not None
    return stream.current.get("strategy")


def draw_up(terminal: Terminal) -> None:
    """Delete a key of the directory's memory in the draft."""
    terminal.wait_for("live")
    terminal.send("'cwd.strategy.api\r")
    terminal.wait_for("cwd.strategy.api ─")
    terminal.send("d")
    terminal.wait_for("draft 1")
    terminal.pump(0.5)


def gone(pid: int) -> None:
    """Wait for the end of the app."""
    for _ in range(300):
        if os.waitpid(pid, os.WNOHANG)[0]:
            return
        time.sleep(0.02)
    raise AssertionError("it did not end")


def killed(terminal: Terminal, number: int) -> None:
    os.kill(terminal.pid, number)
    gone(terminal.pid)


def hung_up(terminal: Terminal) -> None:
    """The terminal goes away; what is read from it ends, and SIGHUP comes."""
    keep = os.dup(os.open(os.devnull, os.O_RDONLY))
    os.close(terminal.descriptor)
    terminal.descriptor = keep
    gone(terminal.pid)


def quitted(terminal: Terminal) -> None:
    terminal.send("q")
    terminal.wait_for("a draft of 1 change is kept")
    gone(terminal.pid)


ENDS: dict[str, Callable[[Terminal], None]] = {
    "killed": lambda terminal: killed(terminal, signal.SIGKILL),
    "terminated": lambda terminal: killed(terminal, signal.SIGTERM),
    "hung up": lambda terminal: killed(terminal, signal.SIGHUP),
    "terminal lost": hung_up,
    "quit": quitted,
}


@pytest.mark.parametrize("how", ENDS)
def test_a_draft_outlives_the_app(store: Store, how: str) -> None:
    before = strategy(store)
    with Terminal(*arguments(store)) as terminal:
        draw_up(terminal)
        assert Drafts(store.root).orphans() == (), "it is held while the app lives"
        ENDS[how](terminal)
    (saved,) = Drafts(store.root).orphans()
    assert saved.draft is not None
    (step,) = saved.draft.steps
    assert isinstance(step.operation, Remove)
    assert (step.operation.scope, step.operation.path) == ("cwd", ("strategy", "api"))
    assert step.operation.before.value == "v2 only"
    assert saved.address == store.address
    assert strategy(store) == before


def test_a_polite_kill_gives_the_terminal_back(store: Store) -> None:
    with Terminal(*arguments(store)) as terminal:
        draw_up(terminal)
        os.kill(terminal.pid, signal.SIGTERM)
        terminal.wait_for("a draft of 1 change is kept")
        for _ in range(300):
            pid, status = os.waitpid(terminal.pid, os.WNOHANG)
            if pid:
                break
            time.sleep(0.02)
        assert os.waitstatus_to_exitcode(status) == 143
        assert b"\x1b[?1049l" in terminal.raw, "the alternate screen is left"
        assert b"\x1b[?25h" in terminal.raw, "the cursor is shown again"


def test_it_is_offered_taken_up_reviewed_and_applied(store: Store) -> None:
    with Terminal(*arguments(store)) as terminal:
        draw_up(terminal)
        killed(terminal, signal.SIGKILL)
    with Terminal(*arguments(store)) as terminal:
        terminal.wait_for("a draft was left behind")
        assert "draft 1" not in terminal.text
        assert strategy(store) == {"api": "v2 only"}
        terminal.send("O")
        terminal.wait_for("draft 1")
        terminal.send("p")
        terminal.wait_for("strategy.api")
        terminal.pump(0.5)
        terminal.send("\r")
        for _ in range(200):
            terminal.pump(0.05)
            if strategy(store) is None:
                break
        assert strategy(store) is None, terminal.text
        terminal.wait_for(lambda text: "draft 1" not in text)
    assert Drafts(store.root).orphans() == ()


def test_suspended_and_resumed_the_draft_is_there(store: Store) -> None:
    with Terminal(*arguments(store)) as terminal:
        draw_up(terminal)
        terminal.send("\x1a")
        for _ in range(200):
            terminal.pump(0.05)
            if os.popen(f"ps -o state= -p {terminal.pid}").read().strip().startswith("T"):
                break
        assert Drafts(store.root).orphans() == (), "a stopped process still holds it"
        terminal.screen.reset()
        os.kill(terminal.pid, signal.SIGCONT)
        terminal.wait_for("draft 1")
