"""What the live screens have in common: a header, a picture, a way to type a line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.screen import Screen

from sftui.actions import ACTIONS, BEGINNING, OF_A_DRAFT
from sftui.widgets.bars import TO_AND_FRO, FooterBar, HeaderBar
from sftui.widgets.lines import KeyedLines

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.dom import DOMNode

    from sftui.actions import Where
    from sftui.app import SftuiApp
    from sftui.views.kinds import Path, View
    from sftui.views.notices import Notice
    from sftui.views.picture import Picture
    from sftui.widgets.prompt import Prompt

# From so many columns on there is room for panes side by side.
WIDE = 100
# And from so many on for the scopes beside the memory and its details, with rows that can still be read.
SCOPES_FROM = 120

# The place of the list of what is wrong among the hints, where all of that is elsewhere.
HEALTH_ELSEWHERE = 41

_TYPED = frozenset(action.call for action in ACTIONS if action.typed)


def is_up(screen: Screen[Any]) -> bool:
    """Whether a screen has not been left again: of one that was, before it was mounted, no widget is there any more."""
    return screen in screen.app.screen_stack


class KeepsUp:
    """A screen, or a window over one, that is told whenever there is something newer."""

    def catch_up(self) -> None:
        """Show the newest."""


class LiveScreen(KeepsUp, Screen[None]):
    """A screen that shows whatever picture is the newest.

    The first frame needs nothing of the engine: what shows memory is imported where it is used.
    """

    # Whose actions can be done here, besides those of the app.
    places: ClassVar[tuple[Where, ...]] = ()
    # Whether it can show earlier moments: what is about a draft is about now.
    of_moments: ClassVar[bool] = True
    _prompt: Prompt | None = None

    def usable(self, action_id: str) -> bool:
        """Tell whether an action would do anything now."""
        del action_id
        return True

    def owner_of(self, where: Where) -> DOMNode:
        """Give what does the actions of a place, focused: the screen, or the list that has the focus, or the main one."""
        if where in {"watch", "memory", "history", "intents", "context", "health", "review"}:
            return self
        focused = self.focused
        if where == "list" and isinstance(focused, KeyedLines):
            return focused
        main = self.query_one(str(self.AUTO_FOCUS))
        main.focus()
        return main

    @property
    def sftui(self) -> SftuiApp:
        """The app, by its own type."""
        return cast("SftuiApp", self.app)

    def show(self, picture: Picture) -> None:
        """Show a picture."""
        del picture
        self.show_header()

    def show_header(self) -> None:
        """Show what is open and whether anything is wrong, here or in another scope that is in view."""
        from sftui.views.header import header

        app = self.sftui
        head = header(
            app.picture,
            app.home,
            elsewhere=len(app.neighbours.fences),
            draft=app.drafting.count,
            hot_delta=app.drafting.hot_delta,
            readonly=app.readonly,
            live=app.live,
            band=app.past.band() if app.looks_back else None,
        )
        # Not `query_one`: news may come while the screen is being taken down.
        for bar in self.query(HeaderBar):
            bar.header = head
        for footer in self.query(FooterBar):
            footer.offer("app.health", bool(head.faults or head.warnings or head.elsewhere))
            # What is wrong with the memory of others can wait.
            footer.rank("app.health", None if head.faults or head.warnings else HEALTH_ELSEWHERE)
            steps = self.sftui.drafting.count
            footer.offer("app.review", bool(steps))
            footer.rename("app.review", f"review {steps}")
            for name in BEGINNING:
                footer.offer(name, not app.readonly and head.band is None)
            for name in TO_AND_FRO:
                footer.offer(name, head.band is not None)
            for name in OF_A_DRAFT if head.band is not None else ():
                footer.offer(name, False)

    def notices(self) -> tuple[Notice, ...]:
        """What is wrong or unusual with the memory, and with the draft."""
        from sftui.views.notices import notices, of_moment

        app = self.sftui
        return (*notices(app.live), *of_moment(app.picture), *app.drafting.notices())

    async def on_mount(self) -> None:
        """Have a line to type into: at once where it is loaded already, else when the first frame is there."""
        if "sftui.widgets.prompt" in sys.modules:
            await self._add_prompt()
        else:
            self.call_after_refresh(self._add_prompt)

    async def _add_prompt(self) -> None:
        from sftui.widgets.prompt import Prompt

        if not self.is_attached or not self.query(FooterBar):
            return  # it has been left
        prompt = Prompt()
        await self.mount(prompt, before=self.query_one(FooterBar))
        self._prompt = prompt
        self.catch_up()

    def on_screen_resume(self) -> None:
        """Catch up with what came while another screen was up."""
        for footer in self.query(FooterBar):
            footer.rest(False)
        self.catch_up()

    def on_screen_suspend(self) -> None:
        """What is on top of this one has the keys."""
        for footer in self.query(FooterBar):
            footer.rest(True)

    def catch_up(self) -> None:
        """Show the newest picture, once there is one and there are widgets to show it."""
        if self.is_mounted and self.sftui.has_picture:
            self.show(self.sftui.picture)

    def ask(
        self,
        purpose: str,
        hint: str,
        text: str = "",
        *,
        title: str | None = None,
        at: int | None = None,
        take: Callable[[str], None] | None = None,
    ) -> None:
        """Let a line be typed: for this screen, or for whoever gives `take`."""
        if self._prompt is not None:
            self._prompt.ask(purpose, hint, text, title=title, at=at, take=take)

    def retitle(self, title: str) -> None:
        """Say something else of the line that is being typed."""
        if self._prompt is not None:
            self._prompt.retitle(title)

    @property
    def typed(self) -> str:
        """What stands on the line."""
        return "" if self._prompt is None else self._prompt.value

    @property
    def is_free(self) -> bool:
        """Whether nothing lies over this screen and nothing is typed on it: what was looked up may lead elsewhere."""
        return self.app.screen is self and not self.is_asking

    @property
    def is_asking(self) -> bool:
        """Whether a line is being typed."""
        return self._prompt is not None and self.focused is self._prompt

    def expect(self, view: View, path: Path) -> None:
        """A row is about to come: screens that show it go there."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Take no key before there are widgets; leave those that ask for a line to the line, while one is typed."""
        if not self.is_mounted:
            return False
        if action == "clear" and not self.usable("memory.clear"):
            return False  # esc goes on to what else it may mean
        if action in _TYPED and self.is_asking:
            return False
        return super().check_action(action, parameters)
