"""What a person has written and not used: it is offered again when the same is asked for."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Final

from engine.records import dataclass

if TYPE_CHECKING:
    from sftui.edits import Edit

# So many texts are kept; those of an editor stay in their files besides.
MOST: Final = 20


@dataclass(frozen=True, slots=True)
class Kept:
    """A text, what would have used it if that still may, and the file that an editor left it in."""

    text: str
    take: Callable[[str], None] | None = None
    file: Edit | None = None


class Texts:
    """The texts of one app, by the memory that they are about and what was asked."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Hashable, str], Kept] = {}

    def keep(self, about: Hashable, title: str, kept: Kept) -> None:
        """Keep one; the oldest goes where there are many."""
        self._kept.pop((about, title), None)
        self._kept[about, title] = kept
        while len(self._kept) > MOST:
            del self._kept[next(iter(self._kept))]

    def get(self, about: Hashable, title: str) -> Kept | None:
        """Give what was written before, if anything: now, or before the app was started."""
        return self._kept.get((about, title)) or self._kept.get((before_start(about), title))

    def used(self, about: Hashable, title: str) -> None:
        """It has been used: nothing of it is left."""
        for key in ((about, title), (before_start(about), title)):
            kept = self._kept.pop(key, None)
            if kept is not None and kept.file is not None:
                kept.file.discard()


def before_start(about: Hashable) -> Hashable:
    """What a text of an earlier app is about: its directory; a session may be another one by now."""
    return ("before", getattr(about, "key", None))
