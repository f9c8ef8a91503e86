"""Themes that can be read, messages that go away, honest words of a clipboard, and a palette that says why not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.widgets import Input, TextArea
from textual.widgets._toast import Toast

from sftui.actions import PLACES
from sftui.clipboard import _where
from sftui.manners import MESSAGES
from sftui.screens.palette import ActionList
from sftui.styles import CONTRAST, DARK, LIGHT, PLAIN, THEMES, first_theme, next_theme
from sftui.views.spans import plain
from sftui.widgets.bars import FooterBar, TextPane
from sftui.widgets.prompt import Prompt
from tests.app.driving import SIZES, opened
from tests.app.proving import proves
from tests.app.stores import MEMORY, Store, begin


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY)


# Themes.


def luminance(colour: str) -> float:
    """As WCAG 2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_measure_of_contrast() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize(("name", "least"), [(DARK.name, 4.5), (LIGHT.name, 4.5), (CONTRAST.name, 7.0)])
def test_every_text_can_be_read(name: str, least: float) -> None:
    chosen = next(one for one in (DARK, LIGHT, CONTRAST) if one.name == name)
    inks = [
        chosen.foreground,
        chosen.accent,
        chosen.success,
        chosen.warning,
        chosen.error,
        chosen.variables["ink-muted"],
    ]
    grounds = [chosen.background, chosen.panel, chosen.variables["cursor-row"]]
    for ink in inks:
        for ground in grounds:
            assert ink is not None
            assert ground is not None
            assert contrast(ink, ground) >= least, f"{ink} on {ground}"
    assert contrast(chosen.variables["rule"], str(chosen.background)) >= (4.5 if chosen is CONTRAST else 1.5)


def test_themes_follow_one_another() -> None:
    seen = [DARK.name]
    while (following := next_theme(seen[-1])) not in seen:
        seen.append(following)
    assert seen == list(THEMES)
    assert next_theme("textual-dark") == DARK.name


@pytest.mark.parametrize(
    ("environ", "theme"),
    [
        ({}, DARK.name),
        ({"COLORFGBG": "0;15"}, LIGHT.name),
        ({"COLORFGBG": "15;0"}, DARK.name),
        ({"NO_COLOR": "1", "COLORFGBG": "0;15"}, PLAIN.name),
        ({"NO_COLOR": ""}, PLAIN.name),
    ],
)
def test_the_first_theme_is_what_the_terminal_asks_for(environ: dict[str, str], theme: str) -> None:
    assert first_theme(environ) == theme


async def test_without_colour_nothing_is_coloured(store: Store) -> None:
    async with opened(store) as driver:
        driver.app.theme = PLAIN.name
        await driver.press("j")
        strips = driver.app.screen._compositor.render_strips()
        styles = [segment.style for strip in strips for segment in strip if segment.style is not None]
        assert styles
        for style in styles:
            assert style.color is None or style.color.is_default
            assert style.bgcolor is None or style.bgcolor.is_default
        assert any(style.reverse for style in styles), "the cursor shows by more than its colour"


async def test_without_colour_what_is_typed_has_a_cursor(store: Store) -> None:
    async with opened(store) as driver:
        driver.app.theme = PLAIN.name
        for keys, kind in ((("P",), TextArea), (("colon", "a", "left"), Input)):
            await driver.press(*keys)
            field = driver.app.screen.query_one(kind)
            assert isinstance(field, Input | TextArea)
            assert not field.cursor_blink, "nothing spins at rest"
            rows = driver.app.screen._compositor.render_strips()[field.region.y : field.region.bottom]
            inside = [strip.crop(field.region.x, field.region.right) for strip in rows]
            assert any(segment.style is not None and segment.style.reverse for strip in inside for segment in strip)
            await driver.press("ctrl+g")


