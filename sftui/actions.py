"""The one table of actions: it feeds key bindings, footer, help, palette and docs/keys.md.

An action's `call` names the method `action_<call>` of whoever owns `where`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Literal

from engine.records import dataclass
from sftui.keynames import key_name

if TYPE_CHECKING:
    from textual.binding import Binding

Where = Literal[
    "app",
    "list",
    "tree",
    "watch",
    "memory",
    "history",
    "intents",
    "context",
    "health",
    "review",
    "value",
    "difference",
    "scopes",
    "switcher",
    "choice",
    "edit",
    "help",
    "debug",
    "palette",
    "search",
    "traces",
    "prompt",
]

PLACES: Final[dict[Where, str]] = {
    "app": "Everywhere",
    "list": "In every list",
    "watch": "1 Watch",
    "memory": "2 Memory",
    "tree": "In the memory tree",
    "history": "3 History",
    "intents": "4 Intents",
    "context": "5 Context",
    "health": "6 Health",
    "review": "In the review of a draft",
    "value": "In an open value",
    "difference": "In an open difference",
    "scopes": "In the tree of scopes",
    "switcher": "In the list of scopes, where it opens by itself",
    "choice": "In a question",
    "edit": "While editing a value",
    "help": "In the help",
    "debug": "In the page for reports",
    "palette": "In the palette",
    "search": "In the search",
    "traces": "In the page of traces",
    "prompt": "While typing",
}


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that a person can do.

    `keys` are Textual key names, the one to show first; `footer` ranks it among the
    hints of the footer (lower comes first, None: not there). `typed`: a line is typed
    next, so the keys that follow at once must not be taken by anything else. In `help` an
    id in braces stands for a key of that action.
    """

    id: str
    where: Where
    keys: tuple[str, ...]
    title: str
    help: str
    footer: int | None = None
    typed: bool = False

    @property
    def call(self) -> str:
        """The name of the method without `action_`."""
        return self.id.partition(".")[2].replace("-", "_")

    @property
    def words(self) -> str:
        """The help, with the keys that the actions named in it have now."""
        return with_keys(self.help, key_for)

    @property
    def shown_keys(self) -> str:
        """All the keys that it has now, as a person reads them."""
        return " ".join(key_name(key) for key in keys_of(self.id))


