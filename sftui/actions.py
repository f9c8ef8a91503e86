"""The one table of actions: it feeds key bindings, footer, help, palette and docs/keys.md.

An action's `call` names the method `action_<call>` of whoever owns `where`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from engine.records import dataclass

if TYPE_CHECKING:
    from textual.binding import Binding

Where = Literal[
    "app", "list", "tree", "watch", "memory", "value", "scopes", "switcher", "help", "health", "palette", "prompt"
]

PLACES: Final[dict[Where, str]] = {
    "app": "Everywhere",
    "list": "In every list",
    "watch": "1 Watch",
    "memory": "2 Memory",
    "tree": "In the memory tree",
    "value": "In an open value",
    "scopes": "In the tree of scopes",
    "switcher": "In the list of scopes, where it opens by itself",
    "help": "In the help",
    "health": "In the list of what is wrong",
    "palette": "In the palette",
    "prompt": "While typing",
}


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that a person can do.

    `keys` are Textual key names, the one to show first; `footer` ranks it among the
    hints of the footer (lower comes first, None: not there). `typed`: a line is typed
    next, so the keys that follow at once must not be taken by anything else.
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
    def shown_keys(self) -> str:
        """All its keys as a person reads them."""
        return " ".join(key_name(key) for key in self.keys)


_NAMES: Final = {
    "slash": "/",
    "question_mark": "?",
    "escape": "esc",
    "enter": "⏎",
    "space": "space",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "colon": ":",
    "exclamation_mark": "!",
    "backspace": "⌫",
    "apostrophe": "'",
    "asterisk": "*",
    "tab": "tab",
    "shift+tab": "⇧tab",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
}


def key_name(key: str) -> str:
    """Give a Textual key name as a person reads it."""
    return _NAMES.get(key, key.replace("ctrl+", "^"))


ACTIONS: Final[tuple[Action, ...]] = (
    Action("app.watch", "app", ("1",), "watch", "Open Watch: what the agent is after, and what changed last.", 80),
    Action("app.memory", "app", ("2",), "memory", "Open Memory: everything that is remembered, as a tree.", 81),
    Action("app.scopes", "app", ("s",), "scope", "Choose another session or directory, or follow the newest again.", 70),
    Action("app.newest", "app", ("F",), "follow newest", "Follow the newest session again; from global memory alone, that of the directory where it was started."),
    Action("app.health", "app", ("6",), "health", "Tell everything that is wrong, in full: here and in the other scopes in view.", 15),
    Action("app.focus-next", "app", ("tab",), "next pane", "To the next pane: lists, details, scopes."),
    Action("app.focus-previous", "app", ("shift+tab",), "previous pane", "To the previous pane."),
    Action("app.help", "app", ("question_mark", "f1"), "help", "Show this help.", 99),
    Action("app.palette", "app", ("colon", "ctrl+p"), "palette", "Find any action by name."),
    Action("app.theme", "app", ("T",), "theme", "Switch between dark and light."),
    Action("app.reread", "app", ("R", "f5"), "read again", "Read the store again now and watch it anew."),
    Action("app.quit", "app", ("q", "ctrl+c"), "quit", "Leave. Nothing is lost: this program keeps no unsaved state.", 98),
    Action("list.cursor-up", "list", ("k", "up"), "up", "One line up."),
    Action("list.cursor-down", "list", ("j", "down"), "down", "One line down."),
    Action("list.page-up", "list", ("pageup", "ctrl+u"), "page up", "One screen up."),
    Action("list.page-down", "list", ("pagedown", "ctrl+d"), "page down", "One screen down."),
    Action("list.first", "list", ("g", "home"), "first", "To the first line."),
    Action("list.last", "list", ("G", "end"), "last", "To the last line."),
    Action("list.open", "list", ("enter", "o"), "open", "Open what the cursor stands on.", 10),
    Action("watch.follow", "watch", ("f",), "follow", "Follow the newest change, or hold the view where it is. Leaving the newest row holds by itself.", 20),
    Action("tree.expand", "tree", ("l", "right"), "expand", "Show what is inside; once more: go to the first of it."),
    Action("tree.collapse", "tree", ("h", "left"), "collapse", "Hide what is inside; once more: go to what holds it."),
    Action("tree.next-sibling", "tree", ("J",), "next sibling", "To the next key of the same object."),
    Action("tree.previous-sibling", "tree", ("K",), "previous sibling", "To the previous key of the same object."),
    Action("tree.fold", "tree", ("z",), "fold", "Fold to a level: z, then 1 to 9; z 0 closes everything."),
    Action("memory.filter", "memory", ("slash",), "filter", "Hide rows that do not hold a text, in keys and values. A leading ! hides those that do.", 30, typed=True),
    Action("memory.clear", "memory", ("escape", "ctrl+g"), "clear filter", "Drop the filter and show every row again."),
    Action("memory.view-next", "memory", ("v",), "view", "Next view: effective, global, cwd, session.", 40),
    Action("memory.view-previous", "memory", ("V",), "previous view", "Previous view."),
    Action("memory.jump", "memory", ("apostrophe",), "jump", "Go to a path, such as tactics.checks[3] or cwd.lazy.notes.", 50, typed=True),
    Action("memory.back", "memory", ("less_than_sign", "backspace"), "back", "Back to where the cursor was before the last jump."),
    Action("memory.forward", "memory", ("greater_than_sign",), "forward", "Forward again."),
    Action("memory.copy-path", "memory", ("y",), "copy path", "Copy the path under the cursor, and show it."),
    Action("memory.copy-value", "memory", ("Y",), "copy value", "Copy the value under the cursor as JSON; enter shows it."),
    Action("memory.details-down", "memory", ("right_curly_bracket",), "details down", "Read on in the details, where they are longer than their pane."),
    Action("memory.details-up", "memory", ("left_curly_bracket",), "details up", "Read back in the details."),
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
    Action("scopes.open", "scopes", ("enter", "o"), "choose", "Look at this scope, and stay with it.", 10),
    Action("scopes.newest", "scopes", ("f",), "follow newest", "Follow the newest session of the directory again.", 20),
    Action("switcher.close", "switcher", ("escape", "q", "s"), "close", "Leave it as it is.", 90),
    Action("help.close", "help", ("escape", "q", "question_mark"), "close", "Close the help.", 90),
    Action("palette.close", "palette", ("escape", "ctrl+g"), "close", "Do nothing.", 90),
    Action("health.close", "health", ("escape", "q", "6"), "close", "Close the list.", 90),
    Action("prompt.submit", "prompt", ("enter",), "use it", "Use what was typed.", 10),
    Action("prompt.close", "prompt", ("escape", "ctrl+g"), "cancel", "Leave the line without using it.", 90),
    Action("prompt.stay", "prompt", ("tab", "shift+tab"), "stay", "Nothing: all keys belong to the line until it is used or left."),
)  # fmt: skip

BY_ID: Final = {action.id: action for action in ACTIONS}


def actions_of(*places: Where) -> tuple[Action, ...]:
    """Give the actions of some places, in the order of the table."""
    return tuple(action for action in ACTIONS if action.where in places)


def bindings(where: Where) -> list[Binding | tuple[str, str] | tuple[str, str, str]]:
    """Give the Textual bindings of a place; each carries the action's id for the user's key map."""
    from textual.binding import Binding

    return [
        Binding(
            ",".join(action.keys),
            action.call,
            action.title,
            show=False,
            id=action.id,
            tooltip=action.help,
            priority=action.typed,
        )
        for action in actions_of(where)
    ]


def keys_markdown() -> str:
    """Give docs/keys.md: the whole table, place by place."""
    lines = [
        "# Keys",
        "",
        "Made from `sftui/actions.py`; a test holds the two together. Arrow keys and vim keys both work,",
        "and so does the mouse: click to select, twice to open, wheel to scroll.",
        "",
    ]
    for where, title in PLACES.items():
        rows = actions_of(where)
        lines += [f"## {title}", "", "| keys | action | what it does |", "| --- | --- | --- |"]
        for action in rows:
            keys = " ".join(f"`{key_name(key)}`" for key in action.keys)
            lines.append(f"| {keys} | {action.title} | {action.help.replace('|', chr(92) + '|')} |")
        lines.append("")
    lines += ["Ctrl+Z suspends the app as it does any program; `fg` brings it back.", ""]
    return "\n".join(lines)
