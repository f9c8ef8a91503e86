"""What opens on top of a screen: the help, and the list of scopes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen, Screen

from sftui.actions import BY_ID, actions_of, bindings, key_for, keys_of
from sftui.keynames import key_name
from sftui.screens.base import is_up
from sftui.views.spans import Spans
from sftui.widgets.bars import FooterBar, Rule, TextPane
from sftui.widgets.lines import KeyedLines
from sftui.widgets.scope_tree import ScopeTree
from sftui.widgets.virtual_tree import Path

if TYPE_CHECKING:
    from sftui.actions import Where
    from sftui.app import SftuiApp

NARROW = 80


def places_here(screen: Screen[object]) -> list[Where]:
    """Give the places whose keys count on a screen as it is now, its own first."""
    bound = (BY_ID.get(active.binding.id or "") for active in screen.active_bindings.values())
    here = {action.where for action in bound if action is not None}
    order: tuple[Where, ...] = (
        "scopes",
        "watch",
        "memory",
        "history",
        "intents",
        "context",
        "health",
        "review",
        "value",
    )
    return sorted(here, key=lambda where: order.index(where) if where in order else len(order) + (where == "app"))


def _scrolls() -> str:
    ends = (key_name(keys_of(f"list.{name}")[-1]) for name in ("cursor-up", "cursor-down"))
    return " ".join((*ends, key_for("list.page-down"), "scroll"))


class PageScreen(ModalScreen[None]):
    """A page of text that scrolls with the keys of every list."""

    title_text: ClassVar[str]
    place: ClassVar[Where]

    def compose(self) -> ComposeResult:
        """A scrolling page."""
        with Vertical(id="dialog"):
            yield Rule(id="title")
            yield TextPane(id="page", can_focus=True, hang=self.hang())
            yield FooterBar(actions_of(self.place))

    def page(self) -> list[Spans]:
        """Write the page: subclasses know what stands on it."""
        return []

    def hang(self) -> int:
        """How far the later lines of a paragraph are indented."""
        return 4

    def on_mount(self) -> None:
        """Show the page."""
        if not is_up(self):
            return
        self.set_class(self.app.size.width < NARROW, "-narrow")
        self.query_one("#title", Rule).say(((self.title_text, "strong"),), ((_scrolls(), "muted"),))
        pane = self.query_one(TextPane)
        pane.show(self.page())
        pane.focus()

    def action_close(self) -> None:
        """Close the page."""
        if self.app.screen is self:
            self.dismiss()

    # The page moves with the keys of every list, whichever those are.

    def move_page(self, rows: int) -> None:
        """Scroll by some rows."""
        pane = self.query_one(TextPane)
        pane.scroll_to(y=pane.scroll_offset.y + rows, animate=False, force=True)

    @property
    def _page_rows(self) -> int:
        return max(1, self.query_one(TextPane).size.height - 1)

    def action_cursor_up(self) -> None:
        """One line up."""
        self.move_page(-1)

    def action_cursor_down(self) -> None:
        """One line down."""
        self.move_page(1)

    def action_page_up(self) -> None:
        """One screen up."""
        self.move_page(-self._page_rows)

    def action_page_down(self) -> None:
        """One screen down."""
        self.move_page(self._page_rows)

    def action_first(self) -> None:
        """To the first line."""
        self.move_page(-(10**6))

    def action_last(self) -> None:
        """To the last line."""
        self.move_page(10**6)

    def on_key(self, event: events.Key) -> None:
        """The space bar turns the page, as in any pager."""
        if self.app.screen is self and event.key == "space":
            event.stop()
            self.action_page_down()

    def on_resize(self, event: events.Resize) -> None:
        """Take the whole screen where it is small, and write the page for its width."""
        self.set_class(event.size.width < NARROW, "-narrow")
        if not is_up(self):
            return
        pane = self.query_one(TextPane)
        pane.hang = self.hang()
        pane.show(self.page())


class HelpScreen(PageScreen):
    """What the keys do: of the place where it was opened first, then everywhere."""

    BINDINGS: ClassVar = [*bindings("list", without="list.open"), *bindings("help")]
    title_text = "help"
    place = "help"

    def __init__(self, places: Sequence[Where] = ()) -> None:
        super().__init__()
        self._places = places

    def page(self) -> list[Spans]:
        """The table, and what the screens say."""
        from sftui.views.keys import help_page

        return help_page(self._places, cast("SftuiApp", self.app).manners.keymap, width=self.hang() - 3)

    def hang(self) -> int:
        """Past the column of keys."""
        return 17 if self.app.size.width >= NARROW else 12


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
        if not is_up(self):
            return
        self.set_class(self.app.size.width < NARROW, "-narrow")
        newest = not self.sftui.live.pinned
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
