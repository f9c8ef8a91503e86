"""Screen 3, driven: what happened, what each change did, what differs, and a writer beside it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.ledger import Ledger
from engine.store.layout import CONFIG
from engine.store.snapshot import snapshot
from sftui.blaming import Blaming
from sftui.screens.difference import DifferenceList, DifferenceScreen
from sftui.screens.editor import PatchScreen
from sftui.screens.history import HistoryScreen
from sftui.views.blaming import Blamed
from sftui.views.history import OLDER, is_heading
from sftui.views.spans import plain
from sftui.widgets.bars import TextPane
from sftui.widgets.scrubber import Scrubber
from tests.app.driving import SIZES, Driver, opened
from tests.app.proving import proves
from tests.app.stores import Store, begin

MEMORY: dict[str, Any] = {
    "global": {"strategy": {"style": "terse"}},
    "cwd": {
        "intents": {"spike": {"goal": "try it", "own": {"$ref": "cwd.lazy.notes"}}},
        "strategy": {"api": "v1"},
        "lazy": {"notes": "what came of the spike"},
    },
    "session": {"tactics": {"next": "run", "text": "a text that tells by itself"}},
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Three changes: of the session, of cwd and session at once, and one that takes something along."""
    made = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    made.patch(session={"tactics": {"next": "ship"}})
    made.patch(cwd={"lazy": {"text": "a text that tells by itself"}}, session={"tactics": {"text": None}})
    made.patch(cwd={"intents": {"spike": None}})
    return made


def screen(driver: Driver) -> HistoryScreen:
    return driver.app.screens.history


@asynccontextmanager
async def looking(store: Store, size: tuple[int, int] = (80, 24), **more: Any) -> AsyncIterator[Driver]:
    """Open the app on screen 3, and wait until it has looked through what happened."""
    async with opened(store, size, **more) as driver:
        await driver.press("3")
        await driver.until(lambda: bool(screen(driver).rows.keys))
        yield driver


def shown(driver: Driver) -> list[str]:
    """The rows in words, without what is laid out for the eye."""
    rows = screen(driver).rows
    found = [rows.line_spans(key, 100) for key in rows.keys]
    return [" ".join(f"{plain(left)} {plain(right)}".split()) for left, right in found]


def under(driver: Driver) -> str:
    """The row under the cursor."""
    return shown(driver)[screen(driver).rows.cursor]


def details(driver: Driver) -> str:
    """The text of the details, whole."""
    pane = screen(driver).query_one("#under", TextPane)
    return "\n".join(plain(line) for line in pane._items)


def page(driver: Driver) -> list[str]:
    """The lines of an open difference."""
    rows = driver.top().query_one(DifferenceList)
    return [plain(rows.line_spans(key, 80)[0]).strip() for key in rows.keys]


async def opened_page(driver: Driver) -> list[str]:
    await driver.until(lambda: isinstance(driver.top(), DifferenceScreen) and bool(page(driver)))
    return page(driver)


def watched(store: Store, times: int) -> None:
    """Change the session and let the ledger see each change."""
    ledger = Ledger.open(store.root)
    ledger.observe(snapshot(store.address))
    for number in range(times):
        store.patch(session={"tactics": {"count": number}})
        ledger.observe(snapshot(store.address))


@proves("app.history")
async def test_what_is_retained_newest_first_with_what_it_did(store: Store) -> None:
    async with looking(store) as driver:
        assert shown(driver) == [
            "○ unknown c2 - intents.spike {2} 49 B, closed × lazy.notes goes with its intent, 24 B unknown",
            '○ unknown c1 s2 → lazy.text from session.tactics.text "a… - tactics.text moves to cwd.… unknown',
            '○ unknown s1 ~ tactics.next "run" → "ship" unknown',
        ]
        await driver.until(lambda: "closed" in details(driver))
        assert "- intents.spike  {2} 49 B, closed" in details(driver)
        assert "× lazy.notes  goes with its intent, 24 B" in details(driver)
        assert (
            "c2  time unknown (before anybody looked) · author unknown · retained, not in this session's lineage"
            in details(driver)
        )
        await driver.press("j")
        await driver.until(lambda: "→ lazy.text  from session.tactics.text" in details(driver))
        assert "s2" in details(driver)


