"""A text in the person's own editor. The terminal is the editor's meanwhile; no lock is held."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from engine.records import dataclass

if TYPE_CHECKING:
    from sftui.app import SftuiApp
    from sftui.edits import Edit

# Tried in this order where neither $VISUAL nor $EDITOR says anything.
_KNOWN: Final = ("sensible-editor", "nano", "vi")


@dataclass(frozen=True, slots=True)
class Edited:
    """What came of it: the text, or None and `problem` says why there is none.

    `edit` is the file, as long as it holds something that has not been used. `saved` is what it holds after a problem.
    """

    text: str | None
    problem: str = ""
    edit: Edit | None = None
    saved: str | None = None

    def done(self) -> None:
        """It has been used: nothing of it is left."""
        if self.edit is not None:
            self.edit.discard()


def edit_outside(app: SftuiApp, title: str, text: str, suffix: str) -> Edited:
    """Have `text` edited; a line end that the editor adds is taken off again.

    The file stays where it is until it has been used; after a problem, where something was saved.
    """
    from textual.app import SuspendNotSupported

    from sftui.edits import Edits

    command = editor(os.environ)
    if command is None:
        return Edited(None, "No editor is named: set $EDITOR")
    snapshot = app.live.snapshot
    added = not text.endswith("\n")
    begun = (text + "\n" if added else text).encode()
    try:
        address = None if snapshot is None else snapshot.address
        edit = Edits(app.store if address is None else address.root).open(address, title, begun, suffix)
    except (OSError, TimeoutError) as error:
        return Edited(None, f"No file for the editor can be made: {getattr(error, 'strerror', None) or error}")
    try:
        problem = _in_the_terminal(app, [*command, edit.path])
    except SuspendNotSupported:
        problem = "This terminal cannot be handed to an editor"
    return _taken(edit, begun, problem, added=added)


def _taken(edit: Edit, begun: bytes, problem: str, *, added: bool) -> Edited:
    """Give what the editor left; what was not changed goes at once."""
    try:
        data = edit.read()
    except OSError as error:
        problem = problem or f"The file for the editor cannot be used: {error.strerror or error}"
        if isinstance(error, FileNotFoundError):
            edit.discard()
            return Edited(None, problem)
        return Edited(None, _kept(problem, edit), edit)
    if data == begun:
        edit.discard()
        return Edited(None, problem) if problem else Edited(_text(data, added=added))
    try:
        text = _text(data, added=added)
    except UnicodeDecodeError as error:
        problem = problem or f"What the editor wrote is not UTF-8, at byte {error.start + 1}"
        return Edited(None, _kept(problem, edit), edit)
    return Edited(None, _kept(problem, edit), edit, text) if problem else Edited(text, edit=edit)


def _kept(problem: str, edit: Edit) -> str:
    return f"{problem}; what it saved is kept in {edit.path}"


def _text(data: bytes, *, added: bool) -> str:
    text = data.decode("utf-8")
    return text[:-1] if added and text.endswith("\n") else text


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


def _in_the_terminal(app: SftuiApp, command: list[str]) -> str:
    """Run the editor to its end; gives what went wrong."""
    problem = ""
    with app.suspend():
        # Nothing may be raised in here: the app would never come back.
        try:
            with _interrupts_ignored():
                status = subprocess.run(command, check=False).returncode
            if status:
                problem = f"{command[0]} {_ending(status)}, so nothing is taken from it"
        except OSError as error:
            problem = f"{command[0]} cannot be started: {error.strerror or error}"
        except BaseException as error:  # noqa: BLE001 -- see above
            problem = f"{command[0]} was broken off: {type(error).__name__}"
    return problem


def _ending(status: int) -> str:
    return f"ended with status {status}" if status > 0 else f"was ended by signal {-status}"


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Ctrl+C is the editor's. A handler of ours rather than SIG_IGN: the editor must not inherit it."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
