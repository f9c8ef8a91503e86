"""Where a value still stands, and what can be done about each place: a page that fills while it is looked for."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, ClassVar, Final, cast

from engine.errors import EngineError
from engine.values import get, has
from sftui.actions import bindings
from sftui.background import begin
from sftui.display import clean
from sftui.screens.base import is_up
from sftui.screens.dialogs import PageScreen
from sftui.threaded import in_thread
from sftui.traces.everywhere import look
from sftui.traces.sought import Sought, of_value
from sftui.traces.standing import Stood, value_at
from sftui.views.traces import Found, Looked, Trace, Unseen, looked_words, traces_page
from sftui.widgets.bars import Rule, TextPane

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sftui.app import SftuiApp
    from sftui.views.kinds import Path, View
    from sftui.views.spans import Spans

# The page is written anew so often while it fills, in seconds.
TELL_SECONDS: Final = 0.15


class TracesScreen(PageScreen):
    """The traces of the value at one path."""

    BINDINGS: ClassVar = [*bindings("list", without="list.open"), *bindings("traces")]
    title_text = "traces"
    place = "traces"

    def __init__(self, view: View, path: Path) -> None:
        super().__init__()
        self._view, self._path = view, path
        self._cancel = threading.Event()
        self._sought: Sought | None = None
        self._told = ""
        self._trouble = ""
        self._shown = False
        self.found = Found()
        self.state = "looking"

    @property
    def sftui(self) -> SftuiApp:
        """The app, by its own type."""
        return cast("SftuiApp", self.app)

    def hang(self) -> int:
        """Past the sign of what can be done."""
        return 6

    def page(self) -> list[Spans]:
        """What has been found so far."""
        if self._trouble:
            return [((clean(self._trouble), "warn"),)]
        if self._sought is None:
            return [(("looking for the value…", "muted"),)]
        looking = self.state == "looking"
        home = self.sftui.home
        return traces_page(self._told, self._sought, self.found, show=self._shown, home=home, looking=looking)

    def on_mount(self) -> None:
        """Begin to look."""
        if not is_up(self):
            return
        super().on_mount()
        self._say()
        begin(self, self._look, "traces", exclusive=True)

    def on_unmount(self) -> None:
        """Look no further: nobody reads it."""
        self._cancel.set()

    async def _look(self) -> None:
        app, cancel = self.sftui, self._cancel
        snapshot = app.live.snapshot
        if snapshot is None:
            return
        try:
            stood = self._stood()
            if stood is None:
                known = partial(value_at, snapshot, self._view, self._path, ledger=app.with_ledger)
                stood = await asyncio.to_thread(known)
            self._sought, self._told = of_value(stood.value), stood.told
        except EngineError as error:
            self._trouble, self.state = error.message, "done"
            self._show()
            return
        self._show()
        steps = partial(look, snapshot.address.root, self._sought)
        batches: AsyncIterator[list[Trace | Unseen | Looked]] = in_thread(steps, cancel)
        told = 0.0
        try:
            async for batch in batches:
                for step in batch:
                    self.found.take(step)
                if monotonic() - told >= TELL_SECONDS:
                    told = monotonic()
                    self._show() if batch else self._say()
        except Exception as error:  # noqa: BLE001 - it is said, and the window stays open
            self.found.take(
                Unseen("everything after this", f"internal error: {type(error).__name__}; please report it")
            )
        if self.state == "looking":
            self.state = "done"
        self._show()

    def _stood(self) -> Stood | None:
        """The value as it is on the screen."""
        root = self.sftui.picture.memory.get(self._view, {})
        return Stood(get(root, self._path), "as it stands on the screen") if has(root, self._path) else None

    def _show(self) -> None:
        for pane in self.query(TextPane):
            pane.show(self.page())
        self._say()

    def _say(self) -> None:
        words = {"looking": "looking… ", "stopped": "stopped: not everything was looked at  "}.get(self.state, "")
        count = len(self.found.traces)
        right: Spans = (
            (words, "accent" if self.state == "looking" else "warn"),
            (f"{count:,} place{'' if count == 1 else 's'}", "strong"),
            (f"  {looked_words(list(self.found.looked.values())[-1:])}" if self.state == "looking" else "", "muted"),
        )
        for rule in self.query("#title").results(Rule):
            rule.say(((self.title_text, "strong"),), tuple(span for span in right if span[0]))

    def action_show(self) -> None:
        """Show the value itself, or mask it again."""
        self._shown = not self._shown
        self._show()

    def action_close(self) -> None:
        """Stop looking; once nothing is looked for, close."""
        if self.state == "looking":
            self.state = "stopped"
            self._cancel.set()
            self._show()
        else:
            super().action_close()
