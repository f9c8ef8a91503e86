"""Looking for a text in memory, in what scopes retain, and in the ledger: a step at a time, in this order.

Steps are short, so that whoever drives them can stop at any of them. Reads files, and leaves no trace.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, cast

from engine.ledger.events import Baseline, Retained, TransitionSeen, patch_hash
from engine.ledger.lines import from_line
from engine.ledger.sifting import Sifted, sift
from engine.memory.dialect import V4
from engine.memory.overlay import scope_view
from engine.memory.scope import Scope, is_scope
from engine.records import dataclass, replace
from engine.store.layout import store_home
from engine.values import Json, JsonArray, JsonObject, encode, inverse_patch, is_array, is_object
from engine.values.needle import Needle
from engine.values.paths import slot
from sftui.views.kinds import EntryKey, Path
from sftui.views.preview import brief
from sftui.views.search import MOST_HITS, Excerpt, Hit, Progress, Source, Stood, excerpt

if TYPE_CHECKING:
    from engine.memory.stream import ScopeStream
    from engine.store.readings import Snapshot
    from sftui.views.changes import Entry
    from sftui.views.picture import Picture

# Members looked at between two chances to stop: less than a millisecond of work.
_STEP: Final = 1_000
# Characters of a value whose key was found.
_BRIEF: Final = 60
# Texts of a short array are looked through together: most hold nothing.
_TOGETHER: Final = 64
# Where the share of what has been looked at is told first: memory is looked through before it can be told.
MEMORY, HISTORY = "memory", "history"
PLACES: Final = (MEMORY, HISTORY)

Member = tuple[Path, Json, bool]
"""(path, what stands there, whether it is the last key that holds the text)."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What is searched: of each scope its address, its memory as it is shown, and its stream.

    `log` are transitions of which somebody knows more than the scope retains; `ledger` is the directory of the logs,
    None for none.
    """

    memory: Mapping[Scope, tuple[str, JsonObject]]
    streams: Mapping[Scope, tuple[str, ScopeStream]]
    log: Mapping[EntryKey, Entry]
    ledger: str | None


@dataclass(frozen=True, slots=True)
class Known:
    """A hit that was given before, with what the ledger knows of its transition."""

    hit: Hit


Step = Hit | Known | Progress | None


def ground_of(picture: Picture, *, ledger: bool) -> Ground:
    """What is searched of a picture; with `ledger`, what was recorded of its store as well."""
    snapshot = picture.snapshot
    if snapshot is None:
        return Ground({}, {}, {}, None)
    at = {scope: reading.address for scope, reading in snapshot.scopes.items()}
    memory = {scope: (at[scope], picture.memory[scope]) for scope in at if scope in picture.memory}
    log = {entry.key: entry for entry in picture.log}
    return Ground(memory, _streams(snapshot), log, ledger_of(snapshot.address.root) if ledger else None)


def ground_in(snapshot: Snapshot, wanted: Collection[Scope], *, ledger: bool) -> Ground:
    """What is searched of a snapshot's `wanted` scopes."""
    streams = {scope: found for scope, found in _streams(snapshot).items() if scope in wanted}
    memory = {
        scope: (address, scope_view(snapshot.scopes[scope].dialect or snapshot.dialect or V4, stream.current))
        for scope, (address, stream) in streams.items()
    }
    return Ground(memory, streams, {}, ledger_of(snapshot.address.root) if ledger else None)


def _streams(snapshot: Snapshot) -> dict[Scope, tuple[str, ScopeStream]]:
    return {
        scope: (reading.address, reading.stream)
        for scope, reading in snapshot.scopes.items()
        if reading.stream is not None
    }


def ledger_of(root: str) -> str:
    """The directory of a store's logs."""
    return os.path.join(store_home(root), "ledger")


def look(ground: Ground, sought: Needle, within: Collection[str] = PLACES, most: int = MOST_HITS) -> Iterator[Step]:
    """Every hit once, None while there is none, and how far it is. The last step is a Progress."""
    found = 0
    retained: dict[EntryKey, list[Hit]] = {}
    for hit in _present(ground, sought, within):
        yield hit
        if hit is None:
            continue
        if hit.entry is not None:
            retained.setdefault(hit.entry, []).append(hit)
        found += 1
        if found >= most:
            yield Progress(cut=True)
            return
    if HISTORY in within and ground.ledger is not None:
        yield from _past(ground, ground.ledger, sought, retained, most - found)
    else:
        yield Progress(1.0)


def _past(
    ground: Ground, directory: str, sought: Needle, retained: Mapping[EntryKey, list[Hit]], most: int
) -> Iterator[Step]:
    """What the logs have beyond what is retained; of that, when it was seen."""
    share, elsewhere, found = 0.0, 0, 0
    here = {address for address, _ in ground.streams.values()} | {address for address, _ in ground.memory.values()}
    kept = _kept(ground)
    known: set[tuple[str, int, str, str]] = set()
    try:
        for part in sift(directory, sought):
            if not isinstance(part, Sifted):
                share = part
                yield Progress(share, elsewhere)
                continue
            for scope, address, transition, seen in _recorded(part.line):
                if address not in here:
                    elsewhere += 1
                    continue
                key = (address, transition.revision, transition.boundary.id)
                if key in kept and patch_hash(kept[key]) == transition.hash:
                    yield from _seen(retained.get(key, ()), seen)
                    continue
                if (*key, transition.hash) in known:
                    continue
                known.add((*key, transition.hash))
                place = _Place("ledger", scope, address, Stood(transition.revision, transition.boundary, seen))
                for hit in _of_transition(place, transition.patch, transition.inverse, sought):
                    yield hit
                    found += hit is not None
                    if found >= most:
                        yield Progress(share, elsewhere, cut=True)
                        return
    except OSError as error:
        yield Progress(share, elsewhere, trouble=f"the ledger cannot be read: {error.strerror or error}")
        return
    yield Progress(1.0, elsewhere)


