"""What the actions do, but for those that change memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from sftui.actions import BY_ID
from sftui.screens.dialogs import HelpScreen, SwitcherScreen
from sftui.screens.health import HealthScreen
from sftui.screens.palette import ActionList
from sftui.screens.value import ValueScreen
from sftui.styles import THEMES
from sftui.widgets.bars import FooterBar, TextPane
from sftui.widgets.big_value import BigValue
from sftui.widgets.prompt import Prompt
from sftui.widgets.scope_tree import ScopeTree
from tests.app.driving import opened
from tests.app.proving import proves
from tests.app.stores import MEMORY, SESSION, Store, begin


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    made.patch(session={"tactics": {"next": "run the e2e suite"}})
    made.patch(cwd={"strategy": {"api": "v2, v1 read-only"}})
    return made


# Everywhere.


@proves("app.watch", "app.memory")
async def test_screens(store: Store) -> None:
    async with opened(store) as driver:
        assert driver.top() is driver.memory
        await driver.press("1")
        assert driver.top() is driver.watch
        await driver.press("1")
        assert driver.top() is driver.watch
        await driver.press("2")
        assert driver.top() is driver.memory


@proves("app.scopes", "switcher.close")
async def test_switcher(store: Store) -> None:
    async with opened(store) as driver:
        await driver.press("s")
        assert isinstance(driver.app.screen, SwitcherScreen)
        await driver.press("escape")
        assert driver.top() is driver.memory


@proves("scopes.open", "scopes.newest")
async def test_choose(store: Store) -> None:
    async with opened(store) as driver:
        await driver.press("s")
        tree = driver.app.screen.query_one(ScopeTree)
        await driver.until(lambda: len(tree.keys) > 1)
        await driver.press("g", "enter")
        await driver.until(lambda: driver.app.picture.snapshot.address.key is None)  # type: ignore[union-attr]
        assert driver.app.picture.memory.keys() >= {"global"}
        await driver.press("s")
        await driver.press("f")
        assert driver.app.reading.want.session is None
        await driver.until(lambda: driver.app.picture.snapshot.address.session == SESSION)  # type: ignore[union-attr]


@proves("app.newest")
async def test_newest(store: Store) -> None:
    async with opened(store) as driver:
        driver.app.choose(("global",))
        await driver.until(lambda: driver.app.picture.snapshot.address.key is None)  # type: ignore[union-attr]
        await driver.press("F")
        await driver.until(lambda: driver.app.picture.snapshot.address.session == SESSION)  # type: ignore[union-attr]


@proves("app.health")
async def test_health(store: Store) -> None:
    Path(store.cwd).mkdir()
    async with opened(store) as driver:
        await driver.press("6")
        assert isinstance(driver.app.screen, HealthScreen)
        await driver.until(lambda: "Nothing is wrong" in driver.text)
        await driver.press("2")
        assert driver.top() is driver.memory


@proves("app.focus-next", "app.focus-previous")
async def test_panes(store: Store) -> None:
    async with opened(store) as driver:
        await driver.press("1", "tab")
        assert driver.app.focused is not driver.stream
        await driver.press("shift+tab")
        assert driver.app.focused is driver.stream


@proves("app.help", "help.close")
async def test_help(store: Store) -> None:
    async with opened(store) as driver:
        await driver.press("question_mark")
        assert isinstance(driver.app.screen, HelpScreen)
        pane = driver.app.screen.query_one(TextPane)
        await driver.press("G")
        assert pane.scroll_offset.y > 0
        await driver.press("q")
        assert driver.top() is driver.memory


@proves("app.palette", "palette.close")
async def test_palette(store: Store) -> None:
    async with opened(store) as driver:
        await driver.press("colon")
        found = driver.app.screen.query_one(ActionList)
        everything = list(found.keys)
        await driver.press(*"watch")
        assert found.keys[0] == "app.watch"
        assert len(found.keys) < len(everything)
        await driver.press("down", "up", "enter")
        await driver.until(lambda: driver.top() is driver.watch)
        await driver.press("colon", *"nothing like it")
        assert "no action is called so" in driver.text
        await driver.press("enter", "escape")
        assert driver.top() is driver.watch


@proves("app.theme")
async def test_theme(store: Store) -> None:
    async with opened(store) as driver:
        seen = [driver.app.theme]
        for _ in range(3):
            await driver.press("T")
            seen.append(driver.app.theme)
        assert sorted(seen) == sorted(THEMES)
        await driver.press("T")
        assert driver.app.theme == seen[0]
        await driver.until(lambda: "Theme: dark" in driver.text)


@proves("app.reread")
async def test_reread(store: Store) -> None:
    async with opened(store) as driver:
        before = driver.app.picture
        await driver.press("R")
        await driver.until(lambda: driver.app.picture is not before)
        assert driver.app.picture.log == before.log


@proves("app.quit")
async def test_quit(store: Store) -> None:
    async with opened(store) as driver:
        await driver.press("q")
        await driver.until(lambda: not driver.app.is_running)
        assert driver.app.return_value == 0


# Lists and trees.


@proves("list.cursor-up", "list.cursor-down", "list.first", "list.last", "list.page-up", "list.page-down")
async def test_moves(store: Store) -> None:
    async with opened(store) as driver:
        tree = driver.tree
        await driver.press("j", "down", "j")
        assert tree.cursor == 3
        await driver.press("k", "up")
        assert tree.cursor == 1
        await driver.press("G")
        assert tree.cursor == len(tree.keys) - 1
        await driver.press("pageup")
        assert tree.cursor < len(tree.keys) - 1
        await driver.press("g")
        assert tree.cursor == 0
        await driver.press("pagedown")
        assert tree.cursor > 3


@proves("list.open", "value.close")
async def test_open(store: Store) -> None:
    async with opened(store) as driver:
        driver.tree.move_to_key(("lazy",))
        await driver.press("enter")
        assert isinstance(driver.app.screen, ValueScreen)
        await driver.until(lambda: "survey" in driver.text)
        await driver.press("q")
        assert driver.top() is driver.memory


@proves("tree.expand", "tree.collapse")
async def test_expand(store: Store) -> None:
    async with opened(store) as driver:
        tree = driver.tree
        tree.move_to_key(("lazy",))
        await driver.press("l")
        assert ("lazy", "survey") in tree.keys
        await driver.press("right")
        assert driver.at() == ("lazy", "survey")
        await driver.press("h")
        assert driver.at() == ("lazy",)
        await driver.press("left")
        assert ("lazy", "survey") not in tree.keys


@proves("tree.next-sibling", "tree.previous-sibling")
async def test_siblings(store: Store) -> None:
    async with opened(store) as driver:
        tree = driver.tree
        await driver.press("g", "J")
        assert tree.cursor_key is not None
        assert len(tree.cursor_key) == 1
        assert tree.cursor > 1
        await driver.press("K")
        assert tree.cursor == 0


@proves("tree.fold")
async def test_fold(store: Store) -> None:
    async with opened(store) as driver:
        tree = driver.tree
        await driver.press("z", "1")
        assert {len(path) for path in tree.keys} == {1}
        await driver.press("z", "3")
        assert ("tactics", "checks", 0) in tree.keys
        assert driver.top() is driver.memory, "the digit after z is not a screen"


# Watch.


@proves("watch.follow")
async def test_follow(store: Store) -> None:
    async with opened(store) as driver:
        await driver.press("1")
        assert driver.follows()
        await driver.press("f")
        assert not driver.follows()
        await driver.press("f")
        assert driver.follows()


# Memory.


@proves("memory.filter", "memory.clear", "prompt.close", "prompt.submit", "prompt.stay")
async def test_filter(store: Store) -> None:
    async with opened(store) as driver:
        tree = driver.tree
        before = list(tree.keys)
        await driver.press("slash", *"e2e", "tab", "shift+tab")
        assert driver.app.screen.query_one(Prompt).has_focus
        await driver.until(lambda: ("tactics", "checks", 3) in tree.keys)
        assert ("strategy",) not in tree.keys
        await driver.press("enter")
        assert driver.app.focused is tree
        assert "2 matches" in driver.text
        await driver.press("escape")
        assert tree.keys == before
        await driver.press("slash", "exclamation_mark", *"checks")
        await driver.until(lambda: ("tactics", "checks") not in tree.keys)
        assert ("tactics", "next") in tree.keys
        await driver.press("escape")
        assert tree.keys == before
        assert not driver.app.screen.query_one(Prompt).display


@proves("memory.view-next", "memory.view-previous")
async def test_views(store: Store) -> None:
    async with opened(store) as driver:
        await driver.press("v")
        assert driver.view() == "global"
        assert driver.tree.source.children(()) == [("strategy",)]
        await driver.press("V")
        assert driver.view() == "effective"


@proves("memory.jump", "memory.back", "memory.forward")
async def test_jump(store: Store) -> None:
    async with opened(store) as driver:
        tree = driver.tree
        await driver.press("g", "apostrophe", *"cwd.lazy.survey.text", "enter")
        assert driver.view() == "cwd"
        assert driver.at() == ("lazy", "survey", "text")
        await driver.press("less_than_sign")
        assert driver.view() == "effective"
        assert tree.cursor == 0
        await driver.press("greater_than_sign")
        assert driver.at() == ("lazy", "survey", "text")


@proves("memory.copy-path", "memory.copy-value")
async def test_copy(store: Store) -> None:
    async with opened(store) as driver:
        driver.tree.move_to_key(("tactics", "next"))
        await driver.press("y")
        assert driver.app.clipboard == "effective.tactics.next"
        await driver.press("Y")
        assert driver.app.clipboard == '"run the e2e suite"'
        await driver.until(lambda: "The value was sent to" in driver.text)
        assert "copied" not in driver.text, "a terminal may have ignored it"
        assert "the terminal's clipboard; it may not arrive" in driver.told
        assert "effective.tactics.next prints it" in driver.told


@proves("memory.details-down", "memory.details-up")
async def test_details(store: Store) -> None:
    async with opened(store) as driver:
        await driver.pilot.resize_terminal(50, 30)
        driver.tree.move_to_key(("tactics", "checks"))
        await driver.pilot.pause()
        pane = driver.memory.query_one("#under", TextPane)
        assert pane.virtual_size.height > pane.size.height
        await driver.press("right_curly_bracket")
        assert pane.scroll_offset.y > 0
        await driver.press("left_curly_bracket")
        assert pane.scroll_offset.y == 0


# A value.


@proves(
    "value.line-up",
    "value.line-down",
    "value.screen-up",
    "value.screen-down",
    "value.top",
    "value.bottom",
    "value.find",
    "value.find-next",
    "value.find-previous",
)
async def test_value(store: Store) -> None:
    async with opened(store) as driver:
        text = "\n".join(f"line {number} of it" for number in range(500))
        driver.app.push_screen(ValueScreen("effective", ("tactics", "x"), text))
        await driver.pilot.pause()
        value = driver.app.screen.query_one(BigValue)
        await driver.until(lambda: value.pages.complete)
        await driver.press("j", "j", "k")
        assert value.scroll_offset.y == 1
        await driver.press("space")
        assert value.scroll_offset.y > 10
        await driver.press("pageup", "G")
        assert value.scroll_offset.y == 500 - value.size.height
        await driver.press("g")
        assert value.scroll_offset.y == 0
        await driver.press("slash", *"LINE 250"[:0], *"line 250", "enter")
        await driver.until(lambda: "line 250 of it" in driver.text)
        await driver.press("n")
        await driver.press("N")
        await driver.until(lambda: "line 250 of it" in driver.text)


async def test_the_footer_shows_only_what_is_in_the_table(store: Store) -> None:
    async with opened(store) as driver:
        footer = driver.app.screen.query_one(FooterBar)
        footer.render_line(0)
        assert footer._places
        assert all(hint.id in BY_ID for _, _, hint in footer._places)
        await driver.pilot.click(FooterBar, offset=(footer._places[-1][0], 0))
        await driver.until(lambda: isinstance(driver.app.screen, HelpScreen))
