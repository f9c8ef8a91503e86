"""Strict decoding of stored bytes, with a note on everything that encoding again would not bring back."""

from __future__ import annotations

from typing import Final

from engine.records import dataclass
from engine.values.collector import collector_at_rest
from engine.values.fast import fast_paths, library_pays
from engine.values.notes import Note, Place
from engine.values.proof import Proved, prove, take
from engine.values.scan import locate, wide_integers
from engine.values.slices import parse_slices
from engine.values.strict import parse
from engine.values.types import MAX_DEPTH, Json

_SPACED_EMPTY: Final = (b"{ ", b"{\n", b"{\t", b"{\r")  # may start an empty object
_BLANK: Final = b" \t\r\n"
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


def decode_lines(data: bytes, *, max_depth: int = MAX_DEPTH, slice_bytes: int | None = None) -> tuple[Line, ...]:
    """Decode a JSONL file: one document a line, blank lines skipped, CR LF accepted, the last line end optional.

    Raises DecodeError with the line of the file. Only a line feed ends a line.
    """
    lines: list[Line] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        raw = line.removesuffix(b"\r")
        if raw.strip(_BLANK):
            lines.append(Line(number, raw, _decode(raw, max_depth, slice_bytes, number)))
    return tuple(lines)


def _decode(data: bytes, max_depth: int, slice_bytes: int | None, first_line: int) -> Decoded:
    # Looking from the end is two or three times as fast as from the start here.
    has_null = data.rfind(b"null") >= 0
    has_empty = data.rfind(b"{}") >= 0
    if fast_paths() and library_pays(len(data)):
        text = data.rstrip(_BLANK)
        if slice_bytes is None and len(text) < _LARGE:
            found = prove(text, max_depth)
        else:
            with collector_at_rest():
                found = _fast(text, max_depth, slice_bytes)
        if found is not None:
            notes = _wide_notes(text, found.compact, first_line) if found.wide else ()
            has_empty = has_empty or (not found.compact and _may_hold_spaced_empty(text))
            return Decoded(found.value, notes, not notes, has_null, has_empty)
    value, notes = parse(data, max_depth, first_line)
    return Decoded(value, notes, not notes, has_null, has_empty or _may_hold_spaced_empty(data))


def _may_hold_spaced_empty(data: bytes) -> bool:
    return any(data.rfind(mark) >= 0 for mark in _SPACED_EMPTY)


def _wide_notes(text: bytes, compact: bool, first_line: int) -> tuple[Note, ...]:
    if compact:  # it is one line
        return tuple(Note(code, first_line, offset + 1, detail) for code, offset, detail in wide_integers(text))
    place = Place(text.decode(), first_line)
    return place.notes(locate(place.text))


def _fast(data: bytes, max_depth: int, slice_bytes: int | None) -> Proved | None:
    """The value where it can be proved, in slices where that is asked for or the whole cannot be proved."""
    if slice_bytes is None or len(data) <= slice_bytes:
        found = prove(data, max_depth)
        if found is not None or len(data) < _LARGE:
            return found
        slice_bytes = _DOUBTFUL_SLICE
    return parse_slices(data, slice_bytes, max_depth, lambda text: prove(text, max_depth) or take(text, max_depth))
