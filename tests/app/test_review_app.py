"""The review on real stores: what is shown is what is written, whatever others do meanwhile."""

from __future__ import annotations

import asyncio
import errno
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from engine.memory.draft import Operation, PreImage, Put, Raw, Remove, Transfer
from engine.memory.gathering import raw
from engine.store import files
from engine.store.layout import locate
from engine.store.snapshot import snapshot
from engine.values import get, has
from sftui import reviewing
from sftui.screens.choice import ChoiceScreen
from sftui.screens.review import ReviewScreen
from sftui.views import review as review_view
from sftui.widgets.review_list import ReviewList
from tests.app.driving import SIZES, Driver
from tests.app.proving import proves
from tests.app.reviewing import (
    LOCK,
    files_of,
    held_elsewhere,
    patch_elsewhere,
    put,
    remove,
    reviewed,
    screen_of,
    worked_out,
)
from tests.app.stores import MEMORY, SESSION, Store, begin
from tests.standin import disk
from tests.standin.agent import Agent
from tests.standin.values import Refused

API = ("strategy", "api")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A session whose run is over, so that a person may write to it."""
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY, specification=None)


def value(store: Store, scope: str, *path: str | int) -> object:
    """What a scope of the store holds now, read anew."""
    stream = snapshot(locate(store.root, store.cwd, store.session)).scopes[scope].stream  # type: ignore[index]
    assert stream is not None
    return get(stream.current, path) if has(stream.current, path) else None


def said(driver: Driver) -> str:
    """The messages that are up."""
    return " | ".join(one.message for one in driver.app._notifications)


def lines(driver: Driver) -> list[str]:
    """Every line of the review, on screen or not."""
    shown = screen_of(driver).lines
    return ["".join(text for text, _ in shown.line_spans(key, 80)[0]) for key in shown.keys]


async def applied(driver: Driver) -> None:
    """Wait until the review has closed: what it showed is written."""
    await driver.until(lambda: driver.top() is driver.memory)


@proves("app.review", "review.apply")
async def test_enter_writes_exactly_what_is_shown(store: Store) -> None:
    async with reviewed(store, put("cwd", *API, value="v3"), remove("cwd", "intents", "migrate")) as driver:
        page = lines(driver)
        assert '  [x] ~ cwd.strategy.api  "v2 only" → "v3"' in page
        assert '    ~ strategy.api  "v2 only" → "v3"' in page
        assert "    × tactics.store  goes with its intent, 12 B" in page
        assert value(store, "cwd", *API) == "v2 only"
        await driver.press("enter")
        await applied(driver)
        assert value(store, "cwd", *API) == "v3"
        assert value(store, "cwd", "intents") is None
        assert value(store, "cwd", "tactics", "store") is None
        assert driver.app.drafting.draft.is_empty
        assert "Changed cwd: 2 places, 1 went with intents" in said(driver)


async def test_the_key_that_opens_the_review_does_not_confirm_it(store: Store) -> None:
    async with reviewed(store, put("cwd", *API, value="v3")) as driver:
        before = files_of(store)
        await driver.press("p", "p", "p")
        screen_of(driver)
        assert files_of(store) == before


@proves("review.close")
@pytest.mark.parametrize("key", ["escape", "q"])
async def test_leaving_keeps_the_draft_and_writes_nothing(store: Store, key: str) -> None:
    before = files_of(store)
    async with reviewed(store, put("cwd", *API, value="v3")) as driver:
        await driver.press(key)
        assert driver.top() is driver.memory
        assert driver.app.drafting.count == 1
    assert files_of(store) == before


@proves("review.tick")
async def test_only_ticked_steps_are_written_and_the_others_stay(store: Store) -> None:
    async with reviewed(store, put("cwd", *API, value="v3"), put("cwd", "lazy", "k", value=1)) as driver:
        screen_of(driver).lines.go_to(("step", "1"))
        await driver.press("space")
        await worked_out(driver)
        assert "  [ ] + cwd.lazy.k  1" in lines(driver)
        assert not [line for line in lines(driver) if "lazy.k" in line and "[ ]" not in line]
        await driver.press("enter")
        await applied(driver)
        assert value(store, "cwd", *API) == "v3"
        assert value(store, "cwd", "lazy", "k") is None
        assert [step.ticked for step in driver.app.drafting.draft.steps] == [False]
        await driver.press("p")
        await worked_out(driver)
        await driver.press("enter")
        assert "no step is ticked" in said(driver)
        screen_of(driver).lines.go_to(("step", "0"))
        await driver.press("space")
        await worked_out(driver)
        await driver.press("enter")
        await applied(driver)
        assert value(store, "cwd", "lazy", "k") == 1


async def test_a_click_on_a_box_ticks_it(store: Store) -> None:
    async with reviewed(store, put("cwd", *API, value="v3"), put("cwd", "lazy", "k", value=1)) as driver:
        # Below the title of the steps; the box stands in the third to fifth column.
        await driver.pilot.click(ReviewList, offset=(3, 2))
        await worked_out(driver)
        assert [step.ticked for step in driver.app.drafting.draft.steps] == [True, False]
        await driver.pilot.click(ReviewList, offset=(20, 2), times=2)
        await worked_out(driver)
        assert [step.ticked for step in driver.app.drafting.draft.steps] == [True, True]
        await driver.pilot.click(ReviewList, offset=(20, 1))
        assert screen_of(driver).lines.row == ("step", "0")
        assert driver.app.drafting.draft.steps[0].ticked


@proves("review.drop")
async def test_a_step_can_be_dropped(store: Store) -> None:
    async with reviewed(store, put("cwd", *API, value="v3"), put("cwd", "lazy", "k", value=1)) as driver:
        screen_of(driver).lines.go_to(("step", "0"))
        await driver.press("x")
        await worked_out(driver)
        (step,) = driver.app.drafting.draft.steps
        assert isinstance(step.operation, Put)
        assert step.operation.path == ("lazy", "k")
        screen_of(driver).lines.go_to(("step", "0"))
        await driver.press("x")
        assert driver.app.drafting.draft.is_empty
        await driver.press("enter")
        assert "the draft is empty" in said(driver)


async def test_keys_for_a_step_want_a_step_under_the_cursor(store: Store) -> None:
    async with reviewed(store, put("cwd", *API, value="v3")) as driver:
        screen_of(driver).lines.go_to(("scope", "cwd"))
        await driver.press("x", "space", "e")
        assert driver.app.drafting.count == 1
        assert driver.app.drafting.draft.steps[0].ticked
        assert "Put the cursor on a step first" in said(driver)


@proves("review.edit")
async def test_what_a_step_sets_can_be_edited(store: Store) -> None:
    from sftui.screens.editor import EditScreen

    async with reviewed(store, put("cwd", *API, value="v3")) as driver:
        screen_of(driver).lines.go_to(("step", "0"))
        await driver.press("e")
        editor = driver.app.screen
        assert isinstance(editor, EditScreen)
        editor.area.load_text("v4")
        await driver.press("ctrl+o")
        await worked_out(driver)
        (step,) = driver.app.drafting.draft.steps
        assert step.operation == Put("cwd", API, "v4", PreImage(exists=True, value="v2 only"))
        assert '    ~ strategy.api  "v2 only" → "v4"' in lines(driver)


# Others write meanwhile.


@proves("review.moved")
async def test_what_moved_is_shown_beside_what_was_approved(store: Store) -> None:
    """The same steps would take along less, since another intent now keeps what was to go."""
    async with reviewed(store, remove("cwd", "intents", "migrate")) as driver:
        assert "    × tactics.store  goes with its intent, 12 B" in lines(driver)
        await asyncio.to_thread(
            patch_elsewhere, store, cwd={"intents": {"audit": {"look": {"$ref": "cwd.tactics.store"}}}}
        )
        await driver.until(lambda: screen_of(driver).page.moved is not None)
        moved = screen_of(driver).page.moved
        assert moved is not None
        assert moved.approved == (
            "× cwd.tactics.store  goes with its intent, 12 B",
            "× cwd.tactics.store  goes with its intent",
        )
        # What is shown, and would be approved, stays.
        assert "    × tactics.store  goes with its intent, 12 B" in lines(driver)
        await driver.press("enter", "enter", "enter")
        assert "memory has moved" in said(driver)
        assert value(store, "cwd", "tactics", "store") == "half moved"
        assert value(store, "cwd", "intents", "migrate") is not None
        await driver.press("w")
        await worked_out(driver)
        assert not [line for line in lines(driver) if "×" in line]
        await driver.press("enter")
        await applied(driver)
        assert value(store, "cwd", "tactics", "store") == "half moved"
        assert value(store, "cwd", "intents", "migrate") is None


async def test_what_moved_under_the_lock_is_found_by_the_digest(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The app has not heard of it yet: the publication itself refuses, and both sides are shown."""
    async with reviewed(store, put("cwd", *API, value="v3")) as driver:
        monkeypatch.setattr(type(driver.app), "on_fresh", lambda *_: None)
        await asyncio.to_thread(patch_elsewhere, store, cwd={"strategy": {"api": "v2, v1 read-only"}})
        await driver.press("enter")
        await driver.until(lambda: screen_of(driver).page.moved is not None)
        assert "memory has moved" in said(driver)
        assert value(store, "cwd", *API) == "v2, v1 read-only"
        moved = screen_of(driver).page.moved
        assert moved is not None
        assert moved.approved == ('~ cwd.strategy.api  "v2 only" → "v3"',)
        assert moved.found == ('~ cwd.strategy.api  "v2, v1 read-only" → "v3"',)
        assert driver.app.drafting.count == 1


