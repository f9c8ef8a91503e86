"""A text in the person's own editor. The terminal is the editor's meanwhile; no lock is held."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from engine.records import dataclass

if TYPE_CHECKING:
    from sftui.app import SftuiApp

# Tried in this order where neither $VISUAL nor $EDITOR says anything.
_KNOWN: Final = ("sensible-editor", "nano", "vi")


@dataclass(frozen=True, slots=True)
class Edited:
    """What came of it: the text, or None and `problem` says why there is none."""

    text: str | None
    problem: str = ""


def edit_outside(app: SftuiApp, text: str, suffix: str) -> Edited:
    """Have `text` edited; a line end that the editor adds is taken off again."""
    from textual.app import SuspendNotSupported

    command = editor(os.environ)
    if command is None:
        return Edited(None, "No editor is named: set $EDITOR")
    try:
        directory = tempfile.mkdtemp(prefix="sftui-")
    except OSError as error:
        return Edited(None, f"No file for the editor can be made: {error.strerror or error}")
    try:
        path = os.path.join(directory, f"value{suffix}")
        added = not text.endswith("\n")
        _write(path, text + "\n" if added else text)
        found = _in_the_terminal(app, [*command, path])
        return found or _read(path, added=added)
    except SuspendNotSupported:
        return Edited(None, "This terminal cannot be handed to an editor")
    except OSError as error:
        return Edited(None, f"The file for the editor cannot be used: {error.strerror or error}")
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def editor(environ: Mapping[str, str]) -> list[str] | None:
    """Give the command of the editor, in words; None where there is none."""
    for name in ("VISUAL", "EDITOR"):
        try:
            words = shlex.split(environ.get(name, ""))
        except ValueError:
            continue
        if words:
            return words
    found = next((name for name in _KNOWN if shutil.which(name)), None)
    return None if found is None else [found]


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def _read(path: str, *, added: bool) -> Edited:
    with open(path, "rb") as file:
        data = file.read()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return Edited(None, f"What the editor wrote is not UTF-8, at byte {error.start + 1}")
    return Edited(text[:-1] if added and text.endswith("\n") else text)


def _in_the_terminal(app: SftuiApp, command: list[str]) -> Edited | None:
    """Run the editor to its end; gives what went wrong."""
    problem: Edited | None = None
    with app.suspend():
        # Nothing may be raised in here: the app would never come back.
        try:
            with _interrupts_ignored():
                status = subprocess.run(command, check=False).returncode
            if status:
                problem = Edited(None, f"{command[0]} ended with status {status}, so nothing is taken from it")
        except OSError as error:
            problem = Edited(None, f"{command[0]} cannot be started: {error.strerror or error}")
        except BaseException as error:  # noqa: BLE001 -- see above
            problem = Edited(None, f"{command[0]} was broken off: {type(error).__name__}")
    return problem


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Ctrl+C is the editor's. A handler of ours rather than SIG_IGN: the editor must not inherit it."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
