"""Text from a store is data: shown, never obeyed (cases 9 and 10), in a real terminal and in every widget."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.app.stores import Store, begin
from tests.app.terminal import Terminal

MARKUP = ("[/", "[/foo]", "[ABC-12]", "[@click=app.quit]x", "[a-z]+", "[bold red]loud[/]", "[link=file:///etc]l[/link]")
# A canary in each: had it been obeyed or passed on raw, it would stand in the bytes just so.
CONTROLS = {
    "osc52": "\x1b]52;c;Y2FuYXJ5NTI=\x07",
    "osc0": "\x1b]0;canary0\x1b\\",
    "csi2j": "\x1b[2Jcanary2j",
    "c1csi": "\x9b2Jcanaryc1",
    "c1osc": "\x9d0;canaryosc\x9c",
    "rlo": "a\u202ecanaryrlo",
    "isolate": "\u2067canaryrli\u2069",
    "zero": "zero\u200bcanaryzero",
    "tag": "\U000e0041canarytag",
    "surrogate": "\ud800canarysur",
    "crlf": "one\r\ncanarycrlf",
    "bell": "\x07canarybell",
}
ALL = {**{f"m{number}": text for number, text in enumerate(MARKUP)}, **CONTROLS}
FORBIDDEN = [
    b"\x1b]52",
    b"canary0\x1b\\",
    b"\x1b]0;canary0",
    b"\x1b[2Jcanary",
    b"\xc2\x9b",
    b"\xc2\x9d",
    "\u202e".encode(),
    "\u2067".encode(),
    "\u200b".encode(),
    "\U000e0041".encode(),
    b"\x07",
    b"\xed\xa0\x80",
]


def hostile(tmp_path: Path) -> Store:
    cwd = str(tmp_path / ("work" + "[@click=app.quit]" + "\x1b]0;canary0\x07\u202e"))
    memory = {
        "intents": {
            f"{name}-{text}": {"goal": text, "own": {"$ref": "session.tactics.x"}} for name, text in ALL.items()
        },
        "tactics": {**{text: text for text in ALL.values()}, "x": list(ALL.values())},
        "lazy": {"deep": {text: {text: text} for text in ALL.values()}},
    }
    store = begin(str(tmp_path / "store\u202e"), cwd, {"session": memory}, specification="".join(ALL.values()))
    store.patch(session={"tactics": {"x": None, **{text: "changed " + text for text in ALL.values()}}})
    return store


def check(raw: bytes) -> None:
    assert b"\x1b]52;c;Y2FuYXJ5NTI=" not in raw
    # What the app itself sends: the shape of the mouse pointer, and the clipboard, always as base64.
    raw = re.sub(rb"\x1b\]22;[a-z-]*\x07|\x1b\]52;c;[A-Za-z0-9+/=]*\x07", b"", raw)
    for bad in FORBIDDEN:
        at = raw.find(bad)
        assert at < 0, f"{bad!r} reached the terminal: {raw[max(0, at - 80) : at + 80]!r}"
    assert b"\x1b]" not in raw, "an operating system command reached the terminal"


@pytest.mark.parametrize(("columns", "lines"), [(50, 30), (120, 40)])
def test_no_control_byte_of_a_store_reaches_the_terminal(tmp_path: Path, columns: int, lines: int) -> None:
    store = hostile(tmp_path)
    arguments = ("--store", store.root, "--cwd", store.cwd, "--no-ledger")
    with Terminal(*arguments, columns=columns, lines=lines) as terminal:
        terminal.wait_for("live")
        for keys in (*"1jjjG2", "z9", *"jGvvvyY", "\r", "G", "\x1b", "s", "j", "\x1b", ":", "\x1b", "?", "G", "q"):
            terminal.send(keys)
            terminal.settle()
        terminal.send("/")
        terminal.settle()
        terminal.send("canary\r")
        terminal.settle(0.6)
        # A change, while it is on screen.
        store.patch(session={"tactics": {"\x1b]0;new\x07": "\x9b2Jcanaryc1"}})
        terminal.wait_for(" s2 ")
        terminal.settle()
        assert "health" not in terminal.text
        assert "canary" in terminal.text
        assert terminal.is_running
    check(bytes(terminal.raw))


# What leads to each place where memory is changed, and what shows on the way; some say what has to be there then.
EDITING = (
    *("2", "v", "v", "z9"),
    *("G", "e", "\x1b", "k", "k", "e", "\x1b"),  # a line, a window
    *("n", "\x1b", "r", "\x1b", "m", "\x1b", "L", "\x1b", ("P", "stage"), "\t", "\x1b"),
    *("x", "d", "k", " ", "k", " ", "d", "k", "d"),
    *(("p", "apply"), "j", "j", "G", "w", "g", " ", " ", "j", "e", "\x1b", "\x1b"),
    *("4", "j", "l", "j", "G", "t", "j", "G", "d", "e", "\x1b", "m", "\x1b", "u", "<"),
    *(
        ("3", "history"),
        ("\r", "close"),
        "j",
        "\x1b",
        "c",
        "j",
        ("c", "every scope"),
        ("1", "close"),
        "\x1b",
        "}",
        "y",
        "v",
        "v",
    ),
    *("/", "canary\r", ("a", "as of"), "=", "\x07", "u"),
    *(("6", "health"), "j", "j", " ", "*", "a", "M", "i", "\x1b", "I", "}", "y", "G"),
    *("1", "g", "u", "2", "U", "\x12", "x", ":", "\x1b", ("\x1bOQ", "for a report"), "\x1b", "?", "G", "q"),
)


@pytest.mark.parametrize(("columns", "lines"), [(60, 24), (120, 40)])
def test_no_control_byte_reaches_the_terminal_while_memory_is_changed(tmp_path: Path, columns: int, lines: int) -> None:
    cwd = str(tmp_path / "work\x1b]0;canary0\x07\u202e")
    memory = {
        "intents": {
            f"{name}-{text}": {"goal": text, "own": {"$ref": f"cwd.lazy.{name}"}} for name, text in ALL.items()
        },
        "tactics": {text: {"text": text, "list": list(ALL.values())} for text in ALL.values()},
        "lazy": {**{name: {text: text} for name, text in ALL.items()}, **{text: text for text in ALL.values()}},
    }
    store = begin(str(tmp_path / "store\u202e"), cwd, {"cwd": memory}, specification="".join(ALL.values()))
    store.patch(cwd={"tactics": {text: {"text": "changed " + text} for text in ALL.values()}})
    arguments = ("--store", store.root, "--cwd", store.cwd, "--session", str(store.session), "--no-ledger")
    seen: list[str] = []
    with Terminal(*arguments, columns=columns, lines=lines) as terminal:
        terminal.wait_for("live")
        for step in EDITING:
            keys, wanted = (step, "") if isinstance(step, str) else step
            if keys == "p":
                # The same place, changed by another: three ways of hostile text beside each other.
                store.patch(cwd={"lazy": {text: "\x1b]0;canary0\x07theirs " + text for text in ALL.values()}})
            terminal.send(keys)
            terminal.settle()
            seen.append(terminal.wait_for(wanted) if wanted else terminal.text)
        assert terminal.is_running
    check(bytes(terminal.raw))
    shown = "\n".join(seen)
    for words in ("use it", "stage", "review", "apply", "draft", "intents", "for a report"):
        assert words in shown, f"{words!r} was never on the screen"
    assert "Internal error" not in shown
    assert "canary" in shown


def test_markup_is_shown_as_it_is(tmp_path: Path) -> None:
    begin(str(tmp_path / "store"), "/work/[/app]", {"session": {"tactics": {text: text for text in MARKUP}}})
    with Terminal("--store", str(tmp_path / "store"), "--cwd", "/work/[/app]", "--no-ledger", columns=98) as terminal:
        terminal.wait_for("[link=file:///etc]l[/link]")
        for text in MARKUP:
            assert text in terminal.text
        assert "/work/[/app]" in terminal.text
        terminal.send("y")
        terminal.wait_for("was sent to")


def test_a_store_of_hostile_faults_is_explained(tmp_path: Path) -> None:
    store = hostile(tmp_path)
    directory = store.address.scope_dir("session")
    with open(os.path.join(directory, "patches.jsonl"), "ab") as file:
        file.write(b"{\x1b]0;canary0\x07\n")
    with Terminal("--store", store.root, "--cwd", store.cwd, "--no-ledger", columns=110) as terminal:
        terminal.wait_for("✖")
        terminal.pump(0.5)
    check(bytes(terminal.raw))
