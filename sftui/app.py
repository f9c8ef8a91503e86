"""The terminal app: composition only. What it shows is made in `views`, read in `feed`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from importlib import import_module
from time import time
from typing import TYPE_CHECKING, ClassVar

from textual import events, work
from textual.app import App
from textual.filter import LineFilter, NoColor
from textual.message import Message
from textual.screen import Screen
from textual.worker import Worker, WorkerState

from engine.records import replace
from sftui.actions import bindings
from sftui.display import clean
from sftui.line_filter import StandInFilter
from sftui.looking import Looking
from sftui.neighbours import Neighbours
from sftui.screens.base import LiveScreen
from sftui.screens.memory import MemoryScreen
from sftui.screens.watch import WatchScreen
from sftui.styles import DARK, LIGHT
from sftui.want import Want, place_of

if TYPE_CHECKING:
    from textual.driver import Driver

    from engine.store.layout import Address
    from sftui.actions import Action
    from sftui.following import Follower
    from sftui.views.kinds import View
    from sftui.views.picture import Picture

# Narrower terminals open on Watch.
NARROW = 72
# How often to ask for a newer session when no event told of one: at least so often, and never
# more than one part in so many of the time.
NEWEST_SECONDS = 5.0
NEWEST_SHARE = 400


class Fresh(Message):
    """A new picture is there."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        super().__init__()

    def can_replace(self, message: Message) -> bool:
        """Of a burst only the last picture is shown: each holds all that came before."""
        return isinstance(message, Fresh)


