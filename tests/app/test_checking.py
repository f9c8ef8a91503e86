"""What is kept of the ledger is compared with it beside the app, once it has been opened."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from engine.ledger.folds import Folds
from engine.ledger.states import STATE_NAME
from engine.store.layout import store_home
from sftui import checking
from tests.app.driving import opened
from tests.app.stores import MEMORY, begin


async def test_a_state_that_is_not_the_fold_is_told_of_and_folded_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    home = os.path.join(store_home(store.address.root), "ledger")
    async with opened(store, (80, 24), ledger=True) as driver:
        await driver.next_picture(lambda: store.patch(session={"tactics": {"next": "look"}}))
    folds = Folds(home)
    folds.catch_up()
    folds.close()
    with sqlite3.connect(os.path.join(home, STATE_NAME)) as connection:
        connection.execute("UPDATE blame SET seq = seq + 1")
    connection.close()
    monkeypatch.setattr(checking, "QUIET_SECONDS", 0.0)
    async with opened(store, (80, 24), ledger=True) as driver:
        await driver.until(lambda: "(blame): it is folded anew" in driver.told)
    folds = Folds(home)
    assert folds.verify().ok
    folds.close()
