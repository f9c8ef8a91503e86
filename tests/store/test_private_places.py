"""What is kept beside a store is for its user alone, from the first directory of ours down."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.ledger import Ledger
from engine.store.layout import locate, state_home
from engine.store.publication import publish


def test_every_directory_and_file_outside_of_the_store_is_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    before = os.umask(0o022)
    try:
        root = str(tmp_path / "store")
        published = publish(locate(root, "/here"), {"cwd": {"tactics": {"a": 1}}}, wanted=("global", "cwd"), dialect=4)
        ledger = Ledger.open(root, clock=lambda: 1.0)
        ledger.observe(published.snapshot, 1.0)
    finally:
        os.umask(before)
    home = Path(state_home(os.environ))
    places = [home, *home.rglob("*")]
    assert {"ledger", "journal"} <= {place.name for place in places}
    assert {place.stat().st_mode & 0o077 for place in places} == {0}
