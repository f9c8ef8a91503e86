"""`u`, driven: any change goes back through the draft, and what cannot is said."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from engine import values
from engine.ledger.log import LOG_NAME
from engine.memory.draft import Draft
from engine.store.layout import store_home
from sftui import undoing
from sftui.screens.review import ReviewScreen
from sftui.undoing import find
from sftui.views.spans import plain
from tests.app.driving import Driver, opened
from tests.app.proving import proves
from tests.app.stores import ORIGIN, Store, begin, write

MEMORY: dict[str, Any] = {
    "cwd": {
        "intents": {"migrate": {"goal": "move it", "plan": {"$ref": "cwd.tactics.store"}}},
        "tactics": {"store": "half moved", "checks": ["lint", "types"]},
        "lazy": {"survey": {"text": "long"}},
    },
    "session": {"tactics": {"next": "run the suite", "other": 1}},
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)


def states(driver: Driver) -> dict[str, Any]:
    return dict(driver.app.picture.states.items())


def draft(driver: Driver) -> Draft:
    return driver.app.drafting.draft


async def restored(driver: Driver) -> dict[str, Any]:
    """What memory would be once the draft is applied."""
    published = await driver.app.drafting.dry_run()
    return dict(published.staged.after.items())


async def undo(driver: Driver, *keys: str) -> None:
    """Press u on Watch, on the newest change or wherever the keys lead, and wait for what it says."""
    await driver.press("1")
    await driver.press(*keys, "u")
    await driver.until(lambda: not any(worker.group == "undo" for worker in driver.app.workers))


def said(driver: Driver) -> str:
    """What has been said, all of it."""
    return " ".join(notification.message for notification in driver.app._notifications)


@proves("watch.undo")
async def test_a_change_of_an_agent_goes_back_in_all_its_scopes(store: Store) -> None:
    async with opened(store) as driver:
        before = states(driver)
        change: dict[str, Any] = {
            "cwd": {"intents": {"migrate": None}, "lazy": {"survey": {"text": "longer", "by": "me"}}},
            "session": {"tactics": {"next": None, "new": {"a": [1, 2]}}},
        }
        await driver.next_picture(lambda: store.patch(**change))
        assert "store" not in driver.app.picture.states["cwd"]["tactics"], "it went with its intent"  # type: ignore[operator]
        await undo(driver)
        assert await restored(driver) == before
        assert all(step.ticked for step in draft(driver).steps)
        assert "The undo of s1 and c1 is in the draft" in said(driver)
        after = states(driver)
        published = await driver.app.drafting.dry_run()
        await driver.app.drafting.publish(published.digest, force_session=True)
        await driver.until(lambda: states(driver) == before)
        await driver.until(lambda: driver.stream.following and driver.stream.entry() == driver.app.picture.log[0])
        await undo(driver)
        assert await restored(driver) == after, "an undo is a change like any other: it goes back, too"


async def test_what_a_removed_intent_would_take_along_stays_if_it_was_there_before(store: Store) -> None:
    async with opened(store) as driver:
        before = states(driver)
        owning = {"goal": "look", "at": {"$ref": "cwd.lazy.survey"}, "and": {"$ref": "cwd.tactics.made"}}
        await driver.next_picture(lambda: store.patch(cwd={"intents": {"look": owning}, "tactics": {"made": 1}}))
        await undo(driver)
        assert await restored(driver) == before, "the survey stays, what the change made goes"


async def test_what_has_changed_since_is_flagged_and_not_ticked(store: Store) -> None:
    async with opened(store) as driver:
        await driver.next_picture(lambda: store.patch(session={"tactics": {"next": "a", "other": 2}}))
        await driver.next_picture(lambda: store.patch(session={"tactics": {"next": "b"}}))
        await undo(driver, "j", "j")
        found = {step.operation.path[-1]: step for step in draft(driver).steps}  # type: ignore[union-attr]
        assert found["other"].ticked and not found["next"].ticked
        assert "changed since" in found["next"].note
        assert "1 not ticked: changed since" in said(driver)
        after = await restored(driver)
        assert after["session"]["tactics"] == {"next": "b", "other": 1}


async def test_several_changes_in_a_row_go_back_as_one(store: Store) -> None:
    async with opened(store) as driver:
        before = states(driver)
        await driver.next_picture(lambda: store.patch(session={"tactics": {"next": "a"}}))
        await driver.next_picture(lambda: store.patch(session={"tactics": {"next": "b", "more": 1}}))
        await undo(driver)
        assert (await restored(driver))["session"]["tactics"] == {"next": "a", "other": 1}
        await undo(driver)
        assert len(draft(driver).steps) == 2, "the same change is not undone twice"
        await undo(driver, "j", "j", "j")
        assert await restored(driver) == before
        assert all(step.ticked for step in draft(driver).steps)
        assert "The undo of s2 and s1 is in the draft" in said(driver)


async def test_an_undo_leaves_the_rest_of_the_draft_alone(store: Store) -> None:
    async with opened(store) as driver:
        from engine.memory.draft import Put

        drafting = driver.app.drafting
        drafting.stage(Put("cwd", ("lazy", "mine"), 1, drafting.pre_image("cwd", ("lazy", "mine"))))
        await driver.next_picture(lambda: store.patch(session={"tactics": {"next": "a"}}))
        await undo(driver)
        after = await restored(driver)
        assert after["cwd"]["lazy"]["mine"] == 1
        assert after["session"] == MEMORY["session"]
        await driver.press("U")
        assert len(draft(driver).steps) == 1


@proves("memory.undo")
async def test_a_row_of_the_memory_goes_back_by_its_key(store: Store) -> None:
    async with opened(store) as driver:
        await driver.next_picture(lambda: store.patch(cwd={"tactics": {"store": "moved", "new": 1}}))
        driver.memory.go_to("effective", ("tactics", "store"))
        await driver.press("u")
        await driver.until(lambda: not draft(driver).is_empty)
        assert (await restored(driver))["cwd"]["tactics"] == {**MEMORY["cwd"]["tactics"], "new": 1}
        await driver.until(lambda: plain(driver.tree.line_spans(("tactics", "store"), 80)[0]).startswith("~"))


async def test_one_row_goes_back_and_what_changed_beside_it_stays(store: Store) -> None:
    async with opened(store) as driver:
        await driver.next_picture(
            lambda: store.patch(cwd={"tactics": {"store": "moved", "checks": ["lint"], "new": 1}})
        )
        driver.app.undoing.row("cwd", ("tactics", "checks", 0))
        await driver.until(lambda: not draft(driver).is_empty)
        after = await restored(driver)
        assert after["cwd"]["tactics"] == {"store": "moved", "checks": ["lint", "types"], "new": 1}
        assert "The undo of c1 at cwd.tactics.checks is in the draft: 1 step" in said(driver)
        driver.app.undoing.row("effective", ("lazy", "survey"))
        await driver.pilot.pause()
        assert "No change of this row is known" in said(driver)


async def test_an_answer_is_left_alone_and_that_is_said(store: Store) -> None:
    here = store.address.scope_dir("session")
    boundary: dict[str, Any] = {"id": "answered", "position": 1, "parent": "begin"}
    first: dict[str, Any] = {"response": "before", "tactics": {"next": "run the suite"}}
    patch: dict[str, Any] = {"response": "after", "tactics": {"next": "done"}}
    write(here, "checkpoint.json", values.encode(first) + b"\n")
    write(here, "patches.jsonl", values.encode(patch) + b"\n")
    temporal: dict[str, Any] = {"revision": 1, "checkpoint": ORIGIN, "patches": [boundary]}
    write(here, "meta.json", values.encode({"version": 4, "artifacts": {}, "temporal": temporal}) + b"\n")
    runtime = values.decode(Path(here, "runtime.json").read_bytes()).value
    assert values.is_object(runtime)
    write(here, "runtime.json", values.encode({**runtime, "lineage": [ORIGIN, boundary], "step": 1}) + b"\n")
    async with opened(store) as driver:
        await undo(driver)
        assert "session.response belongs to the agent" in said(driver)
        assert (await restored(driver))["session"] == {**first, "response": "after"}


async def test_a_change_that_nobody_recorded_cannot_go_back(store: Store) -> None:
    async with opened(store) as driver:
        await driver.next_picture(lambda: store.patch(cwd={"tactics": {"one": 1}}))
        for number in range(8):
            await driver.next_picture(lambda number=number: store.patch(cwd={"tactics": {"many": number}}))  # type: ignore[misc]
        await undo(driver, "G")
        assert draft(driver).is_empty
        assert "c1 cannot be undone" in said(driver) and "no longer retained" in said(driver)
        await undo(driver, "g")
        await undo(driver, "G")
        assert len(draft(driver).steps) == 1, "what can be undone stays in the draft"
        assert said(driver).count("The undo of c9 is in the draft") == 1


async def test_nothing_goes_back_into_a_fenced_scope(store: Store) -> None:
    async with opened(store) as driver:
        both: dict[str, Any] = {"cwd": {"tactics": {"one": 1}}, "session": {"tactics": {"one": 1}}}
        await driver.next_picture(lambda: store.patch(**both))
        Path(store.address.scope_dir("cwd"), "checkpoint.json").write_bytes(b"\0" * 40)
        await driver.until(lambda: "cwd" not in driver.app.picture.states)
        await undo(driver)
        assert "the cwd scope is fenced" in said(driver)
        assert [step.operation.scope for step in draft(driver).steps] == ["session"]  # type: ignore[union-attr]


async def test_u_on_an_empty_stream_says_so(store: Store) -> None:
    async with opened(store) as driver:
        await driver.press("1", "u")
        assert "There is no change here to undo" in said(driver)


async def test_the_change_under_the_cursor_is_meant_while_another_process_writes(store: Store) -> None:
    """The stream holds; what arrives above the row changes nothing about which change is undone."""
    async with opened(store) as driver:
        await driver.next_picture(lambda: store.patch(session={"tactics": {"next": "mine"}}))
        await driver.next_picture(lambda: store.patch(cwd={"tactics": {"store": "moved"}}))
        await driver.press("1", "j", "j", "j")
        assert not driver.follows()
        code = (
            "from engine.store.layout import locate; from engine.store.publication import publish; import sys\n"
            "for n in range(3): publish(locate(*sys.argv[1:3], sys.argv[3]), {'cwd': {'tactics': {'theirs': n}}},"
            " wanted=('global', 'cwd', 'session'), force_session=True)"
        )
        before = driver.app.picture.log
        command = [sys.executable, "-c", code, store.root, store.cwd, str(store.session)]
        writer = await asyncio.create_subprocess_exec(*command, cwd=Path(__file__).parents[2])
        await driver.press("u")
        await driver.until(lambda: not draft(driver).is_empty)
        await driver.until(lambda: len(driver.app.picture.log) == len(before) + 3)
        assert await writer.wait() == 0
        (step,) = draft(driver).steps
        assert step.note == "undo of s1"
        after = await restored(driver)
        assert after["session"] == MEMORY["session"] and after["cwd"]["tactics"]["theirs"] == 2


async def test_a_folded_change_goes_back_by_its_record(store: Store) -> None:
    async with opened(store, ledger=True) as driver:
        before = states(driver)
        change: dict[str, Any] = {"cwd": {"intents": {"migrate": None}}, "session": {"tactics": {"other": 2}}}
        await driver.next_picture(lambda: store.patch(**change))
        for number in range(8):
            await driver.next_picture(lambda number=number: store.patch(cwd={"lazy": {"many": number}}))  # type: ignore[misc]
        assert len(driver.app.picture.snapshot.scopes["cwd"].stream.tail) == 7  # type: ignore[union-attr]
        await undo(driver, "G")
        after = await restored(driver)
        assert after["cwd"] == {**before["cwd"], "lazy": {**before["cwd"]["lazy"], "many": 7}}
        assert after["session"] == before["session"]
        assert "The undo of s1 and c1 is in the draft" in said(driver)


async def test_a_folded_change_of_which_only_the_record_is_known_cannot_go_back(store: Store) -> None:
    """An older program recorded what a change was, but not what stood there before."""
    async with opened(store, ledger=True) as driver:
        await driver.next_picture(lambda: store.patch(cwd={"tactics": {"one": 1}}))
        for number in range(8):
            await driver.next_picture(lambda number=number: store.patch(cwd={"lazy": {"many": number}}))  # type: ignore[misc]
        log = Path(store_home(store.root), "ledger", LOG_NAME)
        lines = [values.decode(line).value for line in log.read_bytes().splitlines()]
        log.write_bytes(b"".join(values.encode(_without_inverse(line)) + b"\n" for line in lines))
        await undo(driver, "G")
        assert draft(driver).is_empty
        assert "c1 cannot be undone. Not undone: c1: no record says what stood there before" in said(driver)


def _without_inverse(line: values.Json) -> values.Json:
    if values.is_object(line):
        return {key: _without_inverse(value) for key, value in line.items() if key != "inverse"}
    return [_without_inverse(item) for item in line] if values.is_array(line) else line


async def test_the_part_of_another_session_stays_and_that_is_said(store: Store, tmp_path: Path) -> None:
    other = begin(store.root, store.cwd, session="2026-10-01T10-00-00-000Z_22222222-2222-4222-8222-222222222222")
    change: dict[str, Any] = {"cwd": {"lazy": {"x": 1}}, "session": {"tactics": {"y": 1}}}
    async with opened(other, session=other.session, ledger=True) as driver:
        await driver.next_picture(lambda: other.patch(**change))
    async with opened(store, session=store.session, ledger=True) as driver:
        await undo(driver)
        assert "its part in the memory of another session" in said(driver)
        assert (await restored(driver))["cwd"] == MEMORY["cwd"]


async def test_a_review_that_is_asked_for_right_after_waits_for_the_undo(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*given: Any, **named: Any) -> Any:
        time.sleep(0.3)
        return find(*given, **named)

    monkeypatch.setattr(undoing, "find", slow)
    async with opened(store) as driver:
        await driver.next_picture(lambda: store.patch(cwd={"tactics": {"store": "moved"}}))
        await driver.pilot.press("1", "u", "p")
        await driver.until(lambda: isinstance(driver.app.screen, ReviewScreen))
        assert len(draft(driver).steps) == 1