@proves("list.open", "difference.close")
async def test_a_change_opens_whole_and_leads_to_its_places(store: Store) -> None:
    async with opened(store) as driver:
        await driver.press("3", "enter")
        await driver.until(lambda: bool(screen(driver).rows.keys))
        if driver.top() is screen(driver):
            await driver.press("enter")  # the first came before there was a row
        lines = await opened_page(driver)
        assert lines == [
            "cwd  c1 → c2",
            "- intents.spike  {2} 49 B, closed",
            "× lazy.notes  goes with its intent, 24 B",
        ]
        assert "1 removed, 1 gone with an intent" in driver.text
        await driver.press("escape")
        assert driver.top() is screen(driver)
        await driver.press("j", "enter")
        await opened_page(driver)
        await driver.press("j", "enter")
        await driver.until(lambda: driver.top() is driver.memory and driver.at() == ("lazy", "text"))


@proves("history.scope")
async def test_one_scope_after_another(store: Store) -> None:
    async with looking(store) as driver:
        await driver.press("v")
        assert "no change of global is known" in driver.text
        await driver.press("v")
        assert [row.split()[2] for row in shown(driver)] == ["c2", "c1"]
        await driver.press("v")
        assert [" ".join(row.split()[2:4]) for row in shown(driver)] == ["c1 s2", "s1 ~"]
        await driver.press("v")
        assert len(shown(driver)) == 3


@proves("history.filter", "history.clear")
async def test_paths_and_values_are_filtered_also_those_that_are_gone(store: Store) -> None:
    async with looking(store) as driver:
        await driver.press("slash", *"came of")
        await driver.until(lambda: "1 match" in driver.text)
        assert [row.split()[2] for row in shown(driver)] == ["c2"], "what went with the intent held it"
        await driver.press("enter", "slash", *"\b" * 7)
        await driver.press("escape")
        assert len(shown(driver)) == 3
        await driver.press("slash", *"!tactics", "enter")
        await driver.until(lambda: "1 match" in driver.text)
        assert [row.split()[2] for row in shown(driver)] == ["c2"]
        await driver.press("escape")
        assert len(shown(driver)) == 3
        await driver.press("slash", *"nowhere", "enter")
        await driver.until(lambda: "no change holds this text" in driver.text)
        await driver.press("ctrl+g")
        assert len(shown(driver)) == 3


@proves("history.compare")
async def test_any_two_moments_and_two_scopes_at_one(store: Store) -> None:
    async with looking(store) as driver:
        await driver.press("c")
        assert shown(driver)[0].startswith("■○")
        await driver.press("j", "j", "c")
        await driver.until(lambda: "every scope" in driver.text)
        await driver.press("1")
        lines = await opened_page(driver)
        assert lines == [
            "cwd",
            "- intents.spike  {2} 49 B, closed",
            "× lazy.notes  goes with its intent, 24 B",
            '→ lazy.text  from session.tactics.text  "a text that tells by itself"',
            "session",
            "- tactics.text  moves to cwd.lazy.text",
        ]
        assert "g0 c0 s1 → g0 c2 s2" in driver.text
        await driver.press("escape", "c", "c")
        await driver.until(lambda: "global with cwd" in driver.text)
        await driver.press("3")
        assert '~ strategy.api  "v1"' not in await opened_page(driver)
        assert '+ strategy.api  "v1"' in page(driver)
        assert '- strategy.style  "terse"' in page(driver)
        await driver.press("escape", "c", "escape")
        assert not shown(driver)[2].startswith("■")
        await driver.press("c", "k", "c", "2")
        assert "effective" in (await opened_page(driver))[0]


