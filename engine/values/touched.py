"""Which places a merge patch sets, as JSON Pointers in bytes: small, and of any text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from engine.values.types import JsonObject

Place: TypeAlias = "tuple[bytes, bytes, dict[str, Place]]"
"""A place by its two names, set and led through, and the places below it."""

# A place that was led through has a name that no pointer has: this byte is in no text.
THROUGH: Final = b"\xff"
# Places come again and again; so many are kept by name.
_KEPT: Final = 50_000
_known: dict[bytes, dict[str, Place]] = {}
_count = 0


def pointer_bytes(path: Iterable[str | int]) -> bytes:
    """The pointer of a path, as `touched` spells it: a position is the patch key `[N]`."""
    return b"".join([_segment(f"[{key}]" if isinstance(key, int) else key) for key in path])


def touched(patch: JsonObject, root: bytes = b"") -> list[bytes]:
    """Name the places that a patch sets or deletes as a whole, and those above them that it only leads through.

    The latter end in `THROUGH`. All names begin with `root`.
    """
    below = _known.get(root)
    if below is None or _count > _KEPT:
        below = _forget(root)
    names: list[bytes] = []
    pending = [(patch, below, root)]
    for node, places, start in pending:
        for key, value in node.items():
            place = places.get(key) or _place(places, key, start)
            if isinstance(value, dict) and value:
                names.append(place[1])
                pending.append((value, place[2], place[0]))
            else:
                names.append(place[0])
    return names


def _place(places: dict[str, Place], key: str, start: bytes) -> Place:
    global _count
    _count += 1
    name = start + _segment(key)
    found: Place = (name, name + THROUGH, {})
    places[key] = found
    return found


def _forget(root: bytes) -> dict[str, Place]:
    global _count
    if _count > _KEPT or len(_known) > _KEPT:
        _known.clear()
        _count = 0
    return _known.setdefault(root, {})


def _segment(key: str) -> bytes:
    spelled = key.replace("~", "~0").replace("/", "~1") if "~" in key or "/" in key else key
    return b"/" + spelled.encode("utf-8", "surrogatepass")
