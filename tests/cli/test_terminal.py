"""What a person sees in a terminal of 80 columns, and what is said about slips in the command itself."""

from __future__ import annotations

import fcntl
import itertools
import os
import pty
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.conftest import Run, Stores, environment

WIDTH = 80


def on_terminal(*arguments: str, typed: bytes = b"") -> list[str]:
    """The lines that a command writes to a terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, WIDTH, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "sftui", *arguments],
        stdin=slave, stdout=slave, stderr=slave, env={**environment(), "TERM": "dumb", "NO_COLOR": "1"},
    )  # fmt: skip
    os.close(slave)
    if typed:
        os.write(master, typed)
    shown = b""
    while True:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    process.wait()
    os.close(master)
    return shown.decode().replace("\r\n", "\n").rstrip("\n").split("\n")


@pytest.mark.parametrize("command", ["status", "doctor", "log"])
def test_no_line_is_wider_than_the_terminal(stores: Stores, command: str) -> None:
    made = stores("lock-dead-process")
    store = replace(made, root=Path(tempfile.mkdtemp(prefix="s", dir="/tmp"), "s"))
    shutil.copytree(made.root, store.root)
    lines = on_terminal(command, *store.at(session=True))
    shutil.rmtree(store.root.parent)
    joined = "\n".join(lines)
    assert max(map(len, lines)) <= WIDTH
    assert not any(line.endswith(" ") for line in lines)
    assert (store.session in joined) == (command != "log")
    # Blank lines part sections; none is left by a line that was too long.
    assert not any(one == other == "" for one, other in itertools.pairwise(lines))
    assert (str(store.root) in joined) == (command != "log")


def test_headings_name_their_columns(stores: Stores) -> None:
    store = stores("two-sessions")
    lines = on_terminal("status", *store.at(session=True))
    heading = next(line for line in lines if line.startswith("scope"))
    assert heading.split() == ["scope", "status", "rev", "kept", "size", "address"]
    row = next(line for line in lines if line.startswith("global"))
    assert row.index(" B") + 2 == heading.index("size") + len("size")
    assert row[heading.index("address")] == "."


def test_a_patch_that_is_typed_says_what_it_waits_for(stores: Stores) -> None:
    store = stores("two-sessions")
    lines = on_terminal("patch", "--dry-run", *store.at(), typed=b'{"cwd": {"lazy": {"k": 1}}}\n\x04')
    assert any("Ctrl-D" in line for line in lines)
    assert any("would change" in line for line in lines)


def test_a_word_that_is_no_command_and_no_store(run: Run, tmp_path: Path) -> None:
    for word, command in (("statsu", "status"), ("docter", "doctor"), ("PATCH", "patch")):
        result = run(word, "--json")
        assert (result.code, result.err.count("\n")) == (2, 1)
        assert f"`sftui {command}`" in result.err
    result = run("bogus")
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert "no store at 'bogus'" in result.err
    (tmp_path / "bogus").mkdir()
    assert "needs a terminal" in run("bogus").err


def test_the_newest_session_where_there_is_none(run: Run, stores: Stores, tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    result = run("status", "--store", str(missing), "--session", "newest")
    assert result.code == 3
    assert str(missing) in result.err
    store = stores("two-sessions")
    judged = run("doctor", "--json", "--store", str(store.root), "--cwd", "/nowhere", "--session", "newest")
    assert judged.code == 0
    assert [scope["scope"] for scope in judged.json["scopes"]] == ["global", "cwd"]
    assert "no session has run" in judged.err
