"""The hint about lazy memory that a model is given: whether there is any, where, and its immediate keys while they are few."""

from __future__ import annotations

from typing import Final

from engine.memory.dialect import Dialect
from engine.values import Json, JsonObject, canonical, enumeration_order, is_object, kind

# The hint names the keys of lazy memory only while they are few and short.
MOST_KEYS: Final = 32
MOST_CHARACTERS: Final = 1024

LAZY: Final = "lazy"


def lazy_navigation(dialect: Dialect, view: JsonObject) -> JsonObject:
    """Whether effective memory `view` has lazy content, where, and its immediate keys and kinds while they are few.

    Empty branches count as absent. No body is ever part of it.
    """
    path = f"effective.{LAZY}"
    lazy = view.get(LAZY) if LAZY in dialect.planes else None
    kept = _kinds(lazy) if is_object(lazy) else {}
    if not kept:
        return {"available": False, "path": path}
    if len(kept) <= MOST_KEYS and _utf16_length(canonical(kept)) <= MOST_CHARACTERS:
        return {"available": True, "path": path, "keys": kept}
    return {"available": True, "path": path}


def is_hollow(value: Json) -> bool:
    """Whether nothing but empty objects is there. Stops at the first thing that is something."""
    return is_object(value) and all(is_hollow(member) for member in value.values())


def _kinds(lazy: JsonObject) -> dict[str, Json]:
    """Key -> kind of what is not empty; stops once there are too many to be named."""
    kinds: dict[str, Json] = {}
    for key in enumeration_order(lazy):
        if not is_hollow(lazy[key]):
            kinds[key] = kind(lazy[key])
            if len(kinds) > MOST_KEYS:
                break
    return kinds


def _utf16_length(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)
