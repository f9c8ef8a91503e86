"""Decoding in slices, so that no single call of a parser holds up other threads for long.

The text is cut at commas outside of strings. What was open at a cut is opened again before the next slice, whose value
is then poured into the containers made before. A slice counts only when its own text proves itself as a whole document
would; in every doubtful case there is no answer, and the strict reader has the word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from engine.values.outside import brackets, quote_before, thinned, without_escapes
from engine.values.proof import Proved
from engine.values.types import Json

_BLANK: Final = b" \t\r\n"
_LONGEST_MARKER: Final = 1024
_CLOSER: Final = {ord("{"): ord("}"), ord("["): ord("]")}

_Container: TypeAlias = dict[str, Json] | list[Json]
ParseSlice: TypeAlias = Callable[[bytes], Proved | None]


def parse_slices(data: bytes, slice_bytes: int, max_depth: int, parse: ParseSlice) -> Proved | None:
    """The value of `data`, parsed about `slice_bytes` at a time by `parse`; None when in doubt."""
    marker = _marker(data)
    if len(marker) > _LONGEST_MARKER:
        return None  # it is repeated for each level of each slice
    assembly = _Assembly(marker.count(b"u"))
    closers = bytearray()  # of what is open
    opened = b""  # the same as text that opens it
    start = 0
    wide, compact = False, True
    while start < len(data):
        cut = _cut(data, start, slice_bytes)
        piece = data[start:cut]
        low = _follow(piece, closers, max_depth)
        if low is None or bool(closers) != (cut < len(data)):
            return None
        if piece.rstrip(_BLANK)[-1:] in (b"{", b"[", b",", b":"):
            return None  # a comma after nothing
        found = parse(opened + piece + closers[::-1])
        if found is None or not assembly.add(found.value, low, len(closers)):
            return None
        wide = wide or found.wide
        compact = compact and found.compact
        if closers:
            # Each but the innermost has the next one as its first member.
            outer = [b"{" + marker + b":" if closer == 0x7D else b"[" for closer in closers[:-1]]
            opened = b"".join(outer) + (b"{" if closers[-1] == 0x7D else b"[")
        start = cut + 1
    return None if closers or not start else Proved(assembly.root, wide, compact)


def _marker(data: bytes) -> bytes:
    """The text of a key that does not occur in the document. A NUL can be written in one way alone."""
    marker = b"\\u0000"
    while marker in data:
        marker += marker
    return b'"' + marker + b'"'


def _cut(data: bytes, start: int, slice_bytes: int) -> int:
    """The offset of a comma outside of strings, at most `slice_bytes` after `start` where there is one; else the end."""
    length = slice_bytes
    while start + length < len(data):
        end = start + length
        if data.rfind(b",", start, end) < 0:
            length *= 2
            continue
        quotes = without_escapes(data[start:end]).count(b'"')
        if quotes % 2:
            end = quote_before(data, start, end)
            quotes -= 1
        while True:
            closing = quote_before(data, start, end) if quotes else start - 1
            comma = data.rfind(b",", closing + 1, end)
            if comma >= 0:
                return comma
            if not quotes:
                break
            end = quote_before(data, start, closing)
            quotes -= 2
        length *= 2
    return len(data)


def _follow(piece: bytes, closers: bytearray, max_depth: int) -> int | None:
    """Take the brackets of a piece into `closers`. Returns how many stayed open all along.

    None when they do not match, or are found to be nested deeper than `max_depth`.
    """
    low = len(closers)
    for bracket in thinned(brackets(piece)):
        closer = _CLOSER.get(bracket)
        if closer is not None:
            closers.append(closer)
            if len(closers) > max_depth:
                return None
        elif not closers or closers.pop() != bracket:
            return None
        else:
            low = min(low, len(closers))
    return low


class _Assembly:
    """The value so far and the containers that are open at its end, outermost first."""

    def __init__(self, marker_length: int) -> None:
        self.key = "\0" * marker_length
        self.root: Json = None
        self.open: list[_Container] = []

    def add(self, part: Json, low: int, depth: int) -> bool:
        """Pour in a slice during which `low` containers stayed open and after which `depth` are open."""
        if not self.open:
            self.root = part
        innermost = len(self.open) - 1
        for level, target in enumerate(self.open):
            inner: Json = None
            if isinstance(part, dict) and isinstance(target, dict):
                if level < innermost:
                    inner = part.pop(self.key)
                elif not part:
                    return False  # a comma with nothing after it
                expected = len(target) + len(part)
                target.update(part)
                if len(target) != expected:
                    return False  # a key given twice, far apart
            elif isinstance(part, list) and isinstance(target, list):
                if level < innermost:
                    inner = part.pop(0)
                elif not part:
                    return False
                target.extend(part)
            else:
                return False
            part = inner
        self._reach(low, depth)
        return True

    def _reach(self, low: int, depth: int) -> None:
        """What opened last is the last member of what was open before it."""
        del self.open[low:]
        while len(self.open) < depth:
            last = self.root
            if self.open:
                above = self.open[-1]
                last = next(reversed(above.values())) if isinstance(above, dict) else above[-1]
            assert isinstance(last, (dict, list))
            self.open.append(last)
