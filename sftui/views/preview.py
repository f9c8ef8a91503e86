"""A value in a few words: bounded looks, whatever its size."""

from __future__ import annotations

from typing import Final

from engine.memory.references import ref_of
from engine.values import Json, encode, is_array, is_object
from sftui.display import clean, one_line, quoted
from sftui.views.spans import Role

# Members that say best what an object is about.
_TELLING: Final = ("description", "title", "goal", "summary", "text", "name", "state", "status")
# Members looked at for something telling.
_LOOKS: Final = 16
_MOST_DIGITS: Final = 40


def badge(value: Json) -> str:
    """Give the size of a container as `{4}` or `[12]`; nothing for a scalar."""
    if is_object(value):
        return f"{{{len(value):,}}}"
    return f"[{len(value):,}]" if is_array(value) else ""


def kind_words(value: Json) -> str:
    """Give kind and count: `object, 4 keys`, `array, 12`, `string, 1,240 characters`."""
    if is_object(value):
        return f"object, {_many(len(value), 'key')}"
    if is_array(value):
        return f"array, {_many(len(value), 'item')}"
    if isinstance(value, str):
        return f"string, {_many(len(value), 'character')}"
    if isinstance(value, bool):
        return "boolean"
    return "null" if value is None else "number"


def _many(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def scalar(value: Json, limit: int) -> tuple[str, Role]:
    """Give a scalar in at most about `limit` characters."""
    if isinstance(value, str):
        return quoted(value, limit), "string"
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 4 * _MOST_DIGITS:
        digits = _digits(value)
        return one_line(digits, min(limit, _MOST_DIGITS)), "number"
    return one_line(encode(value).decode("ascii", "replace"), limit), "number"


def _digits(value: int) -> str:
    return encode(value).decode("ascii", "replace")


def gist(value: Json, limit: int) -> tuple[str, Role]:
    """Say what a value is about: a scalar itself, an object's most telling text, an array's first item."""
    if is_object(value):
        target = ref_of(value)
        if target is not None:
            return f"→ {one_line(target, limit)}", "muted"
        for name in _TELLING:
            member = value.get(name)
            if isinstance(member, str) and member:
                return quoted(member, limit), "string"
        names: list[str] = []
        for count, (name, member) in enumerate(value.items()):
            if count >= _LOOKS:
                break
            if isinstance(member, str) and member:
                return quoted(member, limit), "string"
            names.append(clean(name[:limit]))
        return one_line(", ".join(names), limit), "muted"
    if is_array(value):
        if not value:
            return "", "muted"
        first = value[0]
        if is_object(first) or is_array(first):
            return gist(first, limit) if is_object(first) else (badge(first), "muted")
        return scalar(first, limit)
    return scalar(value, limit)


def brief(value: Json, limit: int) -> str:
    """Give a value in a few characters, for a line that tells a change: `"v2 only"`, `{4}`, `[12]`, `true`."""
    return badge(value) if is_object(value) or is_array(value) else scalar(value, limit)[0]


def key_text(key: str | int) -> str:
    """Give a key as a row shows it: an index in brackets, an odd key in quotes."""
    if isinstance(key, int):
        return f"[{key}]"
    return clean(key[:_LONGEST_KEY]) + ("…" if len(key) > _LONGEST_KEY else "") if key else '""'


_LONGEST_KEY: Final = 400