ACTIONS: Final[tuple[Action, ...]] = (
    Action("app.watch", "app", ("1",), "watch", "Open Watch: what the agent is after, and what changed last.", 44),
    Action("app.memory", "app", ("2",), "memory", "Open Memory: everything that is remembered, as a tree.", 42),
    Action("app.history", "app", ("3",), "history", "Open History: every transition that is known, what each changed, and how memory was before.", 48),
    Action("app.intents", "app", ("4",), "intents", "Open Intents: what each intent owns, uses and would take along.", 45),
    Action("app.context", "app", ("5",), "context", "Open Context: what a model would be given now, and what of it takes how much room.", 49),
    Action("app.health", "app", ("6",), "health", "Open Health: what is wrong, here and in the other scopes in view, and what could be cleaned.", 15),
    Action("app.earlier", "app", ("left_square_bracket", "comma"), "earlier", "Show the whole app as memory was one change earlier. Nothing can be changed there.", 6),
    Action("app.later", "app", ("right_square_bracket", "full_stop"), "later", "One change later again, up to now.", 7),
    Action("app.now", "app", ("equals_sign",), "now", "Back from an earlier moment to memory as it is now.", 5),
    Action("app.search", "app", ("ctrl+f", "f3"), "search", "Search keys, values and history; what is found first shows at once.", typed=True),
    Action("app.review", "app", ("p",), "review", "Review the draft: all that it would change, before anything is written.", 12),
    Action("app.draft-back", "app", ("U",), "take back", "Take back the last change of the draft."),
    Action("app.draft-again", "app", ("ctrl+r",), "do again", "Do again what was taken back from the draft."),
    Action("app.draft-resume", "app", ("O",), "resume draft", "Go on with a draft that was left behind."),
    Action("app.draft-clear", "app", ("X",), "drop draft", "Drop the whole draft, or one that was left behind. Asks first."),
    Action("app.script", "app", ("W",), "save script", "Save the changes that were applied in this window as a script of patches, which `sftui patch --script` carries out again.", typed=True),
    Action("app.scopes", "app", ("s",), "scope", "Choose another session or directory, or follow the newest again.", 43),
    Action("app.newest", "app", ("F",), "follow newest", "Follow the newest session again; from global memory alone, that of the directory where it was started."),
    Action("app.focus-next", "app", ("tab",), "next pane", "To the next pane: lists, details, scopes."),
    Action("app.focus-previous", "app", ("shift+tab",), "previous pane", "To the previous pane."),
    Action("app.help", "app", ("question_mark", "f1"), "help", "Show this help.", 99),
    Action("app.palette", "app", ("colon", "ctrl+p"), "palette", "Find any action by name."),
    Action("app.theme", "app", ("T",), "theme", "On to the next theme: dark, light, high contrast, no colour."),
    Action("app.reread", "app", ("R", "f5"), "read again", "Read the store again now and watch it anew."),
    Action("app.dismiss", "app", ("D", "escape"), "dismiss", "Take the messages off the screen."),
    Action("app.debug", "app", ("f2",), "for a report", "Show what a report of a fault should say: versions, terminal, store; nothing that is remembered."),
    Action("app.quit", "app", ("q", "ctrl+c"), "quit", "Leave. A draft is kept, and offered again at the next start.", 98),
    Action("list.cursor-up", "list", ("k", "up"), "up", "One line up."),
    Action("list.cursor-down", "list", ("j", "down"), "down", "One line down."),
    Action("list.page-up", "list", ("pageup", "ctrl+u"), "page up", "One screen up."),
    Action("list.page-down", "list", ("pagedown", "ctrl+d"), "page down", "One screen down."),
    Action("list.first", "list", ("g", "home"), "first", "To the first line."),
    Action("list.last", "list", ("G", "end"), "last", "To the last line."),
    Action("list.open", "list", ("enter", "o"), "open", "Open what the cursor stands on.", 10),
    Action("watch.follow", "watch", ("f",), "follow", "Follow the newest change, or hold the view where it is. Leaving the newest row holds by itself, going back to it follows again.", 20),
    Action("watch.undo", "watch", ("u",), "undo", "Put the inverse of the change under the cursor into the draft, an agent's or a person's.", 30),
    Action("tree.expand", "tree", ("l", "right"), "expand", "Show what is inside; once more: go to the first of it."),
    Action("tree.collapse", "tree", ("h", "left"), "collapse", "Hide what is inside; once more: go to what holds it."),
    Action("tree.next-sibling", "tree", ("J",), "next sibling", "To the next key of the same object."),
    Action("tree.previous-sibling", "tree", ("K",), "previous sibling", "To the previous key of the same object."),
    Action("tree.fold", "tree", ("z",), "fold", "Fold to a level: {tree.fold}, then 1 to 9, or 0 to close everything."),
    Action("memory.filter", "memory", ("slash",), "filter", "Hide rows that do not hold a text, in keys and values. A leading ! hides those that do.", 30, typed=True),
    Action("memory.clear", "memory", ("escape", "ctrl+g"), "clear filter", "Drop the filter and show every row again."),
    Action("memory.mark", "memory", ("space",), "mark", "Mark this row, or no longer, and go one line down: {memory.delete}, {memory.move} and {memory.to-lazy} then take all marked rows at once.", 20),
    Action("memory.mark-all", "memory", ("asterisk",), "mark all", "Mark every row that matches the filter; without a filter every row beside this one."),
    Action("memory.unmark", "memory", ("M",), "unmark all", "Take all marks off."),
    Action("memory.edit", "memory", ("e",), "edit", "Edit the value here: a plain value on a line, a structure in a window, one too large for that in $EDITOR. It goes into the draft.", 21, typed=True),
    Action("memory.edit-outside", "memory", ("E",), "edit in $EDITOR", "Edit the value in $EDITOR: a text as it is, anything else as JSON. It goes into the draft.", typed=True),
    Action("memory.new", "memory", ("n",), "new", "Put a new key beside or into this row.", 46, typed=True),
    Action("memory.delete", "memory", ("d",), "delete", "Delete this row, or all marked rows, in the draft; what goes with it is shown.", 22, typed=True),
    Action("memory.rename", "memory", ("r",), "rename", "Rename this key; references to it can be rewritten along.", typed=True),
    Action("memory.move", "memory", ("m",), "move", "Move or copy this row, or all marked rows, to another scope.", 23, typed=True),
    Action("memory.to-lazy", "memory", ("L",), "to lazy", "Move this row, or all marked rows, to lazy memory: kept, but out of the context.", typed=True),
    Action("memory.patch", "memory", ("P",), "patch as JSON", "Write a patch as JSON; {edit.complete} completes known keys. It goes into the draft.", typed=True),
    Action("memory.unstage", "memory", ("x",), "unstage", "Take the draft's change of this row back."),
    Action("memory.undo", "memory", ("u",), "undo", "Put the inverse of the last known change of this row into the draft."),
    Action("memory.blame", "memory", ("b",), "blame", "Go to the change that set this row last, in History."),
    Action("memory.traces", "memory", ("t",), "traces", "Tell every place where this value still stands, histories, our own files and Git among them, and what can be done about each."),
    Action("memory.view-next", "memory", ("v",), "view", "Next view: effective, global, cwd, session.", 47),
    Action("memory.view-previous", "memory", ("V",), "previous view", "Previous view."),
    Action("memory.jump", "memory", ("apostrophe",), "jump", "Go to a path, such as tactics.checks[3] or cwd.lazy.notes.", 50, typed=True),
    Action("memory.back", "memory", ("less_than_sign", "backspace"), "back", "Back to where the cursor was before the last jump."),
    Action("memory.forward", "memory", ("greater_than_sign",), "forward", "Forward again."),
    Action("memory.copy-path", "memory", ("y",), "copy path", "Copy the path under the cursor, and show it."),
    Action("memory.copy-value", "memory", ("Y",), "copy value", "Copy the value under the cursor as JSON; {list.open} shows it."),
    Action("memory.details-down", "memory", ("right_curly_bracket",), "details down", "Read on in the details, where they are longer than their pane."),
    Action("memory.details-up", "memory", ("left_curly_bracket",), "details up", "Read back in the details."),
    Action("history.compare", "history", ("c",), "compare", "Mark this moment; on another one: show what differs between the two."),
    Action("history.at", "history", ("a",), "as of here", "Show the whole app as memory was after this change.", 21),
    Action("history.replay", "history", ("space",), "replay", "Play the changes from here on, one after another; once more: pause.", 22),
    Action("history.filter", "history", ("slash",), "filter", "Hide the changes that do not hold a text, in paths and values. A leading ! hides those that do.", 30, typed=True),
    Action("history.clear", "history", ("escape", "ctrl+g"), "clear filter", "Drop the filter, or the mark of a comparison."),
    Action("history.scope", "history", ("v",), "scope", "Only the changes of one scope: all, global, cwd, session.", 31),
    Action("history.undo", "history", ("u",), "undo", "Put the inverse of this change into the draft.", 23),
    Action("history.copy-path", "history", ("y",), "copy name", "Copy the name of this moment, and show it."),
    Action("history.details-down", "history", ("right_curly_bracket",), "details down", "Read on in the details, where they are longer than their pane."),
    Action("history.details-up", "history", ("left_curly_bracket",), "details up", "Read back in the details."),
    Action("history.back", "history", ("less_than_sign", "backspace"), "back", "Back to the row of the memory where one came from."),
    Action("intents.layout", "intents", ("t",), "table", "Switch between the graph and a table.", 30),
    Action("intents.edit", "intents", ("e",), "edit", "Edit this intent. It goes into the draft.", 21),
    Action("intents.delete", "intents", ("d",), "delete", "Delete this intent in the draft; the details tell before what it takes along.", 22),
    Action("intents.move", "intents", ("m",), "move", "Move or copy this intent to another scope, with what it owns.", 23),
    Action("intents.unstage", "intents", ("x",), "unstage", "Take the draft's change of this intent back."),
    Action("intents.undo", "intents", ("u",), "undo", "Put the inverse of the last known change of this intent into the draft."),
    Action("intents.copy-path", "intents", ("y",), "copy path", "Copy the path of this row, and show it."),
    Action("intents.details-down", "intents", ("right_curly_bracket",), "details down", "Read on in the details, where they are longer than their pane."),
    Action("intents.details-up", "intents", ("left_curly_bracket",), "details up", "Read back in the details."),
    Action("intents.back", "intents", ("less_than_sign", "backspace"), "back", "Back to the row of the memory where one came from."),
    Action("context.mode", "context", ("t",), "mode", "Switch between what a model gets in Active and in Passive.", 20),
    Action("context.whole", "context", ("w",), "as JSON", "Show exactly what a model would be given, as JSON.", 21),
    Action("context.copy-path", "context", ("y",), "copy path", "Copy the path of this row, and show it."),
    Action("context.details-down", "context", ("right_curly_bracket",), "details down", "Read on in the details, where they are longer than their pane."),
    Action("context.details-up", "context", ("left_curly_bracket",), "details up", "Read back in the details."),
    Action("health.accept", "health", ("a",), "accept fix", "Put the fix of this finding, or of all marked ones, into the draft.", 20),
    Action("health.mark", "health", ("space",), "mark", "Mark this finding, or no longer, and go one line down.", 21),
    Action("health.mark-all", "health", ("asterisk",), "mark all", "Mark every finding of this kind."),
    Action("health.unmark", "health", ("M",), "unmark all", "Take all marks off."),
    Action("health.suppress", "health", ("i",), "ignore", "Say no more of this finding at this path. Asks first, and says where that is kept.", 22),
    Action("health.suppressed", "health", ("I",), "show ignored", "Show what is ignored as well, or no longer."),
    Action("health.copy-path", "health", ("y",), "copy path", "Copy the path of this finding, and show it."),
    Action("health.details-down", "health", ("right_curly_bracket",), "details down", "Read on in the details, where they are longer than their pane."),
    Action("health.details-up", "health", ("left_curly_bracket",), "details up", "Read back in the details."),
    Action("review.apply", "review", ("enter",), "apply", "Write exactly what is shown. Whatever has moved meanwhile is shown first.", 10),
    Action("review.tick", "review", ("space",), "tick", "Leave this step out, or take it in again.", 20),
    Action("review.drop", "review", ("x",), "drop step", "Drop this step from the draft.", 22),
    Action("review.edit", "review", ("e",), "edit step", "Edit what this step sets.", 21),
    Action("review.moved", "review", ("w",), "go on", "Memory has moved since this was shown, and both sides stand there: go on with what it is now.", 30),
    Action("review.theirs", "review", ("t",), "take theirs", "Where both changed the same key: keep their value, and leave it out of the step.", 31),
    Action("review.mine", "review", ("m",), "keep mine", "Where both changed the same key: write the draft's value over theirs.", 32),
    Action("review.instead", "review", ("s",), "cwd instead", "Put what the draft writes to the session into the cwd scope instead.", 40),
    Action("review.force", "review", ("exclamation_mark",), "force", "Write to a session whose run is unfinished, after reading what that does to its agent."),
    Action("review.allow", "review", ("A",), "allow", "Agree to what is asked about, as the review words it."),
    Action("review.cancel", "review", ("c",), "stop waiting", "Stop waiting for the lock; nothing has been written.", 5),
    Action("review.close", "review", ("escape", "q"), "close", "Back without writing; the draft stays.", 90),
    Action("value.line-up", "value", ("k", "up"), "up", "One line up."),
    Action("value.line-down", "value", ("j", "down"), "down", "One line down."),
    Action("value.screen-up", "value", ("pageup", "ctrl+u"), "page up", "One screen up."),
    Action("value.screen-down", "value", ("pagedown", "ctrl+d", "space"), "page down", "One screen down.", 20),
    Action("value.top", "value", ("g", "home"), "top", "To the beginning."),
    Action("value.bottom", "value", ("G", "end"), "bottom", "To the end."),
    Action("value.find", "value", ("slash",), "find", "Find a text in this value.", 30, typed=True),
    Action("value.find-next", "value", ("n",), "next match", "To the next match.", 31),
    Action("value.find-previous", "value", ("N",), "previous match", "To the previous match.", 32),
    Action("value.close", "value", ("escape", "q", "h", "left"), "close", "Back to where it was opened.", 90),
    Action("difference.close", "difference", ("escape", "q", "h", "left"), "close", "Back to where it was opened.", 90),
    Action("scopes.open", "scopes", ("enter", "o"), "choose", "Look at this scope, and stay with it.", 10),
    Action("scopes.newest", "scopes", ("f",), "follow newest", "Follow the newest session of the directory again.", 20),
    Action("switcher.close", "switcher", ("escape", "q", "s"), "close", "Leave it as it is.", 90),
    Action("choice.take", "choice", ("enter",), "choose", "Take what the cursor stands on; its digit or letter does the same.", 10),
    Action("choice.close", "choice", ("escape", "ctrl+g"), "cancel", "Do nothing.", 90),
    Action("edit.submit", "edit", ("ctrl+o", "f10"), "stage", "Put what was written into the draft.", 10),
    Action("edit.outside", "edit", ("ctrl+l", "f4"), "in $EDITOR", "Go on in $EDITOR.", 20),
    Action("edit.complete", "edit", ("tab",), "complete", "Complete a scope, a plane or a known key.", 30),
    Action("edit.close", "edit", ("escape", "ctrl+g"), "cancel", "Leave the draft as it was.", 90),
    Action("help.close", "help", ("escape", "q", "question_mark"), "close", "Close the help.", 90),
    Action("palette.close", "palette", ("escape", "ctrl+g"), "close", "Do nothing.", 90),
    Action("debug.copy", "debug", ("y",), "copy", "Copy the page; `sftui debug` prints it.", 10),
    Action("debug.close", "debug", ("escape", "q", "f2"), "close", "Close the page.", 90),
    Action("search.open", "search", ("enter",), "open", "Open what the cursor stands on: a path in memory, or a transition in History.", 10),
    Action("search.again", "search", ("f3",), "look again", "Look for the same in memory as it is now.", 20),
    Action("search.close", "search", ("escape", "ctrl+g"), "stop, close", "Stop looking; where nothing is looked for, close. What was found is there again the next time.", 90),
    Action("traces.show", "traces", ("v",), "show value", "Show the value itself on the page, or mask it again.", 20),
    Action("traces.close", "traces", ("escape", "q"), "stop, close", "Stop looking; where nothing is looked for, close the page.", 90),
    Action("prompt.submit", "prompt", ("enter",), "use it", "Use what was typed.", 10),
    Action("prompt.close", "prompt", ("escape", "ctrl+g"), "cancel", "Leave the line without using it.", 90),
    Action("prompt.stay", "prompt", ("tab", "shift+tab"), "stay", "Nothing: all keys belong to the line until it is used or left."),
)  # fmt: skip

