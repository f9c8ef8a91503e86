"""Looking back: which moment the whole app shows, stepping through them, and playing them one after another."""

from __future__ import annotations

import asyncio
from time import time
from typing import TYPE_CHECKING, Final

from engine.memory.stream import Boundary
from engine.records import dataclass
from sftui.actions import key_for, keys_of
from sftui.background import begin
from sftui.earlier import MOST_PAGES, deep_of
from sftui.process import taking_turns
from sftui.screens.base import LiveScreen
from sftui.times import date
from sftui.views.asof import picture_at, standings
from sftui.views.band import Band, when_words
from sftui.views.moments import Moment, beginning, moments
from sftui.views.picture import Picture, measured, revisions
from sftui.views.sizes import SLACK

if TYPE_CHECKING:
    from engine.ledger.past import Recall
    from engine.ledger.timeline import TimelineRow
    from engine.store.layout import Address
    from sftui.app import SftuiApp
    from sftui.ledger_pages import Records
    from sftui.views.sizes import Sizes

# Each moment is shown so long when they are played, in seconds: long enough to see what changed.
PLAY_SECONDS: Final = 1.0
# A moment that takes longer to read, in seconds, is said to be read.
PATIENCE: Final = 0.2


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All moments that are known of a picture, newest first: the first of them is now. `more`: the ledger has older."""

    moments: tuple[Moment, ...] = ()
    rows: tuple[TimelineRow, ...] = ()
    more: bool = False

    def index(self, boundary: Boundary) -> int | None:
        """How far a moment lies before now."""
        return next((number for number, one in enumerate(self.moments) if one.boundary == boundary), None)


class Past:
    """Shows the app as of a moment. Reads and makes pictures in a thread, one after another; only the last wish counts.

    `picture` is what is shown instead of the live one; None while that is shown.
    """

    def __init__(self, app: SftuiApp) -> None:
        self._app = app
        self.picture: Picture | None = None
        self.playing = False
        self.known = Catalogue()
        self._target: Moment | None = None
        self._address: Address | None = None
        self._records: Records | None = None
        self._recalls: dict[str, Recall] = {}
        self._of: Picture | None = None
        self._newest: Boundary | None = None
        self._sizes: Sizes | None = None
        self._working = False
        # How much further back somebody wants to go than is known: the ledger is read for it.
        self._further = 0
        # Whether it has been read at all.
        self._asked = False
        self._arrived = asyncio.Event()

    # What is shown.

    @property
    def is_on(self) -> bool:
        """Whether somebody looks back: then nothing is changed."""
        return self._target is not None

    @property
    def moment(self) -> Moment | None:
        """The moment that is wanted; None for now."""
        return self._target

    @property
    def back(self) -> int:
        """How far it lies before now; beyond all that are known where it has been forgotten since."""
        if self._target is None:
            return 0
        found = self.known.index(self._target.boundary)
        return len(self.known.moments) if found is None else found

    @property
    def reach(self) -> int:
        """How far one can go back among what has been read."""
        return max(len(self.known.moments) - 1, self.back)

    def band(self) -> Band | None:
        """What is said of it on every screen; None for now."""
        target = self._target
        if target is None:
            return None
        picture = self.picture
        shown = None if picture is None or picture.as_of is None else picture.as_of.moment
        when, short = when_words(target, date(time()), aside=self._app.live.aside)
        newer = 0 if self._newest is None else self.known.index(self._newest) or 0
        return Band(
            "" if picture is None else revisions(picture),
            when,
            short,
            self.back,
            self.reach,
            self.known.more,
            newer,
            self.playing,
            reading=shown is None or shown.boundary != target.boundary,
            what="" if target.seen is not None else target.shorts,
        )

    # Going somewhere.

    def step(self, by: int) -> None:
        """Go so many moments back, or forward where it is below zero."""
        if not self._ready():
            return
        wanted, self._further = self.back + self._further + by, 0
        if wanted <= 0:
            self.now()
        elif wanted < len(self.known.moments):
            self._aim(self.known.moments[wanted])
        elif self.known.more or not self._asked:
            self._further = wanted - self.back
            self._look()
        else:
            words = "Nothing older is known" if self.reach else "Nothing that happened before is known"
            self._app.say(words if self._app.with_ledger else f"{words}: the ledger is not used")

    def go(self, moment: Moment) -> None:
        """Go to a moment."""
        if not self._ready():
            return
        if self.known.index(moment.boundary) == 0:
            self.now()
            self._app.say("That is how memory is now")
        else:
            self._aim(moment)

    def go_back(self, back: int) -> None:
        """Go to the moment that lies so far before now."""
        if self._ready():
            self.step(back - self.back)

    def now(self) -> None:
        """Show memory as it is now."""
        self.playing = False
        self._further = 0
        if self._target is not None:
            self._target = self.picture = None
            self._arrived.set()
            self._app.catch_up()

    def _aim(self, moment: Moment) -> None:
        if self._target is None:
            self._newest = self.known.moments[0].boundary if self.known.moments else None
            self._sizes = None
        self._target = moment
        self._arrived.clear()
        self._look()
        self._app.set_timer(PATIENCE, self._say_reading)

    def _say_reading(self) -> None:
        if self._target is not None and not self._arrived.is_set():
            self._app.show_header()

    def _ready(self) -> bool:
        """Know what there is to go to; of another picture than before what is retained, at once."""
        live = self._app.live
        if live.snapshot is None:
            self._app.say("Nothing has been read yet")
            return False
        if self._address != live.snapshot.address:
            self._forget(live.snapshot.address)
        if self._of is None or (self._of is not live and self._target is None):
            self.known = _catalogued(live, self.known.rows, more=self.known.more)
        return True

    # Playing.

    def replay(self, moment: Moment | None = None) -> None:
        """Play all moments from this one on, or from the one that is shown, up to now."""
        if moment is not None:
            self.go(moment)
        if self._target is None:
            self._app.say(f"Memory is shown as it is now: {key_for('app.earlier')} goes back")
            return
        if not self.playing:
            self.playing = True
            begin(self._app, self._play, "replay", exclusive=True)
        self._app.show_header()

    def pause(self) -> None:
        """Stay at the moment that is shown."""
        if self.playing:
            self.playing = False
            self._app.show_header()

    def interrupted(self, key: str) -> bool:
        """A key was pressed: nothing plays on. Tells whether that was all that it was meant for.

        One that is not about going back takes a wish back that is still read for: what it begins is about now.
        """
        if key not in (*keys_of("app.earlier"), *keys_of("app.later")):
            self._further = 0
        was, self.playing = self.playing, False
        if was:
            self._app.call_later(self._app.show_header)
        return was and key in {"space", "escape"}

    async def _play(self) -> None:
        while self.playing:
            await self._arrived.wait()
            await asyncio.sleep(PLAY_SECONDS)
            if self.playing:
                self.step(-1)

    # The live picture goes on below.

    def fresh(self, live: Picture) -> None:
        """There is a newer picture of memory as it is now."""
        address = None if live.snapshot is None else live.snapshot.address
        if self._address is not None and address != self._address:
            was = self.is_on
            self.now()
            if was:
                self._app.say("Another scope is shown: as it is now")
        elif self._target is not None:
            self._look()

    def _forget(self, address: Address) -> None:
        self.now()
        self._address, self._records, self._of, self.known = address, None, None, Catalogue()
        self._asked = not self._app.with_ledger
        self._recalls = {}

    def _is_free(self) -> bool:
        """Whether the screen that is up can show an earlier moment, with nothing asked on it."""
        screen = self._app.screen
        return isinstance(screen, LiveScreen) and screen.of_moments and screen.is_free

    # In a thread.

    def _look(self) -> None:
        if not self._working:
            self._working = True
            begin(self._app, self._keep_looking, "past")

    async def _keep_looking(self) -> None:
        """Make what is wanted until that is shown: of wishes that come meanwhile the last one counts."""
        try:
            while self._app.is_running and self._is_behind():
                await self._once()
        finally:
            self._working = False

    def _is_behind(self) -> bool:
        if self._target is None:
            return self._further != 0
        return self._of is not self._app.live or self._further != 0 or not self._arrived.is_set()

    async def _once(self) -> None:
        live, address = self._app.live, self._address
        if self._of is not live or self._further:
            pages = 1 if self._further and self._asked and self.known.more else 0
            found = await asyncio.to_thread(self._read, live, pages)
            if self._address != address:
                return
            self._take(live, found)
            self._asked = True
            if self._target is None and not self._is_free():
                self._further = 0  # what was begun meanwhile is about now
            if self._further:
                self.step(0)
            self._app.show_header()
        target = self._target
        if target is None or self._arrived.is_set():
            return
        known, picture = await asyncio.to_thread(self._made, live, self.known, target)
        if self._address == address and known is not self.known:
            self._take(live, known)
        if self._target is not target:
            return
        self._show(picture)
        sized = await asyncio.to_thread(measured, picture, taking_turns())
        if self._target is target and sized is not picture:
            self._show(sized)

    def _show(self, picture: Picture) -> None:
        self.picture = picture
        self._arrived.set()
        self._app.catch_up()

    def _take(self, live: Picture, known: Catalogue) -> None:
        self.known, self._of = known, live

    def _read(self, live: Picture, pages: int) -> Catalogue:
        """Put together what is retained and what the ledger holds; `pages` more of it than before."""
        assert live.snapshot is not None
        records = self._opened()
        addresses = tuple(reading.address for reading in live.snapshot.scopes.values())
        held = records.newest(addresses, pages)
        return _catalogued(live, held.rows, more=held.more)

    def _made(self, live: Picture, known: Catalogue, target: Moment) -> tuple[Catalogue, Picture]:
        """Make the picture of a moment; reads on in the ledger while that may tell what is not known."""
        assert live.snapshot is not None
        for _ in range(MOST_PAGES):
            found = standings(live.snapshot, known.moments, target)
            there = known.index(target.boundary) is not None and not any(at.ends for at in found.values())
            if there or not known.more:
                break
            known = self._read(live, 1)
        if self._sizes is None or self._sizes.weight > 2 * live.sizes.weight + SLACK:
            self._sizes = live.sizes.copy()
        deep = deep_of(self._app.folds, self._recalls, live.snapshot)
        # How far back it lies in the lineage is told by this picture, not by the one that it was chosen on.
        place = known.index(target.boundary)
        meant = target if place is None else known.moments[place]
        return known, picture_at(live, known.moments, meant, sizes=self._sizes, deep=deep, near=self.picture)

    def _opened(self) -> Records:
        if self._records is None:
            from sftui.ledger_pages import Records

            self._records = Records(self._app.folds)
        return self._records


def _catalogued(live: Picture, rows: tuple[TimelineRow, ...], *, more: bool) -> Catalogue:
    found = moments(live, rows)
    start = beginning(live)
    if start is not None and all(one.boundary != start.boundary for one in found):
        # What the session began with lies below the oldest transition of its own.
        place = 1 + max((number for number, one in enumerate(found) if one.offset is not None), default=-1)
        found = (*found[:place], start, *found[place:])
    if found and not _is_now(live, found[0]):
        # A scope went back: what it held last is not how it is.
        found = (_NOW, *found)
    return Catalogue(found, rows, more)


_NOW: Final = Moment(Boundary("", -1, None), ())


def _is_now(live: Picture, moment: Moment) -> bool:
    """Whether the scopes that a moment changed are still as it left them."""
    scopes = {} if live.snapshot is None else live.snapshot.scopes
    streams = [(scopes[part.scope].stream, part) for part in moment.parts if part.scope in scopes]
    return all(
        stream is not None and (stream.revision, stream.head) == (part.revision, moment.boundary)
        for stream, part in streams
    )
