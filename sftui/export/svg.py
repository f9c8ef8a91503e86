"""A page as a picture: plain SVG with text in it, the same each time, that asks nobody for a font or anything else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from sftui.cells import cell_len
from sftui.commands.output import fitted
from sftui.export.document import Document, plain_lines
from sftui.views.spans import Role, Spans

# Cells of a line; a longer one goes on below.
COLUMNS: Final = 120
# More lines make a picture that no viewer opens.
MOST_LINES: Final = 2_000
_CELL: Final = 8.4
_LINE: Final = 19
_MARGIN: Final = 14
_FONT: Final = "'DejaVu Sans Mono', ui-monospace, Menlo, Consolas, monospace"
_PAPER: Final = "#16181d"
_INK: Final[dict[Role, str]] = {
    "text": "#d8dbe2",
    "muted": "#8b92a1",
    "strong": "#ffffff",
    "key": "#a9d2ff",
    "string": "#a8d8a0",
    "number": "#8fd3d6",
    "accent": "#7fc1ff",
    "added": "#8fd989",
    "removed": "#ff8d85",
    "changed": "#f0cf73",
    "cascade": "#e3a0f0",
    "good": "#8fd989",
    "warn": "#f0cf73",
    "bad": "#ff8d85",
    "rule": "#4a505d",
}
_BOLD: Final[frozenset[Role]] = frozenset({"strong", "bad"})
# What XML cannot hold in any spelling, and what other renderers fail on.
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0010ffff]")


def svg(document: Document) -> str:
    """Draw the page."""
    lines = list(_lines(document))
    width = 2 * _MARGIN + _CELL * max([cell_len("".join(text for text, _ in line)) for line in lines] + [40])
    height = 2 * _MARGIN + _LINE * len(lines)
    size = f'viewBox="0 0 {width:.1f} {height}" width="{width:.1f}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        f"<title>{_text(document.title)}</title>",
        f"<style>text{{font-family:{_FONT};font-size:14px;white-space:pre}}</style>",
        f'<rect width="100%" height="100%" fill="{_PAPER}"/>',
    ]
    for number, line in enumerate(lines):
        parts.extend(_drawn(line, _MARGIN + _LINE * number + 14))
    return "\n".join((*parts, "</svg>")) + "\n"


def _lines(document: Document) -> Iterator[Spans]:
    count = 0
    for line in plain_lines(document):
        for part in fitted(line, COLUMNS):
            if count == MOST_LINES:
                yield (("and more lines; as text or JSON it is whole", "muted"),)
                return
            yield part
            count += 1


def _drawn(line: Spans, y: int) -> Iterator[str]:
    """Each span at its cell: whatever font there is, columns stay columns."""
    column = 0
    for text, role in line:
        cells = cell_len(text)
        if text.strip():
            weight = ' font-weight="bold"' if role in _BOLD else ""
            x, length = _MARGIN + column * _CELL, cells * _CELL
            yield (
                f'<text x="{x:.1f}" y="{y}" fill={quoteattr(_INK[role])}{weight} textLength="{length:.1f}" '
                f'lengthAdjust="spacingAndGlyphs" xml:space="preserve">{_text(text)}</text>'
            )
        column += cells


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text))
