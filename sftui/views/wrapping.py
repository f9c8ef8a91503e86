"""Spans broken into lines at spaces, measured in cells."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sftui.cells import cell_len, chop_cells, cut
from sftui.views.spans import Span, Spans

_WORDS = re.compile(r"\s+|\S+")


def wrapped(spans: Iterable[Span], width: int, *, hang: int = 0) -> list[Spans]:
    """Break `spans` into lines of at most `width` cells; later lines are indented by `hang`."""
    width = max(4, width)
    hang = min(hang, width // 2)
    lines: list[list[Span]] = [[]]
    used = 0
    for text, role in spans:
        for match in _WORDS.finditer(text):
            word = match.group()
            wide = cell_len(word)
            if used + wide > width:
                if word.isspace():
                    # What follows begins the next line: it must not move up to what the space kept it from.
                    used = width
                    continue
                if used > hang:
                    lines.append([(" " * hang, "text")] if hang else [])
                    used = hang
                pieces = chop_cells(word, width - hang) if wide > width - used else [word]
                for number, piece in enumerate(pieces):
                    if number:
                        lines.append([(" " * hang, "text")] if hang else [])
                        used = hang
                    lines[-1].append((piece, role))
                    used += cell_len(piece)
                continue
            lines[-1].append((word, role))
            used += wide
    return [_joined(line) for line in lines]


def _joined(line: list[Span]) -> Spans:
    """Join neighbours of one role: fewer pieces to paint and to send."""
    found: list[Span] = []
    for text, role in line:
        if found and found[-1][1] == role:
            found[-1] = (found[-1][0] + text, role)
        else:
            found.append((text, role))
    return tuple(found)


def shortened(spans: Spans, width: int) -> Spans:
    """Give `spans` in at most `width` cells; a cut one ends with an ellipsis."""
    found: list[Span] = []
    room = max(0, width)
    for text, role in spans:
        shown = cut(text, room)
        if shown:
            found.append((shown, role))
        room -= cell_len(shown)
    return tuple(found)


def flowed(items: Iterable[Spans]) -> Spans:
    """Put items one after another with a dot between them."""
    found: list[Span] = []
    for item in items:
        if found:
            found.append(("  ·  ", "muted"))
        found.extend(item)
    return tuple(found)
