"""Screen 1: what the agent is after, and what changed last."""

from __future__ import annotations

from collections.abc import Sequence

from engine.memory.ownership import INTENTS
from engine.memory.scope import SCOPES, Scope, initial
from engine.records import dataclass
from engine.values import JsonObject, is_object
from sftui.cells import cell_len, cut, fit
from sftui.times import clock, minute
from sftui.views.changes import BECAME, Entry, Line
from sftui.views.kinds import EntryKey, StreamKey
from sftui.views.picture import Picture
from sftui.views.preview import gist, key_text
from sftui.views.spans import SIGN_ROLES, Span, Spans

# Dividers look like rows, with a number that no line has.
LOOKED: StreamKey = (("", 0, "looked"), -1)
BEFORE: StreamKey = (("", 0, "before"), -1)


@dataclass(frozen=True, slots=True)
class IntentRow:
    """One intent: where it lives, what it says, how much it owns."""

    scope: Scope
    name: str
    says: str
    owns: int

    @property
    def key(self) -> tuple[str, str]:
        """Its identity among all rows."""
        return (self.scope, self.name)

    def to_json(self) -> JsonObject:
        """The row as data."""
        return {"scope": self.scope, "intent": self.name, "says": self.says, "owns": self.owns}


def intent_rows(picture: Picture) -> tuple[IntentRow, ...]:
    """Give the intents of every readable scope, the session's first."""
    found: list[IntentRow] = []
    for scope in reversed(SCOPES):
        intents = picture.states.get(scope, {}).get(INTENTS)
        if not is_object(intents):
            continue
        counts: dict[str, int] = {}
        for claim in picture.claims.get(scope, ()):
            if claim.exists:
                counts[claim.intent] = counts.get(claim.intent, 0) + 1
        for name, intent in intents.items():
            found.append(IntentRow(scope, name, gist(intent, 200)[0], counts.get(name, 0)))
    return tuple(found)


def unreadable(picture: Picture) -> str:
    """Name the scopes whose memory cannot be read: nothing of them is ever shown as empty."""
    snapshot = picture.snapshot
    readings = {} if snapshot is None else snapshot.scopes
    return ", ".join(scope for scope in SCOPES if scope in readings and _is_hidden(picture, scope))


def _is_hidden(picture: Picture, scope: Scope) -> bool:
    snapshot = picture.snapshot
    if snapshot is None or scope in picture.states:
        return False
    unknown = picture.as_of is not None and scope in picture.as_of.unknown
    return unknown or snapshot.scopes[scope].status == "fenced"


def no_intents(picture: Picture) -> Spans:
    """Say why no intents are listed."""
    hidden = unreadable(picture)
    if hidden:
        return ((f" intents {'unreadable' if picture.as_of is None else 'not known then'}: {hidden}", "warn"),)
    return ((" no intents: the agent has named none", "muted"),)


def no_changes(picture: Picture) -> list[Spans]:
    """Say why no changes are listed."""
    snapshot = picture.snapshot
    if snapshot is None:
        return [((" reading…", "muted"),)]
    hidden = unreadable(picture)
    if picture.as_of is not None:
        return [((" no change up to this moment is told of here", "muted"),)]
    if hidden:
        return [
            ((f" changes unreadable: {hidden}", "warn"),),
            ((" what is wrong stands above; nothing of it is lost", "muted"),),
        ]
    if not snapshot.present or all(reading.status == "absent" for reading in snapshot.scopes.values()):
        return [
            ((" nothing is remembered here yet", "text"),),
            ((" changes appear as soon as an agent makes them", "muted"),),
        ]
    return [
        ((" no change is retained", "text"),),
        ((" what happens from now on appears here", "muted"),),
    ]


def intent_line(row: IntentRow, width: int, name_width: int) -> tuple[Spans, Spans]:
    """Lay an intent out."""
    says = row.says[1:-1] if row.says[:1] == '"' == row.says[-1:] and len(row.says) > 1 else row.says
    left: Spans = (
        (f" {initial(row.scope)} ", "muted"),
        (fit(key_text(row.name), name_width), "strong"),
        (f"  {says}", "text"),
    )
    right: Spans = ((f" owns {row.owns}" if row.owns else "", "muted"),)
    del width
    return left, right