@proves("review.mine")
async def test_the_same_key_changed_by_both_and_mine_is_kept(store: Store) -> None:
    async with reviewed(store, put("cwd", *API, value="v3")) as driver:
        await asyncio.to_thread(patch_elsewhere, store, cwd={"strategy": {"api": "v2, v1 read-only"}})
        await driver.until(lambda: bool(screen_of(driver).page.conflicts))
        (conflict,) = screen_of(driver).page.conflicts
        assert (conflict.before, conflict.theirs, conflict.mine) == ('"v2 only"', '"v2, v1 read-only"', '"v3"')
        page = lines(driver)
        assert '      before  "v2 only"' in page
        assert '      theirs  "v2, v1 read-only"' in page
        assert '      mine    "v3"' in page
        await driver.press("enter")
        assert value(store, "cwd", *API) == "v2, v1 read-only"
        await driver.press("m")
        await worked_out(driver)
        await driver.until(lambda: not screen_of(driver).page.conflicts)
        await driver.press("enter")
        await applied(driver)
        assert value(store, "cwd", *API) == "v3"


@proves("review.theirs")
async def test_the_same_key_changed_by_both_and_theirs_is_kept(store: Store) -> None:
    async with reviewed(store, put("cwd", *API, value="v3"), put("cwd", "lazy", "k", value=1)) as driver:
        await asyncio.to_thread(patch_elsewhere, store, cwd={"strategy": {"api": "v2, v1 read-only"}})
        await driver.until(lambda: bool(screen_of(driver).page.conflicts))
        await driver.press("enter")
        await driver.press("t")
        await driver.until(lambda: not screen_of(driver).page.conflicts)
        await worked_out(driver)
        (left,) = driver.app.drafting.draft.steps
        assert isinstance(left.operation, Put)
        assert left.operation.path == ("lazy", "k")
        await driver.press("enter")
        await applied(driver)
        assert value(store, "cwd", *API) == "v2, v1 read-only"
        assert value(store, "cwd", "lazy", "k") == 1


