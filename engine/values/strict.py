"""The strict reader: json.loads with hooks, and every refusal with its place."""

from __future__ import annotations

import json
import math
import re
from itertools import accumulate
from typing import Final, NoReturn

from engine.errors import DecodeError
from engine.values.notes import Note, Place
from engine.values.numbers import MAX_DIGITS, TooLong, is_rounded, parse_int
from engine.values.outside import brackets
from engine.values.scan import locate
from engine.values.types import Json

_BOMS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_STEP: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_STRING: Final = r'"[^"\\]*(?:\\.[^"\\]*)*"?'
_BRACKET: Final = re.compile(_STRING + r"|[\[\]{}]", re.DOTALL)
_WORD: Final = re.compile(_STRING + r"|[-+0-9.eEa-zA-Z]+", re.DOTALL)
_SPACE: Final = " \t\r\n"
_STRETCH: Final = 4096
_SHOWN: Final = 40


class _OutOfRange(Exception):
    """A literal that is no number of JSON."""


def parse(data: bytes, max_depth: int, first_line: int = 1) -> tuple[Json, tuple[Note, ...]]:
    """The value of a document and the notes on it. Raises DecodeError as `decode` says."""
    if data.startswith(_BOMS):
        raise DecodeError("byte-order-mark", "the text starts with a byte order mark", line=first_line, column=1)
    notes: list[Note] = []
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "replace")
        sound = len(data[: error.start].decode())
        detail = "bytes that are not UTF-8 are read as U+FFFD, and writing them again destroys them"
        notes.extend(Place(text, first_line).notes([("replacement-characters", sound, detail)]))
    place = Place(text, first_line)
    if "\0" in text:
        raise place.refuse("nul-bytes", "the text holds NUL bytes", text.index("\0"))
    if not _depth_within(data, max_depth):
        raise place.refuse("too-deep", f"nested deeper than {max_depth} levels", _too_deep_at(text, max_depth))
    value, remarkable = _load(text, place)
    if remarkable:
        notes.extend(place.notes(locate(text)))
    return value, tuple(notes)


def _depth_within(data: bytes, max_depth: int) -> bool:
    if data.count(b"[") + data.count(b"{") <= max_depth:
        return True
    found = brackets(data)
    depth = 0
    for start in range(0, len(found), _STRETCH):
        # In stretches, so that deep nesting is known for what it is where it begins, however long it goes on.
        depths = list(accumulate(map(_STEP.__getitem__, found[start : start + _STRETCH]), initial=depth))
        if max(depths) > max_depth:
            return False
        depth = depths[-1]
    return True


def _too_deep_at(text: str, max_depth: int) -> int:
    depth = 0
    for token in _BRACKET.finditer(text):
        depth += _STEP.get(ord(token[0][0]), 0)
        if depth > max_depth:
            return token.start()
    return 0


def _load(text: str, place: Place) -> tuple[Json, bool]:
    """The value, and whether anything in it needs a note."""
    remarkable = False

    def pairs(members: list[tuple[str, Json]]) -> dict[str, Json]:
        nonlocal remarkable
        result = dict(members)
        if len(result) != len(members):
            remarkable = True
        return result

    def integer(digits: str) -> int:
        nonlocal remarkable
        if len(digits) > 15 and is_rounded(digits):
            remarkable = True
        return parse_int(digits)

    def real(digits: str) -> float:
        value = float(digits)
        if math.isinf(value):
            raise _OutOfRange(digits)
        return value

    def constant(name: str) -> NoReturn:
        raise _OutOfRange(name)

    try:
        value: Json = json.loads(
            text, object_pairs_hook=pairs, parse_int=integer, parse_float=real, parse_constant=constant
        )
    except _OutOfRange as error:
        raise _out_of_range(text, str(error), "is not a number that JSON can hold", place) from None
    except TooLong as error:
        literal = str(error)
        many = f"has {len(literal.lstrip('-')):,} digits, more than the {MAX_DIGITS:,} that are kept"
        raise _out_of_range(text, literal, many, place) from None
    except json.JSONDecodeError as error:
        raise _malformed(text, error, place) from None
    except RecursionError:
        raise place.refuse("too-deep", "nested too deeply for the stack that is left", 0) from None
    return value, remarkable


def _malformed(text: str, error: json.JSONDecodeError, place: Place) -> DecodeError:
    if error.msg.startswith("Invalid control character"):
        reason = f"the control character U+{ord(text[error.pos]):04X} stands unescaped in a string"
        return place.refuse("control-character", reason, error.pos)
    if not text.strip(_SPACE):
        return place.refuse("not-json", "the text is empty", 0)
    at = error.pos
    if error.msg.startswith("Illegal trailing comma"):
        # Newer versions of the parser point at the comma, older ones at what follows it.
        at = len(text) - len(text[at + 1 :].lstrip(_SPACE))
    if text[at : at + 1] in ("}", "]") and text[:at].rstrip(_SPACE).endswith(","):
        return place.refuse("not-json", "not JSON: a comma stands before the closing bracket", at)
    return place.refuse("not-json", f"not JSON: {error.msg[0].lower()}{error.msg[1:]}", error.pos)


def _out_of_range(text: str, literal: str, why: str, place: Place) -> DecodeError:
    """The refusal of a literal; it is the first such word outside of strings."""
    start = next((word.start() for word in _WORD.finditer(text) if word[0] == literal), 0)
    shown = literal if len(literal) <= _SHOWN else literal[:_SHOWN] + "..."
    return place.refuse("number-range", f"{shown} {why}", start)
