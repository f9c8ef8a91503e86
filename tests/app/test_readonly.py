"""A window for reading says so, and refuses at once whatever would begin a change."""

from __future__ import annotations

from pathlib import Path

import pytest

from sftui.actions import ACTIONS, BEGINNING, BY_ID, Action
from sftui.screens.palette import offers
from sftui.widgets.bars import FooterBar
from tests.app.driving import SIZES, Driver, opened
from tests.app.reviewing import files_of, put
from tests.app.stores import MEMORY, Store, begin

SCREENS = {"watch": "1", "memory": "2", "intents": "4"}
ELSEWHERE = {"app.draft-resume"}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY, specification=None)


async def refused(driver: Driver, key: str) -> None:
    """Press a key that would begin a change: it is refused, and nothing has opened."""
    screen = driver.top()
    driver.app.clear_notifications()
    await driver.press(key)
    assert driver.told == "Read-only: this window was opened with --readonly", key
    assert driver.top() is screen
    assert driver.app.focused is not None
    assert driver.app.focused.id != "prompt"
    assert driver.app.drafting.draft.is_empty


@pytest.mark.parametrize("where", SCREENS)
async def test_every_key_that_begins_a_change_says_at_once_that_it_does_not(store: Store, where: str) -> None:
    before = files_of(store)
    async with opened(store, (120, 40), readonly=True) as driver:
        await driver.press(SCREENS[where])
        meant = [action for action in ACTIONS if action.id in BEGINNING and action.where in {where, "app"}]
        assert len(meant) > 1
        for action in meant:
            for key in action.keys:
                await refused(driver, key)
    assert files_of(store) == before


async def test_what_is_not_named_begins_nothing(store: Store) -> None:
    """Every other action of the screens leaves the draft empty, and asks for nothing that would fill it."""
    async with opened(store, (120, 40)) as driver:
        for where, key in SCREENS.items():
            await driver.press(key)
            for action in _harmless(where):
                await driver.press(action.keys[0])
                assert driver.app.drafting.draft.is_empty, action.id
                while driver.top() not in {driver.watch, driver.memory, driver.app.intents_screen}:
                    await driver.press("escape")
                await driver.press(key)


def _harmless(where: str) -> list[Action]:
    return [action for action in ACTIONS if action.where == where and action.id not in BEGINNING]


@pytest.mark.parametrize("size", SIZES)
async def test_it_stands_in_the_header_at_every_size(store: Store, size: tuple[int, int]) -> None:
    async with opened(store, size, readonly=True) as driver:
        for key in SCREENS.values():
            await driver.press(key)
            assert "read-only" in "\n".join(driver.text.split("\n")[:2])
    async with opened(store, size) as driver:
        assert "read-only" not in driver.text


async def test_the_footer_and_the_palette_do_not_offer_it(store: Store) -> None:
    async with opened(store, (120, 40), readonly=True) as driver:
        await driver.press("2")
        shown = driver.text.split("\n")[-1]
        assert BY_ID["memory.filter"].title in shown
        for name in ("edit", "delete", "move"):
            assert f" {name} " not in shown
        reasons = {offer.action.id: offer.reason for offer in offers(driver.app.screen)}
        named = BEGINNING & set(reasons)
        assert {"memory.edit", "memory.patch", "app.draft-resume"} <= named
        assert {reasons[name] for name in named} == {"read-only: this window was opened with --readonly"}
        assert reasons["memory.filter"] == ""
    async with opened(store, (120, 40)) as driver:
        await driver.press("2")
        assert list(driver.app.screen.query(FooterBar))
        assert " delete " in driver.text.split("\n")[-1]


async def test_no_draft_that_was_left_behind_is_offered(store: Store) -> None:
    async with opened(store, (120, 40)) as driver:
        driver.app.drafting.stage(*put("cwd", "strategy", "api", value="v3")(driver))
        await driver.until(lambda: driver.app.drafting.count == 1 and driver.app.drafting.is_saved)
    async with opened(store, (120, 40), readonly=True) as driver:
        await driver.until(lambda: bool(driver.app.drafting.left))
        assert "a draft was left behind" not in driver.text
        await refused(driver, "O")
        assert driver.app.drafting.left
