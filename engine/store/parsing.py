"""Decoding of captured bytes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from engine.records import dataclass
from engine.values import MAX_DEPTH, Decoded, Json, JsonObject, Note, decode, decode_lines, fast_paths
from engine.values.fast import library_pays

_WIDE_INTEGER: Final = re.compile(rb"[0-9]{16}")
_BLANK: Final = b" \t\r\n"


@dataclass(frozen=True, slots=True)
class TailLine:
    """One retained patch: `number` counts the lines of the file from 1, `raw` is without its line end."""

    number: int
    raw: bytes
    value: Json
    notes: tuple[Note, ...]


def document(data: bytes, slice_bytes: int | None) -> Decoded:
    """Decode one document; raises DecodeError."""
    return decode(data, slice_bytes=slice_bytes)


def lines(data: bytes, held: Mapping[bytes, list[JsonObject]]) -> list[TailLine]:
    """The retained patches; those whose bytes are in `held`, which is used up, are not decoded again.

    Raises DecodeError.
    """
    if not held or not fast_paths():
        found = _all_at_once(data)
        if found is not None:
            return found
        return [TailLine(line.number, line.raw, line.decoded.value, line.decoded.notes) for line in decode_lines(data)]
    found = []
    for number, line in enumerate(data.split(b"\n"), 1):
        raw = line.removesuffix(b"\r")
        known = held.get(raw)
        if known:
            found.append(TailLine(number, raw, known.pop(0), ()))
        elif raw.strip(_BLANK):
            # The empty lines before it are there for the sake of the line number in an error.
            decoded = decode_lines(b"\n" * (number - 1) + raw)[0].decoded
            found.append(TailLine(number, raw, decoded.value, decoded.notes))
    return found


def _all_at_once(data: bytes) -> list[TailLine] | None:
    """The patches of a tail as agents write it, by one call of the parser; None for any other.

    Writing each value again gives exactly its line, so each line is a document of its own, without anything to note.
    """
    if not fast_paths() or not library_pays(len(data)) or not data or _WIDE_INTEGER.search(data):
        return None
    import orjson

    raws = data.split(b"\n")
    if not raws[-1]:
        raws.pop()
    try:
        values: list[Json] = orjson.loads(b"[%b]" % b",".join(raws))
        if len(values) != len(raws):
            return None
        found: list[TailLine] = []
        for number, (raw, value) in enumerate(zip(raws, values, strict=True), 1):
            if orjson.dumps(value) != raw or raw.count(b"{") + raw.count(b"[") > MAX_DEPTH:
                return None
            found.append(TailLine(number, raw, value, ()))
    except (ValueError, TypeError, RecursionError):
        return None
    return found


def spells(data: bytes, chunks: Sequence[bytes]) -> bool:
    """Whether a file holds exactly these chunks and a line end."""
    if len(data) != sum(map(len, chunks)) + 1 or not data.endswith(b"\n"):
        return False
    start = 0
    for chunk in chunks:
        if not data.startswith(chunk, start):
            return False
        start += len(chunk)
    return True