async def test_no_color_in_the_environment_stays(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(store) as driver:
        await driver.press("T")
        assert driver.app.theme == PLAIN.name
        assert "NO_COLOR is set in the environment" in driver.told


# Messages.


@proves("app.dismiss")
async def test_messages_go_when_they_are_told_to(store: Store) -> None:
    async with opened(store) as driver:
        for key in ("escape", "D"):
            driver.app.say("something")
            await driver.until(lambda: "something" in driver.text)
            await driver.press(key)
            await driver.until(lambda: "something" not in driver.text)
            assert driver.told == ""
        driver.app.say("something")
        await driver.press("slash", *"e2e", "enter")
        await driver.press("escape")
        assert driver.told == "something", "esc clears the filter first"
        await driver.press("escape")
        assert driver.told == ""


async def test_of_messages_that_went_nothing_is_left_on_the_screen(store: Store) -> None:
    async with opened(store) as driver:
        for number in range(30):
            driver.app.say(f"this is message {number}")
            driver.app.say("and this one again")
            await driver.pilot.pause()
        await driver.until(lambda: len(driver.app.screen.query("ToastHolder")) <= MESSAGES)
        driver.app.manners.dismiss()
        await driver.until(lambda: not driver.app.screen.query("ToastHolder"))


async def test_messages_are_few_and_none_is_there_twice(store: Store) -> None:
    async with opened(store) as driver:
        for number in range(10):
            driver.app.say(f"message {number}")
            driver.app.say("again and again")
        await driver.pilot.pause()
        told = driver.told.split("\n")
        assert len(told) == MESSAGES
        assert told.count("again and again") == 1
        assert told[-1] == "again and again"
        assert "message 9" in told


@pytest.mark.parametrize("size", SIZES)
async def test_messages_leave_the_footer_and_what_is_typed_alone(store: Store, size: tuple[int, int]) -> None:
    async with opened(store, size) as driver:
        await driver.press("2", "slash", "e")
        for number in range(MESSAGES):
            driver.app.say(f"{number} is a message that is long enough for two lines " + "and more " * 8, warning=True)
        await driver.until(lambda: len(driver.app.screen.query(Toast)) == MESSAGES)
        await driver.pilot.pause()
        footer, prompt = driver.app.screen.query_one(FooterBar).region, driver.app.screen.query_one(Prompt).region
        for toast in driver.app.screen.query(Toast):
            assert not toast.region.overlaps(footer)
            assert not toast.region.overlaps(prompt)
            assert toast.region.right <= size[0]


async def test_a_message_is_data(store: Store) -> None:
    async with opened(store) as driver:
        driver.app.say("[bold]\x1b[2J[@click=app.quit]x[/]")
        await driver.until(lambda: "[bold]␛[2J[@click=app.quit]x[/]" in driver.text)


# The clipboard.


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({}, "the terminal's clipboard; it may not arrive"),
        ({"TMUX": "/tmp/x,1,0"}, "tmux, which passes it on only with `set-clipboard on`"),
        ({"STY": "1.pts"}, "screen, which may keep it to itself"),
    ],
)
def test_nobody_claims_that_a_copy_arrived(environ: dict[str, str], words: str) -> None:
    assert _where(environ) == words


# The help.


@pytest.mark.parametrize(
    ("keys", "heading"),
    [
        (("1",), "1 Watch"),
        (("2",), "2 Memory"),
        (("4",), "4 Intents"),
        (("enter",), "In an open value"),
        (("d", "p"), "In the review of a draft"),
        (("s",), "In the tree of scopes"),
    ],
)
async def test_the_help_begins_with_where_one_is(store: Store, keys: tuple[str, ...], heading: str) -> None:
    async with opened(store, (120, 40)) as driver:
        driver.tree.reveal(("strategy", "style"))
        for key in keys:
            await driver.press(key)
            await driver.until(lambda: driver.app.drafting.is_current)
        await driver.press("question_mark")
        pane = driver.app.screen.query_one(TextPane)
        assert plain(pane._items[0]) == heading
        headings = [plain(line) for line in pane._items if line and plain(line) in PLACES.values()]
        assert sorted(headings) == sorted(PLACES.values()), "all of it is there, once"
        assert headings.index("Everywhere") < headings.index("While typing")


# The palette.


async def test_the_palette_says_why_something_would_do_nothing(store: Store) -> None:
    async with opened(store) as driver:
        await driver.press("colon", *"review the draft")
        found = driver.app.screen.query_one(ActionList)
        assert found.keys[0] == "app.review"
        assert "the draft is empty" in driver.row(found, 0)
        palette = driver.app.screen
        await driver.press("enter")
        assert driver.app.screen is palette, "it stays, for something else"
        assert driver.told == "review: the draft is empty"
        await driver.press("escape", "colon", *"memory")
        found = driver.app.screen.query_one(ActionList)
        places = [name for name in found.keys if "– this is Memory" in driver.row(found, found.keys.index(name))]
        assert places == ["app.memory"]


async def test_the_palette_tells_the_chosen_action_in_full(store: Store) -> None:
    async with opened(store, (50, 30)) as driver:
        await driver.press("2", "colon", *"dismiss")
        shown = re.sub(r"\s+", " ", driver.text)
        assert "Take the messages off the screen." in shown


async def test_the_palette_begins_with_what_belongs_here(store: Store) -> None:
    async with opened(store) as driver:
        await driver.press("1", "colon")
        found = driver.app.screen.query_one(ActionList)
        assert found.keys[0].startswith("watch.")
        ready = [name.partition(".")[0] for name in found.keys if not found.offers[name].reason]
        assert ready == sorted(ready, key=["watch", "app", "list", "tree"].index)
