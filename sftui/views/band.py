"""The band that says that what is shown is not now: of which moment it is, how far back, and that nothing is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.records import dataclass
from sftui.cells import cell_len
from sftui.times import clock, date
from sftui.views.authorship import unknown_words
from sftui.views.scrubber import scrubber

if TYPE_CHECKING:
    from engine.values import JsonObject
    from sftui.views.moments import Moment

# The line of time beside the words is at least so wide, and no wider than that.
LEAST: Final = 12
MOST: Final = 60


@dataclass(frozen=True, slots=True)
class Band:
    """Which moment is shown, in words, and its place: `back` of `of` known ones, or of `more`.

    `newer` counts what came since somebody began to look back. `what` it changed is told where its time is not known and
    there is no room for the revisions. `reading`: the moment itself is still being read.
    """

    vector: str
    when: str
    short: str
    back: int
    of: int
    more: bool = False
    newer: int = 0
    playing: bool = False
    reading: bool = False
    what: str = ""

    def to_json(self) -> JsonObject:
        """The band as data."""
        return {"revisions": self.vector, "seen": self.when, "back": self.back, "of": self.of, "newer": self.newer}


def when_words(moment: Moment, today: str, *, aside: bool = False) -> tuple[str, str]:
    """Tell when a moment was first seen, at length and in short; on another day than `today` with the day."""
    seen = moment.seen
    if seen is not None:
        told = clock(seen) if date(seen) == today else f"{date(seen)} {clock(seen)}"
        return f"seen {told}", told
    if not moment.parts:
        return "where the session's history begins", "the beginning"
    before = any(part.before for part in moment.parts)
    return unknown_words(aside=aside) if before else "time unknown", "time unknown"


def band_line(band: Band, width: int) -> tuple[str, str]:
    """Lay the band out: words at the left, and a line of time at the right where there is room for it."""
    count = f"{band.of:,}{'+' if band.more else ''}"
    at = f"{band.back:,} back of {count}"
    sign = "▶ playing" if band.playing else "◀ as of"
    newer, few = (f" · {band.newer:,} newer since", f" · {band.newer:,} newer") if band.newer else ("", "")
    when, short = ("reading…", "reading…") if band.reading else (band.when, band.short)
    name = f"{band.what} {short}".strip()
    # What is said in the end is what must never be missing: that it is not now, and that nothing can be changed.
    ways = (
        f" {sign} {band.vector} · {when} · {at}{newer} · read only",
        f" {sign} {band.vector} · {short} · {at}{newer} · read only",
        f" {sign} {name} · {at}{newer} · read only",
        f" {sign} {name} · {band.back:,}/{count} back{few} · read only",
        f" {sign} {name} · {band.back:,}/{count}{few} · read only",
        f" {sign} {band.back:,}/{count} back · read only",
    )
    words = next((one for one in ways if cell_len(one) <= width), f" {sign} · read only")
    room = width - cell_len(words) - 3
    if room < LEAST:
        return words, ""
    line = "".join(text for text, _ in scrubber(band.back, band.of, min(room, MOST)))
    return words, line
