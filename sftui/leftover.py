"""Texts that an editor has left behind since the app was closed: named, and offered where they belong."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sftui.display import clean
from sftui.kept import Kept, before_start

if TYPE_CHECKING:
    from engine.store.layout import Address
    from sftui.app import SftuiApp


async def look(app: SftuiApp, here: Address) -> None:
    """Name each; one of this directory, and of this session if it is a session's, comes back with the key that asks for it."""
    from sftui.edits import Edits

    try:
        found = await asyncio.to_thread(Edits(here.root).left)
    except OSError as error:
        app.say(f"Texts of an editor cannot be looked for: {error.strerror or error}", warning=True)
        return
    for left in found:
        told = f"What an editor left of “{clean(left.title)}” is in {clean(left.edit.path)}"
        fits = left.key == here.key and ("session" not in left.title or left.session == here.session)
        if left.text is not None and fits:
            app.kept.keep(before_start(here), left.title, Kept(left.text, file=left.edit))
            told += "; the same key brings it back"
        app.say(told, warning=True)