async def test_each_place_of_a_patch_is_settled_by_itself(store: Store) -> None:
    def patch(driver: Driver) -> list[Operation]:
        return [raw(driver.app.picture.states, {"cwd": {"strategy": {"api": "v3"}, "tactics": {"store": "moved"}}})]

    async with reviewed(store, patch) as driver:
        await asyncio.to_thread(patch_elsewhere, store, cwd={"strategy": {"api": "v4"}, "tactics": {"store": "lost"}})
        await driver.until(lambda: len(screen_of(driver).page.conflicts) == 2)
        screen_of(driver).lines.go_to(("scope", "cwd"))
        await driver.press("t")
        assert len(screen_of(driver).page.conflicts) == 2, "which of them is not said"
        api, moved = screen_of(driver).page.conflicts
        assert (api.where, moved.where) == ("cwd.strategy.api", "cwd.tactics.store")
        screen_of(driver).lines.go_to(api.key)
        await driver.press("t")
        await driver.until(lambda: len(screen_of(driver).page.conflicts) == 1)
        await driver.press("m")
        await driver.until(lambda: not screen_of(driver).page.conflicts)
        await worked_out(driver)
        await driver.press("enter")
        await applied(driver)
    assert value(store, "cwd", *API) == "v4"
    assert value(store, "cwd", "tactics", "store") == "moved"


