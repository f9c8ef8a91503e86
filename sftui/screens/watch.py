"""Screen 1: what the agent is after, and what changed last."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical

from sftui.actions import actions_of, bindings, key_for
from sftui.screens.base import WIDE, LiveScreen
from sftui.times import minute
from sftui.views.spans import Spans
from sftui.widgets.bars import FooterBar, HeaderBar, NoticeBar, Rule
from sftui.widgets.lines import KeyedLines
from sftui.widgets.streams import ChangeStream, IntentList

if TYPE_CHECKING:
    from engine.store.layout import Address
    from sftui.views.picture import Picture

# Below this height there is room for the stream only.
SHORT = 14


class WatchScreen(LiveScreen):
    """Intents and the stream of changes."""

    BINDINGS = bindings("watch")
    AUTO_FOCUS = "#changes"
    places = ("list", "watch")

    def __init__(self) -> None:
        super().__init__()
        self._shown_address: Address | None = None

    def compose(self) -> ComposeResult:
        """Header, intents, changes, footer."""
        yield HeaderBar()
        yield NoticeBar()
        with Vertical(id="lists"):
            with Vertical(id="intents-box"):
                yield Rule(id="intents-rule")
                yield IntentList(id="intents")
            with Vertical(id="changes-box"):
                yield Rule(id="changes-rule")
                yield ChangeStream(id="changes")
        yield FooterBar([action for action in actions_of("app", "list", "watch") if action.id != "app.watch"])

    async def on_mount(self) -> None:
        """Show the frame before anything has been read."""
        self.query_one("#intents-rule", Rule).say((("intents", "strong"),))
        self.query_one("#changes-rule", Rule).say((("changes", "strong"),))

    def show(self, picture: Picture) -> None:
        """Show a picture."""
        from sftui.views.watch import no_changes, unreadable

        super().show(picture)
        self.query_one(NoticeBar).show(self.notices())
        intents = self.query_one(IntentList)
        count = intents.show(picture) if picture.snapshot is not None else 0
        hidden = unreadable(picture)
        remark: Spans = ((f"{count}", "muted"),) if count else ()
        if count and hidden:
            remark += ((f" · {hidden} {'unreadable' if picture.as_of is None else 'unknown'}", "warn"),)
        self.query_one("#intents-rule", Rule).say((("intents", "strong"),), remark)
        address = None if picture.snapshot is None else picture.snapshot.address
        fresh = address != self._shown_address
        self._shown_address = address
        stream = self.query_one(ChangeStream)
        past = picture.as_of is not None
        stream.show(picture.log, self.sftui.looking, fresh_start=fresh, past=past, empty=no_changes(picture))
        self._tell()

    def _tell(self) -> None:
        """Say whether the stream follows or holds, and what came since."""
        stream = self.query_one(ChangeStream)
        looking = self.sftui.looking
        since = looking.count(self.sftui.picture.log)
        remark: Spans
        if self.sftui.picture.as_of is not None:
            remark = (("up to this moment", "warn"),)
        elif stream.following:
            remark = (("following", "accent"),)
            if since:
                remark += ((f" · {since} new since {minute(looking.at)}", "text"),)
        else:
            waiting = f" · {stream.pending} waiting" if stream.pending else ""
            remark = ((f"held since {minute(stream.held_at)}", "warn"), (waiting, "strong"))
            if self.size.width >= WIDE:
                remark += ((f" · {key_for('watch.follow')} follows", "muted"),)
        self.query_one("#changes-rule", Rule).say((("changes", "strong"),), remark)
        self.query_one(FooterBar).rename("watch.follow", "hold" if stream.following else "follow")

    def usable(self, action_id: str) -> bool:
        """Everything but going where one is, and undoing where nothing has changed."""
        if action_id == "watch.undo":
            return self.query_one(ChangeStream).entry() is not None
        return action_id != "app.watch"

    def on_change_stream_held(self) -> None:
        """Say it."""
        self._tell()

    def action_follow(self) -> None:
        """Follow the newest change, or hold."""
        self.query_one(ChangeStream).switch()

    def action_undo(self) -> None:
        """Put the inverse of the change under the cursor into the draft."""
        entry = self.query_one(ChangeStream).entry()
        if entry is None:
            self.sftui.say("There is no change here to undo")
        else:
            self.sftui.undoing.entry(entry)

    def on_key(self) -> None:
        """A key means that somebody looks."""
        self._touch()

    def on_mouse_move(self) -> None:
        """So does the mouse."""
        self._touch()

    def on_app_blur(self) -> None:
        """The terminal lost the focus: what is shown has been looked at."""
        self.leave()

    def on_screen_resume(self) -> None:
        """Follow again where nothing but the newest change was being looked at."""
        self.query_one(ChangeStream).resume()

    def on_screen_suspend(self) -> None:
        """So it has when another screen comes up."""
        self.leave()

    def _touch(self) -> None:
        if self.sftui.has_picture and self._shown_address is not None and not self.sftui.looks_back:
            stream = self.query_one(ChangeStream)
            self.sftui.looking.touch(stream.shown, time(), waiting=stream.waiting_since)

    def leave(self) -> None:
        """Note that what is shown has been looked at."""
        if self.sftui.has_picture and self._shown_address is not None and not self.sftui.looks_back:
            self._touch()
            self.sftui.looking.leave()

    def on_keyed_lines_opened(self, event: KeyedLines.Opened) -> None:
        """Open an intent or a changed path in the memory."""
        event.stop()
        if isinstance(event.lines, IntentList):
            row = event.lines.intent()
            if row is not None:
                self.sftui.open_path(row.scope, ("intents", row.name))
        elif isinstance(event.lines, ChangeStream):
            found = event.lines.change()
            if found is not None:
                self.sftui.open_path(*found)

    def on_resize(self, event: events.Resize) -> None:
        """Choose the layout for the size."""
        self.set_class(event.size.width >= WIDE, "-wide")
        self.set_class(event.size.height < SHORT, "-short")
