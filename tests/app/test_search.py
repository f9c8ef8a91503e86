"""A search finds what stands in memory, in what scopes retain and in the logs, each once; it can be stopped at any time."""

from __future__ import annotations

import json
import os
import re
import threading
from pathlib import Path
from typing import Any

import pytest

from engine.ledger import Ledger
from engine.ledger.log import Log
from engine.store.layout import store_home
from engine.store.snapshot import snapshot
from engine.values import members as values_members
from engine.values.members import members
from engine.values.needle import needle
from sftui import searching
from sftui.screens.search import HitList, SearchScreen
from sftui.searching import Ground, Known, ground_in, look
from sftui.threaded import in_thread
from sftui.views.search import Hit, Progress, excerpt, hit_details, hit_line, nothing_lines
from sftui.views.spans import plain
from tests.app.driving import Driver, opened
from tests.app.proving import proves
from tests.app.stores import Store, begin
from tests.app.terminal import Terminal
from tests.app.test_hostile import check, hostile

# Found in two places of memory, as a key and as a value, under capitals and small letters.
STATES: dict[str, Any] = {
    "global": {"strategy": {"style": "Needle work", "numbers": [1, 1234.5, True, "no"]}},
    "cwd": {
        "lazy": {"needles": {"a": 1}, "deep": [{"x": ["", 'the needle é "quoted"\n']}], "big": "x" * 5_000 + "needle"}
    },
    "session": {"tactics": {"next": "nothing of it"}},
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), STATES)


def seen(store: Store, *patches: Any) -> Ledger:
    """Have the ledger see each of some patches to the cwd scope."""
    ledger = Ledger.open(store.root)
    ledger.observe(snapshot(store.address))
    for patch in patches:
        store.patch(cwd=patch)
        ledger.observe(snapshot(store.address))
    return ledger


def ground(store: Store, *, ledger: bool = True) -> Ground:
    return ground_in(snapshot(store.address), ("global", "cwd", "session"), ledger=ledger)


def hits(store: Store, text: str, *within: str, case: bool = False, ledger: bool = True) -> list[Hit]:
    steps = look(ground(store, ledger=ledger), needle(text, case=case), within or searching.PLACES)
    return [step for step in steps if isinstance(step, Hit)]


def where(found: list[Hit]) -> list[tuple[str, str, str, int | None, str]]:
    return [
        (hit.source, hit.scope, "/".join(map(str, hit.path)), hit.stood.revision if hit.stood else None, hit.sign)
        for hit in found
    ]


# What is found.


def test_keys_and_values_of_all_scopes_are_found_in_reading_order(store: Store) -> None:
    assert where(hits(store, "needle")) == [
        ("memory", "global", "strategy/style", None, ""),
        ("memory", "cwd", "lazy/big", None, ""),
        ("memory", "cwd", "lazy/deep/0/x/1", None, ""),
        ("memory", "cwd", "lazy/needles", None, ""),
    ]
    assert [hit.in_key for hit in hits(store, "needle")] == [False, False, False, True]
    assert where(hits(store, "Needle")) == [("memory", "global", "strategy/style", None, "")]
    assert where(hits(store, 'é "quoted"\n')) == [("memory", "cwd", "lazy/deep/0/x/1", None, "")]


@pytest.mark.parametrize(("text", "path"), [("1234.5", "numbers/1"), ("34", "numbers/1"), ("true", "numbers/2")])
def test_numbers_and_truth_are_found_as_json_spells_them(store: Store, text: str, path: str) -> None:
    assert where(hits(store, text)) == [("memory", "global", f"strategy/{path}", None, "")]


