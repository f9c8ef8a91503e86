"""Canonical text by orjson, wherever its output can be seen to be the same."""

from __future__ import annotations

import re
from typing import Final

from engine.values.fast import fast_paths
from engine.values.types import Json

# A number that follows a structural character and has an exponent or ends in `.0`: JavaScript may print it otherwise.
_ODD_FLOAT: Final = re.compile(rb"[:,\[]-?[0-9]+(?:\.[0-9]+)?(?:e|(?<=\.0)[,}\]])")
_WIDE_INTEGER: Final = re.compile(rb"[:,\[]-?[0-9]{16}")
# A quote inside of a string is always escaped, so this is a key, in whole.
_INDEX_KEY: Final = re.compile(rb'[{,]"[0-9]{1,10}":')
_ASTRAL: Final = re.compile(rb"[\xf0-\xf4]")
_ABOVE_SURROGATES: Final = re.compile(rb"[\xee\xef]")


def quick_bytes(value: Json, *, exact: bool) -> bytes | None:
    """The canonical text, or None where only the slow writer is sure to be right.

    `exact` keeps integers beyond 2^53 as they are.
    """
    if not fast_paths():
        return None
    import orjson

    if isinstance(value, (int, float)):
        return None
    try:
        text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except (TypeError, RecursionError):
        return None  # lone surrogates, integers above 64 bit, more than 254 levels
    if _ODD_FLOAT.search(text) or _INDEX_KEY.search(text):
        return None
    if not exact and _WIDE_INTEGER.search(text):
        return None
    if not text.isascii() and _ASTRAL.search(text) and _ABOVE_SURROGATES.search(text):
        return None  # keys sorted by code point may differ from UTF-16 order
    return text
