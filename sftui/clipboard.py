"""What is sent to the clipboard, and how else to have it: terminals may ignore it, and none says so."""

from __future__ import annotations

import os
from shlex import quote
from typing import TYPE_CHECKING, Final

from engine.store.layout import default_root
from engine.values import dotted, get, is_addressable, pretty
from sftui.commands.jsontext import safe_for_terminal
from sftui.display import clean_lines

if TYPE_CHECKING:
    from sftui.app import SftuiApp
    from sftui.views.kinds import Path, View

# Terminals drop longer clipboard messages, most of them silently.
CLIPBOARD_BYTES: Final = 75_000


def copy_path(app: SftuiApp, view: View, path: Path) -> None:
    """Send a path to the clipboard, and show it."""
    text = dotted(view, path)
    _send(app, text, f"Path sent to the clipboard: {text[:200]}")


def copy_value(app: SftuiApp, view: View, path: Path) -> None:
    """Send a value as JSON to the clipboard, unless it is too large for one, and say what prints it."""
    value = get(app.picture.memory.get(view, {}), path, None)
    size = app.picture.sizes.quick(value)
    twin = print_twin(app, view, path)
    if size is None or size > CLIPBOARD_BYTES:
        app.say(f"This value is too large for a clipboard; enter shows it · {twin}", warning=True)
    else:
        # Escaped rather than replaced: what is pasted is still this value.
        _send(app, safe_for_terminal(pretty(value)), f"Value sent to the clipboard · {twin}")


def _send(app: SftuiApp, text: str, told: str) -> None:
    # A lone surrogate cannot be written: what is copied then is what is shown.
    app.copy_to_clipboard(clean_lines(text))
    app.say(told)


def print_twin(app: SftuiApp, view: View, path: Path) -> str:
    """Say which command prints the value at a path, with the options that it needs here."""
    if any(isinstance(key, str) and not is_addressable(key) for key in path):
        return "no read path names it; sftui read prints what holds it"
    words = ["sftui read"]
    if os.path.realpath(app.store) != os.path.realpath(default_root(os.environ)):
        words.append(f"--store {quote(app.store)}")
    snapshot = app.picture.snapshot
    if snapshot is not None and snapshot.address.cwd is not None and snapshot.address.cwd != os.getcwd():
        words.append(f"--cwd {quote(snapshot.address.cwd)}")
    if snapshot is not None and snapshot.address.session is not None:
        words.append(f"--session {quote(snapshot.address.session)}")
    return " ".join((*words, quote(dotted(view, path)), "prints it"))
