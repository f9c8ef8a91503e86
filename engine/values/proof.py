"""Fast parsing that proves itself: what writes back to the same bytes was read without any loss."""

from __future__ import annotations

from typing import Final

from engine.errors import DecodeError
from engine.records import dataclass
from engine.values.strict import parse
from engine.values.types import Json

_FAST_DEPTH: Final = 254  # the levels that orjson writes at most, so what passes has no more


@dataclass(frozen=True, slots=True)
class Proved:
    """A value that its text states exactly.

    `wide`: there may be integers beyond 2^53. `compact`: there is no white space outside of strings.
    """

    value: Json
    wide: bool
    compact: bool


def prove(text: bytes, max_depth: int) -> Proved | None:
    """The value of an object or array, when writing it again gives the same bytes: then nothing was rounded or lost."""
    import orjson

    if text[:1] not in (b"{", b"["):
        return None
    # Wrapping uses up the levels that are not allowed, so that the text proves its depth as well.
    spare = max(0, _FAST_DEPTH - max_depth)
    wide = False
    try:
        value: Json = orjson.loads(text)
        wrapped: Json = value
        for _ in range(spare):
            wrapped = [wrapped]
        try:
            again = orjson.dumps(wrapped, option=orjson.OPT_STRICT_INTEGER)
        except TypeError:
            wide = True
            again = orjson.dumps(wrapped)
    except (ValueError, TypeError, RecursionError):
        return None
    if len(again) != len(text) + 2 * spare or not again.startswith(text, spare):
        return None
    return Proved(value, wide, compact=True)


def take(text: bytes, max_depth: int) -> Proved | None:
    """The value of text that the strict reader accepts with no other remark than one on wide integers."""
    try:
        value, notes = parse(text, max_depth)
    except DecodeError:
        return None
    if any(note.code != "big-integer" for note in notes):
        return None
    return Proved(value, bool(notes), compact=False)
