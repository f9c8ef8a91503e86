"""A patch as JSON: completed from what is there, checked as it is typed, put into the draft as it was written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.widgets import TextArea

from engine.memory.draft import Raw
from engine.store.snapshot import snapshot
from sftui.screens.editor import PatchScreen
from sftui.views.completion import complete, skeleton, spot
from sftui.views.picture import Picture, look
from tests.app.driving import Driver, opened
from tests.app.proving import proves
from tests.app.stores import MEMORY, Store, begin
from tests.app.test_editing import after, operations, said, settled, stand, stored


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY, specification=None)


def picture(store: Store) -> Picture:
    return look(Picture(), snapshot(store.address), "live", 0.0, pinned=False, sightings={})


# Where in the text somebody writes.


@pytest.mark.parametrize(
    ("text", "path", "key", "written"),
    [
        ("{", (), None, ""),
        ('{"cw', (), None, "cw"),
        ("{cw", (), None, "cw"),
        ('{"cwd": ', (), "cwd", ""),
        ('{"cwd": {"tac', ("cwd",), None, "tac"),
        ('{"cwd": {"tactics": {"a": 1, "', ("cwd", "tactics"), None, ""),
        ('{"cwd": {"tactics": {"a": {"b": 1}, ', ("cwd", "tactics"), None, ""),
        ('{"cwd": {"tactics": {"a": "with { and \\" in it", "c', ("cwd", "tactics"), None, "c"),
        ('{"cwd": {"tactics": {"checks": {[', ("cwd", "tactics", "checks"), None, "["),
        ('{"cwd": {"tactics": {"checks": ', ("cwd", "tactics"), "checks", ""),
    ],
)
def test_it_is_known_what_is_being_written(text: str, path: Any, key: str | None, written: str) -> None:
    found = spot(text, len(text))
    assert found is not None
    assert (found.path, found.key, found.written) == (path, key, written)


@pytest.mark.parametrize("text", ["", "{}", '{"cwd": {"tactics": {"a": [', '{"cwd": "x"', '{"cwd": {"a": {}}'])
def test_where_nothing_known_goes_nothing_is_completed(store: Store, text: str) -> None:
    assert spot(text, len(text)) is None
    assert complete(picture(store), text, len(text)).text == ""


# What is completed.


def completed(view: Picture, text: str) -> str:
    """The text after Tab, with the cursor as a bar."""
    at = text.index("|")
    plain = text.replace("|", "")
    found = complete(view, plain, at)
    if not found.text:
        return text
    return plain[: found.start] + found.text + "|" + plain[found.end :]


@pytest.mark.parametrize(
    ("before", "then"),
    [
        ('{"g|', '{"global": |'),
        ("{g|", '{"global": |'),
        ('{"g|"', '{"global": |'),
        ('{"g|": {}}', '{"global": |{}}'),
        ('{"cwd": {"la|', '{"cwd": {"lazy": |'),
        ('{"cwd": |', '{"cwd": {}|'),
        ('{"cwd": {"tactics": {"sto|', '{"cwd": {"tactics": {"store": |'),
        ('{"cwd": {"tactics": {"store": |', '{"cwd": {"tactics": {"store": "half moved"|'),
        ('{"cwd": {"tactics": {"store": |}}}', '{"cwd": {"tactics": {"store": "half moved"|}}}'),
        ('{"cwd": {"tactics": {"store": |1}}}', '{"cwd": {"tactics": {"store": |1}}}'),
        ('{"cwd": {"tactics": {"checks": {"[2|', '{"cwd": {"tactics": {"checks": {"[2]": |'),
        ('{"cwd": {"tactics": {"checks": {"[2]": |', '{"cwd": {"tactics": {"checks": {"[2]": "tests"|'),
        ('{"session": {"tactics": {"nope|', '{"session": {"tactics": {"nope|'),
    ],
)
def test_tab_completes_scopes_planes_keys_and_values(store: Store, before: str, then: str) -> None:
    assert completed(picture(store), before) == then


def test_of_several_the_common_part_is_written_and_all_are_offered(store: Store) -> None:
    store.patch(cwd={"tactics": {"store-b": 1, "store-c": 2}})
    text = '{"cwd": {"tactics": {"st'
    found = complete(picture(store), text, len(text))
    assert (found.text, found.offers) == ('"store', ("store", "store-b", "store-c"))
    text = '{"cwd": {"tactics": {"store": 1, "'
    assert complete(picture(store), text, len(text)).offers == ("checks", "store-b", "store-c")


def test_a_value_is_written_in_at_its_depth(store: Store) -> None:
    text = '{\n  "cwd": {\n    "tactics": {\n      "checks": '
    assert (
        complete(picture(store), text, len(text)).text
        == '[\n        "lint",\n        "types",\n        "tests"\n      ]'
    )


def test_odd_keys_are_quoted_so_that_no_terminal_obeys_them(store: Store) -> None:
    store.patch(cwd={"tactics": {'q"\x1b[2J': 1}})
    text = '{"cwd": {"tactics": {"q'
    assert complete(picture(store), text, len(text)).text == '"q\\"\\u001b[2J": '


def test_a_patch_begins_beside_the_row(store: Store) -> None:
    text, at = skeleton(picture(store), "cwd", ("tactics", "store"))
    assert text == '{\n  "cwd": {\n    "tactics": {\n      \n    }\n  }\n}'
    assert text[:at].endswith("{\n      ")
    assert skeleton(picture(store), "effective", ())[0] == '{\n  "cwd": {\n    \n  }\n}'


# In the app.


async def begun(driver: Driver) -> TextArea:
    await driver.press("P")
    await driver.until(lambda: isinstance(driver.top(), PatchScreen))
    return driver.app.screen.query_one(TextArea)


@proves("memory.patch", "edit.complete")
async def test_a_patch_is_written_with_completion_and_staged(store: Store) -> None:
    async with opened(store) as driver:
        await stand(driver, "tactics", "store", view="cwd")
        area = await begun(driver)
        await driver.press(*'"st', "tab", "tab", "backspace", *'!"')
        assert '"store": "half moved!"' in area.text
        await driver.until(lambda: "touches 1 place in cwd" in driver.text)
        await driver.press("ctrl+o")
        await settled(driver)
        (raw,) = operations(driver)
        assert isinstance(raw, Raw)
        assert raw.patch == {"cwd": {"tactics": {"store": "half moved!"}}}
        assert [(scope, path, before.value) for scope, path, before in raw.before] == [
            ("cwd", ("tactics", "store"), "half moved")
        ]
        assert after(driver, "cwd", "tactics", "store") == "half moved!"
        assert stored(store, "cwd") == MEMORY["cwd"]


async def test_null_deletes_in_a_patch(store: Store) -> None:
    async with opened(store) as driver:
        area = await begun(driver)
        area.load_text('{"cwd": {"intents": {"migrate": null}}}')
        await driver.press("ctrl+o")
        await settled(driver)
        assert after(driver, "cwd", "intents", "migrate") is None
        assert after(driver, "cwd", "tactics", "store") is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"cwd": {"tactics": {"a": 1e999}}}', "line 1, column 27"),
        ('{"cwd": {"tactics": {"a": NaN}}}', "line 1, column 27"),
        ('{\n  "cwd": {\n    oops', "line 3, column 5"),
        ('{"cwd": {"tactic": {"a": 1}}}', "no plane named"),
        ('{"cwd": {"response": {"a": 1}}}', "belongs to the runtime"),
        ('{"cwd": {}}', "it would change nothing"),
        ("[]", "patch"),
    ],
)
async def test_what_is_no_patch_stays_in_the_window_with_its_reason(store: Store, text: str, told: str) -> None:
    async with opened(store, (120, 40)) as driver:
        area = await begun(driver)
        area.load_text(text)
        await driver.press("ctrl+o")
        assert isinstance(driver.top(), PatchScreen)
        assert told in driver.text
        assert area.text == text
        assert operations(driver) == []
        await driver.press("escape")
        assert "What was written is kept" in said(driver)
        assert (await begun(driver)).text == text


@proves("edit.outside")
async def test_a_patch_goes_on_in_the_editor(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from sftui import external

    given: list[tuple[str, str]] = []

    def edited(_: object, title: str, text: str, suffix: str) -> external.Edited:
        given.append((text, suffix))
        return external.Edited('{"cwd": {"tactics": {"store": "edited"}}}')

    monkeypatch.setattr(external, "edit_outside", edited)
    async with opened(store) as driver:
        area = await begun(driver)
        begins = area.text
        await driver.press("ctrl+l")
        assert given == [(begins, ".json")]
        assert area.text == '{"cwd": {"tactics": {"store": "edited"}}}'
        await driver.press("ctrl+o")
        await settled(driver)
        assert after(driver, "cwd", "tactics", "store") == "edited"
