"""The list of screen 3: looked through beside the interface, page by page, with details of the row under the cursor."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from functools import partial
from time import time
from typing import TYPE_CHECKING, TypeAlias

from textual.app import ComposeResult

from sftui.background import begin
from sftui.screens.base import WIDE
from sftui.screens.detailed import DetailedScreen
from sftui.screens.history_filter import HistoryFilter
from sftui.times import date
from sftui.views.chronicle import Body, Chronicle, chronicle, diffs_of, growths, summed
from sftui.views.history import History, RowKey, Summary, history
from sftui.views.history_details import MOST_LINES, row_details
from sftui.views.history_rows import list_title
from sftui.widgets.bars import NoticeBar, Rule, TextPane
from sftui.widgets.history_list import HistoryList
from sftui.widgets.lines import KeyedLines
from sftui.widgets.scrubber import Scrubber

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from engine.memory.scope import Scope
    from engine.memory.stream import Boundary
    from sftui.ledger_pages import Recorded, Records
    from sftui.views.diffs import ScopeDiff
    from sftui.views.kinds import Path, View
    from sftui.views.moments import Moment
    from sftui.views.picture import Picture
    from sftui.views.spans import Spans
    from sftui.views.sparklines import Series

# Moments over which sizes are told; more than that no line has cells for.
MOST_SIZES = 400
# Rows that are summed up before they are shown.
AT_ONCE = 20
# Pages of the ledger that are read to find one change.
MOST_PAGES = 100
# Diffs that are kept for going to and fro.
KEPT_DIFFS = 64

Read: TypeAlias = "tuple[tuple[ScopeDiff, ...], tuple[str, ...]]"


class ChronicleScreen(DetailedScreen):
    """Every change that is known of the scopes in view, newest first."""

    AUTO_FOCUS = "#history"
    places = ("list", "history")

    def __init__(self) -> None:
        super().__init__()
        self.known = Chronicle()
        self.scope: Scope | None = None
        self.filter = HistoryFilter(self)
        self._looked_at: Picture | None = None
        self._looking = False
        self._wants_older = False
        self._records: Records | None = None
        self._summaries: dict[RowKey, Summary] = {}
        self._summed: dict[RowKey, int] = {}
        self._read: OrderedDict[RowKey, Read] = OrderedDict()
        self._said: RowKey | None = None
        self._told_key: RowKey | None = None
        self._aim: Boundary | None = None
        self._pages = 0
        self._played = False
        self.came: tuple[View, Path] | None = None

    def compose(self) -> ComposeResult:
        """Header, rows, details and sizes, footer."""
        sizes = (Rule(id="sizes-rule"), TextPane(id="sizes"))
        yield from self.with_details(
            "history", HistoryList(id="history"), above=[Scrubber(id="scrubber")], beside=sizes, hang=6
        )

    async def on_mount(self) -> None:
        """Show the frame before anything has been looked through."""
        self.query_one("#side-rule", Rule).say((("details", "strong"),))
        self.rows.replace([], empty=[((" looking through what happened…", "muted"),)])
        self.say_rows()

    # Showing.

    @property
    def rows(self) -> HistoryList:
        """The list of what happened."""
        return self.query_one("#history", HistoryList)

    @property
    def told(self) -> History:
        """What is listed."""
        return self.rows.told

    def show(self, picture: Picture) -> None:
        """Look through a picture and the ledger, beside the interface, and show them."""
        super().show(picture)
        self.query_one(NoticeBar).show(self.notices())
        self._show_past()
        self.look()

    def _show_past(self) -> None:
        """Say as of which row the whole app is, and how far back that lies."""
        scrubber, past = self.query_one(Scrubber), self.sftui.past if self.sftui.looks_back else None
        band = None if past is None else past.band()
        scrubber.display = band is not None
        if band is not None:
            scrubber.show(band.back, band.of)
        moment = None if past is None else past.moment
        played, self._played = self._played, past is not None and past.playing
        self.rows.point_out(None if moment is None else self._key_of(moment.boundary), along=played or self._played)

    def on_scrubber_asked(self, event: Scrubber.Asked) -> None:
        """Show the whole app as of the moment that was pointed at."""
        event.stop()
        self.sftui.past.go_back(event.back)

    def _key_of(self, boundary: Boundary) -> RowKey | None:
        return next((key for key, one in self.told.moments.items() if one.boundary == boundary), None)

    def look(self) -> None:
        """Look again, unless that is being done."""
        if not self._looking:
            self._looking = True
            begin(self, self._look, "look")

    @property
    def live(self) -> Picture:
        """Memory as it is now, whatever moment is shown."""
        return self.sftui.live

    @property
    def records(self) -> Records:
        """What the ledger holds of this store."""
        if self._records is None:
            from sftui.ledger_pages import Records

            self._records = Records(self.sftui.folds)
        return self._records

    async def _look(self) -> None:
        """Look through the newest picture until there is none newer: the tails at once, then what is recorded of them."""
        try:
            while self.is_attached and (self.live is not self._looked_at or self._wants_older):
                picture, older, records = self.live, self._wants_older, self.records
                snapshot = picture.snapshot
                self._wants_older = False
                if snapshot is not None:
                    addresses = tuple(reading.address for reading in snapshot.scopes.values())
                    if self.known.picture.snapshot is None:
                        await self._take(picture, records.nothing)
                    await self._take(picture, records.older if older else partial(records.newest, addresses))
                self._looked_at = picture
        finally:
            self._looking = False

    async def _take(self, picture: Picture, read: Callable[[], Recorded]) -> None:
        """Put together what a picture and the ledger hold, and show it."""
        before = self.known

        def work() -> Chronicle:
            found = read()
            return chronicle(picture, found.rows, found.troubles, more=found.more)

        self.known = await asyncio.to_thread(work)
        self._forget(before)
        self.show_rows()
        if before.moments.keys() != self.known.moments.keys():
            self.filter.look()

    def _forget(self, before: Chronicle) -> None:
        """Let go of what was read of changes that are others by now: of other scopes, or in more of them."""
        now = self.known
        if now.address != before.address:
            self._summaries, self._summed = {}, {}
            self._read.clear()
        for key in [key for key in before.moments if key in self._read]:
            if key not in now.moments or len(now.moments[key].parts) != len(before.moments[key].parts):
                del self._read[key]

    def show_rows(self) -> None:
        """List what is known."""
        if not self.is_mounted:
            return
        known = self.known
        told = history(
            known.moments,
            known.notes,
            self._summaries,
            scope=self.scope,
            kept=self.filter.kept,
            more=known.more,
            adopted=known.adopted,
            today=date(time()),
            session=known.session,
            aside=known.picture.aside,
        )
        self.rows.show(told, empty=self._empty())
        self.say_rows()
        self._approach()
        self.sum_up()
        self.show_details()
        self._show_sizes()

    def _empty(self) -> list[Spans]:
        from sftui.views.watch import no_changes

        if self.filter.kept is not None and self.known.moments:
            return [((" no change holds this text", "muted"),)]
        if self.scope is not None and self.known.moments:
            return [((f" no change of {self.scope} is known", "muted"),)]
        return no_changes(self.known.picture)

    def say_rows(self) -> None:
        """Say what is listed."""
        width = self.size.width
        left, right = list_title(self.told, self.scope, self.filter.text, width)
        self.query_one("#history-rule", Rule).say(left, right, ending=" ")

    def go_to(self, boundary: Boundary, came: tuple[View, Path]) -> None:
        """Stand on a change, read from the ledger as far as it takes; `came` is the row of memory that it is about."""
        self.came, self._aim, self.scope, self._pages = came, boundary, None, 0
        self.filter.drop()

    def _approach(self) -> None:
        """Go to the row that is wanted once it is there."""
        if self._aim is None or self.known.picture.snapshot is None:
            return
        key = self._key_of(self._aim)
        if key is not None:
            self._aim = None
            self.rows.move_to_key(key)
            return
        self._pages += 1
        if self.known.more and self._pages <= MOST_PAGES:
            self.load_older()
        elif self._looked_at is not None:
            self._aim = None
            words = "lies further back than is read at once" if self.known.more else "is not known any more"
            self.sftui.say(f"This change {words}", warning=True)

    # What each row did.

    def on_history_list_scrolled(self, event: HistoryList.Scrolled) -> None:
        """Other rows are on screen."""
        event.stop()
        self.sum_up()

    def sum_up(self) -> None:
        """Say of the rows on screen, and of those close by, what they did."""
        wanted = {key: self.told.moments[key] for key in self.rows.near if self._lacks(key)}
        if wanted:
            begin(self, partial(self._sum, wanted), "sum", exclusive=True)

    def _lacks(self, key: RowKey) -> bool:
        moment = self.told.moments.get(key)
        return moment is not None and self._summed.get(key) != len(moment.parts)

    async def _sum(self, wanted: Mapping[RowKey, Moment]) -> None:
        known, body, waiting = self.known, self.records.body, list(wanted.items())
        while waiting and self.is_attached:
            some, waiting = waiting[:AT_ONCE], waiting[AT_ONCE:]
            found = await asyncio.to_thread(_summaries_of, known, some, body)
            self._summaries |= found
            self._summed |= {key: len(one.parts) for key, one in some}
            self.rows.forget_strips()

    # Details.

    def moment(self) -> Moment | None:
        """The transition under the cursor."""
        key = self.rows.cursor_key
        return None if key is None else self.told.moments.get(key)

    def show_details(self) -> None:
        """Tell about the row under the cursor: what is known at once, and what it changed when that has been read."""
        key, moment = self.rows.cursor_key, self.moment()
        if key is None:
            self._say_details((("details", "strong"),), [])
            return
        read = self._read.get(key)
        if moment is not None and read is None:
            begin(self, partial(self._read_diff, key, moment), "details", exclusive=True)
            if self._said == key:
                return
        diffs, lacking = read or (None, ())
        self._said = key
        self._say_details(*row_details(self.told, key, diffs, lacking))

    async def _read_diff(self, key: RowKey, moment: Moment) -> None:
        found = await asyncio.to_thread(diffs_of, self.known, moment, self.records.body, most=MOST_LINES)
        self._read[key] = found
        if len(self._read) > KEPT_DIFFS:
            self._read.popitem(last=False)
        if self.is_attached and self.rows.cursor_key == key:
            self._said = None
            self.show_details()

    def _say_details(self, title: Spans, lines: list[Spans]) -> None:
        self.tell(title, lines, top=self._told_key != self._said)
        self._told_key = self._said

    def on_keyed_lines_moved(self, event: KeyedLines.Moved) -> None:
        """Tell about the row that the cursor stands on now."""
        event.stop()
        self.show_details()

    # Sizes over time.

    def _show_sizes(self) -> None:
        if self.size.width >= WIDE and self.told.listed:
            begin(self, self._measure, "sizes", exclusive=True)

    async def _measure(self) -> None:
        """Say how large planes were over the moments listed, where there is room for that."""
        from sftui.views.past_sizes import sizes_over
        from sftui.views.sparklines import told

        known, some, body, scope = self.known, self.told.listed[:MOST_SIZES], self.records.body, self.scope

        def work() -> tuple[Series, ...]:
            return sizes_over(known.picture, some, scope, growths(known, some, body))

        found = await asyncio.to_thread(work)
        if self.is_attached:
            pane = self.query_one("#sizes", TextPane)
            title, lines = told(found, max(20, self.query_one("#side-box").size.width - 3))
            self.query_one("#sizes-rule", Rule).say(title)
            pane.styles.height = len(lines)
            pane.show(lines)

    # Older ones.

    def load_older(self) -> None:
        """Read the next page of the ledger."""
        if self.known.more:
            self._wants_older = True
            self.look()

    def usable(self, action_id: str) -> bool:
        """Everything but going where one is, and what needs a change where the cursor stands on none."""
        if action_id == "history.back":
            return self.came is not None
        if action_id in {"history.clear", "memory.clear"}:
            return bool(self.filter.text) or self.rows.marked is not None
        return action_id != "app.history" and (action_id not in _OF_A_MOMENT or self.moment() is not None)

    def fit(self, width: int) -> None:
        """Say what is listed, as far as there is room for it."""
        del width
        self.say_rows()


_OF_A_MOMENT = frozenset(f"history.{name}" for name in ("compare", "at", "replay", "undo", "copy-path"))


def _summaries_of(known: Chronicle, some: Sequence[tuple[RowKey, Moment]], body: Body) -> dict[RowKey, Summary]:
    return {key: summed(known, one, body) for key, one in some}