async def test_other_keys_of_the_agent_are_left_alone(store: Store) -> None:
    async with reviewed(store, put("cwd", *API, value="v3")) as driver:
        await asyncio.to_thread(patch_elsewhere, store, cwd={"lazy": {"theirs": 1}}, **{"global": {"lazy": {"x": 2}}})
        await driver.until(lambda: has(driver.app.picture.states["cwd"], ("lazy", "theirs")))
        await worked_out(driver)
        assert screen_of(driver).page.moved is None
        await driver.press("enter")
        await applied(driver)
        assert value(store, "cwd", *API) == "v3"
        assert value(store, "cwd", "lazy", "theirs") == 1
        assert value(store, "global", "lazy", "x") == 2


async def test_the_cursor_stays_on_its_step_while_others_write(store: Store) -> None:
    async with reviewed(store, put("cwd", "lazy", "k", value=1), put("cwd", *API, value="v3")) as driver:
        screen_of(driver).lines.go_to(("step", "0"))
        await asyncio.to_thread(patch_elsewhere, store, cwd={"strategy": {"api": "other"}})
        await driver.until(lambda: bool(screen_of(driver).page.conflicts))
        assert screen_of(driver).lines.row == ("step", "0")
        await driver.press("x")
        (step,) = driver.app.drafting.draft.steps
        assert isinstance(step.operation, Put)
        assert step.operation.path == API


# The lock.


@proves("review.cancel")
@pytest.mark.parametrize("key", ["c", "escape"])
async def test_waiting_shows_whose_lock_it_is_and_can_be_stopped(store: Store, key: str) -> None:
    async with reviewed(store, put("cwd", *API, value="v3")) as driver:
        before = files_of(store)
        with held_elsewhere(store) as pid:
            await driver.press("enter")
            await driver.until(lambda: f"waiting for process {pid}" in driver.text)
            await driver.until(lambda: f"waiting for process {pid}, locked for 2 s" in driver.text)
            await driver.press(key)
            await driver.until(lambda: "Stopped waiting" in said(driver))
            assert screen_of(driver).page.waiting == ""
            assert driver.app.drafting.count == 1
        assert files_of(store) == before


async def test_what_is_waited_for_is_written_once_the_lock_is_free(store: Store) -> None:
    async with reviewed(store, put("cwd", *API, value="v3")) as driver:
        with held_elsewhere(store) as pid:
            await driver.press("enter")
            await driver.until(lambda: f"waiting for process {pid}" in driver.text)
            await driver.press("enter", "x", "space")
            assert "being applied" in said(driver)
            assert driver.app.drafting.count == 1
        await applied(driver)
        assert value(store, "cwd", *API) == "v3"


