"""What is wrong or unusual right now, in words: fenced, busy, stale, absent, empty."""

from __future__ import annotations

from typing import Literal

from engine.memory.scope import SCOPES
from engine.records import dataclass
from engine.store.faults import FAULTS, Fault
from engine.values import JsonObject
from sftui.display import clean
from sftui.views.picture import Picture
from sftui.views.spans import Spans

Level = Literal["fault", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing to know. `where` names scope, file and line; `usable` says what stays usable."""

    level: Level
    title: str
    where: str
    reason: str
    usable: str

    def to_json(self) -> JsonObject:
        """The notice as data."""
        return {
            "level": self.level,
            "title": self.title,
            "where": self.where,
            "reason": self.reason,
            "usable": self.usable,
        }

    def line(self) -> Spans:
        """Give it on one line, the most important first."""
        mark, role = _MARKS[self.level]
        spans: Spans = ((f"{mark} ", role), (self.title, role))
        if self.where:
            spans += ((f"  {self.where}", "text"),)
        if self.reason:
            spans += ((f": {self.reason}" if self.where else f"  {self.reason}", "text"),)
        return spans

    def lines(self) -> list[Spans]:
        """Give it on two lines: what, and what stays usable."""
        told = [self.line()]
        if self.usable:
            told.append((("  ", "muted"), (self.usable, "muted")))
        return told


_MARKS: dict[Level, tuple[str, Literal["bad", "warn", "muted"]]] = {
    "fault": ("✖", "bad"),
    "warning": ("!", "warn"),
    "info": ("·", "muted"),
}


def notices(picture: Picture) -> tuple[Notice, ...]:
    """Give all notices, the worst first."""
    snapshot = picture.snapshot
    if snapshot is None:
        return ()
    found: list[Notice] = []
    if not snapshot.present:
        found.append(
            Notice(
                "warning",
                "no store here",
                clean(snapshot.address.root),
                "the directory does not exist",
                "It is watched: memory appears as soon as an agent writes it.",
            )
        )
    lock = snapshot.lock
    if lock.kind == "held":
        stale: list[str] = [scope for scope in SCOPES if scope in snapshot.stale]
        if stale or snapshot.verdict == "busy":
            who = f"locked by pid {lock.pid}"
            age = "" if lock.age_s is None else f" for {_duration(lock.age_s)}"
            usable = f"{_listed(stale)} as last seen; everything else is current." if stale else "Reading goes on."
            found.append(Notice("info", who + age, "", "", usable))
    found.extend(_of_fault(fault) for fault in snapshot.all_faults)
    if picture.trouble is not None:
        found.append(
            Notice("fault", "no effective view", "", clean(picture.trouble), "Each scope stays readable on its own.")
        )
    if picture.feed == "stale":
        found.append(
            Notice(
                "warning",
                "stale",
                "",
                "the store is not being watched",
                "What is shown was read earlier; R reads again.",
            )
        )
    elif picture.feed == "polling":
        found.append(
            Notice(
                "info", "polling", "", "change events are not to be had here", "The files are looked at once a second."
            )
        )
    order = {"fault": 0, "warning": 1, "info": 2}
    found.sort(key=lambda notice: order[notice.level])
    return tuple(found)


def _of_fault(fault: Fault) -> Notice:
    kind = FAULTS.get(fault.code)
    title = kind.title if kind is not None else fault.code
    place = fault.file or ""
    if fault.line is not None:
        place += f" line {fault.line}" + (f", column {fault.column}" if fault.column is not None else "")
    where = " ".join(word for word in (fault.scope or "", place) if word)
    level: Level = "fault" if fault.severity == "fault" else "warning"
    return Notice(level, clean(title), clean(where), clean(fault.reason), clean(fault.kept))


def _listed(words: list[str]) -> str:
    text = words[0] if len(words) == 1 else " and ".join((", ".join(words[:-1]), words[-1]))
    return text[:1].upper() + text[1:] + (" stands" if len(words) == 1 else " stand")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.0f} h"


def health_count(picture: Picture) -> tuple[int, int]:
    """Give the number of faults and of warnings."""
    found = notices(picture)
    return (
        sum(1 for notice in found if notice.level == "fault"),
        sum(1 for notice in found if notice.level == "warning"),
    )
