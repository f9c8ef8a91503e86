"""Decoding of captured bytes, kept short for the collector and for other threads."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from engine.values import Decoded, Json, JsonObject, Note, decode, decode_lines, fast_paths

LARGE_BYTES: Final = 1 << 18
"""From here on the collector is held back: it would walk everything that the parser has just made."""

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
    if len(data) < LARGE_BYTES:
        return decode(data)
    with _uncollected():
        return decode(data, slice_bytes=slice_bytes)


def lines(data: bytes, held: Mapping[bytes, list[JsonObject]]) -> list[TailLine]:
    """The retained patches; those whose bytes are in `held`, which is used up, are not decoded again.

    Raises DecodeError.
    """
    if not held or not fast_paths():
        return [TailLine(line.number, line.raw, line.decoded.value, line.decoded.notes) for line in decode_lines(data)]
    found: list[TailLine] = []
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


_paused = 0
_pausing = threading.Lock()


@contextmanager
def _uncollected() -> Iterator[None]:
    """Hold the cyclic collector back, for as long as any thread parses."""
    global _paused
    with _pausing:
        if _paused or gc.isenabled():
            _paused += 1
            counted = True
            gc.disable()
        else:
            counted = False  # somebody else keeps it off
    try:
        yield
    finally:
        if counted:
            with _pausing:
                _paused -= 1
                if not _paused:
                    gc.enable()
