"""The page for reports: what it says, and that nothing that is remembered is on it."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

import sftui
from sftui.debugging import tilde
from sftui.screens.debug import DebugScreen
from sftui.widgets.bars import TextPane
from tests.app.driving import opened
from tests.app.proving import proves
from tests.app.stores import SESSION, Store, begin

SECRET = "hunter2"
STATES = {
    scope: {
        "intents": {f"intent-{SECRET}": {"goal": SECRET}},
        "tactics": {f"key-{SECRET}": SECRET},
        "lazy": {SECRET: {"text": SECRET}},
    }
    for scope in ("global", "cwd", "session")
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / f"app-{SECRET}"), STATES, specification=f"find {SECRET}")


def page(pane: TextPane) -> str:
    return _spaced("\n".join("".join(text for text, _ in line) for line in pane._lines))


def _spaced(text: str) -> str:
    """One space where columns are."""
    return re.sub(r"(?<=\S) {2,}", " ", text)


@proves("app.debug", "debug.copy", "debug.close")
async def test_the_page_says_what_a_report_needs_and_nothing_that_is_remembered(store: Store) -> None:
    with open(os.path.join(store.root, "patches.jsonl"), "ab") as file:
        file.write(f'{{"{SECRET}"\n'.encode())
    async with opened(store, (120, 40)) as driver:
        await driver.press("f2")
        assert isinstance(driver.app.screen, DebugScreen)
        pane = driver.app.screen.query_one(TextPane)
        await driver.until(lambda: "program" in page(pane))
        told = page(pane)
        assert f"sftui {sftui.__version__}" in told
        assert "size 120x40" in told
        assert "theme dark" in told
        assert "feed live" in told
        assert "global fenced" in told
        assert "session healthy, revision 0, 0 kept, dialect 4" in told
        assert "in global patches.jsonl:1" in told
        assert "draft empty" in told
        assert SECRET not in told
        assert SESSION not in told
        await driver.press("y")
        assert "theme" in driver.app.clipboard
        assert SECRET not in driver.app.clipboard
        assert driver.app.clipboard.startswith("program\n  sftui")
        assert "sftui debug prints it" in driver.told
        await driver.press("q")
        assert driver.top() is driver.memory
        await driver.press("f2", "f2")
        assert driver.top() is driver.memory


def test_the_command_prints_the_same(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    from sftui.cli import main

    place = ["--store", store.root, "--cwd", store.cwd, "--session", str(store.session)]
    assert main(["debug", *place]) == 0
    told = _spaced(capsys.readouterr().out)
    assert "session healthy, revision 0, 0 kept, dialect 4" in told
    assert SECRET not in told.replace(store.cwd, "")
    assert main(["debug", "--json", *place]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["program"]["sftui"] == sftui.__version__
    assert document["store"]["session"].startswith("healthy, revision 0")
    assert document["store"]["root"] == store.root
    assert SECRET not in json.dumps(document)


def test_a_home_is_not_named() -> None:
    home = os.path.expanduser("~")
    assert tilde(f"{home}/x/y") == "~/x/y"
    assert tilde(f"{home}x/y") == f"{home}x/y"
    assert tilde("/elsewhere") == "/elsewhere"
