"""Indented JSON text for people."""

from __future__ import annotations

import re
from collections.abc import Callable
from json.encoder import encode_basestring
from typing import Final

from engine.errors import InvalidRequest
from engine.values.encode import encode
from engine.values.fast import fast_paths
from engine.values.text import escape_surrogates
from engine.values.types import Json

# As in quick.py, for text in which a space or a line end stands before each number.
_SHAPES: Final = bytes.maketrans(b"123456789-\n", b"1111111111,")
_ODD_FLOAT: Final = re.compile(rb" [01]+(?:\.[01]+)?(?:e|(?<=\.0)[,])")


def pretty(value: Json, indent: int = 2) -> str:
    """Text with each member on a line of its own, in the order of the value; numbers as the store writes them.

    Single surrogates are escaped. Raises InvalidRequest as `encode` does.
    """
    quick = _quick(value) if indent == 2 and fast_paths() else None
    if quick is not None:
        return quick
    parts: list[str] = []
    try:
        _write(value, "\n", " " * indent, parts.append)
    except RecursionError:
        raise InvalidRequest("too-deep", "the value is nested too deeply to be written") from None
    return escape_surrogates("".join(parts))


def _quick(value: Json) -> str | None:
    if not isinstance(value, (dict, list)):
        return None
    import orjson

    try:
        text = orjson.dumps(value, option=orjson.OPT_INDENT_2)
    except (TypeError, RecursionError):
        return None
    if _ODD_FLOAT.search(text.translate(_SHAPES)):
        return None
    return text.decode()


def _write(value: Json, line: str, step: str, emit: Callable[[str], None]) -> None:
    if isinstance(value, dict) and value:
        below = line + step
        before = "{"
        for key, item in value.items():
            emit(f"{before}{below}{encode_basestring(key)}: ")
            _write(item, below, step, emit)
            before = ","
        emit(line + "}")
    elif isinstance(value, list) and value:
        below = line + step
        before = "["
        for item in value:
            emit(before + below)
            _write(item, below, step, emit)
            before = ","
        emit(line + "]")
    else:
        emit(encode(value).decode())
