"""When a change was first seen, and who made it: in the same words everywhere."""

from __future__ import annotations

from typing import Final

from sftui.times import clock, date

BEFORE: Final = "before anybody looked"
ASIDE: Final = "it may stand in a log that was put aside"


def unknown_words(*, aside: bool) -> str:
    """Say that nobody knows when; `aside`: there are logs that were put aside, which are not read for this."""
    return f"time unknown ({ASIDE if aside else BEFORE})"


def seen_words(seen: float | None, today: str = "", *, aside: bool = False) -> str:
    """Say when a change was first seen, with the day where that is not `today`."""
    if seen is None:
        return unknown_words(aside=aside)
    return f"seen {clock(seen)}" if date(seen) == today else f"seen {date(seen)} {clock(seen)}"


def author_words(ours: bool | None) -> str:
    """Say whether this program made a change; `None` where no record tells."""
    if ours is None:
        return "author unknown"
    return "ours" if ours else "not ours"