def test_short_arrays_that_are_looked_through_at_once_give_the_same(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    value: Any = {"a": [f"line {number}" for number in range(200)], "b": [["needle"], ["x", 1, "needle"]], "c": []}
    together = list(members(value, needle("needle"))) + list(members(value, needle("line 17")))
    monkeypatch.setattr(values_members, "_TOGETHER", -1)
    assert together == list(members(value, needle("needle"))) + list(members(value, needle("line 17")))
    assert [member[0] for member in together if member] == [
        ("b", 0, 0), ("b", 1, 2), ("a", 17), *(("a", number) for number in range(170, 180)),
    ]  # fmt: skip


def test_a_transition_is_found_by_what_it_set_and_by_what_it_took_away(store: Store) -> None:
    seen(store, {"tactics": {"step": "one needle"}}, {"tactics": {"step": "two"}}, {"lazy": {"needles": None}})
    assert where(hits(store, "one needle")) == [
        ("retained", "cwd", "tactics/step", 2, "-"),
        ("retained", "cwd", "tactics/step", 1, "+"),
    ]
    assert where(hits(store, "needles", "history")) == [("retained", "cwd", "lazy/needles", 3, "-")]
    changed = hits(store, "needle", "history")[0]
    assert (changed.in_key, changed.sign) == (True, "-")


def test_beyond_what_is_retained_the_ledger_is_searched_with_the_logs_that_were_put_aside(store: Store) -> None:
    seen(store, *({"tactics": {"step": f"needle {number}"}} for number in range(4)))
    Log(os.path.join(store_home(store.root), "ledger")).rotate()
    seen(store, *({"tactics": {"step": f"needle {number}"}} for number in range(4, 12)))
    found = [hit for hit in hits(store, "needle ", "history") if hit.sign == "+"]
    assert [(hit.source, hit.stood.revision) for hit in found if hit.stood] == [
        *(("retained", revision) for revision in range(12, 5, -1)),
        *(("ledger", revision) for revision in range(5, 0, -1)),
    ]
    for hit in found:
        assert f"needle {hit.stood.revision - 1}" == f"{hit.excerpt.match}{hit.excerpt.after}" if hit.stood else False


def test_what_is_retained_is_told_when_it_was_seen(store: Store) -> None:
    seen(store, {"tactics": {"step": "a needle"}})
    log = os.path.join(store_home(store.root), "ledger", "events.jsonl")
    moments = [json.loads(line)["seen"] for line in Path(log).read_bytes().splitlines() if b"a needle" in line]
    told = [step.hit for step in look(ground(store), needle("a needle")) if isinstance(step, Known)]
    assert [hit.stood.seen for hit in told if hit.stood] == moments
    first = [hit for hit in hits(store, "a needle") if hit.source == "retained"]
    assert [hit.key for hit in told] == [hit.key for hit in first]
    assert all(hit.stood is not None and hit.stood.seen is None for hit in first)


def test_what_others_scopes_hold_is_counted(tmp_path: Path) -> None:
    one = begin(str(tmp_path / "store"), str(tmp_path / "one"), {})
    two = begin(str(tmp_path / "store"), str(tmp_path / "two"), {})
    seen(one)
    seen(two, {"tactics": {"step": "a needle"}})
    steps = list(look(ground(one), needle("needle")))
    assert [step for step in steps if isinstance(step, Hit)] == []
    assert steps[-1] == Progress(1.0, elsewhere=1)


def test_escapes_that_another_writer_made_are_read(store: Store) -> None:
    """A ledger line and a patch in ASCII only, with every letter of the text an escape."""
    seen(store, *({"tactics": {"step": f"n\u00e9edle \U0001f600 {number}"}} for number in range(9)))
    log = Path(store_home(store.root), "ledger", "events.jsonl")
    lines = [json.dumps(json.loads(line)) for line in log.read_bytes().splitlines()]
    log.write_text("".join(re.sub("edle", r"\\u0065\\u0064\\u006C\\u0065", line) + "\n" for line in lines))
    for text in ("n\u00e9edle \U0001f600", "n\u00c9edle"):
        found = [hit for hit in hits(store, text.lower(), "history") if hit.source == "ledger" and hit.sign == "+"]
        assert [hit.stood.revision for hit in found if hit.stood] == [2, 1]


def test_too_much_is_cut_and_that_is_said(store: Store) -> None:
    store.patch(cwd={"lazy": {"many": ["needle"] * 300}})
    steps = list(look(ground(store), needle("needle"), most=100))
    assert sum(isinstance(step, Hit) for step in steps) == 100
    assert steps[-1] == Progress(cut=True)


def test_what_only_a_complete_state_holds_is_told_as_what_stood_then(store: Store) -> None:
    """It was set before anybody looked, and folded away unseen once it was gone."""
    seen(store)
    for step in range(10):
        store.patch(cwd={"lazy": {"needles": None, "deep": None, "n": step}})
    assert where(hits(store, "needle é", "history")) == [("ledger", "cwd", "lazy/deep/0/x/1", 0, "=")]
    kept = hits(store, "needles")
    assert where(kept) == [("ledger", "cwd", "lazy/needles", 0, "=")]
    assert "c0 had it: nobody saw what set it; seen" in "\n".join(plain(line) for line in hit_details(kept[0], 0.0))


def test_without_the_ledger_nothing_of_ours_is_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    seen(store, {"tactics": {"step": "a needle"}})
    monkeypatch.setattr(searching, "sift", lambda *_: pytest.fail("it was read"))
    assert [hit.source for hit in hits(store, "a needle", ledger=False)] == ["memory", "retained"]


def test_a_ledger_that_cannot_be_read_is_said(store: Store) -> None:
    os.makedirs(os.path.join(store_home(store.root), "ledger"))
    os.mkfifo(os.path.join(store_home(store.root), "ledger", "events.jsonl"))
    last = list(look(ground(store), needle("needle")))[-1]
    assert isinstance(last, Progress)
    assert "cannot be read" in last.trouble


# How it is told.


def test_an_excerpt_is_about_the_match_cleaned_and_short() -> None:
    found = excerpt("x" * 10_000 + "\x1b[2J NEEDLE \u202e[bold]" + "y" * 10_000, needle("needle"))
    assert found is not None
    text = plain(found.spans())
    assert "«NEEDLE»" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert len(text) < 400
    assert text.startswith("…")
    assert text.endswith("…")
    assert len(plain(found.closer().spans())) < len(text)
    assert excerpt("nothing", needle("needle")) is None


def test_a_hit_says_where_and_from_where(store: Store) -> None:
    seen(store, {"tactics": {"step": "a needle"}})
    lines = ["".join(map(plain, hit_line(hit, 0.0))) for hit in hits(store, "needle")]
    lines = [line for line in lines if "deep" not in line]
    assert lines[0].split() == ["global.strategy.style", "«Needle»", "work", "now"]
    assert lines[3].split() == ["cwd.lazy", "▸", "«needle»s:", "{1}", "now"]
    assert "c1 + tactics.step  a «needle» retained" in lines[-1]
    details = "\n".join(plain(line) for line in hit_details(hits(store, "a needle")[-1], 0.0))
    assert "cwd.tactics.step" in details
    assert "c1 set it; time unknown, author unknown; retained" in details
    assert [plain(line) for state in ("looking", "done", "stopped") for line in nothing_lines(state, "x")] == [
        " nothing so far",
        " nothing holds it: not memory, not what scopes retain, not the ledger",
        " stopped before anything was found",
    ]


# In a thread.


async def test_a_thread_ends_with_the_step_after_it_is_cancelled() -> None:
    cancel, ended, count = threading.Event(), threading.Event(), 0

    def steps() -> Any:
        nonlocal count
        try:
            while True:
                count += 1
                yield count
                if cancel.is_set():
                    at_cancel.append(count)
        finally:
            ended.set()

    at_cancel: list[int] = []
    given: list[int] = []
    async for batch in in_thread(steps, cancel):
        given += batch
        if given:
            cancel.set()
    assert given == list(range(1, len(given) + 1))
    assert ended.wait(10)
    assert len(at_cancel) <= 1


async def test_what_a_thread_raises_is_raised_once_all_is_given() -> None:
    def steps() -> Any:
        yield 1
        yield None
        raise ValueError("lost")

    given: list[int] = []
    with pytest.raises(ValueError, match="lost"):
        async for batch in in_thread(steps, threading.Event()):
            given += batch
    assert given == [1]


# On the screen.


async def found(driver: Driver, text: str) -> HitList:
    """Type into the search that is open, and wait until it has been looked for."""
    await driver.press(*text)
    await driver.until(lambda: driver.app.search.text == text and driver.app.search.state == "done")
    return driver.top().query_one(HitList)


@proves("app.search", "search.open", "search.close")
@pytest.mark.parametrize("size", [(50, 30), (120, 40)])
async def test_a_hit_is_opened_in_memory_and_is_there_again(tmp_path: Path, size: tuple[int, int]) -> None:
    store = begin(str(tmp_path / "store"), str(tmp_path / "app"), STATES)
    async with opened(store, size) as driver:
        await driver.press("ctrl+f")
        assert isinstance(driver.top(), SearchScreen)
        lines = await found(driver, "needle")
        assert [hit.path for hit in driver.app.search.hits.values()] == [key[-1] for key in lines.keys]
        assert "4 found" in driver.text
        assert "«Needle»" in driver.text
        await driver.press("down", "down", "enter")
        await driver.until(lambda: driver.top() is driver.memory and driver.at() == ("lazy", "deep", 0, "x", 1))
        assert driver.view() == "cwd"
        await driver.press("f3")
        lines = driver.top().query_one(HitList)
        assert lines.cursor == 2
        await driver.press("escape")
        assert driver.top() is driver.memory


@proves("search.again")
async def test_memory_that_has_moved_is_said_and_looked_through_again(store: Store) -> None:
    async with opened(store, (120, 40)) as driver:
        await driver.press("ctrl+f")
        lines = await found(driver, "needle")
        await driver.press("down", "down")
        held = lines.cursor_key
        await driver.next_picture(lambda: store.patch(global_={"strategy": {"another": "needle"}}))
        await driver.until(lambda: "memory moved: f3" in driver.text)
        assert lines.cursor_key == held
        await driver.press("f3")
        await driver.until(lambda: driver.app.search.state == "done" and len(lines.keys) == 6)
        await driver.until(lambda: lines.cursor_key == held)
        assert "memory moved" not in driver.text


async def test_esc_stops_at_once_and_the_first_hits_stay(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread is in the middle of it, with more to give for ever."""
    asked = threading.Event()

    def endless(ground: Ground, sought: Any) -> Any:
        yield from (step for step in look(ground, sought) if isinstance(step, Hit))
        while True:
            asked.set()
            yield Progress(0.5)

    monkeypatch.setattr("sftui.search.look", endless)
    async with opened(store, (80, 24)) as driver:
        await driver.press("ctrl+f", *"needle")
        await driver.until(lambda: asked.is_set() and "ledger 50 %" in driver.text)
        before = {thread for thread in threading.enumerate() if thread.is_alive()}
        await driver.press("escape")
        assert "stopped" in driver.text
        assert isinstance(driver.top(), SearchScreen)
        assert len(driver.top().query_one(HitList).keys) == 4
        assert before
        await driver.press("escape")
        assert not isinstance(driver.top(), SearchScreen)


async def test_hits_keep_their_order_and_the_cursor_its_hit_while_more_come(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen(store, *({"tactics": {"step": f"needle {number}"}} for number in range(10)))
    go_on = threading.Event()

    def slow(ground: Ground, sought: Any) -> Any:
        for step in look(ground, sought):
            if isinstance(step, Hit) and step.source == "ledger":
                go_on.wait(10)
            yield step

    monkeypatch.setattr("sftui.search.look", slow)
    async with opened(store, (120, 40), ledger=True) as driver:
        await driver.press("ctrl+f", *"needle")
        lines = driver.top().query_one(HitList)
        await driver.until(lambda: len(lines.keys) > 10)
        await driver.press("down", "down", "down")
        early, held = list(lines.keys), lines.cursor_key
        go_on.set()
        await driver.until(lambda: driver.app.search.state == "done")
        assert lines.keys[: len(early)] == early
        assert len(lines.keys) > len(early)
        assert lines.cursor_key == held


async def test_a_search_that_fails_says_so_and_the_window_stays(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Any:
        yield None
        raise RuntimeError("a defect")

    monkeypatch.setattr("sftui.search.look", broken)
    async with opened(store, (80, 24)) as driver:
        await driver.press("ctrl+f", *"needle")
        await driver.until(lambda: "failed" in driver.text)


async def test_a_hit_in_the_past_is_opened_in_history(store: Store) -> None:
    seen(store, *({"tactics": {"step": f"needle {number}"}} for number in range(10)))
    async with opened(store, (120, 40), ledger=True) as driver:
        await driver.press("ctrl+f")
        lines = await found(driver, "needle 1")
        kept = [hit for hit in driver.app.search.hits.values() if hit.source == "ledger"]
        assert [(hit.stood.revision, hit.sign) for hit in kept if hit.stood] == [(3, "-"), (2, "+")]
        lines.move_to_key(kept[1].key)
        await driver.press("enter")
        history = driver.app.screens.history
        await driver.until(lambda: driver.top() is history and history.moment() is not None)
        await driver.until(lambda: [part.revision for part in getattr(history.moment(), "parts", ())] == [2])


def test_no_control_byte_of_a_store_reaches_the_terminal(tmp_path: Path) -> None:
    store = hostile(tmp_path)
    with Terminal("--store", store.root, "--cwd", store.cwd, columns=90, lines=30) as terminal:
        terminal.wait_for("live")
        terminal.send("\x06canary")
        terminal.wait_for("found")
        for keys in (*["\x1b[B"] * 12, "\x1b[6~", "\x1b", "t"):
            terminal.send(keys)
            terminal.settle()
        terminal.wait_for("traces")
        for keys in ("v", "G", "q"):
            terminal.send(keys)
            terminal.settle()
        assert terminal.is_running
    check(bytes(terminal.raw))
