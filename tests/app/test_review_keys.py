"""Where the cursor of the review stands, and what the footer offers there."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sftui import reviewing
from sftui.screens.review import ReviewScreen
from tests.app.driving import SIZES, Driver, opened
from tests.app.reviewing import patch_elsewhere, put, reviewed, screen_of, worked_out
from tests.app.stores import MEMORY, Store, begin

API = ("strategy", "api")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A session whose run is over, so that a person may write to it."""
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY, specification=None)


def footer(driver: Driver) -> str:
    """The last line of the screen."""
    return driver.text.split("\n")[-1]


@pytest.mark.parametrize("size", SIZES)
async def test_the_cursor_begins_on_the_first_step(store: Store, size: tuple[int, int]) -> None:
    async with reviewed(store, put("cwd", *API, value="v3"), put("cwd", "lazy", "k", value=1), size=size) as driver:
        assert screen_of(driver).lines.row == ("step", "0")
        assert screen_of(driver).lines.scroll_offset.y == 0
        await driver.press("space")
        await worked_out(driver)
        assert [step.ticked for step in driver.app.drafting.draft.steps] == [False, True]
        await driver.press("j", "x")
        await worked_out(driver)
        assert len(driver.app.drafting.draft.steps) == 1


async def test_it_begins_there_where_something_is_asked_first_too(tmp_path: Path) -> None:
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    async with reviewed(store, put("session", "lazy", "k", value=1), session=store.session) as driver:
        assert "asked of you first" in driver.text
        assert screen_of(driver).lines.row == ("step", "0")
        await driver.press("space")
        await worked_out(driver)
        assert not driver.app.drafting.draft.steps[0].ticked


async def test_the_footer_offers_what_can_be_done_under_the_cursor(store: Store) -> None:
    async with reviewed(store, put("cwd", *API, value="v3")) as driver:
        assert "space tick" in footer(driver)
        assert "x drop step" in footer(driver)
        screen_of(driver).lines.go_to(("scope", "cwd"))
        await driver.pilot.pause()
        assert "tick" not in footer(driver)
        assert "drop" not in footer(driver)
        await driver.press("g")
        assert screen_of(driver).lines.row == ("step", "0")
        assert "space tick" in footer(driver)


async def test_no_title_of_a_section_holds_the_cursor(store: Store) -> None:
    async with reviewed(store, put("cwd", *API, value="v3"), put("cwd", "lazy", "k", value=1)) as driver:
        lines = screen_of(driver).lines
        seen = []
        for _ in lines.keys:
            seen.append(lines.row)
            await driver.press("j")
        assert None not in seen
        assert [row for row in seen if row is not None and row[0] == "section"] == []
        assert {row[0] for row in seen if row is not None} >= {"step", "scope", "diff", "authored"}


async def test_what_comes_above_is_seen_by_who_stands_at_the_top(store: Store) -> None:
    async with reviewed(store, put("cwd", *API, value="v3"), put("cwd", "lazy", "k", value=1)) as driver:
        await asyncio.to_thread(patch_elsewhere, store, cwd={"strategy": {"api": "other"}})
        await driver.until(lambda: bool(screen_of(driver).page.conflicts))
        assert screen_of(driver).lines.row == ("step", "0")
        assert screen_of(driver).lines.scroll_offset.y == 0
        assert "changed by others too" in driver.text


async def test_taking_theirs_everywhere_ends_the_draft(store: Store) -> None:
    async with reviewed(store, put("cwd", *API, value="v3")) as driver:
        await asyncio.to_thread(patch_elsewhere, store, cwd={"strategy": {"api": "other"}})
        await driver.until(lambda: bool(screen_of(driver).page.conflicts))
        await driver.press("t")
        assert driver.top() is driver.memory
        assert driver.app.drafting.draft.is_empty
        assert "the draft is done: U takes it back" in driver.told
        await driver.press("U")
        assert driver.app.drafting.count == 1


@pytest.mark.parametrize("size", SIZES)
async def test_a_draft_offers_its_review_at_every_size(store: Store, size: tuple[int, int]) -> None:
    async with opened(store, size) as driver:
        for key in ("1", "2", "4"):
            await driver.press(key)
            assert "review" not in footer(driver)
        driver.app.drafting.stage(*put("cwd", *API, value="v3")(driver))
        await driver.pilot.pause()
        for key in ("1", "2", "4"):
            await driver.press(key)
            assert "p review 1" in footer(driver)


async def test_a_review_that_has_ended_begins_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[object] = []
    async with reviewed(store, put("cwd", *API, value="v3")) as driver:
        review = screen_of(driver).reviewing
        await driver.press("escape")
        assert not isinstance(driver.top(), ReviewScreen)
        await driver.pilot.pause()
        monkeypatch.setattr(reviewing, "begin", lambda *given: begun.append(given))
        review._worked_from = None
        review.look()
        assert begun == []
