"""Every action of the table, found through the table: one without a test here fails."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.dom import DOMNode
from textual.widgets import Input

from sftui.actions import ACTIONS, BY_ID, PLACES, actions_of, bindings, keys_markdown
from sftui.app import SftuiApp
from sftui.screens.dialogs import HealthScreen, HelpScreen, SwitcherScreen
from sftui.screens.memory import MemoryScreen
from sftui.screens.palette import ActionList, PaletteScreen
from sftui.screens.value import ValueScreen
from sftui.screens.watch import WatchScreen
from sftui.widgets.bars import FooterBar, TextPane
from sftui.widgets.big_value import BigValue
from sftui.widgets.lines import KeyedLines
from sftui.widgets.prompt import Prompt
from sftui.widgets.scope_tree import ScopeTree
from sftui.widgets.virtual_tree import VirtualTree
from tests.app.driving import Driver, opened
from tests.app.stores import MEMORY, SESSION, Store, begin

OWNERS: dict[str, type[DOMNode]] = {
    "app": SftuiApp,
    "list": KeyedLines,
    "tree": VirtualTree,
    "watch": WatchScreen,
    "memory": MemoryScreen,
    "value": BigValue,
    "scopes": ScopeTree,
    "switcher": SwitcherScreen,
    "help": HelpScreen,
    "health": HealthScreen,
    "palette": PaletteScreen,
    "prompt": Prompt,
}
# ctrl+i and ctrl+m are tab and enter; the others belong to terminals, multiplexers and shells.
TAKEN = {f"ctrl+{letter}" for letter in "baszqhim"}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "test" in metafunc.fixturenames:
        tests = list(dict.fromkeys(CHECKS.values()))
        metafunc.parametrize("test", tests, ids=[test.__name__.strip("_") for test in tests])


Check = Callable[[Driver], Awaitable[None]]
CHECKS: dict[str, Check] = {}


def check(*ids: str) -> Callable[[Check], Check]:
    def keep(test: Check) -> Check:
        for name in ids:
            CHECKS[name] = test
        return test

    return keep


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)
    made.patch(session={"tactics": {"next": "run the e2e suite"}})
    made.patch(cwd={"strategy": {"api": "v2, v1 read-only"}})
    return made


def test_every_action_has_a_method_and_a_place() -> None:
    for action in ACTIONS:
        assert callable(getattr(OWNERS[action.where], f"action_{action.call}", None)), action.id
        assert action.where in PLACES
        assert action.help.endswith(".")
    assert len(BY_ID) == len(ACTIONS)


def test_keys_leave_terminals_and_multiplexers_alone() -> None:
    for action in ACTIONS:
        for key in action.keys:
            assert key not in TAKEN, action.id
            assert not key.startswith("alt+"), action.id
        if "escape" in action.keys:
            assert len(action.keys) > 1, f"{action.id}: Esc needs a twin"
    owners: list[type[DOMNode]] = [*OWNERS.values(), ValueScreen]
    for owner in owners:
        bound = set(owner._merge_bindings().key_to_bindings)
        if issubclass(owner, Input):
            # A line that is typed into has the editing keys that every such line has.
            bound -= set(Input._merge_bindings().key_to_bindings)
        assert not bound & TAKEN, owner.__name__


def test_no_key_means_two_things_in_one_place() -> None:
    for where in PLACES:
        seen: dict[str, str] = {}
        for action in actions_of(where):
            for key in action.keys:
                assert key not in seen, f"{key}: {seen[key]} and {action.id}"
                seen[key] = action.id


def test_bindings_carry_the_ids() -> None:
    from textual.binding import Binding

    for where in PLACES:
        made = bindings(where)
        assert [binding.id for binding in made if isinstance(binding, Binding)] == [a.id for a in actions_of(where)]


def test_the_page_of_keys_is_the_table() -> None:
    page = Path(__file__).parents[2] / "docs" / "keys.md"
    assert page.read_text("utf-8") == keys_markdown()


def test_every_action_is_tested() -> None:
    assert {action.id for action in ACTIONS} == set(CHECKS)


async def test_action(test: Check, store: Store) -> None:
    async with opened(store) as driver:
        await test(driver)


# Everywhere.


@check("app.watch", "app.memory")
async def _screens(driver: Driver) -> None:
    assert driver.top() is driver.memory
    await driver.press("1")
    assert driver.top() is driver.watch
    await driver.press("1")
    assert driver.top() is driver.watch
    await driver.press("2")
    assert driver.top() is driver.memory


@check("app.scopes", "switcher.close")
async def _switcher(driver: Driver) -> None:
    await driver.press("s")
    assert isinstance(driver.app.screen, SwitcherScreen)
    await driver.press("escape")
    assert driver.top() is driver.memory


@check("scopes.open", "scopes.newest")
async def _choose(driver: Driver) -> None:
    await driver.press("s")
    tree = driver.app.screen.query_one(ScopeTree)
    await driver.until(lambda: len(tree.keys) > 1)
    await driver.press("g", "enter")
    await driver.until(lambda: driver.app.picture.snapshot.address.key is None)  # type: ignore[union-attr]
    assert driver.app.picture.memory.keys() >= {"global"}
    await driver.press("s")
    await driver.press("f")
    assert driver.app.want.session is None
    await driver.until(lambda: driver.app.picture.snapshot.address.session == SESSION)  # type: ignore[union-attr]


@check("app.newest")
async def _newest(driver: Driver) -> None:
    driver.app.choose(("global",))
    await driver.until(lambda: driver.app.picture.snapshot.address.key is None)  # type: ignore[union-attr]
    await driver.press("F")
    await driver.until(lambda: driver.app.picture.snapshot.address.session == SESSION)  # type: ignore[union-attr]


@check("app.health", "health.close")
async def _health(driver: Driver) -> None:
    await driver.press("6")
    assert isinstance(driver.app.screen, HealthScreen)
    assert "Nothing is wrong" in driver.text
    await driver.press("6")
    assert driver.top() is driver.memory


@check("app.focus-next", "app.focus-previous")
async def _panes(driver: Driver) -> None:
    await driver.press("1", "tab")
    assert driver.app.focused is not driver.stream
    await driver.press("shift+tab")
    assert driver.app.focused is driver.stream


@check("app.help", "help.close")
async def _help(driver: Driver) -> None:
    await driver.press("question_mark")
    assert isinstance(driver.app.screen, HelpScreen)
    pane = driver.app.screen.query_one(TextPane)
    await driver.press("G")
    assert pane.scroll_offset.y > 0
    await driver.press("q")
    assert driver.top() is driver.memory


@check("app.palette", "palette.close")
async def _palette(driver: Driver) -> None:
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


@check("app.theme")
async def _theme(driver: Driver) -> None:
    before = driver.app.theme
    await driver.press("T")
    assert driver.app.theme != before
    await driver.press("T")
    assert driver.app.theme == before


@check("app.reread")
async def _reread(driver: Driver) -> None:
    before = driver.app.picture
    await driver.press("R")
    await driver.until(lambda: driver.app.picture is not before)
    assert driver.app.picture.log == before.log


@check("app.quit")
async def _quit(driver: Driver) -> None:
    await driver.press("q")
    await driver.until(lambda: not driver.app.is_running)
    assert driver.app.return_value == 0


# Lists and trees.


@check("list.cursor-up", "list.cursor-down", "list.first", "list.last", "list.page-up", "list.page-down")
async def _moves(driver: Driver) -> None:
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


@check("list.open", "value.close")
async def _open(driver: Driver) -> None:
    driver.tree.move_to_key(("lazy",))
    await driver.press("enter")
    assert isinstance(driver.app.screen, ValueScreen)
    await driver.until(lambda: "survey" in driver.text)
    await driver.press("q")
    assert driver.top() is driver.memory


@check("tree.expand", "tree.collapse")
async def _expand(driver: Driver) -> None:
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


@check("tree.next-sibling", "tree.previous-sibling")
async def _siblings(driver: Driver) -> None:
    tree = driver.tree
    await driver.press("g", "J")
    assert tree.cursor_key is not None
    assert len(tree.cursor_key) == 1
    assert tree.cursor > 1
    await driver.press("K")
    assert tree.cursor == 0


@check("tree.fold")
async def _fold(driver: Driver) -> None:
    tree = driver.tree
    await driver.press("z", "1")
    assert {len(path) for path in tree.keys} == {1}
    await driver.press("z", "3")
    assert ("tactics", "checks", 0) in tree.keys
    assert driver.top() is driver.memory, "the digit after z is not a screen"


# Watch.


@check("watch.follow")
async def _follow(driver: Driver) -> None:
    await driver.press("1")
    assert driver.follows()
    await driver.press("f")
    assert not driver.follows()
    await driver.press("f")
    assert driver.follows()


# Memory.


@check("memory.filter", "memory.clear", "prompt.close", "prompt.submit", "prompt.stay")
async def _filter(driver: Driver) -> None:
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


@check("memory.view-next", "memory.view-previous")
async def _views(driver: Driver) -> None:
    await driver.press("v")
    assert driver.view() == "global"
    assert driver.tree.source.children(()) == [("strategy",)]
    await driver.press("V")
    assert driver.view() == "effective"


@check("memory.jump", "memory.back", "memory.forward")
async def _jump(driver: Driver) -> None:
    tree = driver.tree
    await driver.press("g", "apostrophe", *"cwd.lazy.survey.text", "enter")
    assert driver.view() == "cwd"
    assert driver.at() == ("lazy", "survey", "text")
    await driver.press("less_than_sign")
    assert driver.view() == "effective"
    assert tree.cursor == 0
    await driver.press("greater_than_sign")
    assert driver.at() == ("lazy", "survey", "text")


@check("memory.copy-path", "memory.copy-value")
async def _copy(driver: Driver) -> None:
    driver.tree.move_to_key(("tactics", "next"))
    await driver.press("y")
    assert driver.app.clipboard == "effective.tactics.next"
    await driver.press("Y")
    assert driver.app.clipboard == '"run the e2e suite"'
    await driver.until(lambda: "Value sent to the clipboard" in driver.text)
    assert "copied" not in driver.text, "a terminal may have ignored it"
    told = " ".join(line.strip(" │▌▐") for line in driver.text.splitlines())
    assert "effective.tactics.next prints it" in " ".join(told.split())


@check("memory.details-down", "memory.details-up")
async def _details(driver: Driver) -> None:
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


@check(
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
async def _value(driver: Driver) -> None:
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
