"""The tree of scopes: shows a survey of the store, and says when more of it is wanted."""

from __future__ import annotations

from typing import ClassVar

from textual.message import Message

from sftui.actions import bindings
from sftui.views.scopes import GLOBAL, ORPHANS, ScopeSource, Survey, cwd_of, path_of, session_of
from sftui.widgets.virtual_tree import Path, VirtualTree


class ScopeTree(VirtualTree):
    """Global, directories and sessions."""

    BINDINGS: ClassVar = bindings("scopes")

    class Chosen(Message):
        """A scope was chosen; None: follow the newest session again."""

        def __init__(self, path: Path | None) -> None:
            self.path = path
            super().__init__()

    class Uncovered(Message):
        """Rows have come on screen, or a directory was opened: they should be looked at."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._revealed: Path | None = None

    def show_survey(self, survey: Survey, here: tuple[str | None, str | None], *, pinned: bool, home: str) -> None:
        """Show a survey; `here` are the keys of the directory and the session that are open."""
        current = path_of(survey, *here)
        if self._revealed is None and here[0] is not None:
            self.expanded.update({(here[0],), (*ORPHANS,), (*ORPHANS, here[0])})
        self.show(
            ScopeSource(survey, current, pinned=pinned, home=home),
            empty=[((" listing…", "muted"),)],
        )
        if current != self._revealed and current in self.keys:
            # Followed to another session; not while somebody is choosing one.
            if self._revealed is None or not self.has_focus:
                self.reveal(current)
            self._revealed = current

    @property
    def on_screen(self) -> list[Path]:
        """The rows that can be seen."""
        top = self.scroll_offset.y
        return self.keys[top : top + self._page]

    @property
    def opened(self) -> set[str]:
        """The keys of the directories that are open."""
        return {key for path in self.expanded if (key := cwd_of(path)) is not None}

    def unfold(self, path: Path) -> None:
        """Have the sessions of a directory listed when it is opened."""
        super().unfold(path)
        if cwd_of(path) is not None:
            self.post_message(self.Uncovered())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Have what has come on screen looked at."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self.post_message(self.Uncovered())

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
