"""Which places a merge patch sets, as JSON Pointers in bytes: small, and of any text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeVar

from engine.values.types import JsonObject

T = TypeVar("T")

# A place that was led through has a name that no pointer has: this byte is in no text.
THROUGH: Final = b"\xff"
# Places come again and again; so many are kept by name.
_KEPT: Final = 50_000


class _Place(dict[str, "_Place"]):
    """A place by its names, set and led through, and the places below it: each is there once it is asked for."""

    __slots__ = ("name", "through")

    def __init__(self, name: bytes) -> None:
        super().__init__()
        self.name = name
        self.through = name + THROUGH

    def __missing__(self, key: str) -> _Place:
        global _count
        _count += 1
        place = self[key] = _Place(self.name + _segment(key))
        return place


_roots: dict[bytes, _Place] = {}
_count = 0


def pointer_bytes(path: Iterable[str | int]) -> bytes:
    """The pointer of a path, as `touched` spells it: a position is the patch key `[N]`."""
    return b"".join([_segment(f"[{key}]" if isinstance(key, int) else key) for key in path])


def touched(patch: JsonObject, root: bytes, told: T) -> dict[bytes, T]:
    """Name the places that a patch sets or deletes as a whole, and those above them that it only leads through.

    The latter end in `THROUGH`. All names begin with `root`, and `told` is said of each.
    """
    names: dict[bytes, T] = {}
    pending = [(patch, _root(root))]
    for node, places in pending:
        for key, value in node.items():
            place = places[key]
            if isinstance(value, dict) and value:
                names[place.through] = told
                pending.append((value, place))
            else:
                names[place.name] = told
    return names


def _root(name: bytes) -> _Place:
    global _count
    if _count > _KEPT:
        _roots.clear()
        _count = 0
    found = _roots.get(name)
    if found is None:
        _count += 1
        found = _roots[name] = _Place(name)
    return found


def _segment(key: str) -> bytes:
    spelled = key.replace("~", "~0").replace("/", "~1") if "~" in key or "/" in key else key
    return b"/" + spelled.encode("utf-8", "surrogatepass")
