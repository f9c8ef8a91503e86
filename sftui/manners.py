"""What a person's terminal and habits ask of the app: keys, signs, themes, messages."""

from __future__ import annotations

import locale
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.filter import LineFilter, NoColor

from sftui import glyphs, keymap, keynames
from sftui.actions import key_for, use_keys
from sftui.display import clean
from sftui.line_filter import AsciiFilter, StandInFilter
from sftui.styles import CONTRAST, DARK, LIGHT, PLAIN, THEMES, first_theme, next_theme

if TYPE_CHECKING:
    from sftui.shell import Shell

# A screen is for memory: older messages make room, and each goes by itself.
MESSAGES = 3
SECONDS = 4.0
WARNING_SECONDS = 8.0


class Manners:
    """Keys, signs and themes of one app, and what it says in passing."""

    def __init__(self, app: Shell, *, ascii_signs: bool = False) -> None:
        self._app = app
        self.ascii, only = glyphs.wanted(os.environ, locale.getencoding(), asked=ascii_signs)
        keynames.use_words(self.ascii)
        self._filters: list[LineFilter] = [StandInFilter()]
        if self.ascii:
            self._filters.append(AsciiFilter(only=only))
        self._plain = NoColor()
        for theme in (DARK, LIGHT, CONTRAST, PLAIN):
            app.register_theme(theme)
        app.theme = first_theme(os.environ)
        self.keymap = keymap.load(keymap.config_file(os.environ))
        use_keys(self.keymap.own)
        app.set_keymap({name: ",".join(keys) for name, keys in self.keymap.own.items()})

    def filters(self) -> Sequence[LineFilter]:
        """What every line goes through last: display safety, then plainer signs, then no colour at all, not grey."""
        app = self._app
        return [*self._filters, self._plain] if app.no_color or app.theme == PLAIN.name else self._filters

    def begin(self) -> None:
        """Tell what of the key map does not count."""
        problems = self.keymap.problems
        if problems:
            first = problems[0]
            where = "" if first.line is None else f"line {first.line}, "
            entry = f"{first.entry}: " if first.entry else ""
            more = f" · {len(problems) - 1} more" if len(problems) > 1 else ""
            told = f"{os.path.basename(self.keymap.path)}, {where}{entry}{first.reason}{more}"
            self.say(f"{told} · {key_for('app.help')} {key_for('list.last')} tells all", warning=True)

    def next_theme(self) -> None:
        """On to the next theme."""
        app = self._app
        if app.no_color:
            self.say("NO_COLOR is set in the environment: the other themes need it unset")
            return
        app.theme = next_theme(app.theme)
        self.say(f"Theme: {THEMES[app.theme]}")

    def say(self, text: str, *, warning: bool = False) -> None:
        """Tell something in passing. The text is data: it is cleaned and never read as markup."""
        app, seconds = self._app, WARNING_SECONDS if warning else SECONDS
        app.notify(clean(text), severity="warning" if warning else "information", markup=False, timeout=seconds)
        app.call_later(self._keep_few)

    def _keep_few(self) -> None:
        """Of what is on the screen keep the newest, and nothing twice."""
        app = self._app
        kept: set[str] = set()
        for one in reversed(list(app._notifications)):  # noqa: SLF001 - there is no public way to take one back
            if one.message in kept or len(kept) >= MESSAGES:
                app._unnotify(one)  # noqa: SLF001
            kept.add(one.message)
        self._sweep()

    def dismiss(self) -> None:
        """Take all messages off the screen."""
        self._app.clear_notifications()
        self._sweep()

    def _sweep(self) -> None:
        """Take the frames of messages that were taken off: the library leaves them, and lays them out for ever."""
        up = {f"--textual-toast-{one.identity}" for one in self._app._notifications}  # noqa: SLF001
        for screen in self._app.screen_stack if self._app.is_running else ():
            for frame in screen.query("ToastHolder"):
                if frame.id not in up:
                    frame.remove()
