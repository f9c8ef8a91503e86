"""How the app sits in a terminal: what it draws on, what it heeds besides its keys, what it says when it fails."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual import events
from textual.app import App
from textual.filter import LineFilter
from textual.worker import Worker, WorkerState

from sftui.actions import BEGINNING, LOOKING_BACK, OF_A_DRAFT, READ_ONLY, actions_of, key_for, with_keys
from sftui.background import begin
from sftui.manners import Manners
from sftui.remembering import saved_theme
from sftui.styles import DARK
from sftui.want import place_of

if TYPE_CHECKING:
    from textual.actions import ActionParseResult
    from textual.dom import DOMNode
    from textual.driver import Driver

    from sftui.actions import Where

# The exit code of a program that was asked to end, as a shell gives it.
ENDED = 128 + signal.SIGTERM


class Shell(App[int], inherit_bindings=False):
    """A Textual app with our manners."""

    # Without the default bindings: ctrl+q belongs to terminals.
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, *, ascii_signs: bool, readonly: bool, driver_class: type[Driver] | None) -> None:
        super().__init__(driver_class=driver_class)
        self.readonly = readonly
        # Whether a key has been pressed: then nothing changes the screen unasked.
        self.was_touched = False
        self.manners = Manners(self, ascii_signs=ascii_signs)
        self.theme = saved_theme(os.environ, self.available_themes) or self.theme

    def get_driver_class(self) -> type[Driver]:
        """Draw on standard output: the stock driver draws on standard error, which may lead elsewhere."""
        from sftui.terminal import drawing_on_stdout

        return drawing_on_stdout(super().get_driver_class())

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Give our own colours to themes that are not ours."""
        return dict(DARK.variables)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Add the second layer of display safety, and what the terminal asks for."""
        return [*super().get_line_filters(), *self.manners.filters()]

    def on_mount(self) -> None:
        """Heed what the shell does."""
        self.app_resume_signal.subscribe(self, self._resumed)
        try:
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._asked_to_end)
        except (RuntimeError, ValueError):
            # Not in the main thread, or no such signals here: then the system's own way of ending stays.
            pass

    def _asked_to_end(self) -> None:
        """Give the terminal back before ending; a second wish finds nothing in its way."""
        asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)
        begin(self, partial(self.end, ENDED), "end")

    async def end(self, code: int) -> None:
        """Leave without asking anything."""
        self.exit(code, return_code=code)

    def _resumed(self, _: object) -> None:
        """Paint everything again after fg: the shell has written over it."""
        self.screen.refresh(layout=True)

    async def on_event(self, event: events.Event) -> None:
        """Let Ctrl+Z suspend, as in any program; it is not a binding that anything could take away."""
        if isinstance(event, events.Key):
            self.was_touched = True
            if self.touched(event.key):
                return
            if event.key == "ctrl+z" and not event.is_forwarded:
                self.action_suspend_process()
                return
        await super().on_event(event)

    def touched(self, key: str) -> bool:
        """A key was pressed; an app that cares says whether that was all that it is for."""
        del key
        return False

    @property
    def looks_back(self) -> bool:
        """Whether what is shown is not as it is now."""
        return False

    def refusal(self, action_id: str) -> str:
        """Say why an action that begins a change is not done here; "" where it is."""
        if self.readonly and action_id in BEGINNING:
            return READ_ONLY
        if self.looks_back and action_id in BEGINNING | OF_A_DRAFT:
            return with_keys(LOOKING_BACK, key_for)
        return ""

    def _fatal_error(self) -> None:
        """Say on one line that the app failed, and where; a traceback would print stored data."""
        from rich.text import Text

        error = self._exception
        if error is not None and not self._exit_renderables:
            words = f"sftui: internal error{place_of(error)}: {type(error).__name__}; memory is whole, and a draft is kept; please report it"
            self._exit_renderables.append(Text(words))
        self._close_messages_no_wait()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Say when work in the background failed: the screen would go on as if it were still coming."""
        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None:
            self.say(f"Internal error{place_of(error)}: {type(error).__name__}; please report it", warning=True)

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Do an action, unless it begins a change and this window is for reading, or shows an earlier moment."""
        words = self._refused(action, default_namespace) if self.readonly or self.looks_back else ""
        if words:
            self.say(words, warning=True)
            return True
        return await super().run_action(action, default_namespace, namespaces)

    def _refused(self, call: str | ActionParseResult, owner: DOMNode | None) -> str:
        places: Sequence[Where] = ("app",) if owner is None or owner is self else getattr(owner, "places", ())
        meant = [action.id for action in actions_of(*places) if action.call == call]
        return next(filter(None, map(self.refusal, meant)), "")

    def say(self, text: str, *, warning: bool = False) -> None:
        """Tell something in passing. The text is data: it is cleaned and never read as markup."""
        self.manners.say(text, warning=warning)
