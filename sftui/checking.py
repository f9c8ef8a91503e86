"""The folds of the ledger, checked beside the app: in a process of their own, once they are up to date."""

from __future__ import annotations

import asyncio
import os
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sftui.app import SftuiApp

# The store comes first, and whatever a person does with it at once.
QUIET_SECONDS: Final = 5.0


async def check(app: SftuiApp) -> None:
    """Fold what the log has and compare that with the log; what was not the same has been folded anew, and is told."""
    await asyncio.sleep(QUIET_SECONDS)
    await asyncio.to_thread(import_module, "engine.ledger.verifying")
    from engine.ledger.log import LOG_NAME
    from engine.ledger.verifying import verify_apart

    directory = app.folds.directory
    if directory is None or not await asyncio.to_thread(os.path.exists, os.path.join(directory, LOG_NAME)):
        return
    report = await verify_apart(directory)
    if report.ok is False:
        what = ", ".join(unit for unit, _ in report.differing)
        app.say(f"What was kept of the ledger was not what the ledger says ({what}): it is folded anew", warning=True)
