"""The person's own editor, in a real terminal: what it leaves is used, refused at its place, or not taken at all."""

from __future__ import annotations

import os
import signal
import stat
import time
from pathlib import Path

import pytest

from engine.store.layout import LOCK_NAME, store_home
from sftui.edits import Edits
from sftui.external import editor
from tests.app.proving import proves
from tests.app.stores import MEMORY, Store, begin
from tests.app.terminal import Terminal

PATIENT = 30.0


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return begin(str(tmp_path / "store"), str(tmp_path / "app"), MEMORY, specification=None)


class Desk:
    """An editor that does what its script says, and the directory that it works in."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.temporary = directory / "temporary"
        self.temporary.mkdir()

    def editor(self, script: str) -> dict[str, str]:
        """Give the environment of an app whose editor is a shell script with the file as $1."""
        path = self.directory / "an editor"
        path.write_text(f"#!/bin/sh\nDESK='{self.directory}'\n{script}\n")
        path.chmod(0o755)
        return {"VISUAL": "", "EDITOR": f"'{path}' --", "TMPDIR": str(self.temporary)}

    def read(self, name: str) -> str:
        path = self.directory / name
        for _ in range(int(PATIENT / 0.05)):
            if path.exists():
                return path.read_text()
            time.sleep(0.05)
        raise AssertionError(f"{name} never came")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = tmp_path / "desk"
    made.mkdir()
    return Desk(made)


def opened(store: Store, environ: dict[str, str]) -> Terminal:
    return Terminal("--store", store.root, "--cwd", store.cwd, "--no-ledger", environ=environ)


def left(store: Store) -> dict[Path, str]:
    """The texts that are in files of ours, by their place."""
    found = Path(store_home(store.root), "edits").glob("*/value.*")
    return {path: path.read_bytes().decode("utf-8", "replace") for path in found}


def go(terminal: Terminal, path: str) -> None:
    """Put the cursor on a path."""
    terminal.wait_for("conventional")
    terminal.send("'")
    terminal.wait_for("jump")
    terminal.send(f"{path}\r")
    terminal.wait_for(lambda text: f"─ {path}" in text)


@proves("memory.edit-outside")
def test_a_text_is_edited_as_it_is_in_a_file_of_its_own(store: Store, desk: Desk) -> None:
    environ = desk.editor(
        'cp "$2" "$DESK/seen"; stat -c "%a" "$2" "$(dirname "$2")" > "$DESK/modes"; echo "$2" > "$DESK/name"\n'
        'printf "moved\\nat last\\n" > "$2"'
    )
    with opened(store, environ) as terminal:
        go(terminal, "cwd.tactics.store")
        terminal.send("E")
        assert desk.read("seen") == "half moved\n"
        terminal.wait_for("draft 1", PATIENT)
        assert desk.read("modes").split() == ["600", "700"]
        assert desk.read("name").strip().endswith(".txt")
        # The whole screen is there again.
        text = terminal.wait_for('"moved␊at last"')
        assert "cwd.tactics.store" in text
        assert "? help" in text
    assert list(desk.temporary.iterdir()) == []


def test_a_structure_that_does_not_read_is_offered_again_at_its_line(store: Store, desk: Desk) -> None:
    environ = desk.editor(
        'if [ -e "$DESK/again" ]; then cp "$2" "$DESK/kept"; printf "[\\"good\\"]\\n" > "$2"\n'
        'else touch "$DESK/again"; printf "[\\n  \\"a\\",\\n  oops\\n]\\n" > "$2"; fi'
    )
    with opened(store, environ) as terminal:
        go(terminal, "cwd.tactics.checks")
        terminal.send("E")
        text = terminal.wait_for("line 3, column 3", PATIENT)
        assert "oops" in text
        terminal.send("\x0c")  # ctrl+l: go on in the editor
        assert desk.read("kept") == '[\n  "a",\n  oops\n]\n'
        terminal.wait_for('["good"]', PATIENT)
        terminal.send("\x0f")  # ctrl+o: stage it
        terminal.wait_for("draft 1", PATIENT)
        terminal.wait_for("checks [1]")


def test_no_lock_is_held_and_others_write_while_the_editor_is_open(store: Store, desk: Desk) -> None:
    environ = desk.editor(
        'touch "$DESK/open"\nwhile [ ! -e "$DESK/enough" ]; do sleep 0.05; done\nprintf "[\\"mine\\"]\\n" > "$2"'
    )
    with opened(store, environ) as terminal:
        go(terminal, "cwd.tactics.checks")
        terminal.send("E")
        desk.read("open")
        assert not os.path.exists(os.path.join(store.root, LOCK_NAME))
        store.patch(cwd={"tactics": {"agent": "wrote this"}})
        (desk.directory / "enough").touch()
        terminal.wait_for("draft 1", PATIENT)
        terminal.wait_for("wrote this", PATIENT)
        terminal.wait_for("checks [1]")


def test_the_terminal_belongs_to_the_editor_and_so_does_ctrl_c(store: Store, desk: Desk) -> None:
    environ = desk.editor(
        'trap "echo interrupted >> \\"$DESK/caught\\"" INT\n'
        'stty -a < /dev/tty > "$DESK/stty"\necho "type a line:" > /dev/tty\nline=\n'
        'while [ -z "$line" ]; do read line < /dev/tty; done\nprintf "%s\\n" "$line" > "$2"'
    )
    with opened(store, environ) as terminal:
        go(terminal, "cwd.tactics.store")
        terminal.send("E")
        terminal.wait_for("type a line:", PATIENT)
        assert " icanon" in desk.read("stty")
        terminal.send("\x03")
        assert desk.read("caught") == "interrupted\n"
        terminal.send("typed in the editor\r")
        terminal.wait_for("draft 1", PATIENT)
        terminal.wait_for("typed in the")
        terminal.send("j")
        terminal.wait_for("? help")


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("exit 3", "ended with status 3, so nothing is taken from it"),
        ("true", "Nothing was changed in the editor"),
        ('rm "$2"', "cannot be used"),
    ],
)
def test_what_comes_to_nothing_is_said(store: Store, desk: Desk, script: str, told: str) -> None:
    with opened(store, desk.editor(script)) as terminal:
        go(terminal, "cwd.tactics.store")
        terminal.send("E")
        text = terminal.wait_for(lambda text: told in " ".join(text.split()), PATIENT)
        assert "draft 1" not in text
        terminal.send("j")
        terminal.wait_for("? help")
    assert list(desk.temporary.iterdir()) == []
    assert left(store) == {}


@pytest.mark.parametrize(
    ("script", "told", "text"),
    [
        ('printf "saved\\n" > "$2"; exit 3', "ended with status 3", "saved\n"),
        ('printf "saved\\n" > "$2"; kill -9 $$', "was ended by signal 9", "saved\n"),
    ],
)
def test_what_a_failing_editor_saved_is_named_and_comes_back(
    store: Store, desk: Desk, script: str, told: str, text: str
) -> None:
    with opened(store, desk.editor(script)) as terminal:
        go(terminal, "cwd.tactics.store")
        terminal.send("E")
        terminal.wait_for(lambda shown: told in " ".join(shown.split()), PATIENT)
        terminal.wait_for(lambda shown: "kept in" in " ".join(shown.split()))
        assert "draft 1" not in terminal.text
        assert list(left(store).values()) == [text]
        terminal.send("e")
        terminal.wait_for("as you left it")
        terminal.send("\r")
        terminal.wait_for("draft 1")
        terminal.wait_for('"saved"')
        # It has been taken over.
        assert left(store) == {}


def test_what_is_no_text_stays_in_its_file(store: Store, desk: Desk) -> None:
    with opened(store, desk.editor('printf "\\377\\376" > "$2"')) as terminal:
        go(terminal, "cwd.tactics.store")
        terminal.send("E")
        terminal.wait_for(lambda shown: "is not UTF-8, at byte 1" in " ".join(shown.split()), PATIENT)
        ((path, _),) = left(store).items()
        assert path.read_bytes() == b"\377\376"


def test_what_is_left_behind_by_a_lost_terminal_is_offered_at_the_next_start(store: Store, desk: Desk) -> None:
    environ = desk.editor('printf "saved" > "$2"; touch "$DESK/open"; sleep 60')
    terminal = opened(store, environ)
    go(terminal, "cwd.tactics.store")
    terminal.send("E")
    desk.read("open")
    # All of it is gone at once, as with the window of a terminal.
    os.kill(terminal.pid, signal.SIGKILL)
    terminal.close()
    assert list(left(store).values()) == ["saved"]
    with opened(store, environ) as terminal:
        terminal.wait_for(lambda shown: "What an editor left" in " ".join(shown.split()), PATIENT)
        go(terminal, "cwd.tactics.store")
        terminal.send("e")
        terminal.wait_for("as you left it")
        terminal.send("\r")
        terminal.wait_for("draft 1")
        assert left(store) == {}


def test_what_was_never_changed_is_cleared_away_at_the_next_start(store: Store, desk: Desk) -> None:
    address = store.address
    edits = Edits(store.root)
    kept, unchanged, beside = (edits.open(address, f"edit cwd.{n}", b"begun", ".txt") for n in range(3))
    kept.write(b"saved")
    Path(beside.directory, ".value.txt.swp").write_bytes(b"not saved yet")
    # While somebody holds them they are left alone.
    assert Edits(store.root).left() == ()
    for edit in (kept, unchanged, beside):
        edit._lock.release()
    found = {left.title: left.text for left in Edits(store.root).left()}
    assert found == {"edit cwd.0": "saved", "edit cwd.2": "begun"}
    assert not os.path.exists(unchanged.directory)


def test_a_pipe_among_the_texts_is_not_waited_for(store: Store) -> None:
    edit = Edits(store.root).open(store.address, "edit cwd.0", b"begun", ".txt")
    edit._lock.release()
    os.unlink(edit.path)
    os.mkfifo(edit.path)
    (left,) = Edits(store.root).left()
    assert (left.title, left.text) == ("edit cwd.0", None)


def test_an_editor_that_is_not_there_is_named(store: Store, desk: Desk) -> None:
    environ = {**desk.editor("true"), "EDITOR": "no-such-editor"}
    with opened(store, environ) as terminal:
        go(terminal, "cwd.tactics.store")
        terminal.send("E")
        terminal.wait_for("no-such-editor cannot be started", PATIENT)
        terminal.send("j")
        terminal.wait_for("? help")


def test_the_editor_is_the_one_that_is_named_first() -> None:
    assert editor({"VISUAL": "code --wait", "EDITOR": "vi"}) == ["code", "--wait"]
    assert editor({"VISUAL": "", "EDITOR": "'my editor' -n"}) == ["my editor", "-n"]
    assert editor({"EDITOR": "broken 'quote"}) != ["broken 'quote"]


def test_nothing_of_ours_is_readable_for_others(store: Store) -> None:
    before = os.umask(0)
    try:
        edit = Edits(store.root).open(store.address, "edit cwd.tactics.store", b"secret", ".txt")
    finally:
        os.umask(before)
    home = Path(edit.directory)
    for directory in (home, home.parent):
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in home.iterdir()} == {
        "about.json": 0o600, "held": 0o600, "value.txt": 0o600,
    }  # fmt: skip
    assert not home.is_relative_to(store.root)
    edit.discard()
    assert not home.exists()
