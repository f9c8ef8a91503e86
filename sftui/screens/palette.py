"""Any action, found by name: from the one table of actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen, Screen
from textual.widgets import Input

from engine.records import dataclass
from sftui.actions import ACTIONS, BY_ID, Action, actions_of, bindings
from sftui.cells import fit
from sftui.screens.base import LiveScreen, is_up
from sftui.views.spans import Spans
from sftui.widgets.bars import FooterBar, Rule, TextPane
from sftui.widgets.lines import KeyedLines

if TYPE_CHECKING:
    from sftui.actions import Where
    from sftui.app import SftuiApp

NARROW = 80
_TITLE_WIDTH = 16
_KEYS_WIDTH = 12


@dataclass(frozen=True, slots=True)
class Offer:
    """An action, and why it would do nothing now; an empty reason means that it can be done."""

    action: Action
    reason: str = ""


class ActionList(KeyedLines[str]):
    """Actions by id."""

    can_focus = False
    offers: Mapping[str, Offer] = {}

    def line_spans(self, key: str, width: int) -> tuple[Spans, Spans]:
        """Give title, keys and help of an action, or why there is nothing to do for it."""
        del width
        action, reason = BY_ID[key], self.offers[key].reason
        title, keys = fit(action.title, _TITLE_WIDTH), fit(action.shown_keys, _KEYS_WIDTH)
        if reason:
            return ((" ", "text"), (f"{title}{keys}", "muted"), (f"– {reason}", "warn")), ()
        return ((" ", "text"), (title, "strong"), (keys, "accent"), (f"  {action.words}", "muted")), ()


class PaletteScreen(ModalScreen[None]):
    """Type a part of a name; enter does it."""

    BINDINGS: ClassVar = bindings("palette")

    def __init__(self, offers: Sequence[Offer]) -> None:
        super().__init__()
        self._offers = offers

    def compose(self) -> ComposeResult:
        """A line to type into, and what it leaves."""
        with Vertical(id="dialog"):
            yield Rule(id="title")
            yield Input(placeholder="what to do", compact=True, select_on_focus=False)
            actions = ActionList(id="actions")
            actions.offers = {offer.action.id: offer for offer in self._offers}
            yield actions
            yield TextPane(id="told", hang=0)
            yield FooterBar(actions_of("palette"))

    def on_mount(self) -> None:
        """List everything."""
        if not is_up(self):
            return
        self.set_class(self.app.size.width < NARROW, "-narrow")
        self.query_one("#title", Rule).say((("actions", "strong"),))
        # A cursor that blinks never lets the app rest.
        self.query_one(Input).cursor_blink = False
        self.query_one(Input).focus()
        self._list("")

    def on_resize(self, event: events.Resize) -> None:
        """Take the whole screen where it is small."""
        self.set_class(event.size.width < NARROW, "-narrow")

    def on_keyed_lines_moved(self, event: KeyedLines.Moved) -> None:
        """Tell the chosen action in full: its line may be cut."""
        event.stop()
        offer = self.query_one(ActionList).offers.get(str(event.key))
        told: list[Spans] = []
        if offer is not None:
            told.append(((offer.action.words, "text"),))
            if offer.reason:
                told.append(((offer.reason, "warn"),))
        self.query_one("#told", TextPane).show(told, top=True)

    def on_input_changed(self, event: Input.Changed) -> None:
        """List what matches."""
        event.stop()
        self._list(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Do what is chosen."""
        event.stop()
        self._do()

    def on_keyed_lines_opened(self, event: KeyedLines.Opened) -> None:
        """Do what was clicked twice."""
        event.stop()
        self._do()

    def _list(self, text: str) -> None:
        words = text.lower().split()
        found = [offer for offer in self._offers if _matches(offer.action, words)]
        # A title that begins with what was typed comes before a help text that mentions it; what can be done before both.
        found.sort(
            key=lambda offer: (bool(offer.reason), bool(text) and not offer.action.title.startswith(text.lower()))
        )
        self.query_one(ActionList).replace(
            [offer.action.id for offer in found], to_top=True, empty=[((" no action is called so", "muted"),)]
        )

    def _do(self) -> None:
        chosen = self.query_one(ActionList).cursor_key
        if chosen is None or self.app.screen is not self:
            return
        app = cast("SftuiApp", self.app)
        reason = next(offer.reason for offer in self._offers if offer.action.id == chosen)
        if reason:
            app.say(f"{BY_ID[chosen].title}: {reason}")
            return
        self.dismiss()
        app.perform(BY_ID[chosen])

    def on_key(self, event: events.Key) -> None:
        """Move in the list while the line keeps the focus."""
        if self.app.screen is self:
            self.query_one(ActionList).moved_by(event)

    def action_close(self) -> None:
        """Do nothing."""
        if self.app.screen is self:
            self.dismiss()


