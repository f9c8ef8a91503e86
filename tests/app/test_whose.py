"""Whose a change is: what is recorded of it may come after it was shown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.ledger import Ledger
from engine.store.publication import publish
from engine.store.snapshot import snapshot
from sftui.feed import Reader
from sftui.views.details import details
from sftui.views.picture import Picture
from tests.app.driving import opened
from tests.app.stores import MEMORY, Store, begin


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)


async def test_a_change_made_with_the_command_line_is_ours(store: Store) -> None:
    async with opened(store, ledger=True) as driver:

        def patch() -> None:
            command = [sys.executable, "-m", "sftui", "patch", "--store", store.root, "--cwd", store.cwd, "-"]
            subprocess.run(
                command,
                input=json.dumps({"cwd": {"strategy": {"api": "v3"}}}).encode(),
                check=True,
                capture_output=True,
            )

        await driver.next_picture(patch)
        await driver.until(lambda: driver.app.picture.log[0].ours is True)
        told = dict(details(driver.app.picture, "cwd", ("strategy", "api")).facts)
        assert told["last change"].endswith(", ours")
        await driver.press("1")
        await driver.until(lambda: "ours" in driver.text)


async def test_who_made_it_is_heard_without_another_change(store: Store) -> None:
    async with opened(store, ledger=True) as driver:
        made = publish(store.address, {"cwd": {"strategy": {"api": "v3"}}}, wanted=("global", "cwd"))
        await driver.until(lambda: [entry.short for entry in driver.app.picture.log] == ["c1"])
        assert driver.app.picture.log[0].ours is False
        Ledger.open(store.root).made_here(made)
        await driver.until(lambda: driver.app.picture.log[0].ours is True)


async def test_without_a_record_nobody_is_named(store: Store) -> None:
    async with opened(store) as driver:
        await driver.next_picture(lambda: store.patch(session={"tactics": {"one": 1}}))
        assert driver.app.picture.log[0].ours is None
        told = dict(details(driver.app.picture, "session", ("tactics", "one")).facts)
        assert "ours" not in told["last change"]


def test_only_retained_changes_are_remembered(store: Store) -> None:
    reader = Reader(store.root, ledger=True, clock=lambda: 5.0)
    picture = Picture()
    taken = None
    for number in range(40):
        store.patch(session={"tactics": {"n": number}})
        taken = snapshot(store.address, taken)
        picture = reader.picture(picture, taken, "live", 5.0, pinned=False)
    assert len(reader._sightings) <= 3 * 12
    assert os.path.isdir(store.root)


def test_what_no_known_change_touched_is_not_called_older_than_it_is(store: Store) -> None:
    store.patch(session={"tactics": {"next": "x"}}, cwd={"strategy": {"api": "v3"}})
    reader = Reader(store.root, ledger=False, clock=lambda: 5.0)
    picture = reader.picture(Picture(), snapshot(store.address), "live", 5.0, pinned=False)
    told = dict(details(picture, "effective", ("lazy", "survey")).facts)
    assert told["last change"] == "unknown: not touched in c1, s1, all that is known here"
    told = dict(details(picture, "global", ("strategy", "style")).facts)
    assert told["last change"] == "unknown: no change is known here"