def name_width(rows: Sequence[IntentRow], width: int) -> int:
    """Give the width of the column of names."""
    longest = max((cell_len(key_text(row.name)) for row in rows), default=0)
    return max(6, min(longest, max(10, width // 3)))


def stream_keys(log: Sequence[Entry], looked_at: EntryKey | None) -> list[StreamKey]:
    """Give the rows of the stream, newest entry first, with its dividers.

    'You looked here' stands above the entry that was the newest when it was last looked at,
    and nowhere while nothing newer has come; another stands above what nobody saw happen.
    """
    keys: list[StreamKey] = []
    seen = True
    for index, entry in enumerate(log):
        if index and entry.key == looked_at:
            keys.append(LOOKED)
        if seen and entry.seen is None:
            keys.append(BEFORE)
        seen = entry.seen is not None
        keys.extend((entry.key, number) for number in range(len(entry.lines) + 1 + (1 if entry.more else 0)))
    return keys


def heading(entry: Entry, width: int) -> tuple[Spans, Spans]:
    """Lay out the heading of an entry: when it was seen, which revision of which scope."""
    when: Span = (clock(entry.seen), "strong") if entry.seen is not None else ("unknown ", "muted")
    right: Spans = (("ours", "accent"),) if entry.ours else ()
    del width
    return ((" ", "text"), when, (f" {fit(entry.short, 4)}", "strong"), (f" {entry.scope}", "muted")), right


def change_line(line: Line, width: int, *, indent: int = 2) -> Spans:
    """Lay out one changed path: sign, path, what. A path fills its column only where there is room for that."""
    where_width = max(16, min(40, width * 2 // 5))
    where = line.where if cell_len(line.where) <= where_width else _tail(line.where, where_width)
    room = width - indent - 3
    if where_width + cell_len(line.what) <= room:
        where = fit(where, where_width)
    was, now = shares(line, room - cell_len(where))
    return (
        (" " * indent, "text"),
        (line.sign, SIGN_ROLES[line.sign]),
        (f" {where} ", "key"),
        (was, "muted"),
        (now, "text" if was else "muted"),
    )


def shares(line: Line, width: int) -> tuple[str, str]:
    """Say how a path changed in `width` cells: what was there with an arrow, "" where nothing is told of it, and what is.

    What is there now comes whole where it fits at all, else it has three fifths; where that leaves nothing to speak
    of for what was, the arrow alone stands for it.
    """
    if not line.was:
        return "", cut(line.what, width)
    now = line.what[len(line.was) + len(BECAME) :]
    room = width - cell_len(BECAME)
    fits = cell_len(now) <= width - cell_len(BECAME.lstrip())
    left = room - cell_len(now) if fits else room * 2 // 5
    if left < min(_LEAST_WAS, cell_len(line.was)):
        was, arrow = "", BECAME.lstrip()
    else:
        was, arrow = cut(line.was, left), BECAME
    return was + arrow, cut(now, width - cell_len(was + arrow))


# An old value in fewer cells than this says nothing.
_LEAST_WAS = 8


def _tail(text: str, width: int) -> str:
    """Keep the end of a path: the key that changed."""
    kept = ""
    used = 1
    for character in reversed(text):
        used += cell_len(character)
        if used > width:
            break
        kept = character + kept
    return f"…{kept}"


def divider(key: StreamKey, width: int, looked: float) -> Spans:
    """Give a line that divides the stream; `looked` is when it was last looked at."""
    words = f" you looked here {minute(looked)} " if key == LOOKED else " before anybody looked "
    dashes = "─" * max(2, width - cell_len(words) - 3)
    return ((f" {dashes}", "rule"), (words, "accent" if key == LOOKED else "muted"), ("──", "rule"))


def one_line(entry: Entry, width: int) -> Spans:
    """Give an entry on one line: for the strip below the memory."""
    when: Span = (clock(entry.seen), "text") if entry.seen is not None else ("unknown ", "muted")
    spans: list[Span] = [(" ", "text"), when, (f" {fit(entry.short, 4)} ", "text")]
    room = width - 15
    for line in entry.lines:
        if room < 12:
            break
        where = cut(line.where, max(8, room // 2 - 4))
        # Of several changes each has its part; one alone has all there is.
        most = room - 5 - cell_len(where)
        told = f"{where} {''.join(shares(line, most if len(entry.lines) == 1 else min(most, 40)))} "
        spans += [(f" {line.sign} ", SIGN_ROLES[line.sign]), (told, "text")]
        room -= cell_len(told) + 3
    return tuple(spans)
