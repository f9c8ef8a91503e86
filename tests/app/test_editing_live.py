"""Editing while others write: the cursor and what was meant stay what they were, and both edits survive."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.memory.draft import Remove
from sftui.screens.choice import ChoiceScreen
from sftui.screens.editor import EditScreen
from sftui.widgets.prompt import Prompt
from tests.app.driving import Driver, opened
from tests.app.stores import MEMORY, Store, begin
from tests.app.test_editing import after, operations, said, settled, sign, stand, stored, typed


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY, specification=None)


async def publish(driver: Driver) -> None:
    """Apply the draft as it is previewed."""
    preview = await driver.app.drafting.dry_run()
    await driver.app.drafting.publish(preview.digest)


async def test_a_row_that_comes_above_changes_nothing_about_what_is_deleted(store: Store) -> None:
    store.patch(cwd={"tactics": {"m": 1, "n": 2}})
    async with opened(store) as driver:
        await stand(driver, "tactics", "n", view="cwd")
        height = driver.tree.cursor - driver.tree.scroll_offset.y
        await driver.next_picture(lambda: store.patch(cwd={"intents": {"above": {"goal": "x"}, "more": {"goal": "y"}}}))
        assert driver.at() == ("tactics", "n")
        assert driver.tree.cursor - driver.tree.scroll_offset.y in {height, height + 2}
        await driver.press("d")
        await settled(driver)
        (remove,) = operations(driver)
        assert remove == Remove("cwd", ("tactics", "n"), driver.app.drafting.pre_image("cwd", ("tactics", "n")))


async def test_an_element_that_comes_above_changes_nothing_about_what_is_deleted(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "checks", 1, view="cwd")
        await driver.next_picture(lambda: store.patch(cwd={"tactics": {"checks": ["new", "lint", "types", "tests"]}}))
        assert driver.at() == ("tactics", "checks", 2)
        await driver.press("d")
        await settled(driver)
        assert after(driver, "cwd", "tactics", "checks") == ["new", "lint", "tests"]


async def test_of_an_element_that_has_gone_the_neighbour_is_not_deleted(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "checks", 1, view="cwd")
        await driver.next_picture(lambda: store.patch(cwd={"tactics": {"checks": ["lint", "tests"]}}))
        assert driver.at() == ("tactics", "checks")


async def test_an_element_that_moves_while_it_is_asked_about_is_left_alone(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "checks", 1)
        await driver.press("d")
        assert isinstance(driver.top(), ChoiceScreen)
        await driver.next_picture(lambda: store.patch(session={"tactics": {"checks": ["new", "lint", "types"]}}))
        await driver.press("2")
        assert "is another element by now: nothing was done" in said(driver)
        assert operations(driver) == []


async def test_a_mark_goes_with_what_was_marked_and_never_to_a_neighbour(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "checks", 1, view="cwd")
        await driver.press("space")
        await stand(driver, "tactics", "store", view="cwd")
        await driver.press("space")
        await driver.next_picture(lambda: store.patch(cwd={"tactics": {"checks": ["new", "lint", "types", "tests"]}}))
        await driver.press("d")
        await settled(driver)
        assert after(driver, "cwd", "tactics", "checks") == ["new", "lint", "types", "tests"]
        assert after(driver, "cwd", "tactics", "store") is None


async def test_a_draft_left_open_touches_no_key_that_the_agent_writes_meanwhile(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "store", view="cwd")
        await driver.press("e")
        await typed(driver, "moved")
        await settled(driver)
        await driver.next_picture(lambda: store.patch(cwd={"tactics": {"agent": "mine"}, "strategy": {"api": "v3"}}))
        await driver.until(lambda: after(driver, "cwd", "tactics", "agent") == "mine")
        assert sign(driver, "tactics", "store") == "~"
        assert driver.app.drafting.drift == ()
        await publish(driver)
        tactics = stored(store, "cwd")["tactics"]
        assert (tactics["store"], tactics["agent"]) == ("moved", "mine")
        assert stored(store, "cwd")["strategy"] == {"api": "v3"}


async def test_a_key_that_both_change_is_told_and_what_stood_there_is_kept(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "store", view="cwd")
        await driver.press("e")
        await driver.next_picture(lambda: store.patch(cwd={"tactics": {"store": "the agent's"}}))
        prompt = driver.app.screen.query_one(Prompt)
        assert (prompt.has_focus, prompt.value) == (True, "half moved")
        await typed(driver, "mine")
        await settled(driver)
        (drift,) = driver.app.drafting.drift
        assert (drift.before.value, drift.now.value) == ("half moved", "the agent's")
        assert operations(driver)[0].before.value == "half moved"
        assert 'moved "half moved" when it was taken up, "the agent\'s" now in cwd' in " ".join(driver.text.split())
        assert stored(store, "cwd")["tactics"]["store"] == "the agent's"


async def test_a_window_stays_as_it_is_while_the_agent_writes(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "checks", view="cwd")
        await driver.press("e")
        await driver.until(lambda: isinstance(driver.top(), EditScreen))
        screen = driver.app.screen
        assert isinstance(screen, EditScreen)
        screen.area.load_text('["mine"]')
        await driver.next_picture(lambda: store.patch(cwd={"tactics": {"checks": ["theirs"]}}))
        assert screen.area.text == '["mine"]'
        await driver.press("ctrl+o")
        await settled(driver)
        (drift,) = driver.app.drafting.drift
        assert (drift.before.value, drift.now.value) == (["lint", "types", "tests"], ["theirs"])


async def test_a_new_row_keeps_the_cursor_when_memory_changes_below_it(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "store", view="cwd")
        await driver.press("n", *"fresh", "enter", *"x", "enter")
        await settled(driver)
        await driver.until(lambda: driver.at() == ("tactics", "fresh"))
        await driver.next_picture(lambda: store.patch(cwd={"intents": {"one": {"goal": "x"}}, "tactics": {"zzz": 1}}))
        await settled(driver)
        assert driver.at() == ("tactics", "fresh")
        assert sign(driver, "tactics", "fresh") == "+"


async def test_after_it_is_applied_the_cursor_stays_and_the_signs_go(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "store", view="cwd")
        await driver.press("n", *"fresh", "enter", *"x", "enter")
        await settled(driver)
        await driver.until(lambda: driver.at() == ("tactics", "fresh"))
        await publish(driver)
        await driver.until(lambda: sign(driver, "tactics", "fresh") in {" ", "•"} and driver.app.drafting.count == 0)
        assert driver.at() == ("tactics", "fresh")
        assert stored(store, "cwd")["tactics"]["fresh"] == "x"


async def test_what_was_meant_for_one_session_never_gets_to_another(store: Store, tmp_path: Path) -> None:
    newer = begin(
        store.root, store.cwd, MEMORY, session="2026-11-02T10-00-00-000Z_22222222-2222-4222-8222-222222222222"
    )
    async with opened(store, session=store.session) as driver:
        await stand(driver, "tactics", "next")
        await driver.press("d")
        assert isinstance(driver.top(), ChoiceScreen)
        await driver.until(lambda: bool(driver.app.neighbours.survey.cwds))
        driver.app.choose((newer.address.key or "", newer.session or ""))
        await driver.until(
            lambda: driver.app.picture.snapshot is not None and driver.app.picture.snapshot.address == newer.address
        )
        await driver.press("2")
        await driver.until(lambda: "another session is open by now: nothing was done" in said(driver))
        assert operations(driver) == []


async def test_a_line_for_one_session_is_asked_again_where_another_is_open(store: Store) -> None:
    newer = begin(
        store.root, store.cwd, MEMORY, session="2026-11-02T10-00-00-000Z_22222222-2222-4222-8222-222222222222"
    )
    async with opened(store, session=store.session) as driver:
        await stand(driver, "tactics", "next")
        await driver.press("e", "2")
        await driver.until(lambda: bool(driver.app.neighbours.survey.cwds))
        driver.app.choose((newer.address.key or "", newer.session or ""))
        await driver.until(
            lambda: driver.app.picture.snapshot is not None and driver.app.picture.snapshot.address == newer.address
        )
        await typed(driver, "for the first one")
        await driver.until(lambda: "another session is open by now" in said(driver))
        assert driver.app.screen.query_one(Prompt).value == "for the first one"
        assert operations(driver) == []
