"""Text of a store in a real terminal: shown, never obeyed. Looks at the raw bytes."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Run, Store, Stores, environment

MARKUP = ["[/", "[/foo]", "[ABC-12]", "[@click=app.quit]x", "[a-z]+", "[red]", ":smile:", "https://example.org/[x]"]
CONTROL = [
    "\x1b]52;c;ZXZpbA==\x07",
    "\x1b]0;title\x07",
    "\x1b[2J\x1b[H",
    "\x9b31m\x9d0;t\x9c",
    "\u202egnp.exe",
    "\u2066x\u2069\u200f",
    "a\rb\x08c\x7f\x00",
    "\ud800",
    "\u2028\u2029\x85",
]
# What Rich may send to colour a word: SGR and nothing else.
COLOUR = re.compile(rb"\x1b\[[0-9;]*m")
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def in_terminal(*arguments: str, stdin: bytes | None = None, columns: int = 80, **variables: str) -> tuple[int, bytes]:
    """Run the command with stdout and stderr on a pty of its own; give its exit code and every byte it sent."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "sftui", *arguments],
        stdin=subprocess.PIPE,
        stdout=follower,
        stderr=follower,
        env={**environment(), "TERM": "xterm-256color", "COLUMNS": str(columns), **variables},
        cwd=ROOT,
        start_new_session=True,
    )
    os.close(follower)
    assert process.stdin is not None
    process.stdin.write(stdin or b"")
    process.stdin.close()
    sent = b""
    while True:
        try:
            data = os.read(leader, 65536)
        except OSError:
            break
        if not data:
            break
        sent += data
    os.close(leader)
    return process.wait(60), sent


def check(sent: bytes) -> str:
    """Nothing but text, line ends and colours has been sent."""
    text = COLOUR.sub(b"", sent).replace(b"\r\n", b"\n").decode("utf-8")
    assert FORBIDDEN.search(text) is None, repr(text)
    return text


@pytest.fixture
def hostile(stores: Stores, run: Run) -> Store:
    """A store whose keys and values, and broken parts, try everything."""
    store = stores("two-sessions")
    memory = {f"{number}{text}": text for number, text in enumerate([*MARKUP, *CONTROL])}
    patch = {"cwd": {"lazy": memory, "working": memory, "intents": dict(memory)}, "global": {"contract": memory}}
    assert run("patch", *store.at(), stdin=json.dumps(patch)).code == 0
    return store


@pytest.mark.parametrize("columns", [50, 200])
@pytest.mark.parametrize(
    "arguments",
    [
        ["status"],
        ["log"],
        ["doctor"],
        ["read", "cwd"],
        ["read", "--json", "cwd"],
        ["log", "--json"],
        ["status", "--json"],
        ["read", "--projection", "keys", "cwd.lazy"],
        ["read", "cwd.lazy.gone\x1b[2J\u202e"],
        ["search", "a"],
        ["search", "--json", "bold"],
        ["traces", "cwd.lazy", "--show"],
        ["traces", "cwd.lazy", "--json"],
        ["blame", "effective.lazy"],
        ["blame", "--json", "cwd"],
        ["blame", "cwd.lazy.gone\x1b[2J\u202e"],
        ["ledger", "status"],
        ["ledger", "verify"],
    ],
)
def test_nothing_in_a_store_is_obeyed(hostile: Store, arguments: list[str], columns: int) -> None:
    code, sent = in_terminal(*arguments, *hostile.at(), columns=columns)
    assert code in {0, 3, 7}
    check(sent)


def test_json_in_a_terminal_still_means_the_same(hostile: Store) -> None:
    _, sent = in_terminal("read", "--json", *hostile.at(), "cwd.lazy")
    value = json.loads(sent.replace(b"\r\n", b""))["value"]
    assert sorted(value.values()) == sorted([*MARKUP, *CONTROL])


def test_markup_is_shown_literally(hostile: Store) -> None:
    patch = json.dumps({"cwd": {"lazy": {text: text for text in MARKUP}}}).encode()
    for arguments in (["patch", "--dry-run"], ["patch"]):
        _, sent = in_terminal(*arguments, *hostile.at(), stdin=patch, columns=200)
        text = check(sent)
        for shown in MARKUP:
            assert f'cwd.lazy["{shown}"]  "{shown}"' in text.replace("+ lazy", "+ cwd.lazy")


def test_a_patch_and_its_preview_are_shown_safely(hostile: Store) -> None:
    patch = json.dumps({"cwd": {"lazy": dict.fromkeys(CONTROL) | {"x\x1b[2J": "\u202e"}}}).encode()
    for arguments in (["patch", "--dry-run"], ["patch", "--dry-run", "--json"], ["patch"], ["patch", "--json"]):
        code, sent = in_terminal(*arguments, *hostile.at(), stdin=patch)
        assert code == 0
        check(sent)


def test_broken_places_are_named_safely(stores: Stores, tmp_path: Path) -> None:
    store = stores("two-sessions")
    evil = "--cwd\x1b]0;t\x07\u202e--"
    (store.root / "--work-demo-project--" / "meta.json").write_text(
        json.dumps({"version": 2, "owner": {"cwd": "/\x1b[2J\u202eevil"}, "temporal": {}})
    )
    session = store.root / "--work-demo-project--" / store.session
    (session / "runtime.json").write_text('{"version": 1, "identity": {"cwd": "\\u001b[2J", "sessionId": "\u202e"}}')
    for command in ("doctor", "status", "log"):
        code, sent = in_terminal(command, *store.at(session=True))
        assert code == 5
        check(sent)
    for arguments in (
        ["status", "--session", evil],
        ["status", "--scopes", evil],
        ["patch", evil],
        ["read", "--store", evil, evil],
        [f"--{evil}"],
        ["status", "--store", str(tmp_path / evil)],
    ):
        _, sent = in_terminal(*arguments)
        check(sent)


def test_no_colour_where_none_is_wanted(hostile: Store) -> None:
    _, coloured = in_terminal("status", *hostile.at())
    assert COLOUR.search(coloured)
    _, plain = in_terminal("status", *hostile.at(), NO_COLOR="1")
    assert not re.search(rb"\x1b\[[0-9;]*3[0-7]m", plain)
    check(plain)
    _, dumb = in_terminal("status", *hostile.at(), TERM="dumb")
    assert b"\x1b" not in dumb


def test_in_a_pipe_everything_is_visible_as_well(hostile: Store, run: Run) -> None:
    for command in ("status", "log", "doctor"):
        out = run(command, *hostile.at()).out
        assert FORBIDDEN.search(out) is None
