"""Text measured in terminal cells, never in characters."""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len, chop_cells, set_cell_size

ELLIPSIS: Final = "…"

__all__ = ["ELLIPSIS", "cell_len", "chop_cells", "cut", "cut_middle", "fit", "fit_right"]


def cut(text: str, width: int) -> str:
    """Give `text` in at most `width` cells; a cut text ends with an ellipsis."""
    if width <= 0:
        return ""
    # No character is wider than two cells, so a far longer text is not measured whole.
    if len(text) <= width * 2 and cell_len(text) <= width:
        return text
    return set_cell_size(text[: width * 2], width - 1).rstrip() + ELLIPSIS


def cut_middle(text: str, width: int) -> str:
    """Give `text` in at most `width` cells, keeping both ends: for paths."""
    if width <= 0:
        return ""
    if cell_len(text) <= width:
        return text
    tail_room = (width - 1) // 2
    tail = ""
    used = 0
    for character in reversed(text):
        wide = cell_len(character)
        if used + wide > tail_room:
            break
        tail = character + tail
        used += wide
    return set_cell_size(text, max(0, width - 1 - used)).rstrip() + ELLIPSIS + tail


def fit(text: str, width: int) -> str:
    """Give `text` in exactly `width` cells, cut or padded on the right."""
    return set_cell_size(cut(text, width), max(0, width))


def fit_right(text: str, width: int) -> str:
    """Give `text` in exactly `width` cells, cut or padded on the left."""
    shown = cut(text, width)
    return " " * max(0, width - cell_len(shown)) + shown