def _kept(ground: Ground) -> dict[EntryKey, JsonObject]:
    """The patches that scopes retain, by the keys of their transitions."""
    return {
        (address, stream.revision - len(stream.tail) + 1 + number, transition.boundary.id): transition.patch
        for address, stream in ground.streams.values()
        for number, transition in enumerate(stream.tail)
    }


def _seen(hits: Iterable[Hit], seen: float | None) -> Iterator[Known]:
    for hit in hits:
        if seen is not None and hit.stood is not None and hit.stood.seen is None:
            yield Known(replace(hit, stood=replace(hit.stood, seen=seen)))


@dataclass(frozen=True, slots=True)
class _Place:
    source: Source
    scope: Scope
    address: str
    stood: Stood | None = None


def _present(ground: Ground, sought: Needle, within: Collection[str]) -> Iterator[Hit | None]:
    """What memory holds, then what scopes retain, the newest first."""
    if MEMORY in within:
        for scope, (address, root) in ground.memory.items():
            yield from _hits(_Place("memory", scope, address), members(root, sought), sought, "")
    if HISTORY not in within:
        return
    for scope, (address, stream) in ground.streams.items():
        first = stream.revision - len(stream.tail) + 1
        for number in range(len(stream.tail) - 1, -1, -1):
            transition = stream.tail[number]
            entry = ground.log.get((address, first + number, transition.boundary.id))
            stood = Stood(first + number, transition.boundary)
            if entry is not None:
                stood = replace(stood, seen=entry.seen, ours=entry.ours)
            inverse = inverse_patch(stream.states[number], stream.states[number + 1], transition.patch)
            place = _Place("retained", scope, address, stood)
            yield from _of_transition(place, transition.patch, inverse, sought)
            yield None


def _of_transition(
    place: _Place, patch: JsonObject, inverse: JsonObject | None, sought: Needle
) -> Iterator[Hit | None]:
    """What a transition set, then what was there before and holds the text where what it set does not."""
    told: set[Path] = set()
    for hit in _hits(place, members(patch, sought), sought, "+"):
        if hit is not None:
            told.add(hit.path)
        yield hit
    if inverse is not None:
        for hit in _hits(place, members(inverse, sought), sought, "-"):
            if hit is None or hit.path not in told:
                yield hit


def _hits(place: _Place, found: Iterator[Member | None], sought: Needle, sign: str) -> Iterator[Hit | None]:
    for member in found:
        if member is None:
            yield None
            continue
        path, value, in_key = member
        if sign == "-" and value is None:
            continue  # the transition made this key: what it set says so
        shown = _excerpt(path, value, sought, in_key=in_key)
        if place.stood is not None:
            path = tuple(_step(key) for key in path)
        if in_key:
            # What the key leads to, besides: the key alone says little.
            shown = replace(shown, after=f"{shown.after}: {brief(value, _BRIEF)}")
        did = "-" if sign and value is None else sign
        yield Hit(place.source, place.scope, place.address, path, shown, in_key, did, place.stood)


def _excerpt(path: Path, value: Json, sought: Needle, *, in_key: bool) -> Excerpt:
    text = str(path[-1]) if in_key else spelled(value)
    return excerpt(text, sought) or Excerpt("", "", "")


def _step(key: str | int) -> str | int:
    """A key of a patch, as a step of a path."""
    index = slot(key) if isinstance(key, str) else None
    return key if index is None else index


def spelled(value: Json) -> str:
    """A scalar as it is looked for: a text as it reads, anything else as JSON spells it."""
    return value if isinstance(value, str) else encode(value).decode("utf-8", "surrogatepass")


def members(root: JsonObject, sought: Needle) -> Iterator[Member | None]:
    """Each member, at any depth and in reading order, whose key holds the text or that is a scalar which does.

    None now and then while there is none.
    """
    matches, scalars = sought.matches, sought.may_be_scalar
    steps = 0
    stack: list[tuple[Path, Iterator[tuple[str | int, Json]]]] = [((), iter(root.items()))]
    while stack:
        above, rest = stack[-1]
        for key, value in rest:
            steps += 1
            if steps >= _STEP:
                steps = 0
                yield None
            hit = isinstance(key, str) and matches(key)
            if isinstance(value, str):
                if hit or matches(value):
                    yield (*above, key), value, hit
            elif is_object(value):
                if hit:
                    yield (*above, key), value, True
                stack.append(((*above, key), iter(value.items())))
                break
            elif is_array(value):
                if hit:
                    yield (*above, key), value, True
                if len(value) <= _TOGETHER and (texts := joined(value)) is not None and not matches(texts):
                    steps += len(value)
                    continue
                stack.append(((*above, key), iter(enumerate(value))))
                break
            elif hit or (scalars and matches(spelled(value))):
                yield (*above, key), value, hit
        else:
            stack.pop()


def joined(array: JsonArray) -> str | None:
    """All texts of an array in one, which holds whatever one of them does; None where there is anything else in it."""
    try:
        return "\0".join(cast("list[str]", array))
    except TypeError:
        return None


def _recorded(line: bytes) -> Iterator[tuple[Scope, str, Retained, float | None]]:
    """(scope, address, transition, when it was first seen) of each transition that a line of the log records."""
    event = from_line(line)
    if isinstance(event, TransitionSeen) and is_scope(event.scope):
        yield event.scope, event.address, event.transition, event.seen
    elif isinstance(event, Baseline) and is_scope(event.scope):
        for transition in reversed(event.tail):
            # It was there before anybody looked.
            yield event.scope, event.address, transition, None
