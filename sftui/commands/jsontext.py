"""JSON for people and pipes: members in the order of the value, numbers as an agent writes them."""

from __future__ import annotations

import re
from json.encoder import encode_basestring
from typing import Final

from engine.values import Json, fast_paths, is_array, is_object
from engine.values.fast import library_pays
from engine.values.numbers import format_float, format_int
from engine.values.text import escape_surrogates

# What a fast writer spells in another way than an agent does: fractions and exponents.
_MAYBE_FLOAT: Final = re.compile(rb"[0-9][.eE]")
# What a terminal would obey or hide although JSON may spell it literally.
_UNSAFE: Final = re.compile(
    "[\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)


def json_text(value: Json, *, indent: int | None = None) -> str:
    """Write `value` on one line, or on several with `indent` spaces a level. No line end follows.

    Control characters below U+0020 and lone surrogates are escaped, everything else is literal.
    """
    if indent is None and fast_paths():
        quick = _quick(value)
        if quick is not None:
            return quick
    return escape_surrogates("".join(_pieces(value, indent)))


def safe_for_terminal(text: str) -> str:
    """Escape in JSON text what a terminal obeys or hides; the text still means the same."""
    if text.isascii() and "\x7f" not in text:
        return text
    return _UNSAFE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def _quick(value: Json) -> str | None:
    if not library_pays(0):
        return None
    import orjson

    try:
        data = orjson.dumps(value)
    except (orjson.JSONEncodeError, RecursionError):
        return None
    return None if _MAYBE_FLOAT.search(data) else data.decode()


def _pieces(value: Json, indent: int | None) -> list[str]:
    """The parts of the text. Nesting is kept on a list of our own, so that its depth does not matter."""
    parts: list[str] = []
    # Work still to be done, last first: text to write, or a value with its depth.
    pending: list[str | tuple[Json, int]] = [(value, 0)]
    colon = ":" if indent is None else ": "
    while pending:
        work = pending.pop()
        if isinstance(work, str):
            parts.append(work)
            continue
        node, depth = work
        if is_object(node):
            members: list[tuple[str, Json]] = [(encode_basestring(key) + colon, node[key]) for key in node]
            brackets = "{}"
        elif is_array(node):
            members = [("", item) for item in node]
            brackets = "[]"
        else:
            parts.append(_scalar(node))
            continue
        if not members:
            parts.append(brackets)
            continue
        inner = "" if indent is None else "\n" + " " * (indent * (depth + 1))
        outer = "" if indent is None else "\n" + " " * (indent * depth)
        pending.append(outer + brackets[1])
        for number in range(len(members) - 1, -1, -1):
            head, member = members[number]
            pending.append((member, depth + 1))
            pending.append(("," if number else brackets[0]) + inner + head)
    return parts


def _scalar(value: Json) -> str:
    match value:
        case str():
            return encode_basestring(value)
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return format_int(value)
        case float():
            return format_float(value)
        case _:
            raise TypeError(type(value).__name__)
