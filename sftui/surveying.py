"""Keeping an eye on the scopes that are not open: those on screen, and a few that are near."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from time import monotonic, time
from typing import TYPE_CHECKING, Final

from engine.records import replace
from sftui.survey import Mark, list_cwds, list_sessions, mark, of_picture, peek, weight
from sftui.views.scopes import ORPHANS, Path, Survey, near

if TYPE_CHECKING:
    from engine.store.readings import Snapshot
    from sftui.views.picture import Picture

# What is on screen is looked at again so often, in seconds: a few stats for each row.
LOOK_SECONDS: Final = 4.0
# Listing is for when something came or went; without being told at most one part in so many of the time.
LIST_SHARE: Final = 1000
LIST_SECONDS: Final = 60.0
# Scopes that are looked at though they are not on screen, and the bytes beyond which that is not worth it.
NEAR: Final = 24
NEAR_BYTES: Final = 2_000_000


class Surveyor:
    """Knows the other scopes. `rows` gives what is on screen, `opened` the directories whose sessions are listed."""

    def __init__(
        self,
        picture: Callable[[], Picture],
        rows: Callable[[], Sequence[Path]],
        opened: Callable[[], set[str]],
        show: Callable[[], object],
    ) -> None:
        self._survey = Survey("")
        self._picture, self._rows, self._opened, self._show = picture, rows, opened, show
        self._marks: dict[Path, Mark] = {}
        self._listing = True
        self._listed: tuple[str, frozenset[str]] = ("", frozenset())
        self._listed_at = 0.0
        self._took = 0.0
        self._wake = asyncio.Event()

    @property
    def survey(self) -> Survey:
        """What is known now; of the open cohort it is what the picture says."""
        picture = self._picture()
        return replace(self._survey, peeks={**self._survey.peeks, **of_picture(self._survey, picture)})

    def look(self, *, listing: bool = False) -> None:
        """Look now instead of by and by; `listing`: something may have come or gone."""
        self._listing = self._listing or listing
        self._wake.set()

    async def keep(self) -> None:
        """Go on looking, until cancelled."""
        while True:
            self._wake.clear()
            snapshot = self._picture().snapshot
            if snapshot is not None:
                await self._list(snapshot)
                await self._peek(snapshot)
            try:
                await asyncio.wait_for(self._wake.wait(), LOOK_SECONDS)
            except TimeoutError:
                pass

    async def _list(self, snapshot: Snapshot) -> None:
        root, key = snapshot.address.root, snapshot.address.key
        opened = self._opened() | ({key} if key is not None else set())
        due = monotonic() - self._listed_at > max(LIST_SECONDS, self._took * LIST_SHARE)
        if not (self._listing or due or self._listed != (root, frozenset(opened))):
            return
        self._listing, self._listed = False, (root, frozenset(opened))
        began = monotonic()
        cwds = await asyncio.to_thread(list_cwds, root)
        known = {place.key for place in cwds}
        sessions = {name: await asyncio.to_thread(list_sessions, root, name) for name in opened & known}
        self._took, self._listed_at = monotonic() - began, monotonic()
        peeks = self._survey.peeks if self._survey.root == root else {}
        self._survey = Survey(root, cwds, sessions, peeks, time())
        self._show()

    async def _peek(self, snapshot: Snapshot) -> None:
        root = snapshot.address.root
        shown = [path for path in self._rows() if path != ORPHANS]
        told = of_picture(self._survey, self._picture())
        beside = [
            path
            for path in dict.fromkeys((*shown, *near(self._survey, snapshot.address.key, NEAR)))
            if path not in told
        ]
        # One thread for all: handing each stat to one costs more than the stats do.
        marks = await asyncio.to_thread(lambda: [mark(root, path) for path in beside])
        for path, found in zip(beside, marks, strict=True):
            if self._marks.get(path) == found or (path not in shown and weight(found) > NEAR_BYTES):
                continue
            looked = await asyncio.to_thread(peek, root, path, snapshot)
            if looked.revision is None and looked.status == "healthy":
                continue  # somebody is writing it: it is looked at again
            self._marks[path] = found
            changed = self._survey.peeks.get(path) != looked
            self._survey = replace(self._survey, peeks={**self._survey.peeks, path: looked})
            if changed:
                self._show()