@pytest.mark.parametrize("keys", [["U"], ["X"], ["1", "U"], ["2", "x"], ["2", "d"], ["2", "ctrl+r", "U"]])
async def test_what_is_being_applied_is_not_taken_back_meanwhile(store: Store, keys: list[str]) -> None:
    async with reviewed(store, put("cwd", *API, value="v3")) as driver:
        assert driver.tree.reveal(API)
        with held_elsewhere(store) as pid:
            await driver.press("enter")
            await driver.until(lambda: f"waiting for process {pid}" in driver.text)
            await driver.press(*keys)
            await driver.until(lambda: "It is being applied: c in the review (p) stops the waiting" in said(driver))
            assert driver.app.drafting.count == 1
            assert "draft 1" in driver.text
        await driver.until(lambda: value(store, "cwd", *API) == "v3")
        await driver.until(lambda: driver.app.drafting.draft.is_empty)


async def test_a_review_that_is_opened_again_stops_what_it_waits_for(store: Store) -> None:
    before = files_of(store)
    async with reviewed(store, put("cwd", *API, value="v3")) as driver:
        with held_elsewhere(store) as pid:
            await driver.press("enter")
            await driver.until(lambda: f"waiting for process {pid}" in driver.text)
            await driver.press("2", "p")
            await driver.until(lambda: f"waiting for process {pid}" in driver.text)
            await driver.press("c")
            await driver.until(lambda: "Stopped waiting" in said(driver))
            # What is waited for no more can be taken back.
            await driver.press("U")
            assert driver.app.drafting.draft.is_empty
    assert files_of(store) == before


async def test_what_is_added_while_another_change_is_being_applied_stays(store: Store) -> None:
    async with reviewed(store, put("cwd", *API, value="v3")) as driver:
        with held_elsewhere(store) as pid:
            await driver.press("enter")
            await driver.until(lambda: f"waiting for process {pid}" in driver.text)
            driver.app.drafting.stage(*put("cwd", "lazy", "k", value=1)(driver))
            assert driver.app.drafting.count == 2
            assert driver.app.drafting.retract()
            assert driver.app.drafting.reinstate()
        await driver.until(lambda: value(store, "cwd", *API) == "v3")
        await driver.until(lambda: driver.app.drafting.count == 1)
        assert value(store, "cwd", "lazy", "k") is None


async def test_what_is_being_written_goes_on_when_the_review_is_left(store: Store) -> None:
    async with reviewed(store, put("cwd", *API, value="v3")) as driver:
        with held_elsewhere(store) as pid:
            await driver.press("enter")
            await driver.until(lambda: f"waiting for process {pid}" in driver.text)
            await driver.press("1")
            assert driver.top() is driver.watch
        await driver.until(lambda: "Changed cwd: 1 place" in said(driver))
        assert driver.top() is driver.watch
        assert value(store, "cwd", *API) == "v3"
        assert driver.app.drafting.draft.is_empty


async def test_leaving_the_app_while_somebody_is_waited_for_writes_nothing(store: Store) -> None:
    before = files_of(store)
    with held_elsewhere(store) as pid:
        async with reviewed(store, put("cwd", *API, value="v3")) as driver:
            await driver.press("enter")
            await driver.until(lambda: f"waiting for process {pid}" in driver.text)
            await driver.press("ctrl+c")
    assert files_of(store) == before


async def test_a_review_survives_a_terminal_that_shrinks_and_grows(store: Store) -> None:
    async with reviewed(store, put("cwd", *API, value="v3")) as driver:
        screen_of(driver).lines.go_to(("step", "0"))
        for size in ((20, 5), (10, 3), (80, 24)):
            await driver.pilot.resize_terminal(*size)
            await driver.pilot.pause()
        assert screen_of(driver).lines.row == ("step", "0")
        assert "[x] ~ cwd.strategy.api" in driver.text
        await driver.press("enter")
        await applied(driver)
        assert value(store, "cwd", *API) == "v3"


async def test_no_lock_is_held_while_a_person_is_asked(store: Store) -> None:
    forced = begin(store.root, store.cwd, MEMORY, session=SESSION, specification="cut release 1.4")
    async with reviewed(forced, put("session", "tactics", "next", value="x")) as driver:
        for keys in (["enter"], ["exclamation_mark"], ["exclamation_mark"]):
            await driver.press(*keys)
            assert not os.path.exists(os.path.join(store.root, LOCK))
            screen_of(driver)


# Sessions.


