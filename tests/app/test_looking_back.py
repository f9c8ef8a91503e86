"""The whole app at an earlier moment: what it shows there, what it refuses, and how it comes back to now."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import sftui.backward
import sftui.past
from sftui.actions import ACTIONS, BEGINNING, OF_A_DRAFT
from sftui.screens.palette import offers
from sftui.screens.review import ReviewScreen
from sftui.views.asof import picture_at
from sftui.views.changes import Entry
from sftui.views.picture import Picture
from tests.app.driving import Driver, opened
from tests.app.proving import proves
from tests.app.reviewing import files_of, put
from tests.app.stores import MEMORY, Store, begin
from tests.app.terminal import Terminal
from tests.app.test_hostile import ALL, check

SENTENCE = "This is an earlier moment, where nothing is changed: = goes back to now"
STEPS = 5


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A session that has gone on in steps, now and then with its directory: one lineage vouches for all of it."""
    made = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY, specification=None)
    for number in range(1, STEPS + 1):
        more = {"cwd": {"tactics": {"count": number}}} if number % 2 else {}
        made.patch(session={"tactics": {"next": f"step {number}", f"only{number}": number}}, **more)
    return made


@asynccontextmanager
async def memory(store: Store, size: tuple[int, int] = (80, 24), *, ledger: bool = False) -> AsyncIterator[Driver]:
    async with opened(store, size, ledger=ledger) as driver:
        await driver.press("2")
        yield driver


async def step(driver: Driver, *keys: str) -> None:
    """Press keys, and wait for the moment that they lead to."""
    await driver.press(*keys)
    await settled(driver)


async def settled(driver: Driver) -> None:
    past = driver.app.past

    def there() -> bool:
        shown = None if past.picture is None or past.picture.as_of is None else past.picture.as_of.moment
        wanted = past.moment
        if wanted is None or shown is None:
            return wanted is None and past.picture is None
        return wanted.boundary == shown.boundary

    await driver.until(there)


def tactics(driver: Driver) -> str:
    """What the effective tactics say that is shown."""
    plane = driver.app.picture.memory["effective"]["tactics"]
    assert isinstance(plane, dict)
    return str(plane["next"])


def band(driver: Driver) -> str:
    """The line of the screen that says that it is not now; '' at now."""
    return next((line for line in driver.text.split("\n")[:3] if "read only" in line), "")


@proves("app.earlier", "app.later", "app.now")
@pytest.mark.parametrize("size", [(80, 24), (50, 30)])
async def test_the_app_goes_back_and_forward_and_to_now(store: Store, size: tuple[int, int]) -> None:
    async with memory(store, size) as driver:
        assert band(driver) == ""
        await step(driver, "[")
        assert tactics(driver) == "step 4"
        assert "1 back of 5" in band(driver)
        assert "c2 s4" in driver.text.split("\n")[0]
        assert '"step 4"' in driver.text
        assert '"step 5"' not in driver.text
        await step(driver, ",", "[")
        assert tactics(driver) == "step 2"
        assert "3 back of 5" in band(driver)
        assert "c1 s2" in driver.text.split("\n")[0]
        await step(driver, "]")
        assert tactics(driver) == "step 3"
        await step(driver, ".")
        assert tactics(driver) == "step 4"
        await step(driver, "]")
        assert tactics(driver) == "step 5"
        assert band(driver) == ""
        await step(driver, "[", "[", "[")
        await step(driver, "=")
        assert tactics(driver) == "step 5"
        assert band(driver) == ""


