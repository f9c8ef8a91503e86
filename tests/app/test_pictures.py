"""A few pictures: the layouts that the design draws. What the screens say is asserted elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from sftui.app import SftuiApp
from sftui.styles import LIGHT
from tests.app.stores import MEMORY, begin

Compare = Callable[..., bool]


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SftuiApp:
    """The app on a store whose names are the same wherever the test runs."""
    monkeypatch.setenv("TZ", "UTC")
    store = begin(str(tmp_path / "store"), "/work/demo/app", MEMORY)
    store.patch(session={"tactics": {"next": "run the e2e suite"}})
    store.patch(cwd={"strategy": {"api": "v2, v1 read-only"}, "lazy": {"notes": {"a": "b" * 500}}})
    monkeypatch.setattr("sftui.views.header._tilde", lambda path, home: "~/store" if "store" in path else path)
    return SftuiApp(store.root, store.cwd, None, no_ledger=True)


def shown(*keys: str, theme: str | None = None) -> Callable[[Pilot[Any]], Any]:
    """Wait until the store is on screen, then press keys."""

    async def run(pilot: Pilot[Any]) -> None:
        app = pilot.app
        assert isinstance(app, SftuiApp)
        if theme is not None:
            app.theme = theme
        for _ in range(300):
            if app.has_picture and app.picture.hot_bytes is not None:
                break
            await pilot.pause(0.02)
        # The scopes are listed and looked at after the memory is there.
        await pilot.pause(0.8)
        for key in keys:
            await pilot.press(key)
        await pilot.pause(0.2)

    return run


@pytest.mark.parametrize("size", [(50, 30), (80, 24), (120, 40)], ids=["50x30", "80x24", "120x40"])
def test_first_screen(app: SftuiApp, snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(app, terminal_size=size, run_before=shown())


def test_watch_wide(app: SftuiApp, snap_compare: Compare) -> None:
    assert snap_compare(app, terminal_size=(120, 30), run_before=shown("1"))


def test_light(app: SftuiApp, snap_compare: Compare) -> None:
    assert snap_compare(app, terminal_size=(80, 24), run_before=shown("j", "j", theme=LIGHT.name))


def test_no_color(app: SftuiApp, snap_compare: Compare) -> None:
    app.no_color = True
    assert snap_compare(app, terminal_size=(80, 24), run_before=shown("j", "j"))


def test_fenced(app: SftuiApp, snap_compare: Compare, tmp_path: Path) -> None:
    with (tmp_path / "store" / "--work-demo-app--" / "patches.jsonl").open("ab") as file:
        file.write(b"{broken\n")
    assert snap_compare(app, terminal_size=(80, 24), run_before=_fenced())


def _fenced() -> Callable[[Pilot[Any]], Any]:
    async def run(pilot: Pilot[Any]) -> None:
        app = pilot.app
        assert isinstance(app, SftuiApp)
        for _ in range(300):
            if app.has_picture:
                break
            await pilot.pause(0.02)
        await pilot.pause(0.4)

    return run
