"""A few pictures, over sizes and themes: what is on the screen is asserted first, then how it looks."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from engine.memory.draft import Put, Remove
from engine.store.publication import publish
from sftui.app import SftuiApp
from sftui.styles import CONTRAST, LIGHT, PLAIN
from tests.app.driving import Driver
from tests.app.stores import MEMORY, begin

Compare = Callable[..., bool]
Make = Callable[..., SftuiApp]

NARROW, USUAL, WIDE = (50, 30), (80, 24), (120, 40)


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """The app on a store whose names are the same wherever the test runs."""
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setattr("sftui.neighbours.SURVEY_AFTER", 0.0)
    numbers = count(1)
    defaults: Any = publish.__kwdefaults__
    monkeypatch.setitem(defaults, "new_id", lambda: f"{next(numbers):08}-0000-4000-8000-000000000000")
    store = begin(str(tmp_path / "store"), "/work/demo/app", MEMORY)
    store.patch(session={"tactics": {"next": "run the e2e suite"}})
    store.patch(cwd={"strategy": {"api": "v2, v1 read-only"}, "lazy": {"notes": {"a": "b" * 500}}})
    monkeypatch.setattr("sftui.views.header._tilde", lambda path, home: "~/store" if "store" in path else path)
    return lambda **more: SftuiApp(store.root, store.cwd, None, no_ledger=True, **more)


@pytest.fixture
def app(make: Make) -> SftuiApp:
    return make()


def shown(
    *keys: str, theme: str | None = None, draft: bool = False, words: tuple[str, ...] = ()
) -> Callable[[Pilot[Any]], Any]:
    """Wait until the store is on screen, make a draft, press keys; then these words must be there."""

    async def run(pilot: Pilot[Any]) -> None:
        app = pilot.app
        assert isinstance(app, SftuiApp)
        driver = Driver(app, pilot)
        if theme is not None:
            app.theme = theme
        await begun(driver)
        if draft:
            drafting = app.drafting
            api, intent = ("strategy", "api"), ("intents", "migrate")
            drafting.stage(Put("cwd", api, "v3", drafting.pre_image("cwd", api)))
            drafting.stage(Remove("cwd", intent, drafting.pre_image("cwd", intent)))
            await driver.until(lambda: drafting.is_current and drafting.is_saved and drafting.preview is not None)
        for key in keys:
            if key.startswith("'"):
                await driver.press("apostrophe", *key[1:], "enter")
            else:
                await driver.press(key)
        for wanted in words:
            await driver.until(lambda: wanted in driver.text)  # noqa: B023
        await at_rest(driver)
        assert "Internal error" not in driver.text

    return run


async def begun(driver: Driver, *, measured: bool = True) -> None:
    """Wait until memory is there, and the other scopes, which are listed and looked at after it."""
    app = driver.app
    await driver.until(lambda: app.has_picture and (app.picture.hot_bytes is not None or not measured))
    await driver.until(lambda: bool(app.neighbours.survey.cwds))
    await at_rest(driver)


async def at_rest(driver: Driver, seconds: float = 0.3) -> None:
    """Wait until the screen has stayed as it is for so long."""
    text, since = "", time.monotonic()
    while time.monotonic() - since < seconds:
        await driver.pilot.pause(0.02)
        if driver.text != text:
            text, since = driver.text, time.monotonic()


def ids(size: object) -> str:
    return f"{size[0]}x{size[1]}" if isinstance(size, tuple) and isinstance(size[0], int) else ""


@pytest.mark.parametrize("size", [NARROW, USUAL, WIDE], ids=ids)
def test_first_screen(app: SftuiApp, snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(app, terminal_size=size, run_before=shown())


def test_watch_wide(app: SftuiApp, snap_compare: Compare) -> None:
    assert snap_compare(app, terminal_size=(120, 30), run_before=shown("1"))


def test_light(app: SftuiApp, snap_compare: Compare) -> None:
    assert snap_compare(app, terminal_size=USUAL, run_before=shown("j", "j", theme=LIGHT.name))


def test_no_color(app: SftuiApp, snap_compare: Compare) -> None:
    app.no_color = True
    assert snap_compare(app, terminal_size=USUAL, run_before=shown("j", "j"))


def test_fenced(app: SftuiApp, snap_compare: Compare, tmp_path: Path) -> None:
    with (tmp_path / "store" / "--work-demo-app--" / "patches.jsonl").open("ab") as file:
        file.write(b"{broken\n")
    assert snap_compare(app, terminal_size=USUAL, run_before=_fenced())


def _fenced() -> Callable[[Pilot[Any]], Any]:
    async def run(pilot: Pilot[Any]) -> None:
        app = pilot.app
        assert isinstance(app, SftuiApp)
        await begun(Driver(app, pilot), measured=False)

    return run


# A draft: in the tree, and under review.

DRAFT = ("draft 2",)
REVIEW = ("cwd.strategy.api", "apply")


@pytest.mark.parametrize("size", [NARROW, USUAL, WIDE], ids=ids)
def test_draft(app: SftuiApp, snap_compare: Compare, size: tuple[int, int]) -> None:
    run = shown("2", "'cwd.strategy.api", draft=True, words=DRAFT)
    assert snap_compare(app, terminal_size=size, run_before=run)


@pytest.mark.parametrize("size", [NARROW, USUAL, WIDE], ids=ids)
def test_review(app: SftuiApp, snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(app, terminal_size=size, run_before=shown("p", draft=True, words=REVIEW))


@pytest.mark.parametrize("theme", [LIGHT.name, CONTRAST.name, PLAIN.name])
def test_review_in_other_themes(app: SftuiApp, snap_compare: Compare, theme: str) -> None:
    assert snap_compare(app, terminal_size=USUAL, run_before=shown("p", draft=True, words=REVIEW, theme=theme))


@pytest.mark.parametrize("theme", [CONTRAST.name, PLAIN.name])
def test_draft_in_other_themes(app: SftuiApp, snap_compare: Compare, theme: str) -> None:
    run = shown("2", "'cwd.strategy.api", draft=True, words=DRAFT, theme=theme)
    assert snap_compare(app, terminal_size=USUAL, run_before=run)


@pytest.mark.parametrize("keys", [("2", "'cwd.strategy.api"), ("p",)], ids=["tree", "review"])
def test_plain_signs(make: Make, snap_compare: Compare, keys: tuple[str, ...]) -> None:
    run = shown(*keys, draft=True, words=("draft 2", "cwd.strategy.api"))
    assert snap_compare(make(ascii_signs=True), terminal_size=USUAL, run_before=run)


# Intents.


@pytest.mark.parametrize("size", [NARROW, USUAL, WIDE], ids=ids)
def test_intents(app: SftuiApp, snap_compare: Compare, size: tuple[int, int]) -> None:
    run = shown("4", "g", words=("migrate", "release", "move the store"))
    assert snap_compare(app, terminal_size=size, run_before=run)


@pytest.mark.parametrize("size", [USUAL, WIDE], ids=ids)
def test_intents_as_a_table(app: SftuiApp, snap_compare: Compare, size: tuple[int, int]) -> None:
    run = shown("4", "t", "g", words=("migrate", "release"))
    assert snap_compare(app, terminal_size=size, run_before=run)


def test_intents_in_light(app: SftuiApp, snap_compare: Compare) -> None:
    run = shown("4", "g", words=("migrate", "release"), theme=LIGHT.name)
    assert snap_compare(app, terminal_size=USUAL, run_before=run)


# History.


@pytest.mark.parametrize("size", [NARROW, USUAL, WIDE], ids=ids)
def test_history(app: SftuiApp, snap_compare: Compare, size: tuple[int, int]) -> None:
    words = ("history", "unknown", "s1 ", "c0 → c1", *(("sizes over",) if size == WIDE else ()))
    assert snap_compare(app, terminal_size=size, run_before=shown("3", words=words))


def test_history_in_plain_signs(make: Make, snap_compare: Compare) -> None:
    words = ("history", "unknown", "c0-> c1", "sizes over")
    assert snap_compare(make(ascii_signs=True), terminal_size=WIDE, run_before=shown("3", words=words))


def test_a_difference(app: SftuiApp, snap_compare: Compare) -> None:
    run = shown("3", "enter", words=("strategy.api", "close"))
    assert snap_compare(app, terminal_size=USUAL, run_before=run)


# Context.


@pytest.mark.parametrize(("size", "draft"), [(NARROW, False), (WIDE, True)], ids=["50x30", "120x40-draft"])
def test_context(app: SftuiApp, snap_compare: Compare, size: tuple[int, int], draft: bool) -> None:
    words = ("all of it", "by key", "intents.release", *(("the draft: ", "draft 2") if draft else ()))
    assert snap_compare(app, terminal_size=size, run_before=shown("5", draft=draft, words=words))


# What asks, and what tells.


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        pytest.param(("2", "'cwd.tactics.checks", "e"), ("edit cwd.tactics.checks", "stage"), id="window"),
        pytest.param(("2", "'cwd.strategy.api", "e"), ("v2, v1 read-only", "use it"), id="line"),
        pytest.param(("2", "'cwd.strategy.api", "P"), ('"strategy"', "complete"), id="patch"),
        pytest.param(("2", "'cwd.strategy.api", "m"), ("move to global", "cancel"), id="choice"),
        pytest.param(("question_mark",), ("help", "close"), id="help"),
        pytest.param(("colon",), ("Hide rows", "close"), id="palette"),
        pytest.param(("2", "s"), ("cut release 1.4",), id="scopes"),
    ],
)
def test_dialogs(app: SftuiApp, snap_compare: Compare, keys: tuple[str, ...], words: tuple[str, ...]) -> None:
    assert snap_compare(app, terminal_size=USUAL, run_before=shown(*keys, words=words))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        pytest.param(("2", "'cwd.tactics.checks", "e"), ("stage",), id="window"),
        pytest.param(("2", "'cwd.strategy.api", "m"), ("move to global", "cancel"), id="choice"),
    ],
)
def test_dialogs_where_it_is_narrow(
    app: SftuiApp, snap_compare: Compare, keys: tuple[str, ...], words: tuple[str, ...]
) -> None:
    assert snap_compare(app, terminal_size=NARROW, run_before=shown(*keys, words=words))
