"""Text and numbers that most programs spoil: stored exactly, shown safely, or refused with a reason."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import pytest

from engine import values
from tests.app.driving import opened
from tests.app.stores import Store
from tests.app.terminal import Terminal
from tests.cases.at import at, patch
from tests.cli.conftest import Run
from tests.store.building import CWD, SESSION, Home

MARKUP = ("[/", "[/foo]", "[ABC-12]", "[@click=app.quit]x", "[a-z]+")
ALLOWED = values.MAX_DEPTH - 4
"""Objects within each other that still fit, below a plane, into a document, a request and a result."""


def window(home: Home) -> list[str]:
    return [*at(home, session=True), "--no-ledger"]


def copied(terminal: Terminal) -> list[str]:
    """What the terminal was asked to put on its clipboard."""
    return [base64.b64decode(one).decode() for one in re.findall(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07", terminal.raw)]


@pytest.mark.parametrize("text", MARKUP)
async def test_markup_is_literal_in_rows_details_messages_and_titles(home: Home, run: Run, text: str) -> None:
    memory = {"tactics": {text: {"inner": text}}, "intents": {text: {"goal": text}}}
    assert run("patch", *at(home), stdin=patch(cwd=memory)).code == 0
    store = Store(str(home.root), CWD, SESSION)
    async with opened(store, (120, 40), session=SESSION) as driver:
        await driver.press("1")
        assert text in driver.text
        await driver.press("2")
        driver.tree.reveal(("tactics", text, "inner"))
        await driver.press("y")
        shown = f'["{text}"].inner'
        assert driver.app.clipboard.endswith(shown)
        (message,) = driver.app._notifications
        assert message.message.endswith(shown)
        assert not message.markup
        assert f'"{text}"' in driver.text
        await driver.press("apostrophe", *text.replace("'", ""), "enter")
        await driver.pilot.pause(0.2)
        assert driver.app.is_running
        hints = [widget.tooltip for widget in driver.app.screen.query("*") if widget.tooltip is not None]
        assert not [hint for hint in hints if text in str(hint)]
        assert text not in driver.app.title + str(driver.app.sub_title)


def test_a_lone_surrogate_is_stored_shown_and_copied_and_hinders_nothing(home: Home, run: Run, tmp_path: Path) -> None:
    draft = tmp_path / "draft.json"
    draft.write_bytes(rb'{"cwd": {"tactics": {"k\ud800": "v\udc00", "next": "x\udbff"}}}')
    for again in (["--dry-run"], []):
        assert run("patch", *again, *at(home), str(draft)).code == 0
    assert run("patch", *at(home), stdin=patch(cwd={"tactics": {"good": "é"}})).code == 0
    lines = (home.cwd / "patches.jsonl").read_bytes().splitlines()
    assert lines[-2:] == [
        rb'{"tactics":{"k\ud800":"v\udc00","next":"x\udbff"}}',
        '{"tactics":{"good":"é"}}'.encode(),
    ]
    assert run("doctor", *at(home)).code == 0
    with Terminal(*window(home), columns=110, lines=40) as terminal:
        terminal.wait_for("v⟨dc00⟩")
        terminal.send("'cwd.tactics.next\r")
        terminal.wait_for("x⟨dbff⟩")
        terminal.pump(0.5)
        terminal.send("Y")
        terminal.wait_for("clipboard")
        terminal.send("\r")
        terminal.pump(0.5)
        assert "good" in terminal.text or "dbff" in terminal.text
        assert copied(terminal) == [r'"x\udbff"']
    assert "\\udc00" in run("read", "--json", *at(home), "cwd.tactics").out


def test_large_integers_come_back_digit_by_digit_and_who_rounds_them_is_said(home: Home, run: Run) -> None:
    huge = "7" * 400
    text = f'{{"cwd": {{"tactics": {{"id": 653247040368672768, "huge": {huge}}}}}}}'
    for again in (["--dry-run"], []):
        result = run("patch", *again, *at(home), stdin=text)
        assert result.code == 0
        assert "JavaScript" in result.out + result.err
        assert "round" in result.out + result.err
    assert run("patch", *at(home), stdin=patch(cwd={"tactics": {"other": 1}})).code == 0
    assert (
        b'{"tactics":{"huge":%s,"id":653247040368672768}}' % huge.encode() in (home.cwd / "patches.jsonl").read_bytes()
    )
    assert f'"huge":{huge}' in run("read", "--json", *at(home), "cwd.tactics").out
    assert run("read", "--json", *at(home), "cwd.tactics.id").out == '{"value":653247040368672768}\n'


@pytest.mark.parametrize("opening", [b'{"a":', b"["], ids=["objects", "arrays"])
def test_nesting_beyond_the_bound_is_refused_by_every_command(home: Home, run: Run, opening: bytes) -> None:
    closing = b"}" if opening.startswith(b"{") else b"]"
    deep = opening * 3000 + b"1" + closing * 3000
    draft = b'{"cwd": {"lazy": {"deep": %s}}}' % deep
    for again in (["--dry-run"], []):
        refused = run("patch", *again, *at(home), stdin=draft)
        assert (refused.code, refused.out, refused.err.count("\n")) == (3, "", 1)
        assert re.search(r"standard input:1:\d+", refused.err)
        assert "nest" in refused.err
    stored = b'{"lazy":{"deep":%s}}\n' % deep
    for name in ("checkpoint.json", "patches.jsonl"):
        sound = (home.cwd / name).read_bytes()
        (home.cwd / name).write_bytes(stored)
        for arguments in (["doctor"], ["status"], ["log"], ["read", "cwd"], ["patch"]):
            refused = run(*arguments, *at(home), stdin=patch(cwd={"lazy": {"new": 1}}))
            assert refused.code == 5, arguments
            assert "nest" in refused.out + refused.err, arguments
            assert "Traceback" not in refused.err
            assert "RecursionError" not in refused.err
        assert run("read", *at(home), "global").code == 0
        assert (home.cwd / name).read_bytes() == stored
        (home.cwd / name).write_bytes(sound)
    assert run("doctor", *at(home)).code == 0


def test_nesting_beyond_the_bound_is_explained_in_the_window(home: Home) -> None:
    (home.cwd / "checkpoint.json").write_bytes(b'{"lazy":' + b'{"a":' * 3000 + b"1" + b"}" * 3001 + b"\n")
    with Terminal(*window(home), columns=120, lines=40) as terminal:
        terminal.wait_for("nest")
        terminal.send("v")
        terminal.wait_for("kept")  # the global scope, which can be read


def test_the_deepest_nesting_that_is_allowed_is_changed_printed_drawn_and_copied(home: Home, run: Run) -> None:
    inner = '{"a":' * ALLOWED + "%d" + "}" * ALLOWED
    for number in (1, 2):
        text = '{"cwd": {"lazy": {"deep": %s}}}' % (inner % number)
        for again in (["--dry-run"], ["--json", "--dry-run"], []):
            done = run("patch", *again, *at(home), stdin=text)
            assert (done.code, done.err) == (0, "")
    for arguments in (["status"], ["doctor"], ["log"], ["log", "--json"], ["read", "cwd.lazy.deep"]):
        assert run(*arguments, *at(home)).code == 0
    assert run("read", "--json", *at(home), "cwd.lazy.deep").out == f'{{"value":{inner % 2}}}\n'
    with Terminal(*window(home), columns=100, lines=40) as terminal:
        terminal.wait_for("live")
        terminal.send("'cwd.lazy.deep\r")
        terminal.wait_for(r"cwd.lazy.deep ")
        terminal.pump(1.0)
        terminal.send("z9")
        terminal.pump(1.0)
        terminal.send("Y")
        terminal.wait_for("clipboard")
        terminal.send("\r")
        terminal.pump(1.0)
        terminal.send("G")
        terminal.wait_for("}")
        terminal.send("\x1b")
        terminal.pump(0.3)
        terminal.send("1")
        terminal.wait_for("lazy.deep")
        assert [re.sub(r"\s", "", one) for one in copied(terminal)] == [inner % 2]


def test_line_separators_within_texts_end_no_record(home: Home, run: Run) -> None:
    text = "one\u2028two\u0085three\u2029four\x0bfive\x1csix"
    tail = home.cwd / "patches.jsonl"
    raw = json.dumps({"lazy": {"n": 1, "t": text[:13]}}, ensure_ascii=False).encode()
    tail.write_bytes(raw + b'\n{"lazy":{"n":2}}\n')
    assert run("patch", *at(home), stdin=json.dumps({"cwd": {"lazy": {"u": text}}}, ensure_ascii=True)).code == 0
    lines = tail.read_bytes().split(b"\n")
    assert len(lines) == 4
    assert lines[0] == raw
    assert "\u2028".encode() in lines[2]
    assert "\u0085".encode() in lines[2]
    assert run("read", "--json", *at(home), "cwd.lazy").json == {"value": {"n": 2, "t": text[:13], "u": text}}
    assert len(run("log", "--json", *at(home)).json["scopes"][1]["transitions"]) == 3


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_is_fenced_in_a_store_and_refused_in_a_draft(home: Home, run: Run, number: str) -> None:
    refused = run("patch", *at(home), stdin=f'{{"cwd":\n {{"tactics":\n  {{"a": {number}}}}}}}')
    assert (refused.code, refused.err.count("\n")) == (3, 1)
    assert "standard input:3:9" in refused.err
    for name in ("checkpoint.json", "patches.jsonl"):
        sound = (home.cwd / name).read_bytes()
        bad = sound.replace(b'{"n":2}', b'{"n":%s}' % number.encode()).replace(
            b'{"n":0}', b'{"n":%s}' % number.encode()
        )
        (home.cwd / name).write_bytes(bad)
        report = run("doctor", "--json", *at(home))
        assert report.code == 5
        (fault,) = report.json["scopes"][1]["faults"]
        assert (fault["code"], fault["file"]) == ("number-range", name)
        assert fault["line"] == (1 if name == "checkpoint.json" else 2)
        assert run("read", *at(home), "cwd.lazy").code == 5
        assert (home.cwd / name).read_bytes() == bad
        (home.cwd / name).write_bytes(sound)
