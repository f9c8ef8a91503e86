"""Our signs in ASCII, one for one: for terminals, fonts and screen readers that have no others.

Every sign takes one cell and so does what stands for it; nothing else on a screen moves. What one cell cannot say takes
one beside it as well: an arrow the space before it, what was cut off the last letter that is left.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_SIGNS: Final = {
    # Lines, corners, scroll bars.
    "─━═┄┈╌⎯▔": "-",
    "│┃║┆┊▏▎▍▌▕▐": "|",
    "┌┐└┘├┤┬┴┼╭╮╰╯┏┓┗┛╔╗╚╝": "+",
    "█▉▊▋▀■▪": "#",
    # Sizes in blocks, the higher the fuller.
    "▁": "_",
    "▂": ".",
    "▃": ":",
    "▄": "-",
    "▅": "=",
    "▆": "+",
    "▇": "*",
    "░▒▓": ":",
    # Trees, states, changes.
    "▸▶▹›»⟩": ">",
    "◂◀‹«⟨": "<",
    "▾▼▿": "v",
    "▴▲▵": "^",
    "●◉": "@",
    "○◌◯◐": "o",
    "•": "o",
    "·∙": ".",
    "×✕✖✗": "x",
    "✓✔": "Y",
    "–—−‑": "-",
    "≠": "!",
    "≡": "=",
    "≈±": "~",
    # Arrows and keys.
    "→⇒⟶": ">",
    "←⇐⟵": "<",
    "↑⇧": "^",
    "↓": "v",
    "↔⇄": "=",
    "↳↪└": "+",
    "⏎↵": "<",
    "⌫": "<",
    # Words.
    "…": ".",
    "“”„": '"',
    "‘’‚": "'",
    "⚠": "!",
    "∅": "0",
}
_TABLE: Final = {ord(sign): plain for signs, plain in _SIGNS.items() for sign in signs}
# The stand-ins of control characters: which one it was is told by `sftui read`.
_TABLE_OF_CONTROLS: Final = dict.fromkeys(range(0x2400, 0x2422), "?")
ASCII: Final = _TABLE | _TABLE_OF_CONTROLS

# In the cells of their surroundings. A word of ours that goes on is not cut off.
_ARROW: Final = re.compile(r" ([→←]) ")
_WAITING: Final = re.compile(r"(?<=looking|reading|listing)…|(?<=in the ledger)…|(?<=gathering)…|(?<=working it out)…")
_CUT: Final = re.compile(r"[!-~]…|…[ -~]| …")
_HEADS: Final = {"→": "->", "←": "<-"}
_OTHERS: Final = re.compile(r"[^\x00-\x7f]")


def in_ascii(text: str, *, only: bool = False) -> str:
    """Give a text with our signs in ASCII. `only`: with nothing else in it either; each cell of a letter is a `?`."""
    if text.isascii():
        return text
    text = _CUT.sub("..", _WAITING.sub(".", _ARROW.sub(lambda match: f"{_HEADS[match[1]]} ", text))).translate(ASCII)
    if not only or text.isascii():
        return text
    from sftui.cells import cell_len

    return _OTHERS.sub(lambda match: "?" * cell_len(match.group()), text)


def wanted(environ: Mapping[str, str], encoding: str, *, asked: bool = False) -> tuple[bool, bool]:
    """Tell whether our signs shall be ASCII, and whether the terminal can show nothing else.

    SFTUI_ASCII=1 asks for it, SFTUI_ASCII=0 forbids it. Left to itself the app goes by the encoding of the locale and
    by terminals whose fonts are known to be small.
    """
    said = environ.get("SFTUI_ASCII", "")
    if said == "0" and not asked:
        return False, False
    cannot = encoding.lower().replace("-", "").replace("_", "") not in {"utf8", "cp65001"}
    poor = environ.get("TERM", "") in {"linux", "dumb"}
    return asked or bool(said) or cannot or poor, cannot
