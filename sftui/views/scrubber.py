"""A line of time: the oldest moment at the left, now at the right, and a mark at the one that is shown."""

from __future__ import annotations

from collections.abc import Iterable

from sftui.views.spans import Span, Spans


def column_of(back: int, of: int, width: int) -> int:
    """The cell of the moment that lies `back` before now, of `of` that can be gone back, in a line of `width` cells."""
    if of <= 0:
        return width - 1
    inner = width - 1
    return inner - round(min(max(back, 0), of) * inner / of)


def back_at(column: int, of: int, width: int) -> int:
    """The moment at a cell: how far it lies before now."""
    inner = max(1, width - 1)
    return round((inner - min(max(column, 0), inner)) * of / inner)


def scrubber(back: int, of: int, width: int, *, marks: Iterable[int] = ()) -> Spans:
    """Lay the line out in `width` cells. `marks` are other moments to be seen on it, by how far back they lie."""
    if width < 3:
        return ()
    cells: list[Span] = [("─", "rule")] * width
    cells[0], cells[-1] = ("├", "rule"), ("┤", "rule")
    for one in marks:
        cells[column_of(one, of, width)] = ("■", "text")
    cells[column_of(back, of, width)] = ("●", "accent")
    spans: list[Span] = []
    for text, role in cells:
        if spans and spans[-1][1] == role:
            spans[-1] = (spans[-1][0] + text, role)
        else:
            spans.append((text, role))
    return tuple(spans)