BY_ID: Final = {action.id: action for action in ACTIONS}

# What begins a change: refused at once in a window that is for reading.
BEGINNING: Final = frozenset(
    {
        "app.draft-resume",
        "watch.undo",
        "memory.edit",
        "memory.edit-outside",
        "memory.new",
        "memory.delete",
        "memory.rename",
        "memory.move",
        "memory.to-lazy",
        "memory.patch",
        "memory.undo",
        "intents.edit",
        "intents.delete",
        "intents.move",
        "intents.undo",
        "history.undo",
        "health.accept",
    }
)
# What would change a draft or write it: not while an earlier moment is shown, on which it does not lie.
OF_A_DRAFT: Final = frozenset(
    {
        "app.review",
        "app.draft-back",
        "app.draft-again",
        "app.draft-clear",
        "memory.unstage",
        "intents.unstage",
    }
)
LOOKING_BACK: Final = "This is an earlier moment, where nothing is changed: {app.now} goes back to now"
READ_ONLY: Final = "Read-only: this window was opened with --readonly"

_own_keys: Mapping[str, tuple[str, ...]] = {}


def use_keys(own: Mapping[str, tuple[str, ...]]) -> None:
    """Let a person's own keys stand for those of the table; a key map belongs to the person, and so to the process."""
    global _own_keys
    _own_keys = own


def keys_of(action_id: str) -> tuple[str, ...]:
    """Give the keys that an action has now, the one to show first."""
    return _own_keys.get(action_id) or BY_ID[action_id].keys


def key_for(action_id: str) -> str:
    """Give the key of an action as a sentence names it: what a text says is what the keyboard does."""
    return key_name(keys_of(action_id)[0])


def with_keys(text: str, key: Callable[[str], str]) -> str:
    """Put keys where a text names actions in braces."""
    return re.sub(r"\{([a-z-]+\.[a-z-]+)\}", lambda match: key(match[1]), text)


def actions_of(*places: Where) -> tuple[Action, ...]:
    """Give the actions of some places, in the order of the table."""
    return tuple(action for action in ACTIONS if action.where in places)


def bindings(where: Where, *, without: str = "") -> list[Binding | tuple[str, str] | tuple[str, str, str]]:
    """Give the Textual bindings of a place; each carries the action's id for the user's key map."""
    from textual.binding import Binding

    return [
        Binding(
            ",".join(action.keys),
            action.call,
            action.title,
            show=False,
            id=action.id,
            tooltip=action.words,
            priority=action.typed,
        )
        for action in actions_of(where)
        if action.id != without
    ]
