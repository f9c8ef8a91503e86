"""Canonical text by orjson, wherever its output can be seen, or made, to be the same.

The checks are searches with a literal start, which cost little more than a look at each byte.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import is_
from typing import Any, Final

from engine.values.fast import WORTH_LOADING, fast_paths, library_pays
from engine.values.numbers import format_float
from engine.values.outside import SHAPES
from engine.values.paths import utf16_order
from engine.values.types import Json

# Exponents, whole doubles (`1.0`): JavaScript may print them otherwise.
_ODD_FLOAT: Final = re.compile(rb",[01]+(?:\.[01]+)?(?:e|(?<=\.0),)")
# A quote inside of a string is always escaped, so this is a whole key.
_INDEX_KEY: Final = re.compile(rb'"[0-9]{1,10}":')
_KEY_END: Final = re.compile(rb'":')
_ASTRAL: Final = (b"\xf0", b"\xf1", b"\xf2", b"\xf3", b"\xf4")
_ABOVE_SURROGATES: Final = (b"\xee", b"\xef")
_NARROW: Final = 2**53  # integers below this are written as they are by everybody


def quick_bytes(value: Json, format_int: Callable[[int], str], *, exact: bool) -> bytes | None:
    """The canonical text, or None where only the slow writer is sure to be right.

    `format_int` writes integers beyond 2^53; with `exact` it keeps all their digits.
    """
    if not fast_paths() or isinstance(value, (int, float)):
        return None
    if not library_pays(0) and _is_small(value):
        return None
    import orjson

    try:
        text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | (0 if exact else orjson.OPT_STRICT_INTEGER))
    except (TypeError, RecursionError):
        text = None  # single surrogates, too wide integers, more than 254 levels
    if text is not None and not _may_differ(text):
        return text
    try:
        return orjson.dumps(_arranged(value, format_int, orjson.Fragment))
    except (TypeError, RecursionError):
        return None


def _may_differ(text: bytes) -> bool:
    if _INDEX_KEY.search(text) or _has_odd_float(text.translate(SHAPES)):
        return True
    return not text.isascii() and _may_sort_otherwise(text)


def _is_small(value: Json) -> bool:
    """Whether the text of a value is short; stops looking where it is not."""
    room = WORTH_LOADING
    pending: list[Json] = [value]
    while pending and room > 0:
        node = pending.pop()
        room -= 8
        if isinstance(node, str):
            room -= len(node)
        elif isinstance(node, dict):
            room -= sum(map(len, node)) + 4 * len(node)
            pending.extend(node.values())
        elif isinstance(node, list):
            pending.extend(node)
    return room > 0


def _has_odd_float(shapes: bytes) -> bool:
    # Most text has none of these three, and a search from the end for two characters is the cheapest there is.
    if shapes.rfind(b"1e") < 0 and shapes.rfind(b"0e") < 0 and shapes.rfind(b".0,") < 0:
        return False
    return _ODD_FLOAT.search(shapes) is not None


def _may_sort_otherwise(text: bytes) -> bool:
    """Whether UTF-16 order can differ from the order of code points: some key is astral or above the surrogates."""
    if not any(lead in text for lead in _ASTRAL) or not any(lead in text for lead in _ABOVE_SURROGATES):
        return False
    for found in _KEY_END.finditer(text):
        end = found.start()
        key = text[text.rfind(b'"', 0, end) - 1 : end]
        if key[0] == ord("\\") or (not key.isascii() and max(key) >= _ABOVE_SURROGATES[0][0]):
            return True
    return False


def _arranged(value: Any, format_int: Callable[[int], str], fragment: Callable[[bytes], Any]) -> Any:
    """The value with members in canonical order and ready text for numbers that orjson writes otherwise.

    Parts that need neither stay the same objects.
    """
    if isinstance(value, str) or value is None or isinstance(value, bool):
        return value
    if isinstance(value, dict):
        keys = utf16_order(value)
        members: dict[str, Any] = {}
        same = list(value) == keys
        for key in keys:  # no comprehension: it would take a second frame for each level
            item = value[key]
            members[key] = arranged = _arranged(item, format_int, fragment)
            same = same and arranged is item
        return value if same else members
    if isinstance(value, list):
        items: list[Any] = []
        for item in value:
            items.append(_arranged(item, format_int, fragment))  # noqa: PERF401 -- as above
        return value if all(map(is_, items, value)) else items
    if isinstance(value, float):
        return fragment(format_float(value).encode())
    return value if -_NARROW < value < _NARROW else fragment(format_int(value).encode())