@pytest.mark.parametrize("keys", [("e",), ("d",), ("m",), ("P",)])
async def test_what_is_begun_while_the_ledger_is_read_for_more_is_about_now(
    tmp_path: Path, keys: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever wants to go further back than is known, and then begins a change, has changed their mind."""
    made = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY, specification=None)
    # Nothing is retained: where one can go back to is known to the ledger alone.
    (Path(made.root) / "config.json").write_text('{"historyLimit":0}\n')
    let, asked = threading.Event(), threading.Event()
    read = sftui.past.Past._read

    def slowly(past: sftui.past.Past, live: Picture, pages: int) -> sftui.past.Catalogue:
        asked.set()
        let.wait(10)
        return read(past, live, pages)

    async with memory(made, ledger=True) as driver:
        for number in range(3):
            said = f"step {number}"
            await asyncio.to_thread(made.patch, session={"tactics": {"next": said}})
            await driver.until(lambda said=said: tactics(driver) == said)  # type: ignore[misc]
        monkeypatch.setattr(sftui.past.Past, "_read", slowly)
        driver.tree.reveal(("tactics", "next"))
        await driver.press("[", "[")
        await driver.until(asked.is_set)
        assert not driver.app.looks_back
        await driver.press(*keys)
        let.set()
        await driver.until(lambda: not driver.app.past._working)
        for _ in range(5):
            await driver.pilot.pause()
        assert not driver.app.looks_back
        assert band(driver) == ""


async def test_a_moment_is_cut_from_the_lineage_as_it_is_when_it_is_made(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer goes on while it is read: it lies further back then than when it was chosen."""
    async with memory(store) as driver:
        await step(driver, "[", "[")
        moment = driver.app.past.moment
        assert moment is not None
        before = driver.app.picture.snapshot
        assert before is not None and before.cohort is not None
        await step(driver, "=")
        for number in range(2):
            await driver.next_picture(lambda n=number: store.patch(session={"tactics": {"later": n}}))  # type: ignore[misc]
        driver.app.past.go(moment)  # as a row that was read before those came would have it
        await settled(driver)
        found = driver.app.picture.snapshot
        assert found is not None and found.cohort is not None
        assert [one.id for one in found.cohort.lineage] == [one.id for one in before.cohort.lineage]


async def test_under_the_band_nothing_is_applied_however_it_came_to_be_reviewed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with memory(store) as driver:
        driver.app.drafting.stage(*put("cwd", "strategy", "api", value="v9")(driver))
        await driver.until(lambda: driver.app.drafting.is_current)
        await driver.press("p")
        await driver.until(lambda: isinstance(driver.top(), ReviewScreen))
        before = files_of(store)
        monkeypatch.setattr(sftui.backward.Backward, "looks_back", True)
        driver.app.screen.action_apply()  # type: ignore[attr-defined]
        await driver.until(lambda: SENTENCE in driver.told)
        assert files_of(store) == before
        monkeypatch.undo()


async def test_each_end_is_said(store: Store) -> None:
    async with memory(store) as driver:
        await driver.press("]")
        assert "as it is now" in driver.told
        await driver.press("=")
        assert "as it is now" in driver.told
        await step(driver, *"[" * STEPS)
        # What the session began with is a moment, too: before its first change.
        assert tactics(driver) == "run the suite"
        assert "where the session's history begins" in band(driver)
        assert "g0 c0 s0" in driver.text.split("\n")[0]
        await step(driver, "[")
        assert "Nothing older is known" in driver.told
        assert tactics(driver) == "run the suite"


async def test_every_screen_shows_that_moment(store: Store) -> None:
    store.patch(session={"intents": {"ending": {"goal": "came at last"}}})
    async with memory(store, (120, 40)) as driver:
        await step(driver, "[", "[")
        for key in "123456":
            await driver.press(key)
            assert "2 back of 6" in band(driver), key
            assert "c2 s4" in driver.text.split("\n")[0], key
        await driver.press("1")
        assert "came at last" not in driver.text
        assert [entry.short for entry in driver.stream.shown][:2] == ["s4", "s3"]
        await driver.press("4")
        await driver.until(lambda: driver.app.intents_screen.found is not None)
        assert "ending" not in driver.text
        await step(driver, "=")
        await driver.until(lambda: "ending" in driver.text)
        await driver.press("1")
        assert driver.stream.shown[0].short == "s6"
        assert driver.follows()


async def test_an_open_value_goes_along(store: Store) -> None:
    async with memory(store) as driver:
        await driver.press("'", *"session.tactics.next", "enter", "enter")
        assert '"step 5"' in driver.text or "step 5" in driver.text
        await step(driver, "[", "[")
        assert "step 3" in driver.text
        assert "2 back of 5" in band(driver)
        await step(driver, *"[" * 3)
        assert "run the suite" in driver.text
        await step(driver, "=")
        assert "step 5" in driver.text


async def test_an_open_value_of_a_draft_is_that_of_the_moment_meanwhile(store: Store) -> None:
    async with memory(store, (120, 40)) as driver:
        driver.app.drafting.stage(*put("session", "tactics", "next", value="drafted")(driver))
        await driver.until(lambda: "drafted" in driver.text)
        await driver.press("'", *"session.tactics.next", "enter", "enter")
        assert "drafted" in driver.text
        await step(driver, "[")
        assert "drafted" not in driver.text
        assert "step 4" in driver.text
        await step(driver, "=")
        await driver.until(lambda: "drafted" in driver.text)


async def test_what_is_not_there_at_a_moment_is_said_and_the_cursor_comes_back_to_it(store: Store) -> None:
    async with memory(store, (120, 40)) as driver:
        await driver.press("'", *"session.tactics.only4", "enter")
        here = ("tactics", "only4")
        assert driver.at() == here
        await step(driver, "[")
        assert driver.at() == here
        await step(driver, "[", "[")
        assert driver.at() != here
        assert not any(key == here for key in driver.tree.keys)
        await step(driver, "]", "]")
        assert driver.at() == here
        await step(driver, "[", "[", "j")
        left = driver.at()
        await step(driver, "=")
        assert driver.at() == left  # it was moved: there it stays


# Nothing is changed there.


async def test_whatever_would_change_something_is_refused_with_one_sentence(store: Store) -> None:
    before = files_of(store)
    async with memory(store, (120, 40)) as driver:
        driver.app.drafting.stage(*put("cwd", "strategy", "api", value="v3")(driver))
        await driver.until(lambda: driver.app.drafting.staging is not None)
        assert '"v3"' in driver.text
        draft = driver.app.drafting.draft
        await step(driver, "[")
        # The draft is kept; it does not lie on the past.
        assert driver.app.drafting.staging is None
        assert '"v3"' not in driver.text
        assert "draft 1" in driver.text
        for screen, where in (("1", "watch"), ("2", "memory"), ("4", "intents"), ("3", "history"), ("6", "health")):
            await driver.press(screen)
            top = driver.top()
            for action in ACTIONS:
                if action.id in BEGINNING | OF_A_DRAFT and action.where in {where, "app"}:
                    driver.app.clear_notifications()
                    await driver.press(action.keys[0])
                    assert driver.told == SENTENCE, action.id
                    assert driver.top() is top
        assert driver.app.drafting.draft is draft
        await driver.press("2")
        reasons = {offer.action.id: offer.reason for offer in offers(driver.app.screen)}
        assert {reasons[name] for name in ("memory.edit", "app.review")} == {SENTENCE[:1].lower() + SENTENCE[1:]}
        assert " delete " not in driver.text.split("\n")[-1]
        await step(driver, "=")
        assert driver.app.drafting.draft is draft
        await driver.until(lambda: '"v3"' in driver.text)
        assert " delete " in driver.text.split("\n")[-1]
    assert files_of(store) == before


async def test_a_review_is_about_now(store: Store) -> None:
    async with memory(store, (120, 40)) as driver:
        driver.app.drafting.stage(*put("cwd", "strategy", "api", value="v3")(driver))
        await driver.press("p")
        assert "review" in type(driver.top()).__name__.lower()
        await driver.press("[")
        assert not driver.app.looks_back


# News go on below.


async def test_a_writer_goes_on_below(store: Store) -> None:
    async with memory(store) as driver:
        await step(driver, "[")
        for number in (6, 7):
            await asyncio.to_thread(store.patch, session={"tactics": {"next": f"step {number}"}})
            await driver.until(lambda wanted=number: f"{wanted - 5} newer" in band(driver))  # type: ignore[misc]
        assert tactics(driver) == "step 4"
        assert "3 back of 7" in band(driver)
        assert driver.app.live.memory["session"]["tactics"]["next"] == "step 7"  # type: ignore[index, call-overload]
        await step(driver, "]")
        assert tactics(driver) == "step 5"
        await step(driver, "=")
        assert tactics(driver) == "step 7"


async def test_a_scope_that_is_fenced_meanwhile_stays_fenced(store: Store) -> None:
    async with memory(store, (120, 40)) as driver:
        await step(driver, "[")
        path = Path(store.address.scope_dir("cwd")) / "checkpoint.json"
        whole = path.read_bytes()
        path.write_bytes(b"{broken")
        await driver.until(lambda: driver.app.live.snapshot.scopes["cwd"].status == "fenced")  # type: ignore[union-attr]
        await step(driver, "[")
        picture = driver.app.picture
        assert picture.as_of is not None
        assert "fenced" in picture.as_of.unknown["cwd"]
        assert "effective" not in picture.memory
        assert "cwd" not in picture.memory
        path.write_bytes(whole)


async def test_another_scope_is_shown_as_it_is_now(store: Store) -> None:
    async with memory(store) as driver:
        await step(driver, "[")
        driver.app.choose(("g",))
        await driver.until(lambda: not driver.app.looks_back)
        assert "as it is now" in driver.told


# Without a lineage that vouches, and beyond what is retained.


async def test_a_scope_that_nobody_can_place_is_unknown_with_the_reason(store: Store) -> None:
    # Written by somebody who need not have seen the session's own.
    store.patch(cwd={"tactics": {"other": 1}})
    store.patch(session={"tactics": {"next": "later"}})
    store.patch(cwd={"tactics": {"other": 2}})
    async with memory(store, (120, 40)) as driver:
        await driver.until(lambda: driver.app.live.snapshot.cohort.adopted)  # type: ignore[union-attr]
        await step(driver, "[")
        picture = driver.app.picture
        assert picture.as_of is not None
        assert picture.as_of.moment.shorts == "s6"
        assert "c4 came before this or after it" in picture.as_of.unknown["cwd"]
        assert "effective" not in picture.memory
        assert "c4 came before this or after it" in driver.text
        assert " c? s6" in driver.text.split("\n")[0]


async def test_what_is_no_longer_retained_comes_from_the_ledger(store: Store) -> None:
    async with memory(store, ledger=True) as driver:
        for number in range(6, 20):
            await asyncio.to_thread(store.patch, session={"tactics": {"next": f"step {number}"}})
            await driver.until(lambda wanted=number: tactics(driver) == f"step {wanted}")  # type: ignore[misc]
        snapshot = driver.app.live.snapshot
        assert snapshot is not None
        stream = snapshot.scopes["session"].stream
        assert stream is not None
        beyond = len(stream.tail) + 3
        await step(driver, *"[" * beyond)
        assert tactics(driver) == f"step {19 - beyond}"
        assert f"s{19 - beyond}" in driver.text.split("\n")[0]
        log = driver.app.picture.log
        assert isinstance(log[0], Entry)
        assert log[0].short == f"s{19 - beyond}"


async def test_one_retained_change_is_enough_where_the_ledger_has_seen_the_others(store: Store) -> None:
    Path(store.root, "config.json").write_bytes(b'{"historyLimit":1}')
    async with memory(store, ledger=True) as driver:
        for number in range(6, 11):
            await asyncio.to_thread(store.patch, session={"tactics": {"next": f"step {number}"}})
            await driver.until(lambda wanted=number: tactics(driver) == f"step {wanted}")  # type: ignore[misc]
        # At once, before the ledger was ever read.
        await driver.press(*"[[[[")
        await driver.until(lambda: driver.app.looks_back and "4 back" in band(driver))
        await settled(driver)
        assert tactics(driver) == "step 6"
        assert driver.app.picture.as_of is not None
        assert not driver.app.picture.as_of.unknown
        await driver.press(*"[[", *"]]]")
        await settled(driver)
        assert tactics(driver) == "step 7"


# Many keys, and none.


async def test_steps_that_come_quickly_are_taken_as_one(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    go = threading.Event()
    original = picture_at

    def slow(*args: object, **options: object) -> object:
        made.append(1)
        go.wait(10)
        return original(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(sftui.past, "picture_at", slow)
    async with memory(store) as driver:
        await driver.press(*"[[[[[", *"]][")
        await driver.until(lambda: bool(made))
        assert "read only" not in driver.text.split("\n")[0]
        go.set()
        await settled(driver)
        assert "4 back of 5" in band(driver)
        assert tactics(driver) == "step 1"
        assert len(made) <= 2


async def test_what_happened_is_played_to_now_and_stops_at_a_key(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    async with memory(store) as driver:
        monkeypatch.setattr(sftui.past, "PLAY_SECONDS", 0.05)
        past = driver.app.past
        seen: list[str] = []
        shown = past._show

        def show(picture: object) -> None:
            shown(picture)  # type: ignore[arg-type]
            if not seen or seen[-1] != tactics(driver):
                seen.append(tactics(driver))

        monkeypatch.setattr(past, "_show", show)
        await step(driver, *"[" * 4)
        seen.clear()
        past.replay()
        await driver.until(lambda: past.playing)
        await driver.until(lambda: not driver.app.looks_back)
        assert seen == ["step 2", "step 3", "step 4"]
        assert not past.playing
        # A pause: space is for that alone, any other key does what it is for as well.
        for key, cursor in (("space", 0), ("j", 1)):
            await step(driver, *"[" * 4, "g")
            monkeypatch.setattr(sftui.past, "PLAY_SECONDS", 60)
            past.replay()
            await driver.until(lambda: "playing" in band(driver))
            await driver.press(key)
            assert not past.playing
            assert driver.tree.cursor == cursor
            assert not driver.memory.marked
            await driver.until(lambda: "as of" in band(driver))
            await step(driver, "=")


async def test_there_is_nothing_to_play_from_now_on(store: Store) -> None:
    async with memory(store) as driver:
        driver.app.past.replay()
        await driver.pilot.pause()
        assert not driver.app.past.playing
        assert "[ goes back" in driver.told


# Text of a store is data.


def test_no_control_byte_reaches_the_terminal_of_an_earlier_moment(tmp_path: Path) -> None:
    memory = {"tactics": {**{text: text for text in ALL.values()}, "x": 1}, "intents": {ALL["osc52"]: {"goal": "x"}}}
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), {"session": memory})
    for number in range(3):
        store.patch(session={"tactics": {text: f"{number}{text}" for text in ALL.values()}})
    store.patch(session={"tactics": {"x": None, **dict.fromkeys(ALL.values())}, "intents": {ALL["osc52"]: None}})
    arguments = ("--store", store.root, "--cwd", store.cwd, "--session", str(store.session))
    with Terminal(*arguments, columns=50, lines=30) as terminal:
        terminal.wait_for("live")
        for keys in ("2", "[", "z9", "[", "[", "j", "\r", "[", "q", *"13456", "]", "1", "G", "2", "[", "[", "y", "Y"):
            terminal.send(keys)
            terminal.settle()
            if keys == "[":
                terminal.wait_for("read only")
        assert re.search(r"canary", terminal.text)
        terminal.send("=")
        terminal.settle()
        assert "read only" not in terminal.text
        assert terminal.is_running
    check(bytes(terminal.raw))
