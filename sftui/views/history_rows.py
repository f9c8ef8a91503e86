"""How rows of History look: times, revisions, signs, and what a transition did in what room there is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from engine.memory.scope import SCOPES, Scope, initial
from sftui.cells import cell_len, cut, fit
from sftui.display import clean
from sftui.times import clock
from sftui.views.diffs import ROLES
from sftui.views.history import BEGINS, DAY, OLDER, History, Note, NoteKind, RowKey, Summary, when
from sftui.views.spans import Span, Spans
from sftui.views.watch import shares

if TYPE_CHECKING:
    from sftui.views.moments import Moment, MomentPart

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
    if key[0] == DAY:
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
    wide = [cell_len(line.where) + cell_len(line.what) + 2 for line in said.told]
    left = len(wide) + said.more
    for number, line in enumerate(said.told):
        # What comes after it may have what this one leaves, and two fifths in any case, if that is enough for anything.
        rest = sum(one + 3 for one in wide[number + 1 :]) + (len(f" +{said.more}") if said.more else 0)
        count = len(f" +{left - 1}") if left > 1 else 0
        share = max(room - rest, room * 3 // 5 if room * 2 // 5 > _LEAST else room - count) - 3
        if spans and share < _LEAST:
            break
        where = cut(line.where, max(0, share))
        was, now = shares(line, share - cell_len(where) - 2)
        ending = f"  {was}{now}" if now else ""
        spans += [(f" {line.sign}", ROLES[line.sign]), (f" {where}", "key"), (ending, "muted")]
        room -= 3 + cell_len(where) + cell_len(ending)
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
