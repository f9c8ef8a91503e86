"""The rows of History: every transition that is known, newest first, and what else is recorded between them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal

from engine.memory.scope import Scope
from engine.records import dataclass
from engine.values import Json, JsonObject
from sftui.times import clock, date, day_of
from sftui.views.changes import Line
from sftui.views.diffs import ScopeDiff

if TYPE_CHECKING:
    from engine.ledger.timeline import TimelineRow
    from engine.ledger.troubles import Trouble
    from sftui.views.moments import Moment

RowKey = tuple[str, ...]
NoteKind = Literal["folded", "rewound", "diverged", "first", "gone", "fault", "mended"]

# Changes of one transition that its row may tell; the rest is counted.
TOLD: Final = 6
OLDER: Final[RowKey] = ("older",)
BEGINS: Final[RowKey] = ("begins",)
DAY: Final = "day"


@dataclass(frozen=True, slots=True)
class Note:
    """What the ledger says besides transitions: revisions nobody saw, a scope that went back, a fault.

    `first` and `last` are revisions where it is about some; `where` is the place of a fault, `words` its reason.
    """

    seq: int
    kind: NoteKind
    seen: float
    scope: str
    address: str
    first: int = 0
    last: int = 0
    words: str = ""

    @property
    def key(self) -> RowKey:
        """Its identity among all rows."""
        return ("note", str(self.seq))

    def to_json(self) -> JsonObject:
        """The note as data."""
        return {
            "kind": self.kind,
            "seen": self.seen,
            "scope": self.scope,
            "address": self.address,
            "first": self.first,
            "last": self.last,
            "words": self.words,
        }


@dataclass(frozen=True, slots=True)
class Summary:
    """What a transition did, in a line: its first places; `more` are left out.

    `unknown` says why nothing is told.
    """

    told: tuple[Line, ...] = ()
    more: int = 0
    unknown: str = ""

    def to_json(self) -> JsonObject:
        """The summary as data."""
        told: list[Json] = [line.to_json() for line in self.told]
        return {"changes": told, "more": self.more, "unknown": self.unknown or None}


def summary(diffs: Iterable[ScopeDiff]) -> Summary:
    """Sum a diff up."""
    told: list[Line] = []
    more = 0
    for one in diffs:
        for line in one.lines:
            if len(told) < TOLD:
                told.append(Line(line.sign, line.path, line.where.removeprefix("."), line.what, line.was))
            else:
                more += 1
        more += one.more
    return Summary(tuple(told), more)


def keyed(moments: Iterable[Moment]) -> dict[RowKey, Moment]:
    """Give each transition the key of its row: one that it keeps while others come and go, above and below."""
    found: dict[RowKey, Moment] = {}
    for moment in moments:
        key: RowKey = ("moment", str(moment.boundary.position), moment.boundary.id)
        while key in found:  # an id that was used again
            key = (*key, "again")
        found[key] = moment
    return found


@dataclass(frozen=True, slots=True)
class History:
    """What is listed: `keys` in order, newest first; `moments` and `notes` by key. `more`: older ones can be loaded.

    `session` is the address of the one in view, `today` the day as it is told. `aside`: logs were put aside.
    """

    keys: tuple[RowKey, ...] = ()
    moments: Mapping[RowKey, Moment] = {}
    notes: Mapping[RowKey, Note] = {}
    summaries: Mapping[RowKey, Summary] = {}
    more: bool = False
    adopted: bool = False
    matching: int | None = None
    today: str = ""
    session: str | None = None
    aside: bool = False

    @property
    def newest(self) -> RowKey | None:
        """The first row that the cursor can stand on."""
        return next((key for key in self.keys if not is_heading(key)), None)

    @property
    def listed(self) -> tuple[Moment, ...]:
        """The transitions that are listed, newest first."""
        return tuple(self.moments[key] for key in self.keys if key in self.moments)


def is_heading(key: RowKey) -> bool:
    """Tell whether a row only divides others."""
    return key == BEGINS or key[0] == DAY


def notes_of(recorded: Iterable[TimelineRow]) -> tuple[Note, ...]:
    """What the ledger says of scopes besides their transitions."""
    found: list[Note] = []
    for row in recorded:
        if row.seen is None:
            continue
        if row.kind == "gap" and row.first is not None:
            kind: NoteKind = (
                "rewound" if row.reason == "rewound" else "diverged" if row.reason == "diverged" else "folded"
            )
            found.append(Note(row.seq, kind, row.seen, row.scope, row.address, row.first, row.revision))
        elif row.kind in {"baseline", "gone"}:
            kind = "first" if row.kind == "baseline" else "gone"
            found.append(Note(row.seq, kind, row.seen, row.scope, row.address, row.revision, row.revision))
    return tuple(found)


def faults_of(troubles: Iterable[Trouble], scopes: Mapping[str, str]) -> tuple[Note, ...]:
    """The faults that the ledger says were found, and went away again; `scopes` by address."""
    found: list[Note] = []
    for one in troubles:
        kind: NoteKind = "fault" if one.opened else "mended"
        words = f"{one.code}: {one.reason}" if one.opened else one.code
        found.append(Note(one.seq, kind, one.seen, scopes.get(one.place, ""), one.place, words=words))
    return tuple(found)


def history(
    moments: Mapping[RowKey, Moment],
    notes: Sequence[Note],
    summaries: Mapping[RowKey, Summary],
    *,
    scope: Scope | None = None,
    kept: Container[RowKey] | None = None,
    more: bool = False,
    adopted: bool = False,
    today: str = "",
    session: str | None = None,
    aside: bool = False,
) -> History:
    """Put transitions, newest first, and what is noted between them, into rows.

    `scope`: only what concerns that one. `kept` are the rows that a filter leaves: then there is nothing in between.
    """
    by_key = {key: one for key, one in moments.items() if scope is None or scope in one.scopes}
    matching = None
    if kept is not None:
        by_key = {key: one for key, one in by_key.items() if key in kept}
        matching = len(by_key)
    keys = list(by_key)
    told = {one.key: one for one in notes if kept is None and (scope is None or one.scope in {scope, ""})}
    if kept is None:
        keys = _with_begin(keys, by_key)
    for key, note in sorted(told.items(), key=lambda entry: entry[1].seq):
        keys.insert(_place(note, keys, by_key, told), key)
    keys = _with_days(keys, by_key, told, today)
    if more:
        keys.append(OLDER)
    return History(tuple(keys), by_key, told, summaries, more, adopted, matching, today, session, aside)


def _with_days(
    keys: Sequence[RowKey], moments: Mapping[RowKey, Moment], notes: Mapping[RowKey, Note], today: str
) -> list[RowKey]:
    """Say above each day but today which one it is."""
    found: list[RowKey] = []
    told: set[RowKey] = set()
    day, begins, ends = today, 0.0, 0.0
    for key in keys:
        seen = notes[key].seen if key in notes else moments[key].seen if key in moments else None
        if seen is not None and not begins <= seen < ends:
            begins, ends = day_of(seen)
            if date(seen) != day:
                day = date(seen)
                heading: RowKey = (DAY, day)
                while heading in told:
                    heading = (*heading, "again")
                told.add(heading)
                found.append(heading)
        found.append(key)
    return found


def _with_begin(keys: list[RowKey], moments: Mapping[RowKey, Moment]) -> list[RowKey]:
    """Say where the session's own lineage begins, if something older is known."""
    own = [index for index, key in enumerate(keys) if moments[key].offset is not None]
    if own and own[-1] + 1 < len(keys):
        return [*keys[: own[-1] + 1], BEGINS, *keys[own[-1] + 1 :]]
    return keys


def _place(note: Note, keys: Sequence[RowKey], moments: Mapping[RowKey, Moment], notes: Mapping[RowKey, Note]) -> int:
    """Where a note stands among the rows: revisions that nobody saw right below those after them, else by its time."""
    if note.kind == "folded":
        above = -1
        for index, key in enumerate(keys):
            for part in moments[key].parts if key in moments else ():
                if part.address == note.address and part.revision > note.last:
                    above = index
        return above + 1
    for index, key in enumerate(keys):
        if key in moments:
            if _is_before(moments[key], note.seen):
                return index
        elif key in notes and notes[key].kind != "folded" and notes[key].seen <= note.seen:
            return index
    return len(keys)


def _is_before(moment: Moment, seen: float) -> bool:
    times = [part.seen for part in moment.parts if part.seen is not None]
    return not times or max(times) <= seen


def when(moment: Moment) -> tuple[str, float | None]:
    """When a transition was first seen, as it is told, and the time if there is one."""
    if moment.seen is not None:
        return clock(moment.seen), moment.seen
    return "unknown", None
