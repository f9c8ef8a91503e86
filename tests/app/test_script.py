"""What was applied in a window is saved as a script, and `sftui patch --script` makes the same memory of it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from engine.store.layout import locate
from engine.store.snapshot import snapshot
from sftui.cli import main
from tests.app.driving import Driver, opened
from tests.app.proving import proves
from tests.app.stores import MEMORY, Store, begin
from tests.app.test_editing import settled, stand, typed


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.chdir(tmp_path)
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY, specification=None)


async def apply(driver: Driver) -> None:
    await settled(driver)
    await driver.press("p")
    await driver.until(lambda: driver.app.screen.name != "memory" and "apply" in driver.text)
    await driver.until(lambda: driver.app.drafting.preview is not None)
    await driver.press("enter")
    await driver.until(lambda: driver.app.drafting.draft.is_empty and driver.top() is driver.memory)


def memory(root: str, cwd: str, session: str | None) -> Any:
    found = snapshot(locate(root, cwd, session))
    return {scope: reading.stream.current for scope, reading in found.scopes.items() if reading.stream is not None}


@proves("app.script")
async def test_what_was_applied_is_saved_and_can_be_carried_out_again(store: Store, tmp_path: Path) -> None:
    shutil.copytree(store.root, tmp_path / "copy")
    async with opened(store) as driver:
        await driver.press("W")
        assert "Nothing was applied here in this window yet" in driver.told
        await stand(driver, "tactics", "store")
        await driver.press("d")
        await apply(driver)
        await stand(driver, "strategy", "api")
        await driver.press("e")
        await typed(driver, "v3\x1b[2J\u202e")
        await apply(driver)
        await driver.press("W")
        assert "save 2 patches as a script" in driver.text
        await typed(driver, "clean.jsonl")
        await driver.until(lambda: (tmp_path / "clean.jsonl").exists() and "Saved as" in driver.told)
        assert driver.top().focused is driver.tree
        # A second time it is not replaced unasked, and the name that was typed stands there still.
        before = (tmp_path / "clean.jsonl").read_bytes()
        await driver.press("W")
        await typed(driver, "clean.jsonl")
        await driver.until(lambda: "This file is there already" in driver.told)
        await driver.until(lambda: "save 2 patches" in driver.text and driver.memory.typed == "clean.jsonl")
        await driver.press("escape")
        assert (tmp_path / "clean.jsonl").read_bytes() == before
        await driver.press("W")
        await typed(driver, f"{store.root}/inside.jsonl")
        await driver.until(lambda: "Nothing but memory is written into a store" in driver.told)
        await driver.press("escape")
    script = tmp_path / "clean.jsonl"
    assert script.stat().st_mode & 0o777 == 0o600
    assert b"\x1b" not in before
    assert "\u202e".encode() not in before
    patches = [json.loads(line) for line in before.splitlines()]
    assert patches[1] == {"cwd": {"strategy": {"api": "v3\x1b[2J\u202e"}}}
    assert len(patches) == 2
    assert not os.path.exists(f"{store.root}/inside.jsonl")
    assert [name for name in os.listdir(tmp_path) if ".tmp" in name] == []
    copy = str(tmp_path / "copy")
    at = ["--store", copy, "--cwd", store.cwd, "--session", str(store.session), "--no-ledger"]
    assert main(["patch", "--script", *at, str(script)]) == 0
    assert memory(copy, store.cwd, store.session) == memory(store.root, store.cwd, store.session)


async def test_what_was_applied_elsewhere_is_not_in_it_and_that_is_said(store: Store, tmp_path: Path) -> None:
    other = begin(store.root, str(tmp_path / "other"), MEMORY, specification=None)
    async with opened(store) as driver:
        await stand(driver, "tactics", "store")
        await driver.press("d")
        await apply(driver)
        driver.app.open_address(other.address)
        await driver.until(lambda: driver.app.picture.snapshot.address == other.address)  # type: ignore[union-attr]
        await driver.press("W")
        assert "Nothing was applied here in this window yet; 1 more was applied elsewhere" in driver.told
