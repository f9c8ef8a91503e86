"""The one way a string from a store becomes something on a screen.

Every byte that a terminal could obey, and every character that could hide or
reorder others, is replaced by a visible stand-in. Imports neither Textual nor
Rich: the command line uses it too.
"""

from __future__ import annotations

import re
from typing import Final

# C0 and DEL have their own pictures (U+2400...). Everything else is named by its code point in ⟨⟩.
_DANGEROUS: Final = re.compile(
    "["
    "\x00-\x1f\x7f"  # C0 and DEL: ESC, BEL, line ends
    "\x80-\x9f"  # C1: CSI, OSC, NEL as single characters
    "\u00ad\u034f\u061c\u180b-\u180f"  # soft hyphen, joiner, Arabic mark, Mongolian selectors
    "\u115f\u1160\u3164\uffa0"  # Hangul fillers: letters without ink
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # zero width, line separators, bidi controls
    "\ufe00-\ufe0e\ufeff\ufff9-\ufffb\ufffe\uffff"  # selectors (not the emoji one), BOM, annotations
    "\ud800-\udfff"  # lone surrogates: cannot even be written
    "\U000e0000-\U000e0fff"  # tags and further selectors
    "]"
)


def _stand_in(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"\u27e8{code:02x}\u27e9"


def clean(text: str) -> str:
    """Give `text` on one line with nothing left in it that a terminal obeys or hides."""
    if text.isascii() and text.isprintable():
        return text
    return _DANGEROUS.sub(_stand_in, text)


def is_clean(text: str) -> bool:
    """Tell whether `clean` would leave `text` as it is."""
    return (text.isascii() and text.isprintable()) or _DANGEROUS.search(text) is None


def clean_lines(text: str) -> str:
    """Like `clean`, but line feeds stay: for prose and pretty JSON of several lines."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return "\n".join(clean(line) for line in text.split("\n"))


def one_line(text: str, limit: int) -> str:
    """Give the first `limit` characters, cleaned; an ellipsis says that there is more.

    Cuts before it cleans, so that the cost follows the limit and not the text.
    """
    if len(text) <= limit:
        return clean(text)
    return clean(text[: max(0, limit - 1)]) + "…"


def quoted(text: str, limit: int) -> str:
    """Give `text` in double quotes, cleaned and cut to `limit` characters between them."""
    return f'"{one_line(text, limit)}"'
