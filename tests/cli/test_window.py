"""Opening the window puts right what a killed process of ours left, and opens in any case."""

from __future__ import annotations

import signal
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.store import files
from engine.store.layout import locate
from engine.store.publication import publish
from sftui import app
from sftui.commands import window
from tests.store.building import CWD, LOCK, Home, build, ended, in_child


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the app was asked to open."""
    asked: list[dict[str, Any]] = []

    def run(**named: Any) -> int:
        asked.append(named)
        return 0

    monkeypatch.setattr(app, "run", run)
    return asked


@pytest.fixture
def interrupted(tmp_path: Path) -> Home:
    """A store whose last publication was killed after the first file was replaced."""
    home = build(tmp_path / "store", limit=2)
    real: Callable[..., None] = files.rename
    calls: list[bool] = []

    def rename(*arguments: Any, **named: Any) -> None:
        calls.append(True)
        if len(calls) == 2:
            signal.raise_signal(signal.SIGKILL)
        real(*arguments, **named)

    def work() -> None:
        files.rename = rename
        authored: dict[str, Any] = {"cwd": {"tactics": {"new": 1}}}
        publish(locate(str(home.root), CWD), authored, wanted=("global", "cwd"))

    assert ended(in_child(work)) == -signal.SIGKILL
    assert home.lock.exists()
    return home


def open_window(home: Home, *, readonly: bool = False) -> int:
    asked = {"directory": str(home.root), "cwd": CWD, "session": None, "readonly": readonly, "no_ledger": True}
    return window.run(Namespace(**asked, ascii=True))


def test_opening_finishes_what_was_begun(interrupted: Home, opened: list[dict[str, Any]]) -> None:
    assert open_window(interrupted) == 0
    assert opened[0]["cwd"] == CWD
    assert LOCK not in interrupted.files()
    assert interrupted.value("cwd")["tactics"] == {"kept": "cwd", "new": 1}


def test_opening_to_read_only_touches_nothing(interrupted: Home, opened: list[dict[str, Any]]) -> None:
    before = interrupted.files()
    assert open_window(interrupted, readonly=True) == 0
    assert opened[0]["readonly"] is True
    assert opened[0]["ascii_signs"] is True
    assert interrupted.files() == before


def test_what_cannot_be_put_right_is_said_and_shown(
    interrupted: Home, opened: list[dict[str, Any]], capfd: pytest.CaptureFixture[str]
) -> None:
    interrupted.lock.unlink()
    interrupted.lock.write_bytes(b"0\n")
    assert open_window(interrupted) == 0
    assert len(opened) == 1
    assert LOCK in capfd.readouterr().err