@proves("review.force")
async def test_an_unfinished_run_is_written_only_after_its_text_was_agreed_to(store: Store) -> None:
    running = begin(store.root, store.cwd, MEMORY, session=SESSION, specification="cut release 1.4")
    before = files_of(store)
    async with reviewed(running, put("session", "tactics", "next", value="ship it")) as driver:
        asked = [line for line in lines(driver) if line.startswith("  [ ] a run of this session is unfinished")]
        assert len(asked) == 1
        text = " ".join(" ".join(lines(driver)).split())
        assert (
            "Its next publication would then be refused once; selecting its mode again accepts the new memory." in text
        )
        await driver.press("enter")
        assert "read what is asked of you" in said(driver)
        await driver.press("enter")
        assert files_of(store) == before
        screen_of(driver).lines.move_to(0)
        screen_of(driver).lines.go_to(("step", "0"))
        await driver.press("exclamation_mark")
        assert screen_of(driver).page.unanswered, "the first press only goes to the text"
        await driver.press("exclamation_mark")
        assert not screen_of(driver).page.unanswered
        await driver.press("enter")
        await applied(driver)
    assert value(store, "session", "tactics", "next") == "ship it"


@proves("review.instead")
async def test_the_cwd_scope_can_be_had_instead_of_the_session(store: Store) -> None:
    begin(store.root, store.cwd, MEMORY, session=SESSION, specification="cut release 1.4")
    async with reviewed(store, put("session", "tactics", "next", value="ship it")) as driver:
        await driver.press("s")
        await worked_out(driver)
        (step,) = driver.app.drafting.draft.steps
        assert step.operation == Put("cwd", ("tactics", "next"), "ship it", PreImage(exists=False))
        assert not screen_of(driver).page.unanswered
        masked = [line for line in lines(driver) if "no effect" in line]
        assert len(masked) == 1
        assert masked[0].startswith('    ≡ cwd.tactics.next  no effect: session holds "run the suite" there, which')
        await driver.press("enter")
        await applied(driver)
    assert value(store, "cwd", "tactics", "next") == "ship it"
    assert value(store, "session", "tactics", "next") == "run the suite"


async def test_a_deletion_means_the_session_itself(store: Store) -> None:
    async with reviewed(store, remove("session", "tactics", "next")) as driver:
        await driver.press("s")
        (step,) = driver.app.drafting.draft.steps
        assert isinstance(step.operation, Remove)
        assert step.operation.scope == "session"
        assert "stays there" in said(driver)


async def test_every_session_beside_it_is_told_what_it_costs_it(store: Store) -> None:
    other = SESSION.replace("11-01T", "11-02T")
    begin(store.root, store.cwd, MEMORY, session=other, specification="fix [login]")
    async with reviewed(store, put("cwd", *API, value="v3")) as driver:
        await driver.until(lambda: (reach := screen_of(driver).page.reach) is not None and reach.complete)
        reach = screen_of(driver).page.reach
        assert reach is not None
        assert reach.counts == {"loses-history": 2}
        assert "sessions  2 lose aligned history" in lines(driver)
        assert any('"fix [login]"  unfinished' in line for line in lines(driver))


