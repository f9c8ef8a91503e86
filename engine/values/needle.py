"""A text that is looked for: in strings, and in the bytes of JSON whoever wrote them, without decoding what cannot hold it.

A search of bytes may point at a place that does not hold the text once it is decoded; it never misses one that does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from json.encoder import encode_basestring
from typing import Final

from engine.records import dataclass
from engine.values.text import escape_surrogates

# A character of a string may be spelled so although nothing asks for it.
_ESCAPES: Final = (b"\\u", b"\\/")
# Capital letters, other than those of ASCII, whose small ones are of ASCII.
_KELVIN, _DOTTED_I = "\u212a", "\u0130"
# Small sigma has two forms; which one a capital becomes is up to what stands beside it.
_SIGMAS: Final = "\u03c3\u03c2"
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SHORT: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_OF_NUMBERS: Final = frozenset("0123456789+-.e")
# Characters of a needle that are looked for in bytes; what holds these is looked at more closely.
LONGEST: Final = 512
# Of one UTF-16 unit, as an escape.
_LONGEST_UNIT: Final = 6
_BACKSLASH: Final = ord("\\")


@dataclass(frozen=True, slots=True)
class Needle:
    """A text to look for. With `any_case` capitals and small letters are the same; `text` is in small ones then."""

    text: str
    any_case: bool = False

    @property
    def matches(self) -> Callable[[str], bool]:
        """What tells whether a string holds it: fetch it once for many strings."""
        text = self.text
        if not self.any_case:
            return lambda string: text in string
        if not text.isascii():
            return lambda string: not string.isascii() and text in string.lower()
        data = text.encode()

        def found(string: str) -> bool:
            if string.isascii() or _KELVIN in string or _DOTTED_I in string:
                return text in string.lower()
            # Letters beyond ASCII take long to be made small, and do not matter here.
            return data in string.encode("utf-8", "surrogatepass").lower()

        return found

    @property
    def may_be_scalar(self) -> bool:
        """Whether a number, a truth value or null can be spelled so that it holds the text."""
        text = self.text.lower()
        return all(letter in _OF_NUMBERS for letter in text) or any(text in word for word in ("true", "false", "null"))

    def within(self, string: str, start: int = 0) -> tuple[int, int] | None:
        """Where in `string` the first match from `start` on begins and ends."""
        if not self.any_case:
            at = string.find(self.text, start)
            return None if at < 0 else (at, at + len(self.text))
        lower = string.lower()
        if len(lower) == len(string):
            at = lower.find(self.text, start)
            return None if at < 0 else (at, at + len(self.text))
        # A few letters are longer when they are small.
        ends = [0]
        for letter in string:
            ends.append(ends[-1] + len(letter.lower()))
        at = lower.find(self.text, ends[start])
        if at < 0:
            return None
        begin = max(number for number in range(len(string)) if ends[number] <= at)
        end = next(number for number in range(begin, len(string) + 1) if ends[number] >= at + len(self.text))
        return begin, end


def needle(text: str, *, case: bool = False) -> Needle:
    """What to look for when a person typed `text`: small letters alone find capitals as well, unless `case` counts."""
    return Needle(text, any_case=not case and text == text.lower())


class Sieve:
    """Looks for a needle in bytes that come piece by piece, and keeps no more of them than a match may be long.

    Use a new one for each run of bytes. Of a long needle the beginning is looked for.
    """

    def __init__(self, sought: Needle) -> None:
        sought = Needle(sought.text[:LONGEST], any_case=sought.any_case)
        self._find = _finder(sought)
        self._matches = sought.matches
        self._odd = _odd_marks(sought)
        units = len(sought.text.encode("utf-16-le", "surrogatepass")) // 2
        self._overlap = _LONGEST_UNIT * (units + 2)
        self._any_case = sought.any_case
        self._held = b""
        self._at = 0
        self._line = 1
        self._in_found = False

    def push(self, data: bytes) -> list[int]:
        """Offsets in the run, at most one in each line that may hold the needle. A line may be pushed in parts."""
        window, found, done = self._look(data)
        base = self._at
        self._keep(window, done)
        return [base + hit for hit in found]

    def lines(self, data: bytes) -> list[int]:
        """The same as numbers of lines, from 1. Push by one of the two."""
        window, found, done = self._look(data)
        told: list[int] = []
        counted, line = 0, self._line
        for hit in found:
            line += window.count(b"\n", counted, hit)
            counted = hit
            told.append(line)
        self._line += window.count(b"\n", 0, self._keep(window, done))
        return told

    def _look(self, data: bytes) -> tuple[bytes, list[int], int]:
        """What is searched now, where in it hits are, and how much of it holds nothing more to tell."""
        window = self._held + data
        begin = 0
        if self._in_found:
            end = window.find(b"\n")
            begin = len(window) if end < 0 else end + 1
            self._in_found = end < 0
        found: list[int] = []
        if begin < len(window):
            for hit in self._hits(window, begin):
                if hit < begin:
                    continue
                found.append(hit)
                end = window.find(b"\n", hit)
                begin = len(window) if end < 0 else end + 1
                self._in_found = end < 0
                if end < 0:
                    break
        return window, found, begin

    def _keep(self, window: bytes, done: int) -> int:
        """Keep what a match may begin in, cut where no escape is torn, and give the place of the cut."""
        cut = max(done, len(window) - self._overlap)
        while cut > done and window[cut - 1] == _BACKSLASH:
            cut -= 1
        if cut == done and len(window) - done > 2 * self._overlap:
            cut = (
                done + (len(window) - done - self._overlap) // 2 * 2
            )  # nothing but backslashes, from an escape's first on
        self._held = window[cut:]
        self._at += cut
        return cut

    def _hits(self, window: bytes, begin: int) -> list[int]:
        plain = list(self._plain(window.lower() if self._any_case else window, begin))
        odd = list(self._oddly_spelled(window, begin))
        return sorted(plain + odd) if odd else plain

    def _plain(self, window: bytes, begin: int) -> Iterator[int]:
        """One match a line of those that are spelled as everybody does."""
        while (at := self._find(window, begin)) >= 0:
            yield at
            end = window.find(b"\n", at)
            if end < 0:
                return
            begin = end + 1

    def _oddly_spelled(self, window: bytes, begin: int) -> Iterator[int]:
        """One place in each line where the needle stands once escapes are read. The rest of the line is not looked at."""
        for mark in self._odd:
            if window.rfind(mark, begin) < 0:
                continue
            at = begin
            while (at := window.find(mark, at)) >= 0:
                start = max(begin, window.rfind(b"\n", begin, at) + 1)
                end = window.find(b"\n", at)
                end = len(window) if end < 0 else end
                if self._matches(unescaped(window[start:end])):
                    yield start
                at = end


def unescaped(data: bytes) -> str:
    """JSON text with every escape in it read, whatever it is a part of; torn ones stay."""
    text = _ESCAPE.sub(_read, data.decode("utf-8", "replace"))
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")  # pairs become one


def _read(match: re.Match[str]) -> str:
    digits, letter = match.groups()
    return chr(int(digits, 16)) if digits is not None else _SHORT.get(letter, letter)


def _odd_marks(sought: Needle) -> tuple[bytes, ...]:
    """What a line holds in which the needle may be spelled otherwise than by `_finder`."""
    marks = list(_ESCAPES)
    if sought.any_case and "k" in sought.text:
        marks.append(_KELVIN.encode())
    if sought.any_case and ("i" in sought.text or "\u0307" in sought.text):
        marks.append(_DOTTED_I.encode())
    return tuple(marks)


def _finder(sought: Needle) -> Callable[[bytes, int], int]:
    """What finds the needle in bytes, in small ASCII letters where any case counts, as JSON is commonly written."""
    text = escape_surrogates(encode_basestring(sought.text)[1:-1])
    if not sought.any_case or text.isascii():
        literal = text.encode()
        return lambda window, begin: window.find(literal, begin)
    pattern = re.compile(b"".join(_spellings(letter) for letter in text))

    def find(window: bytes, begin: int) -> int:
        match = pattern.search(window, begin)
        return -1 if match is None else match.start()

    return find


def _spellings(letter: str) -> bytes:
    if letter.isascii():
        return re.escape(letter.encode())
    return b"(?:" + b"|".join(re.escape(other.encode()) for other in sorted(_capitals(letter))) + b")"


def _capitals(letter: str) -> set[str]:
    """The letter, and every other that becomes it when it is made small."""
    found = {letter, *_inverse().get(letter, ())}
    if letter in _SIGMAS:
        found |= {"\u03a3", *_SIGMAS}
    return found


_small: dict[str, list[str]] = {}


def _inverse() -> dict[str, list[str]]:
    if not _small:
        # Every letter with two cases lies in the first two planes.
        for code in (*range(0x80, 0xD800), *range(0xE000, 0x20000)):
            letter = chr(code)
            small = letter.lower()
            if small != letter:
                _small.setdefault(small, []).append(letter)
    return _small
