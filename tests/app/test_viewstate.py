"""A store is shown as it was left: screen, view, open rows, cursor, scroll, filter, colours."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from engine import values
from engine.store import files
from engine.store.layout import store_home
from sftui import remembering
from sftui.viewstate import COHORTS, OPEN_ROWS, Looks, ViewStates, cohort_of, looks_for, looks_from, save_theme
from tests.app.driving import Driver, opened
from tests.app.stores import MEMORY, Store, begin
from tests.app.terminal import REPOSITORY

OTHER = "2026-11-02T10-00-00-000Z_22222222-2222-4222-8222-222222222222"
LOOKS = Looks(
    "memory",
    False,
    "cwd",
    "!x",
    {"cwd": (("tactics",), ("tactics", "checks", 3)), "effective": ()},
    {"cwd": ("tactics", "\ud800")},
    ("lazy",),
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    made.patch(cwd={"tactics": {f"t{number:02}": number for number in range(60)}})
    return made


@pytest.fixture
def states(tmp_path: Path) -> ViewStates:
    return ViewStates(str(tmp_path / "store"))


async def leave(driver: Driver) -> None:
    await driver.press("q")
    await driver.until(lambda: not driver.app.is_running)


# On screen.


async def test_everything_is_as_it_was_left(store: Store) -> None:
    async with opened(store) as driver:
        await driver.press("v", "v")
        driver.tree.reveal(("tactics", "checks", 2))
        await driver.pilot.pause()
        driver.tree.scroll_to(y=4, animate=False, force=True)
        await driver.pilot.pause()
        rows, top, cursor = list(driver.tree.keys), driver.tree.scroll_offset.y, driver.at()
        assert top == 4
        await leave(driver)
    async with opened(store) as driver:
        assert driver.view() == "cwd"
        assert list(driver.tree.keys) == rows
        assert driver.at() == cursor == ("tactics", "checks", 2)
        assert driver.tree.scroll_offset.y == top
        await driver.press("v")
        assert driver.view() == "session"
        assert ("tactics", "next") in driver.tree.keys, "a view that was never looked at opens as ever"


async def test_the_filter_comes_back_and_what_was_open_before_it(store: Store) -> None:
    async with opened(store) as driver:
        before = set(driver.tree.expanded)
        await driver.press("slash", *"half", "enter")
        await driver.until(lambda: ("tactics", "t01") not in driver.tree.keys)
        await leave(driver)
    async with opened(store) as driver:
        await driver.until(lambda: ("tactics", "t01") not in driver.tree.keys)
        assert driver.memory.filter_text == "half"
        assert "half" in driver.text
        await driver.press("escape")
        assert set(driver.tree.expanded) == before


async def test_the_screen_that_was_up_opens_again_where_it_is_as_wide(store: Store) -> None:
    async with opened(store) as driver:
        await driver.press("4")
        await leave(driver)
    async with opened(store) as driver:
        await driver.until(lambda: driver.app.screen is driver.app.intents_screen)
    async with opened(store, (50, 30)) as driver:
        assert driver.app.screen is driver.watch


async def test_each_session_has_its_own_and_a_new_one_begins_like_the_last(store: Store) -> None:
    key = store.address.key
    assert key is not None
    async with opened(store, session=store.session) as driver:
        await driver.press("v")
        begin(store.root, store.cwd, {"session": {"tactics": {"other": 1}}}, session=OTHER)
        driver.app.choose((key, OTHER))
        await driver.until(lambda: session_of(driver) == OTHER)
        assert driver.view() == "global"
        await driver.press("v")
        driver.app.choose((key, str(store.session)))
        await driver.until(lambda: session_of(driver) == store.session)
        assert driver.view() == "global"
        driver.app.choose((key, OTHER))
        await driver.until(lambda: session_of(driver) == OTHER)
        assert driver.view() == "cwd"
        await leave(driver)
    third = OTHER.replace("2", "3")
    begin(store.root, store.cwd, {"session": {"tactics": {"third": 1}}}, session=third)
    async with opened(store, session=third) as driver:
        assert driver.view() == "cwd"


async def test_a_row_that_is_gone_leaves_the_cursor_on_what_held_it(store: Store) -> None:
    async with opened(store) as driver:
        driver.tree.reveal(("tactics", "checks", 3))
        await leave(driver)
    store.patch(session={"tactics": {"checks": ["one"]}})
    async with opened(store) as driver:
        assert driver.at() == ("tactics", "checks")


async def test_the_colours_are_kept_for_every_store(store: Store, tmp_path: Path) -> None:
    async with opened(store) as driver:
        first = driver.app.theme
        await driver.press("T")
        chosen = driver.app.theme
        assert chosen != first
        await driver.until((Path(os.environ["XDG_STATE_HOME"]) / "sftui" / "theme").exists)
    other = begin(str(tmp_path / "other"), str(tmp_path / "app"), MEMORY)
    async with opened(other) as driver:
        assert driver.app.theme == chosen


async def test_a_theme_that_does_not_exist_is_not_used(store: Store) -> None:
    async with opened(store) as driver:
        usual = driver.app.theme
    save_theme("no-such-theme")
    async with opened(store) as driver:
        assert driver.app.theme == usual


@pytest.mark.parametrize(
    "data", [b"", b"\0" * 50, b"[]", b'{"version":9,"cohorts":[]}', b'{"version":1,"cohorts":{}}'], ids=range(5)
)
async def test_a_spoilt_file_is_said_once_and_changes_nothing(store: Store, data: bytes) -> None:
    home = Path(store_home(store.root))
    home.mkdir(parents=True, exist_ok=True)
    (home / "views.json").write_bytes(data)
    async with opened(store, (120, 40)) as driver:
        assert driver.told.count("How memory was looked at is not known") == 1
        assert ("tactics", "next") in driver.tree.keys
        await leave(driver)
    async with opened(store) as driver:
        assert "not known" not in driver.told


async def test_a_disk_that_is_full_is_said_and_leaving_goes_on(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    async with opened(store) as driver:
        await driver.press("v")
        with monkeypatch.context() as patched:
            patched.setattr(files, "write", full)
            await leave(driver)
        assert driver.app.return_code == 0
    assert not list(Path(store_home(store.root)).glob("views.json*.tmp"))


def session_of(driver: Driver) -> str | None:
    found = driver.app.picture.snapshot
    return None if found is None else found.address.session


async def test_a_lost_terminal_takes_little_with_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembering, "SOON_SECONDS", 0.1)
    async with opened(store) as driver:
        await driver.press("v")
        await driver.until(lambda: any(looks.view == "global" for looks in ViewStates(store.root).load()[0].values()))


# On disk.


def test_what_is_kept_comes_back(states: ViewStates) -> None:
    states.save("a", Looks())
    states.save("b", LOOKS)
    assert states.load() == ({"a": Looks(), "b": LOOKS}, "")
    states.save("a", LOOKS)
    assert list(states.load()[0]) == ["b", "a"], "the one that was looked at last comes last"


def test_only_its_owner_may_read_it(states: ViewStates) -> None:
    before = os.umask(0)
    try:
        states.save("a", LOOKS)
        save_theme("sftui-dark")
    finally:
        os.umask(before)
    home = Path(os.environ["XDG_STATE_HOME"]) / "sftui"
    assert {path.stat().st_mode & 0o077 for path in (home, *home.rglob("*"))} == {0}


def test_it_is_bounded(states: ViewStates) -> None:
    rows = (*(("lazy", f"k{number}", "x") for number in range(OPEN_ROWS)), ("lazy",))
    for number in range(COHORTS + 5):
        states.save(f"c{number}", Looks(expanded={"cwd": rows}) if number > COHORTS else Looks())
    found, problem = states.load()
    assert problem == ""
    assert list(found) == [f"c{number}" for number in range(5, COHORTS + 5)]
    opened_rows = found[f"c{COHORTS + 4}"].expanded["cwd"]
    assert len(opened_rows) == OPEN_ROWS
    assert opened_rows[0] == ("lazy",), "the highest rows hold the others"


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (None, Looks()),
        ([], Looks()),
        ({"screen": "../x", "view": "all", "filter": 1, "expanded": [], "cursors": 3, "top": []}, Looks()),
        ({"expanded": {"cwd": [["a", True], ["b"], "c", []], "other": [["d"]]}}, Looks(expanded={"cwd": (("b",),)})),
        ({"cursors": {"cwd": ["a", 1.5], "global": ["a", 1]}}, Looks(cursors={"global": ("a", 1)})),
        (LOOKS.to_json(), LOOKS),
    ],
)
def test_what_is_not_as_it_should_be_is_left_out(found: Any, expected: Looks) -> None:
    assert looks_from(found) == expected


def test_of_a_new_session_the_directory_is_known() -> None:
    known = {"app/one": Looks(view="cwd", filter="x"), "app2/one": Looks(view="global"), ".": Looks(view="session")}
    assert looks_for(known, "app", "one") == Looks(view="cwd", filter="x")
    assert looks_for(known, "app", "two") == Looks(view="cwd")
    assert looks_for(known, "ap", None) is None
    assert looks_for(known, None, None) == Looks(view="session")
    assert cohort_of("app", "one") == "app/one"


def test_two_apps_keep_theirs_side_by_side(states: ViewStates, tmp_path: Path) -> None:
    program = textwrap.dedent(
        """
        import sys
        sys.path.insert(0, sys.argv[1])
        from sftui.viewstate import Looks, ViewStates
        for number in range(15):
            ViewStates(sys.argv[2]).save(f"{sys.argv[3]}{number}", Looks())
        """
    )
    root = str(tmp_path / "store")
    running = [subprocess.Popen([sys.executable, "-c", program, REPOSITORY, root, name]) for name in "ab"]
    assert [child.wait() for child in running] == [0, 0]
    assert set(states.load()[0]) == {f"{name}{number}" for name in "ab" for number in range(15)}
    assert values.is_object(values.decode(Path(states.path).read_bytes()).value)
