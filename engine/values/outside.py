"""What stands outside of the strings of a JSON text, found by searches instead of a tokenizer."""

from __future__ import annotations

from typing import Final

# Digits become 1 (0 stays), a minus too; what may stand before or after a number becomes a comma.
SHAPES: Final = bytes.maketrans(b"123456789-:[]}", b"1111111111,,,,")

_NOT_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
_ROUNDS: Final = 12
_BACKSLASH: Final = ord("\\")


def without_escapes(text: bytes) -> bytes:
    """The text without escaped backslashes and quotes: the quotes that are left begin and end strings."""
    if b"\\" not in text:
        return text
    return text.replace(b"\\\\", b"").replace(b'\\"', b"")


def brackets(text: bytes) -> bytes:
    """The brackets outside of strings, in order."""
    return b"".join(without_escapes(text).split(b'"')[::2]).translate(None, _NOT_BRACKETS)


def thinned(found: bytes) -> bytes:
    """Brackets without most that match: what ordinary nesting leaves is what its ends open and close.

    Each round takes one level away. There are only a few, since deep nesting would need as many as it has levels.
    """
    for _ in range(_ROUNDS):
        before = len(found)
        found = found.replace(b"{}", b"").replace(b"[]", b"")
        if len(found) == before:
            break
    return found


def quote_before(text: bytes, start: int, end: int) -> int:
    """The last quote in a stretch that begins or ends a string, -1 when there is none."""
    quote = text.rfind(b'"', start, end)
    while quote > 0 and text[quote - 1] == _BACKSLASH:
        before = quote - 1
        while before >= 0 and text[before] == _BACKSLASH:
            before -= 1
        if (quote - before) % 2:
            break
        quote = text.rfind(b'"', start, quote)
    return quote