@proves("history.undo")
async def test_a_change_of_the_past_is_undone_in_the_draft(store: Store) -> None:
    async with looking(store) as driver:
        await driver.press("u")
        await driver.until(lambda: not driver.app.drafting.draft.is_empty)
        after = (await driver.app.drafting.dry_run()).staged.after["cwd"]
        assert after["intents"] == MEMORY["cwd"]["intents"]
        assert after["lazy"] == {"notes": "what came of the spike", "text": "a text that tells by itself"}


@proves("history.copy-path", "history.details-down", "history.details-up")
async def test_a_moment_is_named_as_the_command_line_does_and_long_details_scroll(store: Store) -> None:
    store.patch(session={"lazy": {f"k{number:02}": number for number in range(30)}})
    async with looking(store) as driver:
        await driver.until(lambda: "+ lazy.k00" in driver.text.split("lineage")[-1])
        assert "lazy.k29" not in driver.text
        for _ in range(5):
            await driver.press("right_curly_bracket")
        assert "lazy.k29" in driver.text
        for _ in range(5):
            await driver.press("left_curly_bracket")
        assert "lazy.k29" not in driver.text
        await driver.press("j", "j", "y")
        assert "cwd@1 session@2" in driver.told
        assert "sftui diff cwd@0 cwd@1" in driver.told


