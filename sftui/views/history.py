"""The rows of History: every transition that is known, newest first, and what else is recorded between them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal

from engine.memory.scope import SCOPES, Scope, initial
from engine.records import dataclass
from engine.values import Json, JsonObject
from sftui.cells import cell_len, cut, fit
from sftui.display import clean
from sftui.times import clock, date
from sftui.views.diffs import ROLES, ScopeDiff
from sftui.views.spans import Span, Spans

if TYPE_CHECKING:
    from engine.ledger.timeline import TimelineRow
    from engine.ledger.troubles import Trouble
    from sftui.views.moments import Moment, MomentPart

RowKey = tuple[str, ...]
NoteKind = Literal["folded", "rewound", "diverged", "first", "gone", "fault", "mended"]

# Changes of one transition that its row may tell; the rest is counted.
TOLD: Final = 6
OLDER: Final[RowKey] = ("older",)
BEGINS: Final[RowKey] = ("begins",)
_DAY: Final = "day"

# Where a transition is known from.
SOURCES: Final[dict[str, Span]] = {
    "lineage": ("●", "accent"),
    "tail": ("○", "text"),
    "ledger": ("·", "muted"),
}
LEGEND: Final[Spans] = (
    ("●", "accent"),
    (" lineage  ", "muted"),
    ("○", "text"),
    (" retained  ", "muted"),
    ("·", "muted"),
    (" ledger only", "muted"),
)
_NOTED: Final[dict[NoteKind, Span]] = {
    "folded": ("┄", "warn"),
    "rewound": ("↳", "warn"),
    "diverged": ("↳", "warn"),
    "first": ("○", "muted"),
    "gone": ("×", "warn"),
    "fault": ("✖", "bad"),
    "mended": ("✓", "good"),
}


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
    """What a transition did, in a line: its first places, each with sign, path and what; `more` are left out.

    `unknown` says why nothing is told.
    """

    told: tuple[tuple[str, str, str], ...] = ()
    more: int = 0
    unknown: str = ""

    def to_json(self) -> JsonObject:
        """The summary as data."""
        told: list[Json] = [{"sign": sign, "path": where, "what": what} for sign, where, what in self.told]
        return {"changes": told, "more": self.more, "unknown": self.unknown or None}


def summary(diffs: Iterable[ScopeDiff]) -> Summary:
    """Sum a diff up."""
    told: list[tuple[str, str, str]] = []
    more = 0
    for one in diffs:
        for line in one.lines:
            if len(told) < TOLD:
                told.append((line.sign, line.where.removeprefix("."), line.what))
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
    """What is listed: `keys` in order, newest first; `moments` and `notes` by key. `more`: older ones can be loaded."""

    keys: tuple[RowKey, ...] = ()
    moments: Mapping[RowKey, Moment] = {}
    notes: Mapping[RowKey, Note] = {}
    summaries: Mapping[RowKey, Summary] = {}
    more: bool = False
    adopted: bool = False
    matching: int | None = None
    today: str = ""

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
    return key == BEGINS or key[0] == _DAY


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
    return History(tuple(keys), by_key, told, summaries, more, adopted, matching, today)


def _with_days(
    keys: Sequence[RowKey], moments: Mapping[RowKey, Moment], notes: Mapping[RowKey, Note], today: str
) -> list[RowKey]:
    """Say above each day but today which one it is."""
    found: list[RowKey] = []
    day = today
    for key in keys:
        seen = notes[key].seen if key in notes else when(moments[key])[1] if key in moments else None
        if seen is not None and date(seen) != day:
            day = date(seen)
            found.append((_DAY, day, str(len(found))))
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


def list_title(told: History, scope: Scope | None, text: str, width: int) -> tuple[Spans, Spans]:
    """Say what is listed, and what the signs mean where there is room for that."""
    left: list[Span] = [("history", "strong")]
    if scope is not None:
        left.append((f" · {scope} only", "accent"))
    if text:
        count = (
            "looking…" if told.matching is None else f"{told.matching:,} match" + ("" if told.matching == 1 else "es")
        )
        of = " of those loaded" if told.more else ""
        left.append((f" · {clean(text)}: {count}{of}", "accent"))
    return tuple(left), LEGEND if width >= _ROOM_FOR_LEGEND and not text else ()


_ROOM_FOR_LEGEND: Final = 72

# One row.


def when(moment: Moment) -> tuple[str, float | None]:
    """When a transition was first seen, as it is told, and the time if there is one."""
    if moment.seen is not None:
        return clock(moment.seen), moment.seen
    return ("before" if any(part.before for part in moment.parts) else "unknown"), None


def source(moment: Moment) -> str:
    """Where a transition is known from, the best of its scopes."""
    found = {part.source for part in moment.parts}
    return next((name for name in SOURCES if name in found), "ledger")


def whose(parts: Iterable[MomentPart]) -> str:
    """Whether a transition was made by this program: `ours`, `not ours`, or `unknown` where no record says so."""
    said = {part.ours for part in parts}
    if True in said:
        return "ours"
    return "not ours" if said == {False} else "unknown"


def row_line(
    told: History, key: RowKey, width: int, *, marked: bool = False, shown: bool = False
) -> tuple[Spans, Spans]:
    """Lay a row out; `marked` to be compared, `shown`: the whole app is as of it."""
    if key == OLDER:
        return (
            (" ┄ ", "muted"),
            ("older changes", "accent"),
            (" are loaded when the cursor opens this line", "muted"),
        ), ()
    if key == BEGINS:
        words = " the session's own history begins here "
        if told.adopted:
            words = " the session begins again here: shared memory had moved on "
        return _divider(words, width)
    if key[0] == _DAY:
        return _divider(f" {key[1]} ", width)
    if key in told.notes:
        return _note_line(told.notes[key]), ()
    moment = told.moments[key]
    words, seen = when(moment)
    left: list[Span] = [
        ("■" if marked else "▸" if shown else " ", "accent"),
        SOURCES[source(moment)],
        (f" {fit(words, 8)}", "strong" if seen is not None else "muted"),
        (f" {fit_scopes(moment.shorts)}", "text"),
    ]
    right: Spans = ()
    who = whose(moment.parts)
    if who == "ours":
        right = (("ours", "accent"),)
    elif width >= _ROOM_FOR_WHOSE:
        right = ((who, "muted"),)
    room = width - sum(cell_len(text) for text, _ in left) - sum(cell_len(text) + 1 for text, _ in right)
    return (*left, *_told(told.summaries.get(key), room)), right


def _divider(words: str, width: int) -> tuple[Spans, Spans]:
    return ((" ──", "rule"), (words, "muted"), ("─" * max(2, width - cell_len(words) - 4), "rule")), ()


# From so many cells on a row says whose it is not.
_ROOM_FOR_WHOSE: Final = 64
_SCOPES: Final = 4


def fit_scopes(text: str) -> str:
    """A column for the usual case: one scope."""
    return text if cell_len(text) > _SCOPES else fit(text, _SCOPES)


def _told(said: Summary | None, room: int) -> Spans:
    if said is None:
        return ((" …", "muted"),)
    if said.unknown:
        return ((f" {said.unknown}", "muted"),)
    spans: list[Span] = []
    texts = [f"{where}  {what}" for _, where, what in said.told]
    left = len(texts) + said.more
    for number, (sign, where, _) in enumerate(said.told):
        # What comes after it may have what this one leaves, and two fifths in any case.
        rest = sum(cell_len(text) + 3 for text in texts[number + 1 :]) + (len(f" +{said.more}") if said.more else 0)
        share = max(room - rest, room if left == 1 else room * 3 // 5) - 3
        if spans and share < _LEAST:
            break
        text = cut(texts[number], max(0, share))
        spans += [(f" {sign}", ROLES[sign]), (f" {text[: len(where)]}", "key"), (text[len(where) :], "muted")]
        room -= cell_len(text) + 3
        left -= 1
    if left:
        spans.append((f" +{left}", "muted"))
    return tuple(spans)


_LEAST: Final = 16


def _note_line(note: Note) -> Spans:
    sign, role = _NOTED[note.kind]
    return ((" ", "text"), (sign, role), (f" {clock(note.seen)} ", "muted"), (note_words(note), role))


def note_words(note: Note) -> str:
    """Say what is noted."""
    name = initial(note.scope) if note.scope in SCOPES else ""
    first, last = f"{name}{note.first}", f"{name}{note.last}"
    match note.kind:
        case "folded":
            span = f"revision {first}" if note.first == note.last else f"revisions {first} to {last}"
            return (
                f"{span} {'was' if note.first == note.last else 'were'} never seen: folded away before anybody looked"
            )
        case "rewound":
            return f"{note.scope} went back from {first} to {last}"
        case "diverged":
            return f"{note.scope} holds another past than was seen up to {first}; it is at {last} now"
        case "first":
            return f"{note.scope} seen for the first time, at {last}"
        case "gone":
            return f"{note.scope} is gone; it was at {last}"
        case "fault":
            return f"fault{_of_place(note)}: {clean(note.words)}"
        case "mended":
            return f"fault{_of_place(note)} gone: {clean(note.words)}"


def _of_place(note: Note) -> str:
    """Of which scope a fault is; what is of none is of how they fit together, or of the lock."""
    if note.scope:
        return f" of {note.scope}"
    return " of the lock" if note.address == "lock" else " between scopes"
