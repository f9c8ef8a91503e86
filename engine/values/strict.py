"""The strict reader: json.loads with hooks, and every refusal with its place."""

from __future__ import annotations

import json
import re
from itertools import accumulate
from typing import Final, NoReturn

from engine.errors import DecodeError
from engine.values.notes import Note
from engine.values.numbers import is_rounded, parse_int
from engine.values.scan import locate
from engine.values.types import Json

_BOMS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_STRING: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
_NOT_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
_STEP: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


class _Place:
    """Turns offsets of one text into lines and columns."""

    def __init__(self, text: str, first_line: int) -> None:
        self.text = text
        self.first_line = first_line

    def of(self, offset: int) -> tuple[int, int]:
        line = self.text.count("\n", 0, offset)
        return self.first_line + line, offset - (self.text.rfind("\n", 0, offset) + 1) + 1

    def refuse(self, code: str, reason: str, offset: int) -> DecodeError:
        line, column = self.of(offset)
        return DecodeError(code, reason, line=line, column=column)


class _OutOfRange(Exception):
    pass


def depth_within(data: bytes, max_depth: int) -> bool:
    """Whether the brackets outside of strings nest no deeper than `max_depth`."""
    if data.count(b"[") + data.count(b"{") <= max_depth:
        return True
    brackets = _STRING.sub(b"", data).translate(None, _NOT_BRACKETS)
    return max(accumulate(map(_STEP.__getitem__, brackets)), default=0) <= max_depth


def parse(data: bytes, max_depth: int, first_line: int = 1) -> tuple[Json, tuple[Note, ...]]:
    """The value of a document and the notes on it. Raises DecodeError as `decode` says."""
    if data.startswith(_BOMS):
        raise DecodeError("byte-order-mark", "the text starts with a byte order mark", line=first_line, column=1)
    notes: list[Note] = []
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "replace")
        line, column = _Place(data[: error.start].decode(), first_line).of(len(data[: error.start].decode()))
        detail = "bytes that are not UTF-8 read as U+FFFD"
        notes.append(Note("replacement-characters", line, column, detail))
    place = _Place(text, first_line)
    if "\0" in text:
        raise place.refuse("nul-bytes", "the text holds NUL bytes", text.index("\0"))
    if not depth_within(data, max_depth):
        raise place.refuse("too-deep", f"nested deeper than {max_depth} levels", _too_deep_at(text, max_depth))
    value, found = _load(text, place)
    if found:
        notes.extend(Note(code, *place.of(offset), detail) for code, offset, detail in locate(text))
    return value, tuple(notes)


def _too_deep_at(text: str, max_depth: int) -> int:
    depth = 0
    for token in re.finditer(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', text, re.DOTALL):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        if depth > max_depth:
            return token.start()
    return len(text)


def _load(text: str, place: _Place) -> tuple[Json, bool]:
    """The value, and whether anything in it needs a note."""
    noted = False

    def pairs(members: list[tuple[str, Json]]) -> dict[str, Json]:
        nonlocal noted
        result = dict(members)
        if len(result) != len(members):
            noted = True
        return result

    def integer(digits: str) -> int:
        nonlocal noted
        value = parse_int(digits)
        if len(digits) > 15 and is_rounded(value):
            noted = True
        return value

    def real(digits: str) -> float:
        value = float(digits)
        if value in (float("inf"), float("-inf")):
            raise _OutOfRange(digits)
        return value

    def constant(name: str) -> NoReturn:
        raise _OutOfRange(name)

    try:
        value: Json = json.loads(
            text, object_pairs_hook=pairs, parse_int=integer, parse_float=real, parse_constant=constant
        )
    except _OutOfRange as error:
        raise _out_of_range(text, str(error), place) from None
    except json.JSONDecodeError as error:
        if error.msg.startswith("Invalid control character"):
            code = f"U+{ord(text[error.pos]):04X}"
            raise place.refuse(
                "control-character", f"unescaped control character {code} in a string", error.pos
            ) from None
        raise place.refuse("not-json", _reason(error, text), error.pos) from None
    except RecursionError:
        raise place.refuse("too-deep", "nested too deeply for the stack that is left", 0) from None
    return value, noted


def _reason(error: json.JSONDecodeError, text: str) -> str:
    if not text.strip(" \t\r\n"):
        return "the text is empty"
    return "not JSON: " + error.msg[0].lower() + error.msg[1:]


def _out_of_range(text: str, literal: str, place: _Place) -> DecodeError:
    """Find the literal outside of strings: it is the first such token."""
    for token in re.finditer(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[-+0-9.eEa-zA-Z]+', text, re.DOTALL):
        if token[0] == literal:
            shown = literal if len(literal) <= 40 else literal[:40] + "..."
            return place.refuse("number-range", f"{shown} is not a number that JSON can hold", token.start())
    return place.refuse("number-range", "a number that JSON cannot hold", 0)
