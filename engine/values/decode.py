"""Strict decoding of stored bytes, with a note on everything that encoding again would not bring back."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from engine.errors import DecodeError
from engine.values.fast import fast_paths
from engine.values.notes import Note
from engine.values.slices import parse_slices
from engine.values.strict import parse
from engine.values.types import MAX_DEPTH, Json

_SPACED_EMPTY: Final = (b"{ ", b"{\n", b"{\t", b"{\r")  # may be an empty object with white space in it
_BLANK: Final = b" \t\r\n"
_FAST_DEPTH: Final = 254  # what orjson writes at most, so a document that passes is no deeper
_DOUBTFUL_SLICE: Final = 65_536  # where one odd number would else send a large document the slow way
_LARGE: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class Decoded:
    """A value and what is known of its bytes.

    `exact`: no notes; the value holds all that the text says. `has_null` and `has_empty_object` come from a search of
    the bytes: False is certain, True means maybe.
    """

    value: Json
    notes: tuple[Note, ...]
    exact: bool
    has_null: bool
    has_empty_object: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a JSONL file: `number` counts from 1, `raw` is without its line end."""

    number: int
    raw: bytes
    decoded: Decoded


def decode(data: bytes, *, max_depth: int = MAX_DEPTH, slice_bytes: int | None = None) -> Decoded:
    """Decode one JSON document.

    Raises DecodeError: `byte-order-mark`, `nul-bytes`, `control-character`, `not-json`, `too-deep`, `number-range`.
    With `slice_bytes` no single step of the parser works on much more than that many bytes.
    """
    return _decode(data, max_depth, slice_bytes, 1)


def decode_lines(data: bytes, *, max_depth: int = MAX_DEPTH) -> tuple[Line, ...]:
    """Decode a JSONL file: one document a line, blank lines skipped, CR LF accepted, the last line end optional."""
    lines: list[Line] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        raw = line.removesuffix(b"\r")
        if raw.strip(_BLANK):
            lines.append(Line(number, raw, _decode(raw, max_depth, None, number)))
    return tuple(lines)


def _decode(data: bytes, max_depth: int, slice_bytes: int | None, first_line: int) -> Decoded:
    has_null = b"null" in data
    # Looking from the end is three times as fast as from the start here.
    has_empty = data.rfind(b"{}") >= 0
    if fast_paths():
        body = data.strip(_BLANK)
        with _collector_at_rest(len(body)):
            found = _proved(body, max_depth) if slice_bytes is None or len(body) <= slice_bytes else None
            if found is not None:
                return Decoded(found[0], (), True, has_null, has_empty)
            if len(body) >= _LARGE:
                found = _in_slices(body, max_depth, _DOUBTFUL_SLICE if slice_bytes is None else slice_bytes)
    else:
        found = None
    value, notes = parse(data, max_depth, first_line) if found is None else (found[0], ())
    has_empty = has_empty or any(data.rfind(mark) >= 0 for mark in _SPACED_EMPTY)
    return Decoded(value, notes, not notes, has_null, has_empty)


def _in_slices(data: bytes, max_depth: int, slice_bytes: int) -> tuple[Json] | None:
    def parse_slice(text: bytes) -> tuple[Json] | None:
        return _proved(text, max_depth) or _unremarkable(text, max_depth)

    return parse_slices(data, slice_bytes, max_depth, parse_slice)


def _proved(data: bytes, max_depth: int) -> tuple[Json] | None:
    """The value, when writing it again gives the same bytes: then nothing was rounded, dropped or mended.

    What orjson writes has at most so many levels; wrapping the value uses up those that are not allowed.
    """
    import orjson

    spare = max(0, _FAST_DEPTH - max_depth)
    try:
        value: Json = orjson.loads(data)
        wrapped: Json = value
        for _ in range(spare):
            wrapped = [wrapped]
        again = orjson.dumps(wrapped)
    except (ValueError, TypeError, RecursionError):
        return None
    return (value,) if len(again) == len(data) + 2 * spare and again.startswith(data, spare) else None


def _unremarkable(data: bytes, max_depth: int) -> tuple[Json] | None:
    """The value of a slice that the strict reader takes without a note."""
    try:
        value, notes = parse(data, max_depth)
    except DecodeError:
        return None
    return None if notes else (value,)


@contextmanager
def _collector_at_rest(size: int) -> Iterator[None]:
    """Spare a large parse the repeated search for garbage among what it has just made."""
    if size < _LARGE or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
