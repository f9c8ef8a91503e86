"""What opens on top of a screen: the help, and the list of scopes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen

from sftui.actions import PLACES, actions_of, bindings
from sftui.views.spans import Spans
from sftui.widgets.bars import FooterBar, Rule, TextPane
from sftui.widgets.lines import KeyedLines
from sftui.widgets.scope_tree import ScopeTree
from sftui.widgets.virtual_tree import Path

if TYPE_CHECKING:
    from sftui.actions import Where
    from sftui.app import SftuiApp

NARROW = 80

# What the screens show and a key cannot explain.
LEGEND: tuple[tuple[str, str], ...] = (
    ("g15 c8 s31", "the revisions of the global, cwd and session scopes; c✖ is fenced, c– absent"),
    ("+ - ~ ×", "added, removed, changed; × went along when the intent that owned it was closed"),
    ("g c s", "the scopes that provide a value; where they overlap, the rightmost wins"),
    ("masks c[3]", "the cwd scope holds 3 items there which do not show"),
    ("← release", "the intent 'release' owns it: it goes when that intent is closed"),
    ("•", "touched by the newest change that was seen to happen"),
    ("hot … tok", "what a model is given at its start, without lazy memory; tokens are estimated as bytes of JSON / 4"),
    (
        "● live",
        "the files are watched; 'polling': looked at four times a second; 'stale': not watched; 'locked': a writer is at it",
    ),
    ("✖1 health", "the number of things that are wrong, also in other scopes in view; 6 tells which"),
    ("12:04:31", "when a change was first seen here; 'unknown': it was there before anybody looked. No file says more"),
    ("you looked here", "the newest change when the keyboard and the mouse were last used"),
    ("␛ ⟨202e⟩", "stands for a character that a terminal would obey or hide"),
)


class PageScreen(ModalScreen[None]):
    """A page of text that scrolls with the keys of every list."""

    title_text: ClassVar[str]
    place: ClassVar[Where]
    hang: ClassVar[int] = 17

    def compose(self) -> ComposeResult:
        """A scrolling page."""
        with Vertical(id="dialog"):
            yield Rule(id="title")
            yield TextPane(id="page", can_focus=True, hang=self.hang)
            yield FooterBar(actions_of(self.place))

    def page(self) -> list[Spans]:
        """Write the page: subclasses know what stands on it."""
        return []

    def on_mount(self) -> None:
        """Show the page."""
        self.set_class(self.app.size.width < NARROW, "-narrow")
        self.query_one("#title", Rule).say(((self.title_text, "strong"),), (("↑ ↓ pgup pgdn scroll", "muted"),))
        pane = self.query_one(TextPane)
        pane.show(self.page())
        pane.focus()

    def action_close(self) -> None:
        """Close the page."""
        if self.app.screen is self:
            self.dismiss()

    def action_scroll(self, rows: int) -> None:
        """Scroll by some rows."""
        pane = self.query_one(TextPane)
        pane.scroll_to(y=pane.scroll_offset.y + rows, animate=False, force=True)

    def on_key(self, event: events.Key) -> None:
        """Scroll with the keys of every list."""
        if self.app.screen is not self:
            return
        page = max(1, self.size.height - 6)
        rows = {"j": 1, "down": 1, "k": -1, "up": -1, "pagedown": page, "pageup": -page, "g": -(10**6), "G": 10**6}
        rows |= {"space": page, "home": -(10**6), "end": 10**6}
        if event.key in rows:
            event.stop()
            event.prevent_default()
            self.action_scroll(rows[event.key])

    def on_resize(self, event: events.Resize) -> None:
        """Take the whole screen where it is small."""
        self.set_class(event.size.width < NARROW, "-narrow")


class HelpScreen(PageScreen):
    """All keys and what they do, from the table of actions."""

    BINDINGS: ClassVar = bindings("help")
    title_text = "help"
    place = "help"

    def page(self) -> list[Spans]:
        """The table, and what the screens say."""
        page: list[Spans] = []
        for where, title in PLACES.items():
            page.append(((title, "strong"),))
            page.extend(
                (("  ", "text"), (f"{action.shown_keys:<14}", "accent"), (" ", "text"), (action.help, "text"))
                for action in actions_of(where)
            )
            page.append(())
        page.append((("What the screens say", "strong"),))
        page.extend(
            (("  ", "text"), (f"{sign:<14}", "accent"), (" ", "text"), (meaning, "text")) for sign, meaning in LEGEND
        )
        page += [(), (("Ctrl+Z suspends; fg brings it back.", "muted"),)]
        return page


class HealthScreen(PageScreen):
    """Everything that is wrong in view, in full."""

    BINDINGS: ClassVar = bindings("health")
    title_text = "health"
    place = "health"
    hang = 4

    def page(self) -> list[Spans]:
        """What is wrong in the open scopes, then in the others that have been looked at."""
        from sftui.views.notices import health_page
        from sftui.views.scopes import ScopeSource, cwd_of, session_of

        app = cast("SftuiApp", self.app)
        survey = app.neighbours.survey
        names = ScopeSource(survey, (), pinned=False, home=app.home)
        elsewhere = []
        for path in app.neighbours.fences:
            key = cwd_of(path)
            name = names.name(path)
            if session_of(path) is not None and key is not None:
                name = f"{names.name(path[:-1])} ▸ {name}"
            elsewhere.append((name, survey.peeks[path].faults))
        return health_page(app.picture, elsewhere)


class SwitcherScreen(ModalScreen[None]):
    """The scopes of the store; chooses one, or the newest again."""

    BINDINGS: ClassVar = bindings("switcher")

    def compose(self) -> ComposeResult:
        """A tree of scopes."""
        with Vertical(id="dialog"):
            yield Rule(id="title")
            yield ScopeTree(id="scopes")
            yield FooterBar(actions_of("switcher", "scopes"))

    @property
    def sftui(self) -> SftuiApp:
        """The app, by its own type."""
        return cast("SftuiApp", self.app)

    def on_mount(self) -> None:
        """List them."""
        self.set_class(self.app.size.width < NARROW, "-narrow")
        newest = not self.sftui.picture.pinned
        remark = "following newest" if newest else "pinned"
        self.query_one("#title", Rule).say((("scopes", "strong"),), ((remark, "muted"),))
        tree = self.query_one(ScopeTree)
        self.sftui.neighbours.show_in(tree)
        tree.focus()

    def on_keyed_lines_opened(self, event: KeyedLines.Opened) -> None:
        """Choose it."""
        event.stop()
        self.query_one(ScopeTree).choose()

    def on_scope_tree_chosen(self, event: ScopeTree.Chosen) -> None:
        """Look at what was chosen."""
        event.stop()
        path: Path | None = event.path
        if self.app.screen is self:
            self.dismiss()
            self.sftui.choose(path)

    def action_close(self) -> None:
        """Leave it as it is."""
        if self.app.screen is self:
            self.dismiss()
