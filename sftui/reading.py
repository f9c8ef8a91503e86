"""Which cohort the app reads, and keeping up with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib import import_module
from time import time
from typing import TYPE_CHECKING, Final

from textual.message import Message

from engine.records import replace
from sftui.actions import key_for
from sftui.background import begin
from sftui.want import Want

if TYPE_CHECKING:
    from engine.store.layout import Address
    from sftui.app import SftuiApp
    from sftui.following import Follower
    from sftui.views.kinds import Path
    from sftui.views.picture import Picture

# How often to ask for a newer session when no event told of one: at least so often, and never
# more than one part in so many of the time.
NEWEST_SECONDS: Final = 5.0
NEWEST_SHARE: Final = 400


class Fresh(Message):
    """A new picture is there."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        super().__init__()

    def can_replace(self, message: Message) -> bool:
        """Of a burst only the last picture is shown: each holds all that came before."""
        return isinstance(message, Fresh)


class Reading:
    """Reads what is wanted, in the background; pictures come to the app as `Fresh`.

    `may_leave` tells whether the session on screen may be left for a newer one unasked.
    """

    def __init__(self, app: SftuiApp, store: str, want: Want, *, ledger: bool, may_leave: Callable[[], bool]) -> None:
        self.want = want
        self._app, self._store, self._ledger, self._may_leave = app, store, ledger, may_leave
        self._start_cwd = want.cwd
        self._follower: Follower | None = None
        self._asked = False

    async def begin(self) -> None:
        """Load the engine beside the running interface, and begin to read."""
        await asyncio.to_thread(import_module, "sftui.following")
        from sftui.following import Follower

        self._follower = Follower(self._store, self.want, ledger=self._ledger, clock=time, stays=self._stays)
        self.again()
        # While the store is read: it is needed with the first picture.
        await asyncio.to_thread(import_module, "sftui.drafting")
        if self._ledger:
            begin(self._app, self._check, "ledger")

    def again(self) -> None:
        """Read and watch anew."""
        begin(self._app, self._follow, "follow", exclusive=True)
        self._seek()

    def listed(self) -> None:
        """A directory or a session may have come or gone."""
        self._seek()
        self._app.neighbours.look(listing=True)

    def look_at(self, want: Want) -> None:
        """Read another cohort."""
        self.want, self._asked = want, True
        if self._follower is not None:
            self._follower.want = want
        self.again()

    def choose(self, path: Path | None) -> None:
        """Look at another scope and stay with it; None follows the newest session again."""
        from sftui.widgets.scope_tree import chosen_keys

        if path is None:
            # Global memory belongs to no directory: from there the way leads back to the first one.
            here = self.want if self.want.cwd is not None or self.want.key is not None else Want(self._start_cwd)
            self.look_at(replace(here, session=None))
            self._app.say("Following the newest session")
            return
        key, session = chosen_keys(path)
        owner = next((place.owner for place in self._app.neighbours.survey.cwds if place.key == key), None)
        self.look_at(Want(owner, key, session))
        if key is None:
            self._app.say(f"Global memory alone; {key_for('app.newest')} goes back to the newest session")

    def open(self, address: Address) -> None:
        """Look at a cohort and stay with it."""
        self.look_at(Want(address.cwd, address.key, address.session))

    def _stays(self) -> bool:
        """Whether the session on screen is not left though a newer one is followed; who asks to leave it does leave it."""
        asked, self._asked = self._asked, False
        return not asked and not self._may_leave()

    async def _check(self) -> None:
        from sftui.checking import check

        await check(self._app)

    async def _follow(self) -> None:
        if self._follower is not None:
            await self._follower.follow(
                lambda picture: self._app.post_message(Fresh(picture)),
                lambda words: self._app.say(words, warning=True),
                self.listed,
            )

    def _seek(self) -> None:
        begin(self._app, self._seek_newest, "newest", exclusive=True)

    async def _seek_newest(self) -> None:
        """Move on to a session that has become the newest, unless one is pinned."""
        while self._follower is not None:
            found, took = await self._follower.has_newer()
            if found and self._may_leave():
                begin(self._app, self._follow, "follow", exclusive=True)
            await asyncio.sleep(max(NEWEST_SECONDS, took * NEWEST_SHARE))