def _matches(action: Action, words: list[str]) -> bool:
    text = f"{action.title} {action.words} {action.id} {action.shown_keys}".lower()
    return all(word in text for word in words)


# Why an action would do nothing now, where its screen says that it would not.
_REASONS: dict[str, str] = {
    "app.watch": "this is Watch",
    "app.memory": "this is Memory",
    "app.intents": "this is Intents",
    "app.review": "the draft is empty",
    "app.draft-back": "the draft has no change to take back",
    "app.draft-again": "nothing was taken back",
    "app.draft-resume": "no draft was left behind",
    "app.draft-clear": "the draft is empty, and none was left behind",
    "app.dismiss": "there is no message",
    "memory.clear": "no filter is set",
    "memory.back": "there was no jump",
    "memory.forward": "there was no way back",
    "memory.unmark": "nothing is marked",
    "memory.unstage": "the draft does not change this row",
    "intents.unstage": "the draft does not change this intent",
    "intents.back": "one did not come from a row of the memory",
    "watch.undo": "no change is known",
    "app.history": "this is History",
    "history.clear": "no filter is set, and nothing is marked",
    "history.back": "one did not come from a row of the memory",
    "app.health": "this is Health",
    "health.accept": "there is no fix here",
    "health.unmark": "nothing is marked",
    "health.suppressed": "nothing is ignored",
}
_ORDER: dict[Where, int] = {"app": 1, "list": 2, "tree": 2}
_NOTHING: str = "there is nothing to do it to"


def offers(screen: Screen[object]) -> list[Offer]:
    """Give what the keys of a screen do, with the reason where an action would do nothing as things are."""
    places: set[Where] = {"app"}
    if isinstance(screen, LiveScreen):
        places |= set(screen.places)
    found = [action for action in ACTIONS if action.where in places and action.id != "app.palette"]
    # What one moves with is in everybody's fingers: it comes last.
    found.sort(key=lambda action: _ORDER.get(action.where, 0))
    if not isinstance(screen, LiveScreen):
        return [Offer(action) for action in found]
    idle = _idle(screen.sftui)

    def reason(action: Action) -> str:
        refusal = screen.sftui.refusal(action.id)
        if refusal:
            return refusal[:1].lower() + refusal[1:]
        useless = action.id in idle or not screen.usable(action.id)
        return _REASONS.get(action.id, _NOTHING) if useless else ""

    return [Offer(action, reason(action)) for action in found]


def _idle(app: SftuiApp) -> set[str]:
    """The general actions for which there is nothing to do now."""
    drafting = app.drafting
    there = {
        "app.review": bool(drafting.count),
        "app.draft-clear": bool(drafting.count or drafting.left),
        "app.draft-back": drafting.can_retract,
        "app.draft-again": drafting.can_reinstate,
        "app.draft-resume": bool(drafting.left),
        "app.dismiss": bool(len(app._notifications)),  # noqa: SLF001 - nothing public tells
    }
    return {name for name, useful in there.items() if not useful}
