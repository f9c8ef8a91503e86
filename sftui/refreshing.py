"""Waiting until what is shown is what memory holds: after the app has stood still for an editor."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING, Final

from engine.errors import EngineError
from engine.store.snapshot import snapshot

if TYPE_CHECKING:
    from engine.store.readings import Snapshot
    from sftui.app import SftuiApp

# It is asked so often, in seconds; not told by then, it is read anew; and so long it is waited for.
PAUSE: Final = 0.02
SOON: Final = 0.5
PATIENCE: Final = 5.0


async def refreshed(app: SftuiApp) -> bool:
    """Wait until the picture holds all that memory holds now, and the draft has been worked out on it."""
    shown = app.live.snapshot
    if shown is None:
        return False
    try:
        now = _revisions(await asyncio.to_thread(snapshot, shown.address, shown))
    except EngineError:
        return False
    began, again = monotonic(), False
    while monotonic() - began < PATIENCE:
        if not app.is_running or app.live.snapshot is None or app.live.snapshot.address != shown.address:
            return False
        if _reaches(_revisions(app.live.snapshot), now) and _is_worked_out(app):
            return True
        if not again and monotonic() - began > SOON:
            again = True
            app.reading.again()
        await asyncio.sleep(PAUSE)
    return False


def _is_worked_out(app: SftuiApp) -> bool:
    drafting = app.drafting
    staging = drafting.staging
    return drafting.draft.is_empty or (drafting.is_current and (staging is None or staging.is_of(app.live)))


def _revisions(of: Snapshot) -> tuple[int, ...]:
    return tuple(-1 if reading.stream is None else reading.stream.revision for reading in of.scopes.values())


def _reaches(shown: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    return len(shown) == len(wanted) and all(one >= other for one, other in zip(shown, wanted, strict=True))
