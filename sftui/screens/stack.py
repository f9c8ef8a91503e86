"""The main screens, made when they are first needed, and going from one to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sftui.screens.base import KeepsUp, LiveScreen
from sftui.screens.memory import MemoryScreen
from sftui.screens.watch import WatchScreen

if TYPE_CHECKING:
    from engine.memory.stream import Boundary
    from sftui.app import SftuiApp
    from sftui.screens.browsing import BrowsingScreen
    from sftui.screens.context import ContextScreen
    from sftui.screens.health import HealthScreen
    from sftui.screens.history import HistoryScreen
    from sftui.screens.intents import IntentsScreen
    from sftui.views.kinds import Path, View
    from sftui.views.search import Hit

# Narrower terminals open on Watch.
NARROW = 72
_MAIN = ("watch", "memory", "history", "intents", "context", "health")


class Screens:
    """Screens 1 to 6."""

    def __init__(self, app: SftuiApp) -> None:
        self._app = app
        self._watch: WatchScreen | None = None
        self._memory: MemoryScreen | None = None
        self._history: HistoryScreen | None = None
        self._intents: IntentsScreen | None = None
        self._context: ContextScreen | None = None
        self._health: HealthScreen | None = None

    @property
    def first(self) -> LiveScreen:
        """What to open on: Watch where it is narrow, else Memory."""
        return self.watch if self._app.size.width < NARROW else self.memory

    @property
    def watch(self) -> WatchScreen:
        if self._watch is None:
            self._watch = WatchScreen()
            self._app.install_screen(self._watch, "watch")
        return self._watch

    @property
    def memory(self) -> MemoryScreen:
        if self._memory is None:
            self._memory = MemoryScreen()
            self._app.install_screen(self._memory, "memory")
        return self._memory

    @property
    def history(self) -> HistoryScreen:
        if self._history is None:
            from sftui.screens.history import HistoryScreen

            self._history = HistoryScreen()
            self._app.install_screen(self._history, "history")
        return self._history

    @property
    def intents(self) -> IntentsScreen:
        if self._intents is None:
            from sftui.screens.intents import IntentsScreen

            self._intents = IntentsScreen()
            self._app.install_screen(self._intents, "intents")
        return self._intents

    @property
    def context(self) -> ContextScreen:
        if self._context is None:
            from sftui.screens.context import ContextScreen

            self._context = ContextScreen()
            self._app.install_screen(self._context, "context")
        return self._context

    @property
    def health(self) -> HealthScreen:
        if self._health is None:
            from sftui.screens.health import HealthScreen

            self._health = HealthScreen()
            self._app.install_screen(self._health, "health")
        return self._health

    @property
    def shown(self) -> str:
        """The name of the main screen that is up, or lies below what is."""
        for screen in reversed(self._app.screen_stack):
            for name in _MAIN:
                if screen is getattr(self, f"_{name}"):
                    return name
        return ""

    async def to(self, screen: LiveScreen) -> None:
        """Go to one of the main screens."""
        app = self._app
        if isinstance(app.screen, WatchScreen) and app.screen is not screen:
            app.screen.leave()
        # One of them lies at the bottom of the stack, the others come and go on top of it.
        while len(app.screen_stack) > 1 and app.screen is not screen:
            app.pop_screen()
        if app.screen is not screen:
            # Waited for: the next key may have been pressed already, and it is meant for that screen.
            await app.push_screen(screen)

    async def to_intents(self) -> None:
        """Go to the intents: from a row of the memory to the intent that it belongs to."""
        left = self._app.screen
        await self.to(self.intents)
        if isinstance(left, MemoryScreen):
            self.intents.come_from(left.view, left.rows.cursor_key)

    async def to_change(self, boundary: Boundary, came: tuple[View, Path]) -> None:
        """Go to a change in History: the one that set a row of the memory."""
        await self.to(self.history)
        self.history.go_to(boundary, came)

    async def open_path(self, view: View, path: Path) -> None:
        """Show a path in the memory. From the intents, the way back from there leads to their row."""
        left, screen = self._app.screen, self.memory
        await self.to(screen)

        def arrive() -> None:
            screen.go_to(view, path)
            if self._intents is not None:
                self._intents.left_for = (screen.view, screen.rows.cursor_key) if left is self._intents else None

        self._app.call_after_refresh(arrive)

    async def open_hit(self, hit: Hit) -> None:
        """Show a path in the memory, or the transition that a hit stands in."""
        if hit.stood is None:
            if self._app.looks_back:
                self._app.action_now()  # that is where it was found
            await self.open_path(hit.scope, hit.path)
        else:
            await self.to_change(hit.stood.boundary, (hit.scope, hit.path))

    def leads_back(self, screen: BrowsingScreen) -> bool:
        """Whether the row of the memory that the cursor stands on is the one that somebody left the intents for."""
        place = (screen.view, screen.rows.cursor_key)
        return self._intents is not None and self._intents.left_for == place

    def catch_up(self) -> None:
        """Have the screen that is up show what there is now."""
        for screen in reversed(self._app.screen_stack):
            if isinstance(screen, KeepsUp):
                screen.catch_up()
            if isinstance(screen, LiveScreen):
                break
