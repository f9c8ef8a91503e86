"""The second layer of display safety: whatever slipped past `clean` is made visible here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.filter import LineFilter

from sftui.display import clean, is_clean
from sftui.glyphs import in_ascii

if TYPE_CHECKING:
    from textual.color import Color


class StandInFilter(LineFilter):
    """Makes every control, bidi and zero-width character of a rendered line visible."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Give the segments with their text cleaned; clean ones are passed on as they are."""
        del background
        if all(segment.control or is_clean(segment.text) for segment in segments):
            return segments
        return [segment if segment.control else Segment(clean(segment.text), segment.style) for segment in segments]


class AsciiFilter(LineFilter):
    """Paints our signs in ASCII, whoever drew them; `only` where the terminal can show nothing else."""

    def __init__(self, *, only: bool) -> None:
        super().__init__()
        self._only = only

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Give the segments with other signs in the same cells."""
        del background
        if all(segment.control or segment.text.isascii() for segment in segments):
            return segments
        return [
            segment if segment.control else Segment(in_ascii(segment.text, only=self._only), segment.style)
            for segment in segments
        ]
