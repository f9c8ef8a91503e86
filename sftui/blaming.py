"""Asking which transition set a row last: the tails at once, the ledger beside the interface."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from sftui.views.blaming import Blamed, blame

if TYPE_CHECKING:
    from engine.ledger.blame import Blame
    from engine.ledger.folds import Folds
    from sftui.views.kinds import Path, View
    from sftui.views.picture import Picture


class Blaming:
    """Answers of one picture are kept while it is shown."""

    def __init__(self, folds: Callable[[], Folds], *, ledger: bool) -> None:
        self._ledger = ledger
        self._folds = folds
        self._picture: Picture | None = None
        self._known: dict[tuple[View, Path], Blamed | None] = {}

    def known(self, picture: Picture, view: View, path: Path) -> tuple[Blamed | None, bool]:
        """What is known at once, and whether that is all: the ledger need not be asked."""
        self._of(picture)
        if (view, path) in self._known:
            return self._known[view, path], True
        asked: list[str] = []

        def nobody(address: str, _: Path) -> None:
            asked.append(address)

        found = blame(picture, view, path, nobody)
        whole = not asked or not self._asks(picture)
        if whole:
            self._known[view, path] = found
        return found, whole

    async def ask(self, picture: Picture, view: View, path: Path) -> Blamed | None:
        """Ask the ledger as well."""
        found, whole = self.known(picture, view, path)
        if whole:
            return found
        found = await asyncio.to_thread(blame, picture, view, path, self._recorded)
        if picture is self._picture:
            self._known[view, path] = found
        return found

    def _asks(self, picture: Picture) -> bool:
        """Whether the ledger can tell: of an earlier moment it knows only what came after."""
        return self._ledger and picture.snapshot is not None and picture.as_of is None

    def _of(self, picture: Picture) -> None:
        known = self._picture
        # Who made a change may be heard after it was seen: then memory is the same, and what is told of it is not.
        if known is None or picture.states is not known.states or picture.log is not known.log:
            self._known = {}
        self._picture = picture

    def _recorded(self, address: str, path: Path) -> Blame | None:
        from engine.ledger.blame import blame as recorded

        return recorded(self._folds(), address, path)