class SftuiApp(App[int], inherit_bindings=False):
    """Shows one cohort of a store, live."""

    TITLE = "sftui"
    CSS_PATH = "styles/app.tcss"
    # Without the default bindings: ctrl+q belongs to terminals.
    BINDINGS: ClassVar = bindings("app")
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        store: str,
        cwd: str,
        session: str | None = None,
        *,
        readonly: bool = False,
        no_ledger: bool = False,
        driver_class: type[Driver] | None = None,
    ) -> None:
        super().__init__(driver_class=driver_class)
        self.store = store
        self.want = Want(cwd, session=session)
        self._start_cwd = cwd
        self.readonly = readonly
        self._picture: Picture | None = None
        self.home = os.path.expanduser("~")
        self._no_ledger = no_ledger
        self._follower: Follower | None = None
        self.neighbours = Neighbours(self)
        self.looking = Looking()
        self._stand_in = StandInFilter()
        self._plain = NoColor()
        self._watch_screen: WatchScreen | None = None
        self._memory_screen: MemoryScreen | None = None
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = LIGHT.name if _light_terminal() else DARK.name

    @property
    def has_picture(self) -> bool:
        """Whether anything has been read yet."""
        return self._picture is not None

    @property
    def picture(self) -> Picture:
        """What is shown: the newest picture, an empty one before the first."""
        if self._picture is None:
            from sftui.views.picture import Picture

            return Picture(pinned=self.want.session is not None)
        return self._picture

    # Screens.

    def get_driver_class(self) -> type[Driver]:
        """Draw on standard output: the stock driver draws on standard error, which may lead elsewhere."""
        from sftui.terminal import drawing_on_stdout

        return drawing_on_stdout(super().get_driver_class())

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Give our own colours to themes that are not ours."""
        return dict(DARK.variables)

    def get_default_screen(self) -> Screen[None]:
        """Open on Watch where it is narrow, else on Memory."""
        return self.watch_screen if self.size.width < NARROW else self.memory_screen

    @property
    def watch_screen(self) -> WatchScreen:
        """Screen 1, made when it is first needed."""
        if self._watch_screen is None:
            self._watch_screen = WatchScreen()
            self.install_screen(self._watch_screen, "watch")
        return self._watch_screen

    @property
    def memory_screen(self) -> MemoryScreen:
        """Screen 2, made when it is first needed."""
        if self._memory_screen is None:
            self._memory_screen = MemoryScreen()
            self.install_screen(self._memory_screen, "memory")
        return self._memory_screen

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Add the second layer of display safety; NO_COLOR means none, not grey."""
        filters = [*super().get_line_filters(), self._stand_in]
        return [*filters, self._plain] if self.no_color else filters

    def on_mount(self) -> None:
        """Start reading once the frame has been painted."""
        self.app_resume_signal.subscribe(self, self._resumed)
        self.call_after_refresh(self._start)

    @work(group="start", exit_on_error=False)
    async def _start(self) -> None:
        """Load the engine beside the running interface, and begin to read."""
        await asyncio.to_thread(import_module, "sftui.following")
        from sftui.following import Follower

        self._follower = Follower(self.store, self.want, ledger=not self._no_ledger, clock=time)
        self._follow()
        self._seek_newest()

    def _resumed(self, _: object) -> None:
        """Paint everything again after fg: the shell has written over it."""
        self.screen.refresh(layout=True)

    async def on_event(self, event: events.Event) -> None:
        """Let Ctrl+Z suspend, as in any program; it is not a binding that anything could take away."""
        if isinstance(event, events.Key) and event.key == "ctrl+z" and not event.is_forwarded:
            self.action_suspend_process()
            return
        await super().on_event(event)

    def _fatal_error(self) -> None:
        """Say on one line that the app failed, and where; a traceback would print stored data."""
        from rich.text import Text

        error = self._exception
        if error is not None and not self._exit_renderables:
            words = f"sftui: internal error{place_of(error)}: {type(error).__name__}; no memory was changed; please report it"
            self._exit_renderables.append(Text(words))
        self._close_messages_no_wait()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Say when work in the background failed: the screen would go on as if it were still coming."""
        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None:
            self.say(f"Internal error{place_of(error)}: {type(error).__name__}; please report it", warning=True)

    # Reading.

    @work(exclusive=True, group="follow", exit_on_error=False)
    async def _follow(self) -> None:
        """Show what is wanted, and keep up with it."""
        if self._follower is not None:
            await self._follower.follow(lambda picture: self.post_message(Fresh(picture)), self._warn, self._relist)

    def _relist(self) -> None:
        """A directory or a session may have come or gone."""
        self._seek_newest()
        self.neighbours.look(listing=True)

    @work(exclusive=True, group="survey", exit_on_error=False)
    async def _keep_survey(self) -> None:
        await self.neighbours.keep()

    def on_scope_tree_uncovered(self) -> None:
        """Look at the scopes that have come on screen."""
        self.neighbours.look()

    @work(exclusive=True, group="newest", exit_on_error=False)
    async def _seek_newest(self) -> None:
        """Move on to a session that has become the newest, unless one is pinned."""
        while self._follower is not None:
            found, took = await self._follower.has_newer()
            if found:
                self._follow()
            await asyncio.sleep(max(NEWEST_SECONDS, took * NEWEST_SHARE))

    def _warn(self, words: str) -> None:
        self.say(words, warning=True)

    def on_fresh(self, event: Fresh) -> None:
        """Show the newest picture on the screen that is up."""
        self._note_news(event.picture)
        before, self._picture = self._picture, event.picture
        if before is None:
            self._keep_survey()
        elif address_of(before) != address_of(event.picture):
            self.neighbours.look(listing=True)
        for screen in reversed(self.screen_stack):
            if isinstance(screen, LiveScreen):
                screen.catch_up()
                break

    def _note_news(self, picture: Picture) -> None:
        """Keep in mind what has been looked at and what has not."""
        before = self._picture
        if before is None or address_of(before) != address_of(picture):
            self.looking = Looking()
            self.looking.begin(picture.log, time())
        elif picture.log is not before.log:
            self.looking.arrived(time())

    def choose(self, path: tuple[str | int, ...] | None) -> None:
        """Look at another scope and stay with it; None follows the newest session again."""
        from sftui.widgets.scope_tree import chosen_keys

        if path is None:
            # Global memory belongs to no directory: from there the way leads back to the first one.
            here = self.want if self.want.cwd is not None or self.want.key is not None else Want(self._start_cwd)
            self.want = replace(here, session=None)
            self.say("Following the newest session")
        else:
            key, session = chosen_keys(path)
            owner = next((place.owner for place in self.neighbours.survey.cwds if place.key == key), None)
            self.want = Want(owner, key, session)
            if key is None:
                self.say("Global memory alone; F goes back to the newest session")
        if self._follower is not None:
            self._follower.want = self.want
        self._follow()
        self._seek_newest()

    # Actions.

    async def action_watch(self) -> None:
        """Open Watch."""
        await self._to(self.watch_screen)

    async def action_memory(self) -> None:
        """Open Memory."""
        await self._to(self.memory_screen)

    async def _to(self, screen: LiveScreen) -> None:
        if isinstance(self.screen, WatchScreen) and self.screen is not screen:
            self.screen.leave()
        # One of the two screens lies at the bottom of the stack, the other comes and goes on top of it.
        while len(self.screen_stack) > 1 and self.screen is not screen:
            self.pop_screen()
        if self.screen is not screen:
            # Waited for: the next key may have been pressed already, and it is meant for that screen.
            await self.push_screen(screen)

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

    def action_health(self) -> None:
        """Tell everything that is wrong."""
        from sftui.screens.dialogs import HealthScreen

        self.push_screen(HealthScreen())

    def action_help(self) -> None:
        """Show the help."""
        from sftui.screens.dialogs import HelpScreen

        self.push_screen(HelpScreen())

    def action_palette(self) -> None:
        """Find an action by name."""
        from sftui.screens.palette import PaletteScreen, usable_actions

        self.push_screen(PaletteScreen(usable_actions(self.screen)))

    def action_theme(self) -> None:
        """Switch between dark and light."""
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name

    def action_reread(self) -> None:
        """Read and watch anew."""
        self._follow()
        self.say("Reading again")

    async def action_quit(self) -> None:
        """Leave."""
        self.exit(0)

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
        self.call_later(self._open_path, view, path)

    async def _open_path(self, view: View, path: tuple[str | int, ...]) -> None:
        screen = self.memory_screen
        await self._to(screen)
        self.call_after_refresh(screen.go_to, view, path)

    def open_value(self, view: View, path: tuple[str | int, ...]) -> None:
        """Show the value at a path, whole."""
        from engine.values import get
        from sftui.screens.value import ValueScreen

        value = get(self.picture.memory.get(view, {}), path, None)
        self.push_screen(ValueScreen(view, path, value))

    def say(self, text: str, *, warning: bool = False) -> None:
        """Tell something in passing. The text is data: it is cleaned and never read as markup."""
        self.notify(clean(text), severity="warning" if warning else "information", markup=False, timeout=4)


def address_of(picture: Picture) -> Address | None:
    """Give the address of what is shown, None before anything is."""
    return None if picture.snapshot is None else picture.snapshot.address


def _light_terminal() -> bool:
    """Tell whether the terminal says that its background is light (COLORFGBG: `0;15`)."""
    background = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    return background in {"7", "15"}


def run(
    store: str,
    cwd: str,
    session: str | None = None,
    readonly: bool = False,
    no_ledger: bool = False,
) -> int:
    """Open the app on a store; gives its exit code. A crash prints no traceback: its locals are stored data."""
    app = SftuiApp(store, cwd, session, readonly=readonly, no_ledger=no_ledger)
    code = app.run()
    return app.return_code or code or 0
