"""A second look at text that is known to be JSON, for the places of what needs a note."""

from __future__ import annotations

import json
import re
from typing import Final

from engine.values.numbers import is_rounded, parse_int

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|[\[\]{}:,]', re.DOTALL)
_INTEGER: Final = re.compile(r"-?[0-9]+")


def locate(text: str) -> list[tuple[str, int, str]]:
    """Code, offset and detail of every duplicate key and every integer that JavaScript would round."""
    found: list[tuple[str, int, str]] = []
    keys: list[set[str] | None] = []
    expects_key = False
    for token in _TOKEN.finditer(text):
        piece = token[0]
        mark = piece[0]
        if mark == '"':
            if expects_key:
                expects_key = False
                key = json.loads(piece)
                seen = keys[-1]
                assert seen is not None
                if key in seen:
                    found.append(
                        ("duplicate-key", token.start(), f"the key {piece} is given twice; the last one counts")
                    )
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
        elif mark != ":" and len(piece) > 15 and _INTEGER.fullmatch(piece) and is_rounded(parse_int(piece)):
            shown = piece if len(piece) <= 40 else f"{piece[:20]}... ({len(piece.lstrip('-'))} digits)"
            found.append(("big-integer", token.start(), f"{shown} is kept, but a JavaScript agent will round it"))
    return found
