"""Large values as numbered rows of text, made in slices so that nothing waits for them.

`Pages` holds one cleaned text and where its lines begin; rows are cut from it
for a width only when they are asked for.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from engine.records import dataclass, field
from engine.values import is_array, is_object, pretty
from sftui.display import clean_lines

# Characters and lines handled between two yields: a few milliseconds of work.
SLICE: Final = 1 << 17
LINES_PER_SLICE: Final = 5_000
# Values that weigh up to this are laid out in one call of the library, many small ones together.
SMALL: Final = 1 << 17
# What a value weighs beside its characters: it has a line of its own, with its indent.
_LINE_WEIGHT: Final = 1 << 5

# Anything that may take no cell or two; what is missing here takes exactly one.
_UNEVEN: Final = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u0eff\u1100-\u11ff\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
    "\u231a-\u231b\u23e9-\u23f3\u25fd-\u25fe\u2614-\u2bff\u2e80-\ud7ff\uf900-\ufaff\ufe0f-\ufe6f\uff00-\uffe6"
    "\U00010000-\U0010ffff]"
)


@dataclass(slots=True)
class Pages:
    """A text and its lines. Grows while `fill` runs; `complete` says whether it has ended."""

    text: str = ""
    starts: array[int] = field(default_factory=lambda: array("q", [0]))
    uneven: bytearray = field(default_factory=lambda: bytearray(1))
    longest: int = 0
    complete: bool = False
    # Where each row begins, for one width; empty where every line is one row.
    width: int = 0
    row_starts: array[int] = field(default_factory=lambda: array("q"))

    @property
    def lines(self) -> int:
        """The number of lines."""
        return len(self.starts)

    @property
    def rows(self) -> int:
        """The number of rows at the width of the last `wrap`."""
        return len(self.row_starts) or self.lines

    def _end(self, line: int) -> int:
        return self.starts[line + 1] - 1 if line + 1 < len(self.starts) else len(self.text)

    def row(self, number: int) -> tuple[str, int, bool]:
        """Give a row's text, its offset in the whole text and whether it begins a line."""
        if not self.row_starts:
            start = self.starts[number]
            return self.text[start : self._end(number)], start, True
        start = self.row_starts[number]
        if number + 1 < len(self.row_starts):
            end = self.row_starts[number + 1]
            end -= self.text[end - 1] == "\n"
        else:  # the text may have grown since rows were found
            end = min(self._end(self.line_of_row(number)), start + self.width)
        return self.text[start:end], start, start == 0 or self.text[start - 1] == "\n"

    def row_of(self, offset: int) -> int:
        """Give the row that holds the character at `offset`."""
        return bisect_right(self.row_starts or self.starts, offset) - 1

    def line_of_row(self, number: int) -> int:
        """Give the line (from 0) that a row belongs to."""
        return bisect_right(self.starts, self.row_starts[number]) - 1 if self.row_starts else number


def fill(pages: Pages, value: object) -> Iterator[None]:
    """Lay `value` out into `pages`, a slice at a time.

    A string is shown as it reads, line by line; anything else as indented JSON.
    """
    parts = _string_slices(value) if isinstance(value, str) else _json_slices(value, "")
    texts: list[str] = []
    starts = array("q", [0])
    uneven = bytearray(1)
    position = 0
    shown = 0
    for part in parts:
        cleaned = clean_lines(part)
        texts.append(cleaned)
        for match in _LINE.finditer(cleaned):
            begin = position + match.start()
            if match.start():
                starts.append(begin)
                uneven.append(0)
            if not cleaned.isascii() and _UNEVEN.search(cleaned, match.start(), match.end()):
                uneven[-1] = 1
        position += len(cleaned)
        # Doubling keeps the joining of a growing text linear.
        if position >= 2 * shown or position < SLICE:
            shown = position
            pages.text, pages.starts, pages.uneven = "".join(texts), array("q", starts), bytearray(uneven)
        yield
    pages.text, pages.starts, pages.uneven = "".join(texts), starts, uneven
    pages.complete = True
    yield


_LINE: Final = re.compile("(?:^|(?<=\n))[^\n]*")


