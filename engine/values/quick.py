"""Canonical text by orjson, wherever its output can be seen to be the same.

The checks are searches with a literal start, which cost little more than a look at each byte.
"""

from __future__ import annotations

import re
from typing import Final

from engine.values.fast import fast_paths
from engine.values.outside import SHAPES
from engine.values.types import Json

# Exponents, whole doubles (`1.0`): JavaScript may print them otherwise.
_ODD_FLOAT: Final = re.compile(rb",[01]+(?:\.[01]+)?(?:e|(?<=\.0),)")
# A quote inside of a string is always escaped, so this is a whole key.
_INDEX_KEY: Final = re.compile(rb'"[0-9]{1,10}":')
_KEY_END: Final = re.compile(rb'":')
_ASTRAL: Final = (b"\xf0", b"\xf1", b"\xf2", b"\xf3", b"\xf4")
_ABOVE_SURROGATES: Final = (b"\xee", b"\xef")


def quick_bytes(value: Json, *, exact: bool) -> bytes | None:
    """The canonical text, or None where only the slow writer is sure to be right.

    `exact` keeps integers beyond 2^53 as they are.
    """
    if not fast_paths() or isinstance(value, (int, float)):
        return None
    import orjson

    try:
        text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | (0 if exact else orjson.OPT_STRICT_INTEGER))
    except (TypeError, RecursionError):
        return None  # single surrogates, too wide integers, more than 254 levels
    if _INDEX_KEY.search(text):
        return None
    if _has_odd_float(text.translate(SHAPES)):
        return None
    if not text.isascii() and _may_sort_otherwise(text):
        return None
    return text


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
