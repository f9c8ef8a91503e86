"""The app's draft: gathered, previewed, kept on disk, applied; taken back and had again."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from engine.errors import Cancelled, InvalidRequest, Moved
from engine.memory.draft import Draft, PreImage, Put, Step
from engine.memory.gathering import rebased
from engine.memory.scope import Scope
from engine.store import files
from engine.store.layout import LOCK_NAME
from engine.store.lockstate import LockState
from engine.store.snapshot import snapshot
from sftui import saving
from sftui.drafts import Drafts
from sftui.port import WritePort
from tests.app.driving import Driver, opened
from tests.app.proving import proves
from tests.app.stores import MEMORY, Store, begin, write

OTHER = "2026-11-02T10-00-00-000Z_22222222-2222-4222-8222-222222222222"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY, specification=None)


def put(driver: Driver, scope: Scope, path: tuple[str | int, ...], value: Any) -> None:
    drafting = driver.app.drafting
    # In its own context: with two apps in one process, widgets would else ask the one that was opened last.
    with driver.app._context():
        drafting.stage(Put(scope, path, value, drafting.pre_image(scope, path)))


def stored(store: Store, scope: Scope) -> Any:
    stream = snapshot(store.address).scopes[scope].stream
    assert stream is not None
    return stream.current


def left(store: Store) -> list[Draft | None]:
    return [saved.draft for saved in Drafts(store.root).orphans()]


def steps_of(driver: Driver) -> tuple[Step, ...]:
    return driver.app.drafting.draft.steps


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
        assert stored(store, "cwd")["strategy"] == {"api": "v3"}
        await driver.until(lambda: driver.app.picture.states["cwd"]["strategy"] == {"api": "v3"})
        assert driver.app.drafting.draft.is_empty
        assert "draft" not in driver.text.splitlines()[0]
    assert Drafts(store.root).orphans() == ()


async def test_what_is_not_ticked_stays_in_the_draft(store: Store) -> None:
    async with opened(store) as driver:
        put(driver, "cwd", ("strategy", "api"), "v3")
        put(driver, "cwd", ("strategy", "more"), 1)
        drafting = driver.app.drafting
        drafting.tick(1, on=False)
        await drafting.publish((await drafting.dry_run()).digest)
        assert stored(store, "cwd")["strategy"] == {"api": "v3"}
        assert [step.operation.path for step in drafting.draft.steps] == [("strategy", "more")]  # type: ignore[union-attr]
        await current(driver)
    assert [len(draft.steps) for draft in left(store) if draft is not None] == [1]


async def test_a_row_is_taken_out_of_the_draft_with_what_is_inside(store: Store) -> None:
    async with opened(store) as driver:
        drafting = driver.app.drafting
        put(driver, "cwd", ("strategy", "more", "a"), 1)
        put(driver, "cwd", ("strategy", "api"), "v3")
        put(driver, "global", ("strategy", "api"), "v3")
        assert drafting.unstage("cwd", ("strategy", "more")) == 1
        assert drafting.unstage("cwd", ("strategy", "api", "deeper")) == 1
        assert drafting.unstage("cwd", ("strategy", "api")) == 0
        assert [step.operation.scope for step in drafting.draft.steps] == ["global"]  # type: ignore[union-attr]


# Taking back.


@proves("app.draft-back", "app.draft-again")
async def test_changes_of_the_draft_are_taken_back_and_done_again(store: Store) -> None:
    async with opened(store) as driver:
        await driver.press("U")
        assert "no change of the draft" in driver.told
        await driver.press("ctrl+r")
        assert "Nothing was taken back" in driver.told
        put(driver, "cwd", ("strategy", "api"), "v3")
        put(driver, "cwd", ("tactics", "store"), "moved")
        both = driver.app.drafting.draft
        await driver.press("U")
        assert steps_of(driver) == both.steps[:1]
        await driver.press("U")
        assert steps_of(driver) == ()
        await driver.press("ctrl+r", "ctrl+r")
        assert steps_of(driver) == both.steps
        await driver.press("U")
        put(driver, "cwd", ("tactics", "other"), 1)
        await driver.press("ctrl+r")
        assert len(steps_of(driver)) == 2, "a new change ends what can be done again"
        await current(driver)
    assert left(store) == [driver.app.drafting.draft]


@proves("app.draft-clear")
async def test_a_draft_is_dropped_by_another_key_than_the_one_that_asks(store: Store) -> None:
    async with opened(store) as driver:
        await driver.press("X")
        assert "no draft to drop" in driver.told
        put(driver, "cwd", ("strategy", "api"), "v3")
        for keys in (("X", "X", "k"), ("X", "escape"), ("X", "ctrl+g"), ("X", "enter")):
            await driver.press(keys[0])
            assert "Drop the draft of 1 change?" in driver.text
            await driver.press(*keys[1:])
            assert len(driver.app.drafting.draft.steps) == 1, keys
            assert driver.app.screen is driver.memory
        await driver.press("X", "d")
        assert driver.app.drafting.draft.is_empty
        await current(driver)
        assert os.listdir(Drafts(store.root).directory) == ["drafts.guard"]
        await driver.press("U")
        assert len(driver.app.drafting.draft.steps) == 1


# Left behind.


@proves("app.draft-resume", "app.quit")
async def test_a_draft_is_kept_by_quitting_and_offered_again_but_not_applied(store: Store) -> None:
    before = stored(store, "cwd")
    async with opened(store) as driver:
        put(driver, "cwd", ("strategy", "api"), "v3")
        draft = driver.app.drafting.draft
        await driver.press("q")
        said = "".join(str(one) for one in driver.app._exit_renderables)
        assert "a draft of 1 change is kept" in said
    async with opened(store, (120, 40)) as driver:
        await driver.until(lambda: "a draft was left behind" in driver.text)
        assert "1 change" in driver.text
        assert "O goes on with it" in driver.text
        assert ", for" not in driver.text
        assert driver.app.drafting.draft.is_empty
        await driver.press("O")
        await driver.until(lambda: driver.app.drafting.draft == draft)
        await driver.until(lambda: "left behind" not in driver.text)
        await current(driver)
        preview = driver.app.drafting.preview
        assert preview is not None
        assert preview.staged.net == {"cwd": {"strategy": {"api": "v3"}}}
        await driver.press("O")
        await driver.until(lambda: "No draft was left behind" in driver.told)
    assert stored(store, "cwd") == before


@proves("app.reread")
async def test_what_another_window_leaves_behind_is_found_when_one_reads_again(store: Store) -> None:
    async with opened(store) as one:
        async with opened(store) as two:
            put(two, "cwd", ("strategy", "api"), "v3")
            await current(two)
            await one.press("R")
            await one.pilot.pause(0.3)
            assert one.app.drafting.left == ()
        await one.press("R")
        await one.until(lambda: "a draft was left behind" in one.text)


@proves("app.dismiss")
async def test_what_was_left_behind_is_said_no_more_once_it_is_dismissed(store: Store) -> None:
    async with opened(store) as driver:
        put(driver, "cwd", ("strategy", "api"), "v3")
    async with opened(store) as driver:
        await driver.until(lambda: "a draft was left behind" in driver.text)
        await driver.press("D")
        await driver.until(lambda: "a draft was left behind" not in driver.text)
        await driver.press("O")
        await driver.until(lambda: driver.app.drafting.count == 1)


async def test_a_draft_that_is_resumed_beside_another_becomes_one_with_it(store: Store) -> None:
    async with opened(store) as driver:
        put(driver, "cwd", ("strategy", "api"), "v3")
    async with opened(store) as driver:
        put(driver, "cwd", ("tactics", "store"), "moved")
        await driver.until(lambda: bool(driver.app.drafting.left))
        await driver.press("O")
        await driver.until(lambda: driver.app.drafting.count == 2)
        await driver.until(lambda: "now follows the 1 change here; U takes what it added out again" in driver.told)
        await driver.press("U")
        await driver.until(lambda: driver.app.drafting.count == 1)
        await driver.press("ctrl+r")
        await current(driver)
    assert left(store) == [driver.app.drafting.draft]


async def test_a_draft_that_was_left_behind_is_dropped_after_a_question_and_ones_own_stays(store: Store) -> None:
    async with opened(store) as driver:
        put(driver, "cwd", ("strategy", "api"), "v3")
    async with opened(store, (120, 40)) as driver:
        await driver.until(lambda: "O goes on with it, X drops it" in driver.text)
        await driver.press("X")
        assert "Drop the draft that was left behind?" in driver.text
        assert "1 change" in driver.text
        await driver.press("d", "k")
        assert "O goes on with it, X drops it" in driver.text
        put(driver, "cwd", ("tactics", "store"), "mine")
        await current(driver)
        await driver.press("X", "enter")
        assert driver.app.drafting.count == 1
        await driver.press("X", "l")
        await driver.until(lambda: "The draft that was left behind is dropped" in driver.told)
        assert not driver.app.drafting.left
        assert "left behind" not in driver.text.replace("that was left behind is dropped", "")
        mine = driver.app.drafting.draft
        await current(driver)
    assert left(store) == [mine]


async def test_a_draft_is_taken_up_though_it_was_asked_for_before_one_was_looked_for(store: Store) -> None:
    async with opened(store) as one:
        async with opened(store) as two:
            put(two, "cwd", ("strategy", "api"), "v3")
        assert one.app.drafting.left == ()
        await one.press("O")
        await one.until(lambda: one.app.drafting.count == 1)
        assert "No draft was left behind" not in one.told


async def test_what_is_still_left_behind_is_said_when_one_leaves(store: Store) -> None:
    async with opened(store) as driver:
        put(driver, "cwd", ("strategy", "api"), "v3")
    async with opened(store) as driver:
        await driver.until(lambda: "left behind" in driver.text)
        await driver.press("q")
        said = "".join(str(one) for one in driver.app._exit_renderables)
        assert "a draft that was left behind is still kept; it is offered again" in said
    async with opened(store) as driver:
        await driver.until(lambda: "left behind" in driver.text)
        put(driver, "cwd", ("tactics", "store"), "mine")
        await driver.press("q")
        said = "".join(str(one) for one in driver.app._exit_renderables)
        assert "a draft of 1 change is kept and a draft that was left behind is kept; they are offered again" in said


async def test_two_apps_hold_their_drafts_apart(store: Store) -> None:
    async with opened(store) as one, opened(store) as two:
        put(one, "cwd", ("strategy", "api"), "one")
        put(two, "cwd", ("strategy", "api"), "two")
        await current(one)
        await current(two)
        assert left(store) == []
        async with opened(store) as three:
            await three.pilot.pause(0.5)
            assert three.app.drafting.left == ()
        with two.app._context():
            digest = (await two.app.drafting.dry_run()).digest
        with one.app._context():
            seen = (await one.app.drafting.dry_run()).digest
        with two.app._context():
            await two.app.drafting.publish(digest)
        with one.app._context():
            with pytest.raises(Moved):
                await one.app.drafting.publish(seen)
            assert one.app.drafting.count == 1
            await one.until(lambda: bool(one.app.drafting.drift))
            assert one.app.drafting.drift[0].now.value == "two"
            await one.until(lambda: "memory has moved" in one.text)
            one.app.drafting.set_draft(rebased(one.app.drafting.draft, one.app.picture.states))
            await one.until(lambda: one.app.drafting.is_current and not one.app.drafting.drift)
            await one.app.drafting.publish((await one.app.drafting.dry_run()).digest)
    assert stored(store, "cwd")["strategy"]["api"] == "one"
    assert left(store) == []


# What does not work out.


async def test_a_window_for_reading_writes_nothing(store: Store) -> None:
    draft = Draft((Step(Put("cwd", ("strategy", "api"), "v3", PreImage(exists=True, value="v2 only"))),))
    before, port = snapshot(store.address), WritePort(readonly=True, ledger=False)
    digest = port.preview(before, draft).digest
    with pytest.raises(InvalidRequest) as caught:
        port.publish(before, draft, digest)
    assert caught.value.code == "read-only"
    async with opened(store, readonly=True) as driver:
        put(driver, "cwd", ("strategy", "api"), "v3")
        assert driver.app.drafting.draft.is_empty
        await driver.until(lambda: "--readonly" in driver.told)
    assert stored(store, "cwd") == MEMORY["cwd"]


async def test_a_full_disk_is_said_and_saving_is_tried_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saving, "RETRY_SECONDS", 0.2)
    real = files.fsync

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    async with opened(store, (120, 40)) as driver:
        monkeypatch.setattr(files, "fsync", full)
        put(driver, "cwd", ("strategy", "api"), "v3")
        await driver.until(lambda: "the draft is not saved" in driver.text)
        assert "No space left on device" in driver.text
        assert driver.app.drafting.count == 1
        assert not driver.app.drafting.is_saved
        monkeypatch.setattr(files, "fsync", real)
        await driver.until(lambda: driver.app.drafting.is_saved)
        await driver.until(lambda: "the draft is not saved" not in driver.text)
    assert left(store) == [driver.app.drafting.draft]


async def test_a_lock_that_is_held_is_waited_for_until_it_is_cancelled(store: Store) -> None:
    async with opened(store) as driver:
        put(driver, "cwd", ("strategy", "api"), "v3")
        digest = (await driver.app.drafting.dry_run()).digest
        write(store.root, LOCK_NAME, f"{os.getppid()}\n".encode())
        seen: list[LockState] = []
        stop = threading.Event()
        task = asyncio.create_task(driver.app.drafting.publish(digest, on_wait=seen.append, cancel=stop))
        await driver.until(lambda: bool(seen))
        assert seen[0].pid == os.getppid()
        assert not task.done()
        stop.set()
        with pytest.raises(Cancelled):
            await task
        assert driver.app.drafting.count == 1
        os.unlink(Path(store.root, LOCK_NAME))
        await driver.app.drafting.publish(digest)
    assert stored(store, "cwd")["strategy"]["api"] == "v3"


async def test_leaving_while_it_waits_for_the_lock_writes_nothing(store: Store) -> None:
    async with opened(store) as driver:
        put(driver, "cwd", ("strategy", "api"), "v3")
        digest = (await driver.app.drafting.dry_run()).digest
        write(store.root, LOCK_NAME, f"{os.getppid()}\n".encode())
        worker = driver.app.run_worker(driver.app.drafting.publish(digest), exit_on_error=False)
        await driver.pilot.pause(0.2)
        worker.cancel()
        await driver.until(lambda: worker.is_finished)
        os.unlink(Path(store.root, LOCK_NAME))
        await driver.pilot.pause(0.3)
    assert stored(store, "cwd") == MEMORY["cwd"]
    assert len(left(store)) == 1


async def test_a_step_that_cannot_be_carried_out_is_said(store: Store) -> None:
    async with opened(store, (120, 40)) as driver:
        drafting = driver.app.drafting
        put(driver, "cwd", ("tactics", "checks", 7), "beyond its end")
        await driver.until(lambda: drafting.is_current)
        assert drafting.preview is not None
        assert [error.code for error in drafting.preview.obstacles] == ["draft-blocked"]


# Which memory it is for.


async def test_a_draft_of_a_session_keeps_the_app_with_it(store: Store) -> None:
    async with opened(store) as driver:
        put(driver, "session", ("tactics", "next"), "mine")
        begin(store.root, store.cwd, {"session": {"tactics": {"other": 1}}}, session=OTHER, specification=None)
        await driver.pilot.pause(1.0)
        assert session_of(driver) == store.session
        await driver.press("R")
        await driver.pilot.pause(0.5)
        assert session_of(driver) == store.session, "reading again does not ask to leave it"
        assert driver.app.drafting.count == 1
        await driver.press("U")
        driver.app.reading.listed()
        await driver.until(lambda: session_of(driver) == OTHER)


async def test_who_asks_for_the_newest_session_gets_it_and_the_draft_waits(store: Store) -> None:
    async with opened(store) as driver:
        put(driver, "session", ("tactics", "next"), "mine")
        begin(store.root, store.cwd, {"session": {"tactics": {"other": 1}}}, session=OTHER, specification=None)
        await driver.press("F")
        await driver.until(lambda: session_of(driver) == OTHER)


async def test_a_draft_waits_where_it_means_something_and_shared_ones_come_along(store: Store) -> None:
    begin(store.root, store.cwd, {"session": {"tactics": {"other": 1}}}, session=OTHER, specification=None)
    key = store.address.key
    assert key is not None
    async with opened(store, session=store.session) as driver:
        drafting = driver.app.drafting
        put(driver, "cwd", ("strategy", "api"), "v3")
        driver.app.choose((key, OTHER))
        await driver.until(lambda: session_of(driver) == OTHER)
        assert drafting.count == 1, "both sessions share the directory's memory"
        put(driver, "session", ("tactics", "other"), 2)
        driver.app.choose((key, str(store.session)))
        await driver.until(lambda: session_of(driver) == store.session)
        assert drafting.draft.is_empty
        assert "The draft of 2 changes waits where it was begun" in driver.told
        put(driver, "session", ("tactics", "next"), "here")
        driver.app.choose((key, OTHER))
        await driver.until(lambda: session_of(driver) == OTHER and drafting.count == 2)
        await current(driver)
        assert drafting.preview is not None
        assert drafting.preview.staged.net["session"] == {"tactics": {"other": 2}}
    assert sorted(len(draft.steps) for draft in left(store) if draft is not None) == [1, 2]
    async with opened(store, session=store.session) as driver:
        await driver.until(lambda: len(driver.app.drafting.left) == 2)
        await driver.press("O")
        await driver.until(lambda: driver.app.drafting.count == 1)
        await driver.press("O")
        await driver.until(lambda: session_of(driver) == OTHER and driver.app.drafting.count == 2)


def session_of(driver: Driver) -> str | None:
    found = driver.app.picture.snapshot
    return None if found is None else found.address.session


# Where the keys lead.


@proves("app.review")
async def test_p_opens_the_review_where_there_is_something_to_review(store: Store) -> None:
    from sftui.screens.review import ReviewScreen

    async with opened(store) as driver:
        await driver.press("p")
        assert "nothing to review" in driver.told
        assert driver.top() is driver.memory
        put(driver, "cwd", ("strategy", "api"), "v3")
        await driver.press("p")
        assert isinstance(driver.top(), ReviewScreen)
        await driver.until(lambda: "strategy.api" in driver.text and '"v3"' in driver.text)
        await driver.press("q")
        assert driver.top() is driver.memory
        assert stored(store, "cwd") == MEMORY["cwd"]


async def test_a_draft_that_is_dropped_in_its_review_is_no_more_to_be_seen(store: Store) -> None:
    async with opened(store) as driver:
        put(driver, "cwd", ("strategy", "api"), "v3")
        await driver.press("p")
        await driver.until(lambda: '"v3"' in driver.text and "digest" in driver.text)
        await driver.press("X", "d")
        await driver.until(lambda: "the draft is empty" in driver.text)
        assert "digest" not in driver.text
        assert '"v3"' not in driver.text
        await driver.press("enter")
        await driver.pilot.pause(0.2)
        assert stored(store, "cwd") == MEMORY["cwd"]
        await driver.press("U")
        await driver.until(lambda: '"v3"' in driver.text and "digest" in driver.text)


@proves("app.intents", "app.watch", "app.memory")
async def test_the_main_screens_lead_to_each_other(store: Store) -> None:
    async with opened(store) as driver:
        for key, screen in (
            ("4", "intents"),
            ("1", "watch"),
            ("4", "intents"),
            ("2", "memory"),
            ("1", "watch"),
            ("2", "memory"),
        ):
            await driver.press(key)
            assert driver.top() is getattr(driver.app, f"{screen}_screen"), key
            assert len(driver.app.screen_stack) <= 2


async def test_a_draft_that_cannot_be_saved_is_not_given_up_unasked(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    async with opened(store) as driver:
        monkeypatch.setattr(files, "fsync", full)
        put(driver, "cwd", ("strategy", "api"), "v3")
        await driver.press("q")
        assert "The draft of 1 change cannot be saved" in driver.text
        await driver.press("q", "s")
        assert driver.top() is driver.memory
        assert driver.app.drafting.count == 1
        await driver.press("q", "l")
        await driver.until(lambda: not driver.app.is_running)


async def test_what_was_left_behind_says_for_which_memory_it_is(store: Store, tmp_path: Path) -> None:
    elsewhere = begin(store.root, str(tmp_path / "other"), MEMORY, specification=None)
    async with opened(elsewhere) as driver:
        put(driver, "cwd", ("strategy", "api"), "v3")
    async with opened(store, (160, 40)) as driver:
        await driver.until(lambda: f"for {elsewhere.cwd}: O goes on with it" in driver.text)


async def test_what_is_changed_while_it_is_applied_stays(store: Store) -> None:
    async with opened(store) as driver:
        put(driver, "cwd", ("strategy", "api"), "v3")
        drafting = driver.app.drafting
        digest = (await drafting.dry_run()).digest
        write(store.root, LOCK_NAME, f"{os.getppid()}\n".encode())
        task = asyncio.create_task(drafting.publish(digest))
        await driver.pilot.pause(0.1)
        put(driver, "cwd", ("tactics", "other"), 1)
        os.unlink(Path(store.root, LOCK_NAME))
        await task
        await current(driver)
        assert [step.operation.path for step in drafting.draft.steps] == [("tactics", "other")]  # type: ignore[union-attr]
    assert stored(store, "cwd")["strategy"]["api"] == "v3"
    assert left(store) == [driver.app.drafting.draft]


async def test_what_was_applied_here_is_told_as_ours(store: Store) -> None:
    async with opened(store, ledger=True) as driver:
        store.patch(cwd={"tactics": {"theirs": 1}})
        put(driver, "cwd", ("strategy", "api"), "v3")
        await driver.app.drafting.publish((await driver.app.drafting.dry_run()).digest)
        await driver.until(lambda: [entry.ours for entry in driver.app.picture.log][:2] == [True, False])


@pytest.fixture
def writing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if writing had begun already whenever a draft is applied: from there on nothing is cancelled."""
    real = WritePort.publish

    def slow(port: WritePort, *given: Any, cancel: object, **named: Any) -> object:
        time.sleep(0.4)
        return real(port, *given, cancel=None, **named)

    monkeypatch.setattr(WritePort, "publish", slow)


async def test_what_is_being_written_when_one_leaves_is_not_offered_again(store: Store, writing: None) -> None:
    async with opened(store) as driver:
        put(driver, "cwd", ("strategy", "api"), "v3")
        digest = (await driver.app.drafting.dry_run()).digest
        driver.app.run_worker(driver.app.drafting.publish(digest), exit_on_error=False)
        await driver.pilot.pause(0.1)
        await driver.press("q")
    assert stored(store, "cwd")["strategy"]["api"] == "v3"
    assert left(store) == []


async def test_what_nobody_waits_for_any_more_is_still_told(store: Store, writing: None) -> None:
    async with opened(store) as driver:
        put(driver, "cwd", ("strategy", "api"), "v3")
        digest = (await driver.app.drafting.dry_run()).digest
        worker = driver.app.run_worker(driver.app.drafting.publish(digest), exit_on_error=False)
        await driver.pilot.pause(0.1)
        worker.cancel()
        await driver.until(lambda: driver.app.drafting.draft.is_empty)
        await driver.until(lambda: driver.app.picture.states["cwd"]["strategy"] == {"api": "v3"})