def wrap(pages: Pages, width: int) -> Iterator[None]:
    """Find the rows for `width` cells, a slice at a time. Nothing changes until it ends."""
    width = max(1, width)
    text, starts, uneven = pages.text, pages.starts, pages.uneven
    total = len(starts)
    rows = array("q")
    for first in range(0, total, LINES_PER_SLICE):
        for line in range(first, min(first + LINES_PER_SLICE, total)):
            start, end = starts[line], starts[line + 1] - 1 if line + 1 < total else len(text)
            chunk = (width // 2 or 1) if uneven[line] else width
            rows.append(start)
            while end - start > chunk:
                start = _break(text, start, chunk)
                rows.append(start)
                if len(rows) % LINES_PER_SLICE == 0:
                    yield
        yield
    pages.width = width
    pages.row_starts = array("q") if len(rows) == total else rows


def _break(text: str, start: int, chunk: int) -> int:
    """Give where the row after the one at `start` begins: behind a space where there is one near its end."""
    end = start + chunk
    return end if text[end] == " " else text.rfind(" ", end - chunk // 3, end) + 1 or end


def _string_slices(text: str) -> Iterator[str]:
    position = 0
    while position < len(text):
        end = min(len(text), position + SLICE)
        yield text[position:end]
        position = end


def _json_slices(value: object, indent: str) -> Iterator[str]:
    """Give indented JSON in pieces: small members many at a time, a large one opened rather than laid out in one call."""
    if not (is_object(value) or is_array(value)) or not value or _left(value, SMALL) >= 0:
        if isinstance(value, str) and len(value) > SMALL:
            yield from _long_string(value)
        else:
            yield pretty(value).replace("\n", "\n" + indent)  # type: ignore[arg-type]
        return
    named = is_object(value)
    inner = indent + "  "
    separator = "{\n" if named else "[\n"
    names: list[str] = []
    members: list[object] = []
    budget = SMALL
    for name, member in value.items() if is_object(value) else ((" ", member) for member in value):
        if (left := _left(member, budget - len(name))) < 0 and members:
            yield separator + _together(names, members, named, indent)
            separator, names, members = ",\n", [], []
            left = _left(member, SMALL - len(name))
        if left >= 0:
            names.append(name)
            members.append(member)
            budget = left
            continue
        budget = SMALL
        yield separator + inner
        separator = ",\n"
        if named:
            yield from _long_string(name)
            yield ": "
        yield from _json_slices(member, inner)
    if members:
        yield separator + _together(names, members, named, indent)
    yield f"\n{indent}{'}' if named else ']'}"


def _together(names: list[str], members: list[object], named: bool, indent: str) -> str:
    """Lay out neighbouring members of a container in one call, without its brackets."""
    group = dict(zip(names, members, strict=True)) if named else members
    return indent + pretty(group)[2:-2].replace("\n", "\n" + indent)  # type: ignore[arg-type]


def _long_string(text: str) -> Iterator[str]:
    yield '"'
    for piece in _string_slices(text):
        yield pretty(piece)[1:-1]
    yield '"'


def _left(value: object, budget: int) -> int:
    """Give what is left of `budget` once the value is weighed, below 0 if it weighs more: a bounded look."""
    stack = [value]
    while stack and budget >= 0:
        item = stack.pop()
        budget -= _LINE_WEIGHT
        if isinstance(item, str):
            budget -= len(item)
        elif is_object(item):
            budget -= _LINE_WEIGHT * len(item)
            if budget >= 0:
                budget -= sum(map(len, item))
                stack.extend(item.values())
        elif is_array(item):
            budget -= _LINE_WEIGHT * len(item)
            if budget >= 0:
                stack.extend(item)
    return budget


def find(pages: Pages, needle: str, start: int, *, backwards: bool = False) -> Iterator[int | None]:
    """Look for `needle` from `start`, a slice at a time: None while looking, else its offset, -1 for nowhere.

    Lower-case text finds any case, as less and vim do. Wraps around once.
    """
    if not needle:
        yield -1
        return
    pattern = re.compile(re.escape(needle), re.IGNORECASE if needle == needle.lower() else 0)
    overlap = len(needle) - 1
    text = pages.text
    spans = [(start, len(text)), (0, min(len(text), start + overlap))]
    if backwards:
        spans = [(0, start), (max(0, start - overlap), len(text))]
    for low, high in spans:
        if backwards:
            end = high
            while end > low:
                begin = max(low, end - SLICE)
                last = -1
                for match in pattern.finditer(text, begin, min(high, end + overlap)):
                    last = match.start()
                if last >= 0:
                    yield last
                    return
                yield None
                end = begin
        else:
            begin = low
            while begin < high:
                found = pattern.search(text, begin, min(high, begin + SLICE + overlap))
                if found:
                    yield found.start()
                    return
                yield None
                begin += SLICE
    yield -1