@proves("history.at", "history.replay")
async def test_the_whole_app_is_as_of_a_row_and_plays_on_from_there(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sftui.past.PLAY_SECONDS", 0.15)
    async with looking(store) as driver:
        await driver.press("j", "j", "a")
        await driver.until(lambda: driver.app.picture is not driver.app.live)
        assert driver.app.picture.states["cwd"] == MEMORY["cwd"]
        assert len(shown(driver)) == 3, "what happened is listed all the same"
        await driver.until(lambda: shown_sign(driver, 2) == "▸")
        await driver.press("u")
        assert driver.app.drafting.draft.is_empty, "nothing is changed there"
        assert driver.top().query_one(Scrubber).display
        await driver.press("right_square_bracket")
        await driver.until(lambda: shown_sign(driver, 1) == "▸")
        assert " s2 " in under(driver), "the cursor goes along"
        await driver.press("j", "equals_sign")
        assert driver.app.picture is driver.app.live
        assert " s1 " in under(driver), "and stays where it was put"
        await driver.press("space")
        assert driver.app.past.playing
        await driver.until(lambda: not driver.app.past.is_on)
        assert driver.app.picture is driver.app.live, "it ends with now"
        await driver.until(lambda: " c2 " in under(driver))


@proves("memory.blame", "history.back")
async def test_a_row_of_memory_leads_to_the_change_that_set_it_last(store: Store) -> None:
    Path(store.root, CONFIG).write_text('{"historyLimit": 2}\n')
    watched(store, 4)
    async with opened(store, (120, 40), ledger=True) as driver:
        driver.memory.go_to("session", ("tactics", "count"))
        await driver.until(lambda: "set by s6, seen " in side(driver))
        assert "not ours" in side(driver) and "in the ledger" not in side(driver)
        driver.memory.go_to("session", ("tactics", "next"))
        await driver.until(lambda: "set by s1, time unknown (before anybody looked)" in side(driver))
        assert "in the ledger" in side(driver)
        await driver.press("b")
        await driver.until(lambda: driver.top() is screen(driver) and " s1 " in under(driver))
        await driver.press("less_than_sign")
        await driver.until(lambda: driver.top() is driver.memory and driver.at() == ("tactics", "next"))
        driver.memory.go_to("global", ("strategy", "style"))
        await driver.until(lambda: "last change unknown" in side(driver))
        await driver.press("b")
        await driver.until(lambda: "No change of this row is known" in driver.told)
        assert driver.top() is driver.memory


def side(driver: Driver) -> str:
    """The details of the row of memory, on one line."""
    return " ".join(plain(line) for line in driver.memory.query_one("#side", TextPane)._items)


def shown_sign(driver: Driver, row: int) -> str:
    """The sign in the gutter of a row."""
    rows = screen(driver).rows
    return rows.line_spans(rows.keys[row], 80)[0][0][0]


@pytest.mark.parametrize("size", SIZES)
async def test_it_is_usable_at_every_size(store: Store, size: tuple[int, int]) -> None:
    async with looking(store, size) as driver:
        await driver.until(lambda: "goes with its intent" in driver.text)
        assert all(word in driver.text for word in ("history", "unknown", "intents.spike", "c1 → c2", "? help"))
        assert ("sizes over 3 moments" in driver.text) == (size[0] >= 100)


async def test_the_newest_is_followed_from_the_top_and_no_other_row_jumps(store: Store) -> None:
    async with looking(store) as driver:
        await driver.next_picture(lambda: store.patch(session={"tactics": {"next": "rest"}}))
        await driver.until(lambda: len(shown(driver)) == 5)
        assert shown(driver)[1].startswith("── the session's own history begins here")
        assert under(driver).split()[2] == "s3", "on top it goes along"
        assert under(driver).split()[1] != "unknown"
        await driver.press("j", "j")
        row = screen(driver).rows.cursor_key
        await driver.next_picture(lambda: store.patch(session={"tactics": {"next": "wake"}}))
        await driver.until(lambda: len(shown(driver)) == 6)
        assert screen(driver).rows.cursor_key == row


async def test_beyond_retention_the_ledger_tells_page_by_page(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sftui.ledger_pages.PAGE", 20)
    Path(store.root, CONFIG).write_text('{"historyLimit": 5}\n')
    watched(store, 40)
    async with looking(store, ledger=True) as driver:
        await driver.until(lambda: screen(driver).rows.keys[-1] == OLDER)
        rows = screen(driver).rows
        assert shown(driver)[0].startswith("●") and shown(driver)[0].endswith("+ tactics.count 39 unknown") is False
        first = len(rows.keys)
        await driver.press("k", "G", "enter")
        await driver.until(lambda: len(screen(driver).rows.keys) > first)
        assert rows.cursor_key is not None and not is_heading(rows.cursor_key)
        for _ in range(3):
            await driver.press("G", "enter")
            await driver.pilot.pause(0.1)
        await driver.until(lambda: screen(driver).rows.keys[-1] != OLDER)
        text = shown(driver)
        assert sum("tactics.count" in row for row in text) == 40
        assert any("session seen for the first time, at s2" in row for row in text)
        assert [row.split()[2] for row in text if "tactics.count" in row] == [f"s{n}" for n in range(42, 2, -1)]
        assert any(row.startswith("·") and "tactics.count" in row for row in text), "marked: only the ledger has it"
        await driver.press("g")
        index = next(number for number, row in enumerate(shown(driver)) if " s4 " in row)
        rows.move_to(index)
        await driver.until(lambda: "count  0 → 1" in details(driver))
        assert "only in the ledger" in details(driver)


async def test_moments_that_only_the_ledger_holds_are_compared_as_well(store: Store) -> None:
    Path(store.root, CONFIG).write_text('{"historyLimit": 2}\n')
    watched(store, 8)
    async with looking(store, ledger=True) as driver:
        await driver.until(lambda: any(" s3 " in row for row in shown(driver)))
        rows = screen(driver).rows
        for number in (4, 7):
            rows.move_to(next(at for at, row in enumerate(shown(driver)) if f" s{number} " in row))
            await driver.press("c")
        await driver.until(lambda: "every scope" in driver.text)
        await driver.press("1")
        assert await opened_page(driver) == ["session", "~ tactics.count  1 → 4"]


async def test_gaps_and_faults_stand_where_they_happened(store: Store) -> None:
    Path(store.root, CONFIG).write_text('{"historyLimit": 2}\n')
    ledger = Ledger.open(store.root)
    ledger.observe(snapshot(store.address))
    for number in range(6):
        store.patch(session={"tactics": {"count": number}})
    ledger.observe(snapshot(store.address))
    patches = Path(store.address.scope_dir("cwd"), "patches.jsonl")
    whole = patches.read_bytes()
    patches.write_bytes(b"{broken\n")
    ledger.observe(snapshot(store.address))
    patches.write_bytes(whole)
    ledger.observe(snapshot(store.address))
    async with looking(store, ledger=True) as driver:
        await driver.until(lambda: any("never seen" in row for row in shown(driver)))
        rows = shown(driver)
        at = next(number for number, row in enumerate(rows) if "never seen" in row)
        assert "revisions s3 to s6 were never seen" in rows[at]
        assert " s7 " in rows[at - 1] and not any(" s2 " in row for row in rows[:at])
        assert "fault of cwd gone: not-json" in rows[0]
        assert "fault of cwd: not-json: " in rows[1]
        screen(driver).rows.move_to(at)
        await driver.until(lambda: "were never seen" in details(driver))
        await driver.press("enter", "u", "c", "y", "a", "space")
        assert driver.top() is screen(driver) and driver.app.drafting.draft.is_empty


async def test_hostile_names_are_shown_and_not_obeyed(store: Store) -> None:
    name = "[@click=app.quit]\x1b[2J"
    store.patch(cwd={"lazy": {name: "\u202e[/foo]\x1b]0;x\x07"}, "intents": {name: {"goal": "\ud800"}}})
    async with looking(store, (120, 40)) as driver:
        assert any('intents["[@click=app.quit]' in row for row in shown(driver))
        await driver.until(lambda: '"⟨202e⟩[/foo]␛]0;x␇"' in details(driver))
        assert "\x1b" not in driver.text and "\u202e" not in driver.text
        await driver.press("slash", *"[/foo]", "enter")
        await driver.until(lambda: "1 match" in driver.text)
        await driver.press("enter")
        assert any("␛]0;x␇" in line for line in await opened_page(driver))
        assert "\x1b" not in driver.text and "\u202e" not in driver.text


async def test_a_fenced_scope_is_named_and_the_others_are_told(store: Store) -> None:
    Path(store.address.scope_dir("cwd"), "patches.jsonl").write_bytes(b"{broken\n")
    async with looking(store) as driver:
        assert [row.split()[2] for row in shown(driver)] == ["s2", "s1"]
        await driver.press("enter")
        await opened_page(driver)


async def test_an_empty_store_says_so(tmp_path: Path) -> None:
    empty = begin(str(tmp_path / "store"), str(tmp_path / "app"), {"cwd": {}})
    async with opened(empty) as driver:
        await driver.press("3")
        await driver.until(lambda: "no change is retained" in driver.text)
        await driver.press("enter", "u", "c", "y", "v", "slash", *"x", "enter", "escape")
        assert driver.app.drafting.draft.is_empty


async def test_what_is_opened_while_the_change_is_looked_up_stays(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer of the ledger comes late: a window with text in it is not closed for it."""
    let = asyncio.Event()
    ask = Blaming.ask

    async def slowly(blaming: Blaming, *rest: Any) -> Blamed | None:
        await let.wait()
        return await ask(blaming, *rest)

    async with opened(store) as driver:
        await driver.press("2")
        driver.tree.reveal(("tactics", "next"))
        monkeypatch.setattr(Blaming, "ask", slowly)
        await driver.press("b", "P")
        await driver.until(lambda: isinstance(driver.top(), PatchScreen))
        let.set()
        for _ in range(5):
            await driver.pilot.pause()
        assert isinstance(driver.top(), PatchScreen)
