"""What a model would be given, or a part of that, as JSON on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.values import Json
from sftui.display import clean
from sftui.screens.value import ValueScreen
from sftui.views.units import human, human_tokens
from sftui.widgets.bars import Rule

if TYPE_CHECKING:
    from sftui.views.picture import Picture
    from sftui.views.spans import Spans


class GivenScreen(ValueScreen):
    """Shows a document that stands nowhere in memory, as it was when it was opened; `size` are its bytes as JSON."""

    def __init__(self, title: str, document: Json, size: int, of: Picture) -> None:
        super().__init__("effective", (), document)
        self._named = title
        self._bytes = size
        self._of = of

    def show(self, picture: Picture) -> None:
        """Keep the page; say when it is no longer what would be given now."""
        self.show_header()
        self._gone = picture.memory != self._of.memory and picture.snapshot is not self._of.snapshot
        self._say()

    def _say(self) -> None:
        about: Spans = ((f"  {human(self._bytes)} · {human_tokens(self._bytes)}", "muted"),)
        if self._gone:
            about = (("  memory has changed since", "warn"),)
        right: Spans = ((self._told, "text"),) if self._told else ()
        self.query_one("#title", Rule).say(((clean(self._named), "strong"), *about), right)
