"""The scopes beside the open ones: what is said of them is current, and what is wrong with them is told."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from sftui import surveying
from sftui.cli import main
from sftui.screens.health import HealthScreen
from sftui.views.spans import plain
from sftui.widgets.bars import TextPane
from sftui.widgets.scope_tree import ScopeTree
from tests.app.driving import SIZES, Driver, opened
from tests.app.stores import MEMORY, Store, begin

OTHER = "2026-10-01T10-00-00-000Z_22222222-2222-4222-8222-222222222222"


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surveying, "LOOK_SECONDS", 0.2)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    os.mkdir(tmp_path / "app")
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)


@pytest.fixture
def other(store: Store) -> Store:
    made = begin(store.root, store.cwd, {}, session=OTHER, specification="fix login")
    store.patch(session={"tactics": {"next": "run the e2e suite"}})
    return made


def tear(store: Store) -> None:
    with open(os.path.join(store.address.scope_dir("session"), "patches.jsonl"), "ab") as file:
        file.write(b'{"broken')


def rows(driver: Driver) -> dict[str, str]:
    tree = driver.app.screen.query_one(ScopeTree)
    found = {}
    for path in tree.keys:
        left, right = tree.line_spans(path, 40)
        found[str(path[-1])] = plain(left) + plain(right)
    return found


@pytest.mark.parametrize("size", SIZES)
async def test_a_fence_anywhere_in_view_is_counted_and_explained(
    store: Store, other: Store, size: tuple[int, int]
) -> None:
    tear(other)
    async with opened(store, size) as driver:
        await driver.until(lambda: "✖1" in driver.text.splitlines()[0])
        if size[0] >= 80:
            assert "6 health" in driver.text.splitlines()[-1], "the key that shows it is named where there is room"
        await driver.press("6")
        assert isinstance(driver.app.screen, HealthScreen)
        await driver.until(lambda: "fix login" in driver.text)
        assert "fix login" in " ".join(driver.text.replace("│", " ").split())
        assert "patches.jsonl line 1" in driver.text
        assert not any(line.rstrip(" │").endswith(" at") for line in driver.text.splitlines())


async def test_what_is_wrong_elsewhere_is_told_apart_and_by_which_command_to_see_it(
    store: Store, other: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    tear(other)
    async with opened(store, (120, 40)) as driver:
        await driver.until(lambda: "✖1 elsewhere" in driver.text.splitlines()[0])
        footer = driver.text.splitlines()[-1]
        assert footer.index("edit") < footer.index("6 health"), "it is nothing that is wrong with what is open"
        tear(store)
        await driver.until(lambda: "✖1 health" in driver.text.splitlines()[0])
        footer = driver.text.splitlines()[-1]
        assert footer.index("6 health") < footer.index("edit")
        await driver.press("6", "j")
        page = plain(tuple(span for line in driver.app.screen.query_one("#side", TextPane)._items for span in line))
    command = re.search(r"sftui (doctor --session \S+ --cwd \S+ --store \S+)", page)
    assert command is not None and OTHER in command[1]
    assert main(shlex.split(command[1])) == 5, "fenced"
    assert "patches.jsonl" in capsys.readouterr().out


async def test_a_fence_that_is_mended_is_no_longer_counted(store: Store, other: Store) -> None:
    path = os.path.join(other.address.scope_dir("session"), "patches.jsonl")
    tear(other)
    async with opened(store, (120, 40)) as driver:
        await driver.until(lambda: "✖1" in driver.text.splitlines()[0] and "fenced" in rows(driver)[OTHER])
        os.truncate(path, os.path.getsize(path) - 8)
        await driver.until(lambda: "✖" not in driver.text.splitlines()[0] and "fenced" not in rows(driver)[OTHER])


async def test_the_open_cohort_says_the_same_everywhere_at_once(store: Store, other: Store) -> None:
    assert store.session is not None
    async with opened(store, (120, 40)) as driver:
        await driver.until(lambda: store.session in rows(driver))
        for number in range(2, 6):
            await driver.next_picture(lambda: store.patch(session={"tactics": {"n": os.urandom(4).hex()}}))
            assert f"s{number}" in driver.text.splitlines()[0]
            assert rows(driver)[store.session].rstrip().endswith(f" {number}")


async def test_other_scopes_are_looked_at_again_when_they_change(store: Store, other: Store) -> None:
    async with opened(store, (120, 40), session=store.session) as driver:
        await driver.until(lambda: rows(driver).get(OTHER, "").rstrip().endswith(" 0"))
        other.patch(session={"tactics": {"login": 1}})
        await driver.until(lambda: rows(driver)[OTHER].rstrip().endswith(" 1"))


async def test_a_session_of_another_directory_is_opened_under_its_real_path(store: Store, tmp_path: Path) -> None:
    os.mkdir(tmp_path / "second")
    begin(store.root, str(tmp_path / "second"), {"session": {"tactics": {"second": 1}}}, session=OTHER)
    async with opened(store, (80, 24)) as driver:
        await driver.until(lambda: bool(driver.app.neighbours.survey.cwds))
        await driver.press("s")
        tree = driver.app.screen.query_one(ScopeTree)
        second = next(path for path in tree.keys if path != ("global",) and len(path) == 1 and path[0] != key(store))
        tree.unfold(second)
        await driver.until(lambda: any(path[-1] == OTHER for path in tree.keys))
        tree.move_to_key((*second, OTHER))
        await driver.press("enter")
        await driver.until(lambda: ("tactics", "second") in driver.tree.keys)
        head = driver.text.splitlines()[0]
        assert "second" in head
        assert "--" not in head


def key(store: Store) -> str:
    assert store.address.key is not None
    return store.address.key


async def test_from_global_memory_the_way_leads_back(store: Store) -> None:
    async with opened(store, (80, 24)) as driver:
        await driver.until(lambda: bool(driver.app.neighbours.survey.cwds))
        await driver.press("s", "g", "enter")
        await driver.until(lambda: "no session" in driver.text)
        assert "F goes back" in driver.text
        await driver.press("F")
        await driver.until(lambda: '"cut release 1.4"' in driver.text)
        assert not driver.app.picture.pinned


async def test_what_was_seen_before_a_look_elsewhere_is_still_known(store: Store, other: Store) -> None:
    async with opened(store, (80, 24), session=store.session) as driver:
        await driver.next_picture(lambda: store.patch(session={"tactics": {"one": 1}}))
        before = driver.app.picture.log
        seen = before[0].seen
        assert seen is not None
        home = driver.app.want
        driver.app.choose((key(store), OTHER))
        await driver.until(lambda: driver.app.picture.log != before)
        driver.app.choose((key(store), home.session or ""))
        await driver.until(lambda: bool(driver.app.picture.log) and driver.app.picture.log[0].key == before[0].key)
        assert driver.app.picture.log[0].seen == seen
