"""Values as a person edits them: text that means exactly the value, and what a text means."""

from __future__ import annotations

import re
from typing import Final, Literal

from engine.errors import DecodeError, EngineError, InvalidRequest
from engine.records import dataclass
from engine.values import Json, decode, dotted, encode, is_array, is_object, pretty
from engine.values.text import escape_surrogates
from sftui.commands.jsontext import safe_for_terminal
from sftui.display import is_clean

# Longer texts do not fit a line to type into.
LINE_CHARACTERS: Final = 400
# What a text area takes without becoming slow; larger values go to an editor.
WINDOW_CHARACTERS: Final = 100_000
# Said of a value that becomes another one while it is being edited.
CHANGED: Final = "changed underneath since"
# Text that is meant as JSON when it is typed as a value: everything else stands for itself.
_MEANT_AS_JSON: Final = re.compile(
    r'\s*(?:[\[{"]|(?:true|false|null|-?NaN|-?Infinity|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*\Z)'
)

# So much of what was typed is shown as it would be typed otherwise.
_SHOWN: Final = 40

Place = Literal["line", "window", "outside"]


@dataclass(frozen=True, slots=True)
class Text:
    """A value as text. `plain`: the text is the string itself, else JSON."""

    text: str
    plain: bool
    place: Place

    @property
    def suffix(self) -> str:
        """How the name of a file with this text ends."""
        return ".txt" if self.plain else ".json"


def as_text(value: Json) -> Text:
    """Give a value as text to edit, and the least place that it fits into.

    A string is shown as it is where nothing in it is hidden or obeyed by a terminal; else as JSON, with escapes.
    """
    if isinstance(value, str):
        if is_clean(value):
            return Text(value, plain=True, place="line" if len(value) <= LINE_CHARACTERS else _roomy(value))
        if "\r" not in value and all(is_clean(line) for line in value.replace("\t", " ").split("\n")):
            return Text(value, plain=True, place=_roomy(value))
    if is_object(value) or is_array(value):
        text = safe_for_terminal(pretty(value))
        return Text(text, plain=False, place=_roomy(text))
    text = literal(value)
    return Text(text, plain=False, place="line" if len(text) <= LINE_CHARACTERS else _roomy(text))


def literal(value: Json) -> str:
    """Give a value as JSON on one line, with escapes for what a terminal obeys or hides."""
    return safe_for_terminal(escape_surrogates(encode(value).decode("utf-8", "surrogatepass")))


def _roomy(text: str) -> Place:
    return "window" if len(text) <= WINDOW_CHARACTERS else "outside"


def read(text: str, *, plain: bool) -> Json:
    """Give the value that a text means. Raises EngineError, with line and column where the text is to blame."""
    if plain:
        return text
    value = decode(escape_surrogates(text).encode("utf-8")).value
    null = _null_in(value)
    if null is not None:
        where = f" at {dotted('', null)}" if null else ""
        raise InvalidRequest("null-value", f"null{where} cannot be stored; to remove something, leave it out")
    return value


def guess(text: str) -> Json:
    """Give the value that somebody means who types a new one: JSON where it looks like it, else the text itself."""
    if _MEANT_AS_JSON.match(text) is None:
        return text
    try:
        return read(text, plain=False)
    except DecodeError as error:
        # blame() tells the place before the message.
        message = f"{error.message}; a text that begins so is typed in quotes: {_in_quotes(text)}"
        raise DecodeError(error.code, message, line=error.line, column=error.column) from None


def _in_quotes(text: str) -> str:
    shown = literal(text.strip())
    return shown if len(shown) <= _SHOWN else f'"{shown[1:_SHOWN]}…"'


def _null_in(value: Json) -> tuple[str | int, ...] | None:
    """Give where a null stands that no memory can hold."""
    stack: list[tuple[tuple[str | int, ...], Json]] = [((), value)]
    while stack:
        path, node = stack.pop()
        if node is None:
            return path
        if is_object(node):
            stack.extend(((*path, key), member) for key, member in node.items())
        elif is_array(node):
            stack.extend(((*path, index), item) for index, item in enumerate(node))
    return None


def blame(error: EngineError) -> str:
    """Say what is wrong with a text, and where in it."""
    if isinstance(error, DecodeError) and error.line is not None:
        return f"line {error.line}, column {error.column}: {error.message}"
    return error.message + (f"; {error.hint}" if error.hint else "")
