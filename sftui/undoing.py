"""Undoing a transition: found in the tails or in the ledger beside the interface, and put into the draft."""

from __future__ import annotations

import asyncio
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Final

from engine.memory.collecting import superseding
from engine.memory.draft import Draft
from engine.memory.undo import Undo, Undone, undo_draft
from sftui.background import begin
from sftui.views.blaming import last_change
from sftui.views.undoing import Found, Part, in_tails, label_of, narrowed, newest_first, told, unwritable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.memory.draft import Step
    from engine.store.readings import Snapshot
    from sftui.app import SftuiApp
    from sftui.views.changes import Entry
    from sftui.views.kinds import Path, View

PATIENCE: Final = 1.0


class Undoing:
    """Puts inverses of transitions into the draft. Several in a row are one undo, worked off from the newest back."""

    def __init__(self, app: SftuiApp, *, ledger: bool) -> None:
        self._app = app
        self._ledger = ledger
        self._turn = asyncio.Lock()
        self._asked = 0
        self._settled = asyncio.Event()
        self._settled.set()
        self._parts: tuple[Part, ...] = ()
        self._steps: tuple[Step, ...] = ()

    def entry(self, entry: Entry) -> None:
        """Undo a transition, in all scopes that it changed."""
        self._begin(entry, None)

    def row(self, view: View, path: Path) -> None:
        """Undo the last known change of a row."""
        entry = last_change(self._app.live, view, path)
        if entry is None:
            self._app.say("No change of this row is known, so there is nothing to undo", warning=True)
            return
        self._begin(entry, path)

    async def settled(self) -> None:
        """Wait for what has been asked for, but not long: what is typed ahead is meant for the draft with it."""
        try:
            await asyncio.wait_for(self._settled.wait(), PATIENCE)
        except TimeoutError:
            pass

    def _begin(self, entry: Entry, path: Path | None) -> None:
        self._asked += 1
        self._settled.clear()
        begin(self._app, partial(self._carry_out, entry, path), "undo")

    async def _carry_out(self, entry: Entry, path: Path | None) -> None:
        try:
            await self._undo(entry, path)
        finally:
            self._asked -= 1
            if not self._asked:
                self._settled.set()

    async def _undo(self, entry: Entry, path: Path | None) -> None:
        async with self._turn:
            picture = self._app.live
            snapshot, dialect = picture.snapshot, picture.dialect
            if snapshot is None or dialect is None:
                self._app.say("Nothing can be read, so nothing can be undone", warning=True)
                return
            together = [entry, *(one for one in picture.log if one.boundary == entry.boundary and one != entry)]
            found = await asyncio.to_thread(find, snapshot, together, path, ledger=self._ledger)
            if not found.parts:
                words, warning = told(Undo(Draft(), found.cannot), entry.short)
                self._app.say(words, warning=warning)
                return
            drafting = self._app.drafting
            before = self._before(drafting.draft)
            parts = newest_first((*before, *found.parts))
            undones = tuple(part.undone for part in parts)
            undo = await asyncio.to_thread(undo_draft, dialect, undones, self._app.live.states)
            mine = set(map(id, self._steps)) if before else set()
            others = tuple(step for step in drafting.draft.steps if id(step) not in mine)
            left, newer = superseding(Draft(others), undo.draft)
            drafting.set_draft(Draft((*left.steps, *newer.steps)))
            # As it is held: an equal draft does not take the place of the one that is there.
            self._parts, self._steps = parts, drafting.draft.steps[len(left.steps) :]
            names = " and ".join(dict.fromkeys(part.name for part in parts))
            words, warning = told(Undo(undo.draft, (*found.cannot, *undo.cannot)), names)
            self._app.say(words, warning=warning)

    def _before(self, draft: Draft) -> tuple[Part, ...]:
        """What is undone in the draft already, if it still stands there as it was put."""
        there = set(map(id, draft.steps))
        return self._parts if self._steps and all(id(step) in there for step in self._steps) else ()


def find(snapshot: Snapshot, entries: Sequence[Entry], path: Path | None, *, ledger: bool) -> Found:
    """Look for a transition, the one under the cursor first of its `entries`: in the tails, then in what was recorded.

    With a `path` only for what it did there, in the scope of the first entry.
    """
    here = {reading.address for reading in snapshot.scopes.values()}
    wanted = {entry.address: entry for entry in (entries if path is None else entries[:1])}
    parts = {part.address: part for part in in_tails(snapshot, entries[0].boundary)}
    recorded = _recorded(snapshot, entries[0]) if ledger and (path is None or not wanted.keys() <= parts.keys()) else {}
    cannot: list[str] = []
    for address, (label, kept) in recorded.items():
        if address in parts:
            continue
        if address not in here:
            cannot.append(f"{label}: its part in the memory of another session ({address}) stays")
        elif kept is None:
            cannot.append(f"{label}: no record says what stood there before")
        else:
            parts[address] = kept
    for address, entry in wanted.items():
        if address not in parts and address not in recorded:
            why = unwritable(snapshot, entry.scope) or "it is no longer retained, and no record holds it"
            cannot.append(f"{entry.short}: {why}")
    for address, part in list(parts.items()):
        why = unwritable(snapshot, part.undone.scope)
        if why:
            cannot.append(f"{part.undone.label}: {why}")
            del parts[address]
    if path is None:
        return Found(tuple(parts.values()), tuple(cannot))
    only = [narrowed(part, path) for address, part in parts.items() if address in wanted]
    return Found(tuple(part for part in only if part is not None), tuple(cannot))


def _recorded(snapshot: Snapshot, entry: Entry) -> dict[str, tuple[str, Part | None]]:
    """What the ledger holds of a transition, by address: its label, and the part where the value before is known."""
    from engine.ledger import Ledger

    told: dict[str, tuple[str, Part | None]] = {}
    with closing(Ledger.open(snapshot.address.root)) as ledger:
        found = ledger.at_boundary(entry.boundary.id)
    for scope, address, retained in found:
        if retained.boundary != entry.boundary:
            continue
        label = label_of(scope, retained.revision)
        if retained.inverse is None:
            told.setdefault(address, (label, None))
        else:
            undone = Undone(scope, label, retained.patch, retained.inverse)
            told[address] = (label, Part(address, retained.boundary, retained.revision, undone))
    return told
