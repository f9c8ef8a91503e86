"""What can be exported, in one table: nothing but what has a view, and a page for that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

from sftui.export import screens
from sftui.export.document import Document, ViewObject
from sftui.export.screens import Given

V = TypeVar("V", bound=ViewObject)


class Exported(Generic[V]):
    """One of them: how its view is made of what was read, and how that is laid out in so many cells."""

    def __init__(self, name: str, *, view: Callable[[Given], V], page: Callable[[V, int], Document], says: str) -> None:
        self.name: Final = name
        self.says: Final = says
        self._view = view
        self._page = page

    def document(self, given: Given, width: int) -> Document:
        """Make the page."""
        return self._page(self._view(given), width)


EXPORTED: Final[tuple[Exported[Any], ...]] = (
    Exported("watch", view=screens.watch, page=screens.watch_page, says="the intents, and what changed"),
    Exported("intents", view=screens.intents, page=screens.intents_page, says="what intents own and use"),
    Exported("timeline", view=screens.timeline, page=screens.timeline_page, says="all that is known of what happened"),
    Exported("context", view=screens.context, page=screens.context_page, says="what a model would be given"),
    Exported("health", view=screens.health, page=screens.health_page, says="what could be cleaned"),
)
_BY_NAME: Final = {one.name: one for one in EXPORTED}
# The names of screens and commands for the same.
_ALSO: Final = {"history": "timeline", "lint": "health"}


def exported(name: str) -> Exported[Any] | None:
    """Find what a name stands for."""
    return _BY_NAME.get(_ALSO.get(name, name))
