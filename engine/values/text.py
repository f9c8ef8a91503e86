"""Canonical JSON text in plain Python: right for every value, slow for large ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from json.encoder import encode_basestring
from typing import Final

from engine.errors import InvalidRequest
from engine.values.numbers import format_float
from engine.values.paths import utf16_order
from engine.values.types import Json

_SURROGATE: Final = re.compile("[\ud800-\udfff]")

FormatInt = Callable[[int], str]


def write(value: Json, format_int: FormatInt) -> str:
    """The text of a value: no spaces, canonical key order, doubles as JavaScript prints them.

    Raises InvalidRequest: `number-range` for NaN and infinity, `too-deep` for nesting that exhausts the stack.
    """
    parts: list[str] = []
    try:
        _write(value, format_int, parts.append)
    except RecursionError:
        raise InvalidRequest("too-deep", "the value is nested too deeply to be written") from None
    return escape_surrogates("".join(parts))


def escape_surrogates(text: str) -> str:
    """JSON text with split surrogate pairs joined and single surrogates written as `\\udXXX`."""
    if text.isascii() or _SURROGATE.search(text) is None:
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", joined)


def _write(value: Json, format_int: FormatInt, emit: Callable[[str], None]) -> None:
    if isinstance(value, str):
        emit(encode_basestring(value))
    elif value is None:
        emit("null")
    elif value is True:
        emit("true")
    elif value is False:
        emit("false")
    elif isinstance(value, int):
        emit(format_int(value))
    elif isinstance(value, float):
        emit(format_float(value))
    elif isinstance(value, dict):
        before = "{"
        for key in utf16_order(value):
            emit(f"{before}{encode_basestring(key)}:")
            _write(value[key], format_int, emit)
            before = ","
        emit("}" if value else "{}")
    elif isinstance(value, list):
        before = "["
        for item in value:
            emit(before)
            _write(item, format_int, emit)
            before = ","
        emit("]" if value else "[]")
    else:
        raise InvalidRequest("not-json", f"a {type(value).__name__} is not a JSON value")
