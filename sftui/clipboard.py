"""What is sent to the clipboard, and how else to have it: terminals may ignore it, and none says so."""

from __future__ import annotations

import os
from collections.abc import Mapping
from shlex import quote
from typing import TYPE_CHECKING, Final

from engine.store.layout import default_root
from engine.values import dotted, get, is_addressable, pretty
from sftui.actions import key_for
from sftui.commands.jsontext import safe_for_terminal
from sftui.display import clean_lines

if TYPE_CHECKING:
    from sftui.app import SftuiApp
    from sftui.views.kinds import Path, View
    from sftui.views.tree import Staged

# Terminals drop longer clipboard messages, most of them silently.
CLIPBOARD_BYTES: Final = 75_000
# Of a path that was copied, so much is repeated.
LONGEST_SHOWN: Final = 200


def copy_path(app: SftuiApp, view: View, path: Path) -> None:
    """Send a path to the clipboard, and show it."""
    text = dotted(view, path)
    copy_text(app, text, "The path", text[:LONGEST_SHOWN])


def copy_value(app: SftuiApp, view: View, path: Path, staged: Staged | None = None) -> None:
    """Send a value as JSON to the clipboard, unless it is too large for one, and say what prints it."""
    value = get(app.picture.memory.get(view, {}), path, None) if staged is None else staged.value
    size = app.picture.sizes.quick(value)
    twin = print_twin(app, view, path) if staged is None else "it is what the draft makes of it"
    if size is None or size > CLIPBOARD_BYTES:
        app.say(f"This value is too large for a clipboard; {key_for('list.open')} shows it · {twin}", warning=True)
    else:
        # Escaped rather than replaced: what is pasted is still this value.
        copy_text(app, safe_for_terminal(pretty(value)), "The value", twin)


def copy_text(app: SftuiApp, text: str, what: str, twin: str) -> None:
    """Send a text to the terminal's clipboard. No terminal answers, so that nobody can say that it has arrived."""
    # A lone surrogate cannot be written: what is copied then is what is shown.
    app.copy_to_clipboard(clean_lines(text))
    app.say(f"{what} was sent to {_where(os.environ)} · {twin}")


def _where(environ: Mapping[str, str]) -> str:
    if "TMUX" in environ:
        return "tmux, which passes it on only with `set-clipboard on`"
    if environ.get("STY"):
        return "screen, which may keep it to itself"
    return "the terminal's clipboard; it may not arrive"


def print_twin(app: SftuiApp, view: View, path: Path) -> str:
    """Say which command prints the value at a path, with the options that it needs here."""
    if app.picture.as_of is not None:
        return "it is of the earlier moment that is shown"
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
