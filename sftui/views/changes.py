"""What changed: one entry for each transition of a scope, newest first.

Entries come from the retained tails and stay after a tail has folded them away.
A time is only ever when a change was seen; what was there before is 'unknown'.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.memory.dialect import Dialect
from engine.memory.ownership import INTENTS, Cascade, cascade
from engine.memory.scope import SCOPES, Scope, initial
from engine.memory.stream import Boundary, ScopeStream
from engine.records import dataclass, replace
from engine.values import Json, JsonObject, dotted, is_array, is_object, merge, same
from sftui.display import clean
from sftui.views.ends import GONE, ends
from sftui.views.kinds import EntryKey, Path
from sftui.views.preview import brief
from sftui.views.sizes import Sizes
from sftui.views.units import human

# Entries kept of a long run, and lines shown of one entry; a last line counts the rest.
KEPT_ENTRIES: Final = 500
KEPT_LINES: Final = 100
_BRIEF: Final = 60
_SHORT: Final = 32
# Arrays up to this long are compared item by item.
_COUNTED: Final = 500
# Between what was there and what is.
BECAME: Final = " → "


@dataclass(frozen=True, slots=True)
class Line:
    """One path that changed. `sign` is + - ~ or × (taken by a cascade); `what` says how, cleaned.

    `was` is the old value where `what` tells one, followed by an arrow and the new one; "" where it does not.
    """

    sign: str
    path: Path
    where: str
    what: str
    was: str = ""

    def to_json(self) -> JsonObject:
        """The line as data."""
        return {"sign": self.sign, "path": list(self.path), "what": self.what}


@dataclass(frozen=True, slots=True)
class Entry:
    """One transition of one scope.

    `seen` is in Unix seconds, None for what was there before anybody looked; `ours` tells whether this program
    made it, None where no record says so.
    """

    address: str
    scope: Scope
    revision: int
    boundary: Boundary
    seen: float | None
    ours: bool | None
    lines: tuple[Line, ...]
    more: int

    @property
    def key(self) -> EntryKey:
        """Its identity among all entries."""
        return (self.address, self.revision, self.boundary.id)

    @property
    def short(self) -> str:
        """`s31`: scope and revision."""
        return f"{initial(self.scope)}{self.revision}"

    def to_json(self) -> JsonObject:
        """The entry as data."""
        return {
            "scope": self.scope,
            "address": self.address,
            "revision": self.revision,
            "boundary": self.boundary.to_json(),
            "seen": self.seen,
            "ours": self.ours,
            "changes": [line.to_json() for line in self.lines],
            "more": self.more,
        }


@dataclass(frozen=True, slots=True)
class Sighted:
    """When a transition was first seen, and whether this program made it (None: no record says so)."""

    seen: float | None
    ours: bool | None


Sightings = Mapping[EntryKey, Sighted]


def update(
    log: tuple[Entry, ...],
    streams: Mapping[str, tuple[Scope, Dialect, ScopeStream]],
    sightings: Sightings,
    sizes: Sizes,
    at: Mapping[str, float],
) -> tuple[Entry, ...]:
    """Give the log with every retained transition that it lacks; `streams` by scope address.

    `at` is when this reading was taken, for transitions nobody has seen before, by address; a scope that
    is read for the first time is not in it: whatever is there was there before.
    """
    log = corrected(log, sightings)
    known = {entry.key for entry in log}
    fresh: list[Entry] = []
    for address, (scope, dialect, stream) in streams.items():
        first = stream.revision - len(stream.tail) + 1
        for index, transition in enumerate(stream.tail):
            key = (address, first + index, transition.boundary.id)
            if key in known:
                continue
            sighting = sightings.get(key)
            before, after = stream.states[index], stream.states[index + 1]
            lines = lines_of(dialect, scope, transition.patch, before=before, after=after, sizes=sizes)
            fresh.append(
                Entry(
                    address,
                    scope,
                    first + index,
                    transition.boundary,
                    at.get(address) if sighting is None else sighting.seen,
                    None if sighting is None else sighting.ours,
                    tuple(lines[:KEPT_LINES]),
                    max(0, len(lines) - KEPT_LINES),
                )
            )
    fresh.sort(key=lambda entry: (entry.boundary.position, SCOPES.index(entry.scope)), reverse=True)
    return (*fresh, *log)[:KEPT_ENTRIES] if fresh else log


def corrected(log: tuple[Entry, ...], sightings: Sightings) -> tuple[Entry, ...]:
    """Give the log with what has become known of its entries since: who made one may be heard after it was seen."""
    told = [_told(entry, sightings.get(entry.key)) for entry in log]
    return log if all(one is other for one, other in zip(told, log, strict=True)) else tuple(told)


def _told(entry: Entry, sighting: Sighted | None) -> Entry:
    if sighting is None:
        return entry
    seen = sighting.seen if entry.seen is None else entry.seen
    ours = entry.ours if sighting.ours is None else sighting.ours
    return entry if (seen, ours) == (entry.seen, entry.ours) else replace(entry, seen=seen, ours=ours)


def lines_of(
    dialect: Dialect, scope: Scope, patch: JsonObject, *, before: JsonObject, after: JsonObject, sizes: Sizes
) -> list[Line]:
    """Say what a recorded patch changed, one line a path; looks only where the patch points."""
    taken = _cascade(dialect, scope, patch, before)
    return [
        _line(path, old, new, lazy=bool(path) and path[0] in dialect.lazy, taken=taken, sizes=sizes)
        for path, old, new in ends(patch, before, after)
    ]


def _cascade(dialect: Dialect, scope: Scope, patch: JsonObject, before: JsonObject) -> Cascade | None:
    intents = patch.get(INTENTS)
    if INTENTS not in patch or not (is_object(intents) or intents is None):
        return None
    after = merge(before, {INTENTS: intents}).value
    if not is_object(after):
        return None
    found = cascade(dialect, scope, before, after)
    return found if found.targets else None


def _took(taken: Cascade, path: Path) -> bool:
    """Tell whether a cascade removed `path`: a target, something in one, or what was empty without its targets."""
    return taken.covers(path) or any(target[: len(path)] == path for target in taken.targets)


def _line(path: Path, old: Json, new: Json, *, lazy: bool, taken: Cascade | None, sizes: Sizes) -> Line:
    where = clean(dotted("", path).removeprefix("."))
    if new is GONE:
        if taken is not None and _took(taken, path):
            return Line("×", path, where, f"cascaded, {_size(old, sizes)}")
        if len(path) == 2 and path[0] == INTENTS:
            return Line("-", path, where, "closed")
        return Line("-", path, where, _size(old, sizes) if lazy else brief(old, _BRIEF))
    if old is GONE:
        shown = f"{_size(new, sizes)}, not in context" if lazy else brief(new, _BRIEF)
        return Line("+", path, where, shown)
    if lazy and not (_is_short(old, sizes) and _is_short(new, sizes)):
        return Line("~", path, where, f"{_growth(old, new, sizes)}, not in context")
    if is_array(old) and is_array(new) and len(old) == len(new) <= _COUNTED:
        count = sum(1 for one, other in zip(old, new, strict=True) if not same(one, other))
        return Line("~", path, where, f"{count} of {len(new)} items")
    was, told = brief(old, _BRIEF), brief(new, _BRIEF)
    if (is_object(old) or is_array(old)) and (is_object(new) or is_array(new)):
        told = f"{told}  {_growth(old, new, sizes)}"
    return Line("~", path, where, f"{was}{BECAME}{told}", was)


def _is_short(value: Json, sizes: Sizes) -> bool:
    """Tell whether a value is no body that would have to be opened, but a word or a number."""
    return not (is_object(value) or is_array(value)) and _bytes(value, sizes) <= _SHORT


def _bytes(value: Json, sizes: Sizes) -> int:
    known = sizes.quick(value)
    if known is None:
        for _ in sizes.measure(value):
            pass
        known = sizes.quick(value)
    return known or 0


def _size(value: Json, sizes: Sizes) -> str:
    return human(_bytes(value, sizes))


def _growth(old: Json, new: Json, sizes: Sizes) -> str:
    delta = _bytes(new, sizes) - _bytes(old, sizes)
    if delta == 0:
        return "same size"
    return f"+{human(delta)}" if delta > 0 else f"−{human(-delta)}"
