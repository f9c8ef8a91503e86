"""`sftui show`: memory as a tree, or what a screen shows, as text, JSON, Markdown or a picture."""

from __future__ import annotations

import time
from argparse import Namespace
from typing import TYPE_CHECKING

from engine.errors import InvalidRequest
from engine.records import replace
from engine.store.readings import Snapshot
from engine.store.snapshot import snapshot
from sftui.commands.exporting import emit, page_width
from sftui.commands.target import Target, hint_at_session, target
from sftui.views.picture import Picture, look, measured

if TYPE_CHECKING:
    from sftui.views.changes import Sightings
    from sftui.views.kinds import EntryKey


def run(options: Namespace) -> int:
    wanted = target(options)
    try:
        return _show(options, wanted)
    except InvalidRequest as error:
        hint_at_session(error, options)
        raise


def _show(options: Namespace, wanted: Target) -> int:
    from sftui.export.registry import exported

    found = snapshot(wanted.address)
    width = page_width(options)
    named = exported(options.what)
    if named is not None:
        from sftui.export.screens import Given

        ledger = not options.no_ledger
        given = Given(found, picture_of(found, wanted, ledger=ledger), wanted.wanted, ledger)
        return emit(named.document(given, width), options, wanted.address.root)
    from sftui.export.moments import meant
    from sftui.export.recalling import recalled
    from sftui.export.tree import document, tree

    with recalled(found, ledger=not options.no_ledger) as deep:
        asked = meant(found, wanted.wanted, options.what, deep)
    return emit(document(tree(asked, picture_of(found, wanted, ledger=False)), width), options, wanted.address.root)


def picture_of(found: Snapshot, wanted: Target, *, ledger: bool) -> Picture:
    """The picture of what was read; with the ledger, when each change was seen."""
    sightings, aside = _sightings(found, wanted) if ledger else ({}, False)
    made = look(Picture(), found, "live", time.time(), pinned=True, sightings=sightings)
    return measured(replace(made, aside=aside))


def _sightings(found: Snapshot, wanted: Target) -> tuple[Sightings, bool]:
    """What the ledger knows of when each retained change was seen, and whether logs were put aside."""
    from engine.ledger import Ledger
    from sftui.views.changes import Sighted
    from sftui.views.log import retained_of

    retained = retained_of(found, wanted.wanted)
    ledger = Ledger.open(wanted.address.root)
    told = ledger.sightings(retained)
    known: dict[EntryKey, Sighted] = {}
    for address, transitions in retained.items():
        for one in transitions:
            sighting = told.get((address, one.revision))
            if sighting is not None:
                known[address, one.revision, one.boundary.id] = Sighted(sighting.seen, sighting.ours)
    return known, ledger.has_kept()
