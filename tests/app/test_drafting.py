"""The app's draft: gathered, previewed, kept on disk, applied; taken back and had again."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.memory.draft import Put
from engine.store.snapshot import snapshot
from sftui.drafts import Drafts
from tests.app.driving import Driver, opened
from tests.app.stores import MEMORY, Store, begin


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY, specification=None)


def put(driver: Driver, scope: str, path: tuple[str | int, ...], value: object) -> None:
    drafting = driver.app.drafting
    drafting.stage(Put(scope, path, value, drafting.pre_image(scope, path)))  # type: ignore[arg-type]


def stored(store: Store, scope: str) -> object:
    stream = snapshot(store.address).scopes[scope].stream  # type: ignore[index]
    assert stream is not None
    return stream.current


async def current(driver: Driver) -> None:
    await driver.until(lambda: driver.app.drafting.is_current and driver.app.drafting.is_saved)


async def test_an_edit_is_previewed_and_nothing_is_written(store: Store) -> None:
    async with opened(store) as driver:
        put(driver, "cwd", ("strategy", "api"), "v3")
        await current(driver)
        preview = driver.app.drafting.preview
        assert preview is not None
        assert preview.staged.net == {"cwd": {"strategy": {"api": "v3"}}}
        assert stored(store, "cwd") == MEMORY["cwd"]
        assert "draft 1" in driver.text


async def test_what_was_approved_is_written_and_the_draft_is_gone(store: Store) -> None:
    async with opened(store) as driver:
        put(driver, "cwd", ("strategy", "api"), "v3")
        approved = (await driver.app.drafting.dry_run()).digest
        await driver.app.drafting.publish(approved)
        assert stored(store, "cwd")["strategy"] == {"api": "v3"}  # type: ignore[index]
        await driver.until(lambda: driver.app.picture.states["cwd"]["strategy"] == {"api": "v3"})
        assert driver.app.drafting.draft.is_empty
        assert "draft" not in driver.text.splitlines()[0]
    assert Drafts(store.root).orphans() == ()