async def test_agents_find_it_as_the_review_had_said(tmp_path: Path) -> None:
    """One that refuses once and recovers, one that begins a new line of history, one of another directory that keeps its."""
    root, cwd = str(tmp_path / "store"), str(tmp_path / "app")
    places = (
        (cwd, SESSION),
        (cwd, SESSION.replace("11-01T", "11-02T")),
        (f"{cwd}2", SESSION.replace("11-01T", "11-03T")),
    )
    agents = [Agent(root, where, key, 4) for where, key in places]
    for agent in agents:
        agent.create()
        agent.patch({"session": {"tactics": {"step": 1}}})
    makes = (put("session", "tactics", "hint", value="slow"), put("cwd", *API, value="v3"))
    async with reviewed(Store(root, cwd, SESSION), *makes, session=SESSION) as driver:
        await driver.until(lambda: (reach := screen_of(driver).page.reach) is not None and reach.complete)
        reach = screen_of(driver).page.reach
        assert reach is not None
        assert {one.session: one.effect for one in reach.listed} == {
            agents[0].session: "refuses-once",
            agents[1].session: "loses-history",
        }
        await driver.press("enter")
        await applied(driver)
    first, second, third = agents
    with pytest.raises(Refused, match="changed under"):
        first.patch({"session": {"tactics": {"step": 3}}})
    assert first.select().scopes["session"].now == {"tactics": {"hint": "slow", "step": 1}}
    first.patch({"session": {"tactics": {"step": 3}}})
    assert disk.read_cohort(root, cwd, second.session).adopted
    assert second.select().scopes["cwd"].now == {"strategy": {"api": "v3"}}
    second.patch({"session": {"tactics": {"step": 2}}})
    assert not disk.read_cohort(root, third.cwd, third.session).adopted
    third.patch({"session": {"tactics": {"step": 2}}})


async def test_sessions_are_judged_again_once_memory_has_gone_on(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reviewing, "PAUSE_SECONDS", 0.0)

    def counts(driver: Driver) -> object:
        reach = screen_of(driver).page.reach
        return None if reach is None or not reach.complete else reach.counts

    async with reviewed(store, put("cwd", *API, value="v3")) as driver:
        await driver.until(lambda: counts(driver) == {"loses-history": 1})
        await asyncio.to_thread(patch_elsewhere, store, cwd={"lazy": {"other": 1}})
        await driver.until(lambda: counts(driver) == {"apart": 1})


