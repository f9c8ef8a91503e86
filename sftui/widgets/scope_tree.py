"""The tree of scopes. Lists and looks in threads, no more than what is on screen asks for."""

from __future__ import annotations

import asyncio
from time import monotonic, time
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.message import Message

from engine.records import replace
from sftui.actions import bindings
from sftui.views.scopes import GLOBAL, ORPHANS, Peek, ScopeSource, Survey, cwd_of, path_of, session_of
from sftui.widgets.virtual_tree import Path, VirtualTree

if TYPE_CHECKING:
    from engine.store.layout import Address

# A survey is made anew at most so often, in seconds.
SURVEY_SECONDS = 5.0


class ScopeTree(VirtualTree):
    """Global, directories and sessions."""

    BINDINGS: ClassVar = bindings("scopes")

    class Chosen(Message):
        """A scope was chosen; None: follow the newest session again."""

        def __init__(self, path: Path | None) -> None:
            self.path = path
            super().__init__()

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.survey = Survey("")
        self._address: Address | None = None
        self._pinned = False
        self._home = ""
        self._surveyed = float("-inf")
        self._peeked: dict[Path, float] = {}

    def look_around(self, address: Address, *, pinned: bool, home: str, again: bool) -> None:
        """Show the scopes of the store that `address` is in; `again` lists them anew if it is time."""
        moved = address != self._address
        first = self._address is None
        self._address, self._pinned, self._home = address, pinned, home
        if first and address.key is not None:
            self.expanded.update({(address.key,), (*ORPHANS,), (*ORPHANS, address.key)})
        if moved or (again and monotonic() - self._surveyed > SURVEY_SECONDS):
            self._surveyed = monotonic()
            self._survey()
        elif not first:
            self._show()

    def _show(self) -> None:
        address = self._address
        if address is None:
            return
        current = path_of(self.survey, address.key, address.session)
        self.show(
            ScopeSource(self.survey, current, pinned=self._pinned, home=self._home),
            empty=[((" listing…", "muted"),)],
        )

    @work(exclusive=True, group="survey", exit_on_error=False)
    async def _survey(self) -> None:
        from sftui.survey import list_cwds, list_sessions, peek

        address = self._address
        if address is None:
            return
        first = not self.survey.root
        cwds = await asyncio.to_thread(list_cwds, address.root)
        opened = {cwd_of(path) for path in self.expanded} - {None}
        sessions = {}
        for key in opened:
            if key is not None and any(place.key == key for place in cwds):
                sessions[key] = await asyncio.to_thread(list_sessions, address.root, key)
        self.survey = Survey(address.root, cwds, sessions, self.survey.peeks, time())
        self._show()
        if first:
            self.reveal(path_of(self.survey, address.key, address.session))
        for path in self._on_screen():
            advanced = self._advanced(path)
            if path in self._peeked and self._peeked[path] == advanced:
                continue
            found: Peek = await asyncio.to_thread(peek, address.root, path)
            self._peeked[path] = advanced
            self.survey = replace(self.survey, peeks={**self.survey.peeks, path: found})
            self._show()

    def _on_screen(self) -> list[Path]:
        top = self.scroll_offset.y
        return [path for path in self.keys[top : top + self._page] if path != ORPHANS]

    def _advanced(self, path: Path) -> float:
        """Give a mark that changes when a scope has to be looked at again."""
        session, key = session_of(path), cwd_of(path)
        if session is None:
            return monotonic() // 60.0
        return next((place.advanced for place in self.survey.sessions.get(key or "", ()) if place.key == session), 0.0)

    def unfold(self, path: Path) -> None:
        """List the sessions of a directory when it is opened."""
        super().unfold(path)
        if cwd_of(path) is not None:
            self._surveyed = monotonic()
            self._survey()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Look closer at what has come on screen."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self._survey()

    def choose(self) -> None:
        """Choose the row under the cursor. What only groups others is opened instead."""
        path = self.cursor_key
        if path is None:
            return
        if path == ORPHANS:
            self.toggle(path)
        else:
            self.post_message(self.Chosen(path))

    def action_newest(self) -> None:
        """Follow the newest session again."""
        self.post_message(self.Chosen(None))


def chosen_keys(path: Path) -> tuple[str | None, str | None]:
    """Give the keys of the directory and the session that a row names; (None, None) is global alone."""
    return (None, None) if path == GLOBAL else (cwd_of(path), session_of(path))
