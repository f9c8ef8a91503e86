"""Names of keys: as a person writes and reads them, and as Textual calls them."""

from __future__ import annotations

import unicodedata
from typing import Final

_SIGNS: Final = {
    "slash": "/",
    "backslash": "\\",
    "question_mark": "?",
    "escape": "esc",
    "enter": "⏎",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "backspace": "⌫",
    "shift+tab": "⇧tab",
}
# Without signs: each is a word of its own width, so it is chosen here and not translated later.
_WORDS: Final = {
    "enter": "enter",
    "up": "up",
    "down": "down",
    "left": "left",
    "right": "right",
    "backspace": "bksp",
    "shift+tab": "S-tab",
}
# What Textual calls by another name than Unicode does.
_OTHERWISE: Final = {
    "solidus": "slash",
    "reverse_solidus": "backslash",
    "commercial_at": "at",
    "hyphen_minus": "minus",
    "plus_sign": "plus",
    "low_line": "underscore",
}
_SPECIAL: Final = frozenset(
    [
        "escape",
        "enter",
        "tab",
        "space",
        "backspace",
        "delete",
        "insert",
        "up",
        "down",
        "left",
        "right",
        "home",
        "end",
        "pageup",
        "pagedown",
    ]
) | {f"f{number}" for number in range(1, 25)}
_MOVING: Final = frozenset(["up", "down", "left", "right", "home", "end", "pageup", "pagedown", "insert", "delete"])
_ALIASES: Final = {"esc": "escape", "return": "enter", "pgup": "pageup", "pgdn": "pagedown", "del": "delete"}
_CHARACTERS: Final = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def _of_character(character: str) -> str:
    name = unicodedata.name(character, "").lower().replace("-", "_").replace(" ", "_")
    return _OTHERWISE.get(name, name)


_BY_CHARACTER: Final = {character: _of_character(character) for character in _CHARACTERS} | {" ": "space"}
_BY_NAME: Final = {name: character for character, name in _BY_CHARACTER.items() if character != " "}

_in_words = False


def use_words(on: bool) -> None:
    """Name keys in letters alone, for terminals without signs; a property of the terminal, and so of the process."""
    global _in_words
    _in_words = on


def key_name(key: str) -> str:
    """Give a Textual key name as a person reads it."""
    if _in_words and key in _WORDS:
        return _WORDS[key]
    return _SIGNS.get(key) or _BY_NAME.get(key) or key.replace("ctrl+", "^")


def parse_key(text: str) -> str | None:
    """Give what Textual calls the key that a person wrote, such as "?", "ctrl+r" or "f4"; None if there is none such."""
    if len(text) == 1:
        return text if text.isalnum() else _BY_CHARACTER.get(text)
    *modifiers, name = text.lower().replace("control+", "ctrl+").replace("^", "ctrl+", 1).split("+")
    name = _ALIASES.get(name, name)
    held = "+".join(sorted(modifiers))
    if not held:
        return name if name in _SPECIAL or name in _BY_NAME else None
    if held == "shift":
        return f"shift+{name}" if name == "tab" or name in _MOVING else None
    if held == "ctrl" and ((len(name) == 1 and name.isascii() and name.isalpha()) or name in _MOVING):
        return f"ctrl+{name}"
    return f"ctrl+shift+{name}" if held == "ctrl+shift" and name in _MOVING else None


def is_typed(key: str) -> bool:
    """Tell whether a key puts a character where somebody types."""
    return len(key) == 1 or key == "space" or key in _BY_NAME
