"""Which places a merge patch sets, as JSON Pointers in bytes: small, and of any text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine.values.types import JsonObject

# Keys come again and again; their spelling is kept for so many.
_KEPT: Final = 100_000
_segments: dict[str, bytes] = {}


def pointer_bytes(path: Iterable[str | int]) -> bytes:
    """The pointer of a path, as `touched` spells it: a position is the patch key `[N]`."""
    return b"".join([_segment(f"[{key}]" if isinstance(key, int) else key) for key in path])


def touched(patch: JsonObject) -> tuple[list[bytes], list[bytes]]:
    """The places that a patch sets or deletes as a whole, and those above them that it only leads through."""
    leaves: list[bytes] = []
    above: list[bytes] = []
    pending: list[tuple[JsonObject, bytes]] = [(patch, b"")]
    known = _segments
    for node, start in pending:
        for key, value in node.items():
            path = start + (known.get(key) or _segment(key))
            if isinstance(value, dict) and value:
                above.append(path)
                pending.append((value, path))
            else:
                leaves.append(path)
    return leaves, above


def _segment(key: str) -> bytes:
    found = _segments.get(key)
    if found is None:
        if len(_segments) >= _KEPT:
            _segments.clear()
        spelled = key.replace("~", "~0").replace("/", "~1") if "~" in key or "/" in key else key
        found = _segments[key] = b"/" + spelled.encode("utf-8", "surrogatepass")
    return found
