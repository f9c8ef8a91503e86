"""Looking for a text in memory, in what scopes retain, and in the ledger: a step at a time, in this order.

Steps are short, so that whoever drives them can stop at any of them. Reads files, and leaves no trace.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from engine.ledger.events import Baseline, Event, Retained, TransitionSeen, Whole, patch_hash
from engine.ledger.lines import from_line
from engine.ledger.sifting import Sifted, sift
from engine.memory.dialect import V4
from engine.memory.overlay import scope_view
from engine.memory.scope import Scope, is_scope
from engine.records import dataclass, replace
from engine.store.layout import store_home
from engine.values import Json, JsonObject, inverse_patch
from engine.values.members import Member, members, spelled
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

# A long line is read in pieces of so many bytes, so that the interface has its turn.
_SLICE: Final = 1 << 18
# Characters of a value whose key was found.
_BRIEF: Final = 60
# Where the share of what has been looked at is told first: memory is looked through before it can be told.
MEMORY, HISTORY = "memory", "history"
PLACES: Final = (MEMORY, HISTORY)


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
    given: list[Hit] = []
    for hit in _present(ground, sought, within):
        yield hit
        if hit is not None:
            given.append(hit)
            if len(given) >= most:
                yield Progress(cut=True)
                return
    if HISTORY in within and ground.ledger is not None:
        yield from _past(ground, ground.ledger, sought, given, most - len(given))
    else:
        yield Progress(1.0)


def _past(ground: Ground, directory: str, sought: Needle, given: list[Hit], most: int) -> Iterator[Step]:
    """What the logs have beyond what was given; of what is retained, when it was seen."""
    told = {(hit.address, hit.path) for hit in given}
    retained: dict[EntryKey, list[Hit]] = {}
    for one in given:
        if one.entry is not None:
            retained.setdefault(one.entry, []).append(one)
    share, elsewhere, found = 0.0, 0, 0
    here = {address for address, _ in ground.streams.values()} | {address for address, _ in ground.memory.values()}
    kept = _kept(ground)
    known: set[tuple[str, int, str, str]] = set()
    # What only complete states hold: it was set before anybody looked, or unseen.
    stood: dict[tuple[str, Path], Hit] = {}
    try:
        for part in sift(directory, sought):
            if not isinstance(part, Sifted):
                share = part
                yield Progress(share, elsewhere)
                continue
            event = from_line(part.line, slice_bytes=_SLICE)
            if isinstance(event, Whole):
                for hit in _of_whole(event, sought) if event.address in here else ():
                    if hit is None:
                        yield None
                    elif (hit.address, hit.path) not in told and len(stood) < most:
                        stood.setdefault((hit.address, hit.path), hit)
                continue
            for place, transition in _recorded(event):
                if place.address not in here:
                    elsewhere += 1
                    continue
                key = (place.address, transition.revision, transition.boundary.id)
                if key in kept and patch_hash(kept[key]) == transition.hash:
                    yield from _seen(retained.get(key, ()), None if place.stood is None else place.stood.seen)
                    continue
                if (*key, transition.hash) in known:
                    continue
                known.add((*key, transition.hash))
                for hit in _of_transition(place, transition.patch, transition.inverse, sought):
                    yield hit
                    if hit is None:
                        continue
                    told.add((hit.address, hit.path))
                    found += 1
                    if found >= most:
                        yield Progress(share, elsewhere, cut=True)
                        return
    except OSError as error:
        yield Progress(share, elsewhere, trouble=f"the ledger cannot be read: {error.strerror or error}")
        return
    alone = [hit for at, hit in stood.items() if at not in told]
    yield from alone[: most - found]
    yield Progress(1.0, elsewhere, cut=len(alone) > most - found)


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
        if place.stood is not None and sign != "=":
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


def _recorded(event: Event | None) -> Iterator[tuple[_Place, Retained]]:
    """Each transition that an event records, and its place: who saw it, and when."""
    if isinstance(event, TransitionSeen):
        entries: tuple[Retained, ...] = (event.transition,)
        seen: float | None = event.seen
    elif isinstance(event, Baseline):
        # It was there before anybody looked.
        entries, seen = event.tail[::-1], None
    else:
        return
    scope = event.scope
    if is_scope(scope):
        for entry in entries:
            yield _Place("ledger", scope, event.address, Stood(entry.revision, entry.boundary, seen)), entry


def _of_whole(event: Whole, sought: Needle) -> Iterator[Hit | None]:
    """What a complete state holds, as it was read."""
    if event.value is not None and is_scope(event.scope):
        place = _Place("ledger", event.scope, event.address, Stood(event.revision, event.boundary, event.seen))
        yield from _hits(place, members(event.value, sought), sought, "=")