async def test_a_busy_writer_does_not_keep_a_review_from_being_shown(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A review that takes longer than it is from one change to the next."""
    worked_out_slowly = review_view.review

    def slowly(*given: Any) -> review_view.Review:
        time.sleep(0.4)
        return worked_out_slowly(*given)

    monkeypatch.setattr(review_view, "review", slowly)
    stop = threading.Event()

    def busy() -> None:
        number = 0
        while not stop.wait(0.1):
            number += 1
            store.patch(cwd={"lazy": {"busy": number}})

    async with reviewed(store, put("cwd", *API, value="v3")) as driver:
        writer = threading.Thread(target=busy)
        writer.start()
        try:
            seen = set()
            for _ in range(3):
                before = screen_of(driver).page.review
                await driver.until(lambda old=before: screen_of(driver).page.review is not old)  # type: ignore[misc]
                now = screen_of(driver).page.review
                assert now is not None
                seen.add(now.revisions["cwd"])
            assert len(seen) == 3
            assert screen_of(driver).page.moved is None
        finally:
            stop.set()
            writer.join()


# What goes wrong.


@proves("review.allow")
async def test_a_loss_is_agreed_to_once_it_was_read(store: Store) -> None:
    """The memory of cwd is gone while its metadata tells that there was some: that is asked about first."""
    directory = store.address.scope_dir("cwd")
    for name in ("checkpoint.json", "patches.jsonl"):
        os.unlink(os.path.join(directory, name))
    async with reviewed(store, put("cwd", *API, value="v3")) as driver:
        (need,) = screen_of(driver).page.unanswered
        assert need.code == "memory-lost"
        await driver.press("enter")
        assert "A agrees" in said(driver)
        screen_of(driver).lines.go_to(("step", "0"))
        await driver.press("A")
        assert screen_of(driver).page.unanswered
        await driver.press("A")
        assert not screen_of(driver).page.unanswered
        await driver.press("A")
        assert screen_of(driver).page.unanswered, "pressed again it is taken back"
        await driver.press("A", "enter")
        await applied(driver)
    assert value(store, "cwd", *API) == "v3"


async def test_a_full_disk_keeps_the_draft_and_the_old_bytes(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    before = files_of(store)
    async with reviewed(store, put("cwd", *API, value="v3")) as driver:

        def full(*_: object) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with monkeypatch.context() as patched:
            patched.setattr(files, "writev", full)
            await driver.press("enter")
            await driver.until(lambda: screen_of(driver).page.failed is not None)
        assert "not written:" in driver.text
        assert "No space left" in driver.text
        assert "the draft is kept as it is" in driver.text
        assert files_of(store) == before
        assert driver.app.drafting.count == 1
        await driver.press("enter")
        await applied(driver)
    assert value(store, "cwd", *API) == "v3"


async def test_a_step_that_cannot_be_carried_out_says_why_and_blocks(store: Store) -> None:
    source = ("tactics", "nowhere")
    gone = PreImage(exists=True, value=1)
    move = Transfer("cwd", source, "cwd", ("tactics", "there"), gone, PreImage(exists=False))
    async with reviewed(store, lambda _: [move], put("cwd", *API, value="v3")) as driver:
        page = screen_of(driver).page
        assert page.review is not None
        assert page.review.steps[0].problem
        assert "    change step 1 of the draft, or leave it out" in lines(driver)
        before = files_of(store)
        await driver.press("enter")
        assert files_of(store) == before
        assert "Not applied" in said(driver)


async def test_a_window_for_reading_only_writes_nothing(store: Store) -> None:
    before = files_of(store)
    async with reviewed(store, put("cwd", *API, value="v3")) as driver:
        driver.app.drafting._port.readonly = True
        await driver.press("enter")
        await driver.until(lambda: screen_of(driver).page.failed is not None)
        assert "--readonly" in driver.text
        assert driver.app.drafting.count == 1
    assert files_of(store) == before


async def test_what_changes_nothing_is_not_written(store: Store) -> None:
    before = files_of(store)
    patch = Raw({"cwd": {"strategy": {"api": "v2 only"}}}, (("cwd", API, PreImage(exists=True, value="v2 only")),))
    async with reviewed(store, lambda _: [patch]) as driver:
        await driver.press("enter")
        assert "nothing would change" in said(driver)
    assert files_of(store) == before


@pytest.mark.parametrize("size", SIZES)
async def test_what_a_store_says_is_shown_as_it_is_at_every_size(store: Store, size: tuple[int, int]) -> None:
    key, text = "[@click=app.quit]\x1b]52;c;x\x07", "[/foo]\u202e[a-z]+\ud800"
    async with reviewed(store, put("cwd", "lazy", key, value=text), size=size) as driver:
        page = "".join(lines(driver))
        assert "\x1b" not in page
        assert "\u202e" not in page
        assert "[@click=app.quit]" in page
        assert "[/foo]⟨202e⟩[a-z]+" in page
        assert all(len(line) <= size[0] for line in driver.text.split("\n"))
        await driver.press("G", "enter")
        await applied_anywhere(driver)
    assert value(store, "cwd", "lazy", key) == text


async def test_two_keys_that_look_alike_are_two_rows(store: Store) -> None:
    both = (put("cwd", "lazy", "a\u202e", value=1), put("cwd", "lazy", "a⟨202e⟩", value=1))
    async with reviewed(store, *both) as driver:
        shown = [line for line in lines(driver) if line.startswith('    + lazy["a⟨202e⟩"]  1')]
        assert len(shown) == 2


async def applied_anywhere(driver: Driver) -> None:
    """Wait until the review has closed."""
    await driver.until(lambda: not driver.app.screen.query(ReviewList))


async def test_the_first_memory_of_the_default_store_asks_for_its_dialect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path))
    store = Store(str(tmp_path / "state-flow"), str(tmp_path / "app"), None)
    async with reviewed(store, put("cwd", "lazy", "k", value=1)) as driver:
        assert "its dialect must be said" in " ".join(driver.text.split())
        await driver.press("enter")
        assert isinstance(driver.app.screen, ChoiceScreen)
        assert not os.path.exists(store.root)
        await driver.press("2")
        await driver.until(lambda: isinstance(driver.app.screen, ReviewScreen))
        await driver.until(lambda: screen_of(driver).page.review is not None)
        assert "  cwd  new" in lines(driver)
        await driver.press("enter")
        await applied(driver)
    dialect = snapshot(locate(store.root, store.cwd, None)).dialect
    assert dialect is not None
    assert dialect.version == 2
