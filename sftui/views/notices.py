"""What is wrong or unusual right now, in words: fenced, busy, stale, absent, empty."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from engine.records import dataclass
from engine.store.faults import FAULTS, Fault
from engine.values import JsonObject
from sftui.actions import key_for
from sftui.display import clean
from sftui.views.picture import Picture
from sftui.views.spans import Spans

if TYPE_CHECKING:
    from engine.store.readings import Snapshot

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
    if is_absent(snapshot):
        found.append(
            Notice(
                "warning",
                "no store here",
                clean(snapshot.address.root),
                "the directory does not exist",
                "It is watched: memory appears as soon as an agent writes it.",
            )
        )
    # A writer at work is nothing to act on: the header tells it, and nothing moves.
    found.extend(of_fault(fault) for fault in snapshot.all_faults if fault.code != "lock-held")
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
                f"What is shown was read earlier; {key_for('app.reread')} reads again.",
            )
        )
    elif picture.feed == "polling":
        found.append(
            Notice(
                "info",
                "polling",
                "",
                "change events are not to be had here",
                "The files are looked at four times a second.",
            )
        )
    order = {"fault": 0, "warning": 1, "info": 2}
    found.sort(key=lambda notice: order[notice.level])
    return tuple(found)


def of_moment(picture: Picture) -> tuple[Notice, ...]:
    """Give what is not known of the earlier moment that is shown."""
    told = picture.as_of
    if told is None:
        return ()
    return tuple(Notice("warning", f"{scope} unknown", "", clean(why), "") for scope, why in told.unknown.items())


def of_fault(fault: Fault) -> Notice:
    """Put a fault or a warning into words."""
    kind = FAULTS.get(fault.code)
    title = kind.title if kind is not None else fault.code
    place = fault.file or ""
    if fault.line is not None:
        place += f" line {fault.line}" + (f", column {fault.column}" if fault.column is not None else "")
    where = " ".join(word for word in (fault.scope or "", place) if word)
    level: Level = "fault" if fault.severity == "fault" else "warning"
    return Notice(level, clean(title), clean(where), clean(_UNENDED.sub("", fault.reason)), clean(fault.kept))


# Some reasons were meant to be followed by a place, which is said already.
_UNENDED = re.compile(r"( starting)? at$")


def is_absent(snapshot: Snapshot) -> bool:
    """Tell whether there is no store at all; something that stands in its place is a fault of its scopes."""
    return not snapshot.present and all(reading.status == "absent" for reading in snapshot.scopes.values())


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What is wrong with a scope that is not open: its name, and the command that says the same, "" without one."""

    name: str
    found: Sequence[Notice]
    command: str


def doctor_command(store: str, cwd: str | None, session: str | None) -> str:
    """Give the command that says what is wrong with a scope; `store` is "" for the agent's own."""
    words = ["sftui", "doctor"]
    for option, value in (("--session", session), ("--cwd", cwd), ("--store", store)):
        words += [option, shlex.quote(value)] if value else []
    return clean(" ".join(words))


def health_count(picture: Picture) -> tuple[int, int]:
    """Give the number of faults and of warnings."""
    found = notices(picture)
    return (
        sum(1 for notice in found if notice.level == "fault"),
        sum(1 for notice in found if notice.level == "warning"),
    )
