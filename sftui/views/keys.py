"""All actions with the keys that they have now: the help, `sftui keys` and docs/keys.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.records import dataclass
from engine.values import Json, JsonObject
from sftui.actions import BY_ID, PLACES, Action, Where, actions_of, keys_of, with_keys
from sftui.display import clean
from sftui.keymap import KeyMap
from sftui.keynames import key_name
from sftui.views.spans import Spans

# Keys of most actions fit into this; longer lists push their help to the right.
KEYS_WIDTH = 14


@dataclass(frozen=True, slots=True)
class KeyTable:
    """The table of actions, place by place, those of `first` before the others."""

    keymap: KeyMap
    first: tuple[Where, ...] = ()

    @property
    def places(self) -> tuple[Where, ...]:
        """The places, in the order in which they are told."""
        return (*self.first, *(where for where in PLACES if where not in self.first))

    def to_json(self) -> JsonObject:
        actions: list[Json] = [
            _action_json(action, self.keymap) for where in self.places for action in actions_of(where)
        ]
        problems: list[Json] = [
            {"line": problem.line, "entry": problem.entry, "reason": problem.reason} for problem in self.keymap.problems
        ]
        return {"file": self.keymap.path, "found": self.keymap.found, "problems": problems, "actions": actions}

    def lines(self) -> Iterator[Spans]:
        """Where the file is, what of it does not count, and every action."""
        yield (("key map  ", "muted"), (clean(self.keymap.path), "text"), *_found(self.keymap))
        yield from problem_lines(self.keymap)
        for where in self.places:
            yield ()
            yield ((PLACES[where], "strong"),)
            for action in actions_of(where):
                yield (
                    ("  ", "text"),
                    (f"{action.shown_keys:<{KEYS_WIDTH}} ", "accent"),
                    (f"{action.id:<23} ", "muted"),
                    (action.words, "text"),
                )


def _found(keymap: KeyMap) -> Spans:
    if not keymap.found:
        return ((" (there is none)", "muted"),)
    changed = len(keymap.own)
    return ((f" ({changed} {'action' if changed == 1 else 'actions'} of your own)", "muted"),)


def problem_lines(keymap: KeyMap) -> Iterator[Spans]:
    """What of a key map does not count, with its line."""
    for problem in keymap.problems:
        where = "" if problem.line is None else f"line {problem.line}: "
        entry = f"{clean(problem.entry)}: " if problem.entry else ""
        yield (("! ", "warn"), (f"{where}{entry}{clean(problem.reason)}", "warn"))


def _action_json(action: Action, keymap: KeyMap) -> JsonObject:
    keys: list[Json] = list(keys_of(action.id))
    own = action.id in keymap.own
    return {
        "id": action.id,
        "place": action.where,
        "keys": keys,
        "own": own,
        "title": action.title,
        "help": action.words,
    }


def help_page(first: Sequence[Where], keymap: KeyMap, *, width: int = KEYS_WIDTH) -> list[Spans]:
    """The help: what the keys do here, then everywhere, what the signs mean, and then what they do elsewhere."""
    here = [*first, "app"] if "app" not in first else list(first)
    page: list[Spans] = []
    for where in here:
        page += [*_place_lines(where, width), ()]
    page.append((("What the screens say", "strong"),))
    page += [_row(sign, meaning, width) for sign, meaning in LEGEND]
    page.append(())
    for where in PLACES:
        if where not in here:
            page += [*_place_lines(where, width), ()]
    page.append((("Your own keys", "strong"),))
    page.append((("  ", "text"), (clean(keymap.path), "text"), *_found(keymap)))
    page += [(("  ", "text"), *line) for line in problem_lines(keymap)]
    page.append(
        (
            ('  A line such as  "memory.edit" = ["e", "f4"]  gives an action its keys; ', "muted"),
            ("sftui keys", "text"),
            (" lists them.", "muted"),
        )
    )
    page += [(), (("Ctrl+Z suspends; fg brings it back.", "muted"),)]
    return page


def _place_lines(where: Where, width: int) -> Iterator[Spans]:
    yield ((PLACES[where], "strong"),)
    for action in actions_of(where):
        yield _row(action.shown_keys, action.words, width)


def _row(sign: str, meaning: str, width: int) -> Spans:
    return (("  ", "text"), (f"{sign:<{width}}", "accent"), (" ", "text"), (meaning, "text"))


# What the screens show and a key cannot explain.
LEGEND: tuple[tuple[str, str], ...] = (
    ("g15 c8 s31", "the revisions of the global, cwd and session scopes; c✖ is fenced, c– absent"),
    ("+ - ~ ×", "added, removed, changed; × went along when the intent that owned it was closed"),
    ("g c s", "the scopes that provide a value; where they overlap, the rightmost wins"),
    ("masks c[3]", "the cwd scope holds 3 items there which do not show"),
    ("← release", "the intent 'release' owns it: it goes when that intent is closed"),
    ("•", "touched by the newest change that was seen to happen"),
    ("draft 2", "changes that are only in the draft; nothing is written before they have been reviewed"),
    ("hot … tok", "what a model is given at its start, without lazy memory; tokens are estimated as bytes of JSON / 4"),
    (
        "● live",
        "the files are watched; 'polling': looked at four times a second; 'stale': not watched; 'locked': a writer is at it",
    ),
    ("✖1 health", "the number of things that are wrong with what is open; the list of them tells which"),
    ("✖1 elsewhere", "something is wrong with another directory or session in view, nothing with what is open"),
    ("12:04:31", "when a change was first seen here; 'unknown': it was there before anybody looked. No file says more"),
    ("you looked here", "the newest change when the keyboard and the mouse were last used"),
    ("␛ ⟨202e⟩", "stands for a character that a terminal would obey or hide"),
)


def keys_markdown(counted: str) -> str:
    """Give docs/keys.md: the whole table with its own keys, place by place, then how many keys a job takes."""
    lines = [
        "# Keys",
        "",
        "Made from `sftui/actions.py`; a test holds the two together. Arrow keys and vim keys both work,",
        "and so does the mouse: click to select, twice to open, wheel to scroll. In the app `?` tells the keys of",
        "the place where one is, and `sftui keys` prints them all.",
        "",
    ]
    for where, title in PLACES.items():
        lines += [f"## {title}", "", "| keys | action | what it does |", "| --- | --- | --- |"]
        for action in actions_of(where):
            keys = " ".join(f"`{key_name(key)}`" for key in action.keys)
            told = with_keys(action.help, lambda name: f"`{key_name(BY_ID[name].keys[0])}`").replace("|", "\\|")
            lines.append(f"| {keys} | {action.title} | {told} |")
        lines += ["", *_BESIDES.get(where, ())]
    lines += ["Ctrl+Z suspends the app as it does any program; `fg` brings it back.", ""]
    return "\n".join(lines) + _OWN_KEYS + counted


_BESIDES = {
    "choice": (
        "Where `m` asks, a digit always means the same, whatever else can be done: `1` `2` `3` move to global, cwd and the",
        "session, `4` `5` `6` copy there, `7` moves to another path. Where no answer is sensible by itself the cursor stands on",
        "none, and `⏎` asks for one.",
        "",
    )
}

_OWN_KEYS = """
## Your own keys

`keys.toml` in the directory `sftui` of the platform's configurations (`~/.config/sftui/keys.toml` on Linux,
`~/Library/Application Support/sftui/keys.toml` on macOS; `sftui keys` prints where it is looked for) gives
actions other keys, by the ids that `sftui keys` lists:

```toml
"memory.edit" = ["e", "f4"]
"app.palette" = ":"
```

Footer, help, palette and every text that names a key follow it. An entry counts or is left out by itself, and what
is left out is told at the start, in the help and by `sftui keys`, with its line: an action that does not exist, a key
that a terminal does not send, a key that another action has in a place where both would count, `ctrl` with b, a, s,
q, z, h, i or m (terminals, multiplexers and shells have them), `alt` with a letter, a letter where text is typed, and
`esc` without a second key.
"""
