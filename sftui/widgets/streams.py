"""The two lists of the watch screen."""

from __future__ import annotations

from collections.abc import Sequence
from time import time
from typing import TYPE_CHECKING

from textual.message import Message

from sftui.looking import Looking
from sftui.views.kinds import EntryKey, Path, StreamKey
from sftui.views.spans import Spans
from sftui.widgets.lines import KeyedLines

if TYPE_CHECKING:
    from engine.memory.scope import Scope
    from sftui.views.changes import Entry
    from sftui.views.picture import Picture
    from sftui.views.watch import IntentRow


class IntentList(KeyedLines[tuple[str, str]]):
    """What the agent is after, and how much each of it owns."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._rows: dict[tuple[str, str], IntentRow] = {}
        self._said: list[Spans] = []
        self._name_width = 8

    def show(self, picture: Picture) -> int:
        """Show the intents of `picture`; gives their number."""
        from sftui.views.watch import intent_rows, name_width, no_intents

        rows = intent_rows(picture)
        fresh = {row.key: row for row in rows}
        empty = [no_intents(picture)]
        if fresh == self._rows and empty == self._said:
            return len(rows)
        self._said = empty
        self._rows = fresh
        self._name_width = name_width(rows, self.size.width or 50)
        self.styles.height = max(1, len(fresh))
        self.replace(list(fresh), empty=empty)
        return len(rows)

    def intent(self) -> IntentRow | None:
        """Give the row under the cursor."""
        key = self.cursor_key
        return None if key is None else self._rows.get(key)

    def line_spans(self, key: tuple[str, str], width: int) -> tuple[Spans, Spans]:
        """Lay an intent out."""
        from sftui.views.watch import intent_line

        return intent_line(self._rows[key], width, self._name_width)


class ChangeStream(KeyedLines[StreamKey]):
    """What changed, newest first. Follows the newest, or holds still.

    While it holds, what arrives is counted and not shown. It holds by itself when the
    cursor leaves the newest entry, and follows again once that is back there.
    """

    class Held(Message):
        """Following or holding, or the count of what waits, has changed."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.following = True
        # When it began to hold, in Unix seconds, and whether a person said so.
        self.held_at = 0.0
        self._held_by_hand = False
        self._past = False
        self._looking = Looking()
        self._log: tuple[Entry, ...] = ()
        self._shown: tuple[Entry, ...] = ()
        self._entries: dict[EntryKey, Entry] = {}

    @property
    def pending(self) -> int:
        """The number of entries that arrived and are not shown."""
        return len(self._waiting)

    @property
    def _waiting(self) -> list[Entry]:
        known = self._entries
        return [entry for entry in self._log if entry.key not in known]

    @property
    def waiting_since(self) -> float | None:
        """When the first of the entries that are not shown came, in Unix seconds; None without any."""
        return min((entry.seen for entry in self._waiting if entry.seen is not None), default=None)

    @property
    def shown(self) -> Sequence[Entry]:
        """What stands there, newest first."""
        return self._shown

    def show(
        self,
        log: tuple[Entry, ...],
        looking: Looking,
        *,
        fresh_start: bool,
        empty: Sequence[Spans],
        past: bool = False,
    ) -> None:
        """Take the log in; show it unless the view is held. What is `past` is shown as one has gone there."""
        changed = log is not self._log or looking is not self._looking
        self._log, self._looking = log, looking
        if fresh_start:
            self.following, self._held_by_hand = True, False
        if self.following or fresh_start or (changed and (past or self._past)):
            self._reveal(empty)
        elif changed:
            # What is shown stays; what is known of it may have grown.
            self._entries |= {entry.key: entry for entry in log if entry.key in self._entries}
            self.forget_strips()
        self._past = past
        if changed or fresh_start:
            self.post_message(self.Held())

    def _reveal(self, empty: Sequence[Spans] = ()) -> None:
        from sftui.views.watch import stream_keys

        self._shown = self._log
        self._entries = {entry.key: entry for entry in self._shown}
        self.replace(stream_keys(self._shown, self._looking.key), empty=empty, to_top=self.following)

    def follow(self, on: bool) -> None:
        """Follow the newest entry, or hold the view."""
        if on == self.following:
            return
        self.following = on
        self._held_by_hand = False
        if on:
            self._reveal()
        else:
            self.held_at = time()
        self.post_message(self.Held())

    def switch(self) -> None:
        """Hold where it follows, until a person says otherwise; follow where it holds."""
        self.follow(not self.following)
        self._held_by_hand = not self.following

    def resume(self) -> None:
        """Somebody is back: follow again, unless it was said to hold or something else was being looked at."""
        key = self.cursor_key
        newest = key is not None and self._shown and key[0] == self._shown[0].key
        if newest and not self._held_by_hand and not round(self.scroll_y):
            self.follow(True)

    def action_first(self) -> None:
        """To the newest change, and on with those that come."""
        self.follow(True)
        super().action_first()

    def selectable(self, key: StreamKey) -> bool:
        """Dividers cannot hold the cursor."""
        return key[1] >= 0

    def entry(self) -> Entry | None:
        """Give the change that the cursor stands in."""
        key = self.cursor_key
        return None if key is None else self._entries.get(key[0])

    def change(self) -> tuple[Scope, Path] | None:
        """Give scope and path of the row under the cursor; a heading stands for its first path."""
        key, entry = self.cursor_key, self.entry()
        if key is None or entry is None or not entry.lines:
            return None
        return entry.scope, entry.lines[min(max(0, key[1] - 1), len(entry.lines) - 1)].path

    def scroll_to_cursor(self) -> None:
        """Bring the cursor's line into view, and with it the heading that says when, where both fit."""
        super().scroll_to_cursor()
        key = self.cursor_key
        if key is None or key[1] <= 0:
            return
        heading = self.cursor - key[1]
        if heading < self.scroll_offset.y and self.cursor - heading < self._page:
            self.scroll_to(y=heading, animate=False, force=True)

    def watch_cursor(self, old: int, new: int) -> None:
        """Hold when the cursor leaves the newest change; follow when it is back where it would be put anyway."""
        super().watch_cursor(old, new)
        key = self.cursor_key
        if old == new or key is None or not self._shown:
            return
        newest = self._shown[0].key
        if self.following and key[0] != newest:
            self.follow(False)
        elif key == (newest, 0) and not self._held_by_hand and not self._waiting:
            self.follow(True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Hold when a person scrolls away from the newest row with the wheel."""
        super().watch_scroll_y(old_value, new_value)
        if self.following and round(new_value) > 0:
            self.follow(False)

    def line_spans(self, key: StreamKey, width: int) -> tuple[Spans, Spans]:
        """Lay out a heading, a changed path, the rest's count or the divider."""
        from sftui.views.watch import change_line, divider, heading

        if key[1] < 0:
            return divider(key, width, self._looking.at), ()
        entry, number = self._entries[key[0]], key[1]
        if number == 0:
            return heading(entry, width)
        if number <= len(entry.lines):
            return change_line(entry.lines[number - 1], width), ()
        return ((f"    {entry.more:,} more paths in this change", "muted"),), ()
