"""The terminal app: composition only. What it shows is made in `views`, read in `feed`, changed in `drafting`."""

from __future__ import annotations

import os
from time import time
from typing import TYPE_CHECKING, ClassVar

from textual.screen import Screen

from sftui.actions import bindings, key_for
from sftui.background import begin
from sftui.backward import Backward
from sftui.display import clean
from sftui.kept import Texts
from sftui.looking import Looking
from sftui.neighbours import Neighbours
from sftui.reading import Fresh, Reading
from sftui.remembering import Remembering
from sftui.screens.base import LiveScreen
from sftui.screens.stack import Screens
from sftui.want import Want

if TYPE_CHECKING:
    from textual.driver import Driver

    from engine.store.layout import Address
    from sftui.actions import Action
    from sftui.screens.intents import IntentsScreen
    from sftui.screens.memory import MemoryScreen
    from sftui.screens.watch import WatchScreen
    from sftui.search import Search
    from sftui.views.kinds import View
    from sftui.views.picture import Picture
    from sftui.views.search import Hit
    from sftui.views.tree import Staged


class SftuiApp(Backward, inherit_bindings=False):
    """Shows one cohort of a store, live."""

    TITLE = "sftui"
    CSS_PATH = "styles/app.tcss"
    BINDINGS: ClassVar = bindings("app")

    def __init__(
        self,
        store: str,
        cwd: str,
        session: str | None = None,
        *,
        readonly: bool = False,
        no_ledger: bool = False,
        ascii_signs: bool = False,
        driver_class: type[Driver] | None = None,
    ) -> None:
        super().__init__(ascii_signs=ascii_signs, readonly=readonly, ledger=not no_ledger, driver_class=driver_class)
        self.store = store
        self.home = os.path.expanduser("~")
        self._search: Search | None = None
        self.reading = Reading(
            self, store, Want(cwd, session=session), ledger=self.with_ledger, may_leave=self._may_leave
        )
        self.neighbours = Neighbours(self)
        self.screens = Screens(self)
        self.remembering = Remembering(self)
        self.looking = Looking()
        self.kept = Texts()

    @property
    def want(self) -> Want:
        """What the app was asked to show."""
        return self.reading.want

    @property
    def search(self) -> Search:
        """The search: what was looked for last, and what was found."""
        if self._search is None:
            from sftui.search import Search

            self._search = Search(self, ledger=self.with_ledger)
        return self._search

    # Screens.

    def get_default_screen(self) -> Screen[None]:
        """Open on Watch where it is narrow, else on Memory."""
        return self.screens.first

    @property
    def watch_screen(self) -> WatchScreen:
        """Screen 1."""
        return self.screens.watch

    @property
    def memory_screen(self) -> MemoryScreen:
        """Screen 2."""
        return self.screens.memory

    @property
    def intents_screen(self) -> IntentsScreen:
        """Screen 4."""
        return self.screens.intents

    def on_resize(self) -> None:
        """Paint everything: of a terminal that was small in between the picture is gone, though its size is as before."""
        for screen in self.screen_stack[-1:]:  # the first size comes before any screen
            screen.refresh()

    def on_mount(self) -> None:
        """Start reading once the frame has been painted."""
        self.call_after_refresh(self._start)

    def _start(self) -> None:
        self.manners.begin()
        begin(self, self._begin, "start")

    async def _begin(self) -> None:
        await self.remembering.load(self.store, self.want)
        await self.reading.begin()

    def touched(self, key: str) -> bool:
        """Somebody is there: nothing plays on."""
        self.remembering.touched()
        return super().touched(key)

    # What there is to show.

    def on_scope_tree_uncovered(self) -> None:
        """Look at the scopes that have come on screen."""
        self.neighbours.look()

    def on_fresh(self, event: Fresh) -> None:
        """Show the newest picture on the screen that is up."""
        self._note_news(event.picture)
        before, self._live = self._live, event.picture
        if before is None:
            begin(self, self.neighbours.keep, "survey")
            begin(self, self.keep_past, "past-ready")
        elif address_of(before) != address_of(event.picture):
            self.neighbours.look(listing=True)
        if event.picture.snapshot is not None:
            self.remembering.opened(event.picture.snapshot.address)
        self.drafting.fresh(event.picture)
        self.news_below(event.picture)
        self.catch_up()

    def catch_up(self) -> None:
        """Have the screen that is up show what there is now; while the app closes there is none."""
        if self.is_running:
            self.screens.catch_up()

    def _may_leave(self) -> bool:
        return not self.looks_back and (not self.has_draft or not self.drafting.is_of_session)

    def _note_news(self, picture: Picture) -> None:
        """Keep in mind what has been looked at and what has not."""
        before = self._live
        if before is None or address_of(before) != address_of(picture):
            self.looking = Looking()
            self.looking.begin(picture.log, time())
            self._say_absent(picture)
        elif picture.log is not before.log:
            self.looking.arrived(time())

    def _say_absent(self, picture: Picture) -> None:
        """Say that a session which was asked for is not there: its name may be mistyped."""
        session, snapshot = self.want.session, picture.snapshot
        if session is not None and snapshot is not None and snapshot.scopes["session"].status == "absent":
            ways = f"{key_for('app.scopes')} chooses one, {key_for('app.newest')} follows the newest"
            self.say(f"There is no session {clean(session)} here: {ways}", warning=True)

    def choose(self, path: tuple[str | int, ...] | None) -> None:
        """Look at another scope and stay with it; None follows the newest session again."""
        self.reading.choose(path)

    def open_address(self, address: Address) -> None:
        """Look at a cohort and stay with it."""
        self.reading.open(address)

    # Actions.

    async def action_watch(self) -> None:
        """Open Watch."""
        await self.screens.to(self.watch_screen)

    async def action_memory(self) -> None:
        """Open Memory."""
        await self.screens.to(self.memory_screen)

    async def action_intents(self) -> None:
        """Open Intents."""
        await self.screens.to_intents()

    async def action_history(self) -> None:
        """Open History."""
        await self.screens.to(self.screens.history)

    async def action_context(self) -> None:
        """Open Context."""
        await self.screens.to(self.screens.context)

    async def action_health(self) -> None:
        """Open Health."""
        await self.screens.to(self.screens.health)

    def action_search(self) -> None:
        """Look for a text everywhere; in the search itself once more for the same. Questions are answered first."""
        from sftui.screens.search import SearchScreen

        if isinstance(self.screen, SearchScreen):
            self.screen.action_again()
        elif isinstance(self.screen, LiveScreen):
            self.push_screen(SearchScreen())

    def action_scopes(self) -> None:
        """Choose another scope."""
        from sftui.screens.dialogs import SwitcherScreen
        from sftui.widgets.scope_tree import ScopeTree

        trees = list(self.screen.query(ScopeTree))
        if trees and trees[0].is_on_screen:
            trees[0].focus()
        else:
            self.push_screen(SwitcherScreen())

    def action_newest(self) -> None:
        """Follow the newest session again."""
        self.choose(None)

    def action_help(self) -> None:
        """Show the help."""
        from sftui.screens.dialogs import HelpScreen, places_here

        self.push_screen(HelpScreen(places_here(self.screen)))

    def action_palette(self) -> None:
        """Find an action by name."""
        from sftui.screens.palette import PaletteScreen, offers

        self.push_screen(PaletteScreen(offers(self.screen)))

    def action_theme(self) -> None:
        """On to the next theme."""
        self.manners.next_theme()
        self.remembering.choose_theme(self.theme)

    def action_dismiss(self) -> None:
        """Take the messages off the screen, and say no more of drafts that were left behind."""
        self.manners.dismiss()
        self.drafting.hush()

    def action_debug(self) -> None:
        """Show what a report should say."""
        from sftui.screens.debug import DebugScreen

        self.push_screen(DebugScreen())

    def action_reread(self) -> None:
        """Read and watch anew, and see what other windows have left behind."""
        self.reading.again()
        if self.has_picture:
            self.drafting.offer()
        self.say("Reading again")

    async def action_quit(self) -> None:
        """Leave; a draft is kept, and that is said. One that cannot be kept is not given up unasked."""
        await self.remembering.keep()
        kept = await self.keep_draft()
        if kept is None or self.drafting.is_saved:
            self.exit(0, message=kept)
            return
        from sftui.screens.choice import Answer, ChoiceScreen

        answers = (Answer("s", "stay"), Answer("l", "leave and lose it"))
        words = f"The draft of {self.drafting.length} cannot be saved"
        self.push_screen(ChoiceScreen(words, answers), lambda key: self.exit(0) if key == "l" else None)

    async def end(self, code: int) -> None:
        """Leave without asking: what can be kept of the draft is, and that is said."""
        await self.remembering.keep()
        kept = await self.keep_draft()
        self.exit(code, return_code=code, message=kept)

    def perform(self, action: Action) -> None:
        """Do an action of the screen below, once that is up again."""
        self.call_after_refresh(self._perform, action)

    async def _perform(self, action: Action) -> None:
        screen = self.screen
        if action.where == "app":
            await self.run_action(action.call, self)
        elif isinstance(screen, LiveScreen):
            await self.run_action(action.call, screen.owner_of(action.where))

    def open_path(self, view: View, path: tuple[str | int, ...]) -> None:
        """Show a path in the memory."""
        self.call_later(self.screens.open_path, view, path)

    def open_hit(self, hit: Hit) -> None:
        """Show what a search has found: in memory, or the transition that it stands in."""
        self.call_later(self.screens.open_hit, hit)

    def open_value(self, view: View, path: tuple[str | int, ...], staged: Staged | None = None) -> None:
        """Show the value at a path, whole; or what the draft makes of it."""
        from engine.values import get
        from sftui.screens.value import ValueScreen

        value = get(self.picture.memory.get(view, {}), path, None)
        self.push_screen(ValueScreen(view, path, value, staged))


def address_of(picture: Picture) -> Address | None:
    """Give the address of what is shown, None before anything is."""
    return None if picture.snapshot is None else picture.snapshot.address


def run(
    store: str,
    cwd: str,
    session: str | None = None,
    *,
    readonly: bool = False,
    no_ledger: bool = False,
    ascii_signs: bool = False,
) -> int:
    """Open the app on a store; gives its exit code. A crash prints no traceback: its locals are stored data."""
    app = SftuiApp(store, cwd, session, readonly=readonly, no_ledger=no_ledger, ascii_signs=ascii_signs)
    code = app.run()
    return app.return_code or code or 0
