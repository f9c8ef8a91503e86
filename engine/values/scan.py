"""A second look at text that is known to be JSON, for the places of what needs a note."""

from __future__ import annotations

import json
import re
from typing import Final

from engine.values.notes import Finding
from engine.values.numbers import is_finite, is_rounded
from engine.values.outside import SHAPES, without_escapes

_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*|[\[\]{}:,]', re.DOTALL)
_INTEGER: Final = re.compile(r"-?[0-9]+")
_WIDE_INTEGER: Final = re.compile(rb",([01]{16,})(?=,)")
_SHOWN: Final = 40


def locate(text: str) -> list[Finding]:
    """Every duplicate key and every integer that JavaScript would round."""
    found: list[Finding] = []
    keys: list[set[str] | None] = []
    expects_key = False
    for token in _TOKEN.finditer(text):
        piece = token[0]
        mark = piece[0]
        if mark == '"':
            if expects_key:
                expects_key = False
                key: str = json.loads(piece)
                seen = keys[-1]
                assert seen is not None
                if key in seen:
                    detail = f"the key {_shown(piece)} is given twice; the last one counts"
                    found.append(("duplicate-key", token.start(), detail))
                seen.add(key)
        elif mark == "{":
            keys.append(set())
            expects_key = True
        elif mark == "[":
            keys.append(None)
            expects_key = False
        elif mark in "]}":
            keys.pop()
            expects_key = False
        elif mark == ",":
            expects_key = keys[-1] is not None
        elif mark != ":" and len(piece) > 15 and _INTEGER.fullmatch(piece) and is_rounded(piece):
            found.append(_wide(piece, token.start()))
    return found


def wide_integers(text: bytes) -> list[Finding]:
    """Every integer that JavaScript would round, in text without white space outside of strings."""
    found: list[Finding] = []
    inside = False
    seen = offset = 0  # bytes looked at, and the characters that they make
    for number in _WIDE_INTEGER.finditer(text.translate(SHAPES)):
        start, end = number.span(1)
        inside ^= without_escapes(text[seen:start]).count(b'"') % 2 == 1
        offset += len(text[seen:start].decode())
        seen = start
        piece = text[start:end].decode()
        if not inside and is_rounded(piece):
            found.append(_wide(piece, offset))
    return found


def _wide(piece: str, offset: int) -> Finding:
    held = is_finite(piece)
    what = "round it" if held else "take it for infinite, and could not keep memory that holds it"
    return "big-integer", offset, f"{_shown(piece)} is kept, but a JavaScript agent would {what}"


def _shown(piece: str) -> str:
    return piece if len(piece) <= _SHOWN else f"{piece[:20]}... ({len(piece)} characters)"
