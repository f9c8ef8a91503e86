"""What a change on disk does to the screen: rows keep their place, by key."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from engine.store.layout import LOCK_NAME
from tests.app.driving import SIZES, Driver, opened
from tests.app.stores import MEMORY, Store, begin, write


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    made.patch(session={"tactics": {"next": "run the e2e suite"}})
    return made


async def test_the_cursor_stays_on_its_key_when_rows_come_above_it(store: Store) -> None:
    store.patch(session={"tactics": {f"z{number:02}": number for number in range(40)}})
    async with opened(store) as driver:
        tree = driver.tree
        tree.move_to_key(("tactics", "next"))
        await driver.pilot.pause()
        height = tree.cursor - tree.scroll_offset.y
        rows = {f"a{number:02}": number for number in range(30)}
        await driver.next_picture(lambda: store.patch(cwd={"strategy": rows}))
        assert tree.cursor_key == ("tactics", "next")
        assert tree.cursor > 30
        assert tree.cursor - tree.scroll_offset.y == height


async def test_a_view_that_was_scrolled_away_from_the_cursor_stays_where_it_is(store: Store) -> None:
    store.patch(cwd={"tactics": {f"t{number:02}": number for number in range(60)}})
    async with opened(store) as driver:
        tree = driver.tree
        tree.move_to_key(("strategy", "api"))
        tree.scroll_to(y=40, animate=False)
        await driver.pilot.pause()
        top = tree.keys[tree.scroll_offset.y]
        await driver.next_picture(lambda: store.patch(cwd={"strategy": {f"a{number}": 1 for number in range(9)}}))
        assert tree.keys[tree.scroll_offset.y] == top


async def test_expansion_survives_a_change_beside_it(store: Store) -> None:
    async with opened(store) as driver:
        tree = driver.tree
        tree.unfold(("lazy",))
        tree.unfold(("lazy", "survey"))
        tree.enfold(("strategy",))
        await driver.next_picture(lambda: store.patch(cwd={"lazy": {"another": {"x": 1}}}))
        assert ("lazy", "survey", "text") in tree.keys
        assert ("lazy", "another") in tree.keys
        assert ("strategy", "api") not in tree.keys


async def test_the_cursor_of_a_key_that_goes_moves_to_what_held_it(store: Store) -> None:
    async with opened(store) as driver:
        tree = driver.tree
        tree.reveal(("tactics", "checks", 3))
        await driver.next_picture(lambda: store.patch(session={"tactics": {"checks": ["one"]}}))
        assert tree.cursor_key == ("tactics", "checks")


async def test_the_stream_follows_holds_and_counts(store: Store) -> None:
    async with opened(store, (50, 30)) as driver:
        assert driver.app.screen is driver.watch
        stream = driver.stream
        await driver.next_picture(lambda: store.patch(session={"tactics": {"one": 1}}))
        await driver.until(lambda: "+ tactics.one" in driver.text)
        assert "following" in driver.text
        assert stream.cursor == 0
        await driver.press("j", "j")
        assert not stream.following, "leaving the newest change holds"
        held = list(stream.keys)
        await driver.next_picture(lambda: store.patch(session={"tactics": {"two": 2}}))
        await driver.until(lambda: "1 waiting" in driver.text)
        assert stream.keys == held
        await driver.press("f")
        await driver.until(lambda: "+ tactics.two" in driver.text)
        assert stream.cursor == 0
        assert stream.pending == 0


async def test_the_stream_follows_again_from_the_newest_row(store: Store) -> None:
    async with opened(store, (50, 30)) as driver:
        await driver.next_picture(lambda: store.patch(session={"tactics": {"one": 1}}))
        await driver.press("j", "j")
        assert not driver.follows()
        await driver.press("k", "k")
        assert driver.follows(), "back where it would be put anyway, and nothing waits"
        await driver.press("j", "j")
        await driver.next_picture(lambda: store.patch(session={"tactics": {"two": 2}}))
        await driver.until(lambda: "1 waiting" in driver.text)
        await driver.press("k", "k")
        assert not driver.follows(), "what waits does not push a row away that somebody reads"
        await driver.press("2", "1")
        assert driver.follows(), "one who comes back to the newest row is told what is new"
        await driver.press("j", "j")
        await driver.next_picture(lambda: store.patch(session={"tactics": {"three": 3}}))
        await driver.press("g")
        assert driver.follows()
        assert "tactics.three" in driver.text


async def test_what_a_person_holds_stays_held(store: Store) -> None:
    async with opened(store, (50, 30)) as driver:
        await driver.press("f", "2", "1")
        assert not driver.follows()
        await driver.press("j", "j", "k", "k")
        assert not driver.follows()
        assert "held since" in driver.text


async def test_what_was_there_before_has_no_time(store: Store) -> None:
    async with opened(store, (50, 30)) as driver:
        assert "unknown" in driver.text
        assert "before anybody looked" in driver.text
        entry = driver.app.picture.log[0]
        assert entry.seen is None
        await driver.next_picture(lambda: store.patch(session={"tactics": {"one": 1}}))
        assert driver.app.picture.log[0].seen is not None


async def test_an_earlier_run_knows_when_it_saw_a_change(store: Store) -> None:
    async with opened(store, ledger=True) as driver:
        await driver.next_picture(lambda: store.patch(session={"tactics": {"one": 1}}))
        seen = driver.app.picture.log[0].seen
    async with opened(store, ledger=True) as driver:
        assert driver.app.picture.log[0].seen == seen
        assert driver.app.picture.log[1].seen is None


async def test_the_divider_marks_what_was_looked_at(store: Store) -> None:
    async with opened(store, (50, 30)) as driver:
        assert "you looked here" not in driver.text
        await driver.next_picture(lambda: store.patch(session={"tactics": {"one": 1}}))
        await driver.until(lambda: "you looked here" in driver.text)
        assert "1 new since" in driver.text
        await driver.press("2", "1")
        await driver.next_picture(lambda: store.patch(session={"tactics": {"two": 1}}))
        await driver.until(lambda: "1 new since" in driver.text)


async def test_a_cascade_is_told_apart(store: Store) -> None:
    async with opened(store, (80, 24)) as driver:
        await driver.next_picture(lambda: store.patch(cwd={"intents": {"migrate": None}}))
        signs = {line.where: line.sign for line in driver.app.picture.log[0].lines}
        assert signs == {"intents.migrate": "-", "tactics.store": "×"}


async def test_the_newest_session_is_followed_until_one_is_pinned(store: Store) -> None:
    other = "2026-11-02T10-00-00-000Z_22222222-2222-4222-8222-222222222222"
    async with opened(store) as driver:
        second = begin(store.root, store.cwd, {"session": {"tactics": {"other": 1}}}, session=other, specification=None)
        await driver.until(lambda: _session(driver) == other)
        await driver.press("s")
        from sftui.widgets.scope_tree import ScopeTree

        tree = driver.app.screen.query_one(ScopeTree)
        await driver.until(lambda: any(path[-1] == store.session for path in tree.keys))
        tree.move_to(next(index for index, path in enumerate(tree.keys) if path[-1] == store.session))
        await driver.press("enter")
        await driver.until(lambda: _session(driver) == store.session)
        second.patch(session={"tactics": {"other": 2}})
        await driver.pilot.pause(0.5)
        assert _session(driver) == store.session


def _session(driver: Driver) -> str | None:
    snapshot = driver.app.picture.snapshot
    return None if snapshot is None else snapshot.address.session


# States.


@pytest.mark.parametrize("size", SIZES)
async def test_a_fenced_scope_is_explained_and_the_others_stay_usable(store: Store, size: tuple[int, int]) -> None:
    with open(os.path.join(store.address.scope_dir("cwd"), "patches.jsonl"), "ab") as file:
        file.write(b"{broken\n")
    async with opened(store, size) as driver:
        await driver.press("2")
        assert "patches.jsonl line 1" in driver.text.replace("\n", " ")
        assert "✖1" in driver.text
        assert "c✖" in driver.text
        assert "cannot be composed" in driver.text
        await driver.press("v")
        assert ("strategy", "style") in driver.tree.keys
        await driver.press("v")
        assert "the cwd scope is fenced" in driver.text
        await driver.press("v")
        assert ("tactics", "next") in driver.tree.keys


@pytest.mark.parametrize("size", SIZES)
async def test_nothing_that_cannot_be_read_is_called_empty(store: Store, size: tuple[int, int]) -> None:
    write(store.address.scope_dir("global"), "checkpoint.json", bytes(40))
    write(store.address.scope_dir("cwd"), "patches.jsonl", b"{")
    write(store.address.scope_dir("session"), "meta.json", b"[]")
    async with opened(store, size) as driver:
        await driver.press("1")
        assert "intents unreadable: global, cwd, session" in driver.text
        assert "changes unreadable: global, cwd, session" in driver.text
        await driver.press("2")
        for _ in range(4):
            assert "nothing is remembered" not in driver.text
            assert "cannot be composed" in driver.text or "is fenced" in driver.text
            await driver.press("v")


async def test_a_fence_that_is_mended_goes_away_by_itself(store: Store) -> None:
    path = os.path.join(store.address.scope_dir("cwd"), "meta.json")
    with open(path, "rb") as file:
        good = file.read()
    write(os.path.dirname(path), "meta.json", b"\xef\xbb\xbf{}")
    async with opened(store) as driver:
        assert "byte order mark" in driver.text.lower()
        write(os.path.dirname(path), "meta.json", good)
        await driver.until(lambda: "health" not in driver.text and ("tactics", "store") in driver.tree.keys)


async def test_a_lock_left_behind_is_named_and_reading_goes_on(store: Store) -> None:
    write(store.root, LOCK_NAME, b"4194303\n")
    async with opened(store) as driver:
        assert "4194303" in driver.text
        assert ("tactics", "next") in driver.tree.keys


async def test_a_lock_that_is_held_says_by_whom(store: Store) -> None:
    write(store.root, LOCK_NAME, f"{os.getppid()}\n".encode())
    async with opened(store) as driver:
        await driver.until(lambda: f"◐ locked by pid {os.getppid()}" in driver.text)
        assert driver.text.count(str(os.getppid())) == 1, "it is said once"
        os.unlink(os.path.join(store.root, LOCK_NAME))
        await driver.until(lambda: "locked by" not in driver.text and "live" in driver.text)


async def test_a_store_that_goes_and_comes_back(store: Store) -> None:
    async with opened(store) as driver:
        kept = store.root + ".kept"
        os.rename(store.root, kept)
        await driver.until(lambda: "absent" in driver.text and "no store here" in driver.text)
        shutil.copytree(kept, store.root)
        await driver.until(lambda: "live" in driver.text and ("tactics", "next") in driver.tree.keys)


async def test_an_empty_store(tmp_path: Path) -> None:
    store = begin(str(tmp_path / "store"), "/work/app", specification=None)
    async with opened(store) as driver:
        assert "nothing is remembered here yet" in driver.text
        await driver.press("1")
        assert "no change is retained" in driver.text
        assert "no intents" in driver.text


async def test_no_store_at_all(tmp_path: Path) -> None:
    async with opened(Store(str(tmp_path / "nowhere"), "/work/app", None)) as driver:
        assert "no store here" in driver.text
        assert not os.path.exists(tmp_path / "nowhere")


async def test_a_small_terminal_and_back(store: Store) -> None:
    async with opened(store) as driver:
        driver.tree.move_to_key(("tactics", "next"))
        for size in ((20, 5), (50, 30), (120, 40), (1, 1), (80, 24)):
            await driver.pilot.resize_terminal(*size)
            await driver.pilot.pause()
            assert driver.app.screen.size == size
        assert driver.tree.cursor_key == ("tactics", "next")
        assert "tactics" in driver.text
        await driver.press("1")
        await driver.pilot.resize_terminal(20, 5)
        await driver.pilot.resize_terminal(80, 24)
        await driver.until(lambda: "tactics.next" in driver.text)


async def test_reading_leaves_no_trace(store: Store) -> None:
    before = _everything(store.root)
    async with opened(store, ledger=True) as driver:
        await driver.press("1", "2", "v", "v", "v", "s")
        await driver.pilot.pause(0.5)
    assert _everything(store.root) == before


def _everything(root: str) -> dict[str, tuple[int, int, int]]:
    found = {}
    for directory, _, names in os.walk(root):
        for name in (*names, "."):
            path = os.path.join(directory, name)
            stat = os.stat(path)
            found[path] = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
    return found


async def test_a_session_that_is_not_there_is_told(store: Store) -> None:
    async with opened(store, session="2026-typo") as driver:
        await driver.until(
            lambda: "There is no session 2026-typo here: s chooses one, F follows the newest" in driver.told
        )
        await driver.press("F")
        await driver.until(
            lambda: driver.app.picture.snapshot is not None and driver.app.picture.snapshot.address == store.address
        )
    async with opened(store, session=store.session) as driver:
        assert driver.told == ""
