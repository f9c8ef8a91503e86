"""Saving what was applied in this window as a script, under a name that a person types."""

from __future__ import annotations

import asyncio
import os
import time
from functools import partial
from typing import TYPE_CHECKING

from engine.errors import EngineError
from sftui import saved_file, script
from sftui.background import begin
from sftui.display import clean
from sftui.screens.base import LiveScreen

if TYPE_CHECKING:
    from engine.store.layout import Address
    from sftui.app import SftuiApp


def ask(app: SftuiApp, text: str = "") -> None:
    """Ask for the file; of what was applied elsewhere it is said that it is not in it."""
    snapshot = app.picture.snapshot
    if snapshot is None:
        app.say("Nothing has been read yet")
        return
    patches, others = app.curation.patches(snapshot.address)
    if not patches:
        elsewhere = f"; {_many(others)} elsewhere, and would be saved from there" if others else ""
        app.say(f"Nothing was applied here in this window yet{elsewhere}")
    elif not isinstance(app.screen, LiveScreen):
        app.say("Close this window first")
    else:
        title = f"save {len(patches):,} patch{'' if len(patches) == 1 else 'es'} as a script"
        take = partial(_take, app, snapshot.address)
        app.screen.ask("script", "a file to be made", text or _name(), title=title, take=take)


def _name() -> str:
    return f"sftui-script-{time.strftime('%Y%m%d-%H%M%S')}{script.SUFFIX}"


def _take(app: SftuiApp, address: Address, text: str) -> None:
    if text.strip():
        begin(app, partial(_save, app, address, text.strip()), "script", exclusive=True)
    else:
        app.say("Nothing was saved: no file was named")


async def _save(app: SftuiApp, address: Address, name: str) -> None:
    patches, others = app.curation.patches(address)
    try:
        path = await asyncio.to_thread(lambda: saved_file.save(name, script.write(patches), root=address.root))
    except EngineError as error:
        app.say(f"{error.message[:1].upper()}{error.message[1:]}: {clean(name)}", warning=True)
        ask(app, name)
        return
    shown = path.replace(app.home, "~", 1) if path.startswith(app.home + os.sep) else path
    left = f"; {_many(others)} elsewhere and are not in it" if others else ""
    app.say(f"Saved as {clean(shown)}: sftui patch --script carries it out again{left}")


def _many(count: int) -> str:
    return f"{count:,} more {'was' if count == 1 else 'were'} applied"
