"""All that the screens show, as one immutable value, made where the store is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from engine.errors import EngineError
from engine.memory.cohort import vector
from engine.memory.dialect import Dialect
from engine.memory.overlay import effective, hot, scope_view
from engine.memory.ownership import INTENTS, Claim, owned
from engine.memory.scope import SCOPES, Scope, initial
from engine.records import dataclass, field, replace
from engine.store.faults import Fault
from engine.store.snapshot import Snapshot
from engine.values import JsonObject, is_object
from sftui.views.changes import Entry, Sightings, update
from sftui.views.kinds import Feed, View
from sftui.views.mentions import Indices, indices
from sftui.views.sizes import Sizes

if TYPE_CHECKING:
    from sftui.views.asof import AsOf


@dataclass(frozen=True, slots=True)
class Picture:
    """A cohort as it is shown.

    `memory` holds what each view shows: the effective value (absent when it cannot be
    composed; `trouble` says why) and each readable scope. `hot_bytes` is the size of what
    a model would be given. `log` is newest first; `arrived` counts entries that came
    after the first reading. With `as_of` it is the picture of an earlier moment.
    """

    snapshot: Snapshot | None = None
    feed: Feed = "starting"
    at: float = 0.0
    pinned: bool = False
    memory: Mapping[View, JsonObject] = field(default_factory=dict)
    states: Mapping[Scope, JsonObject] = field(default_factory=dict)
    trouble: str | None = None
    hot_bytes: int | None = None
    claims: Mapping[Scope, tuple[Claim, ...]] = field(default_factory=dict)
    mentions: Indices = field(default_factory=dict)
    log: tuple[Entry, ...] = ()
    arrived: int = 0
    sizes: Sizes = field(default_factory=Sizes, compare=False)
    as_of: AsOf | None = None
    aside: bool = False

    @property
    def dialect(self) -> Dialect | None:
        """The vocabulary of the cohort."""
        return None if self.snapshot is None else self.snapshot.dialect

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Every fault and warning, broadest first."""
        return () if self.snapshot is None else self.snapshot.all_faults


def look(
    previous: Picture,
    snapshot: Snapshot,
    feed: Feed,
    at: float,
    *,
    pinned: bool,
    sightings: Sightings,
    earlier: tuple[Entry, ...] = (),
) -> Picture:
    """Make the next picture. Whatever did not change keeps its objects.

    A snapshot of another cohort begins a new log, with what was shown `earlier` of its scopes.
    """
    same = previous.snapshot is not None and previous.snapshot.address == snapshot.address
    if same and previous.snapshot is snapshot:
        return replace(previous, feed=feed, at=at, pinned=pinned)
    sizes = previous.sizes
    memory, states, trouble = _memory(snapshot)
    sizes.forget_all_but((*memory.values(), *states.values()))
    dialect = snapshot.dialect
    claims = {scope: owned(dialect, scope, state) for scope, state in states.items() if dialect is not None}
    mentions = {} if dialect is None else indices(previous.mentions, dialect, states)
    streams = {
        reading.address: (scope, reading.dialect, reading.stream)
        for scope, reading in snapshot.scopes.items()
        if reading.stream is not None and reading.dialect is not None
    }
    here = {reading.address for reading in snapshot.scopes.values()}
    old = previous.log if same else tuple(entry for entry in earlier if entry.address in here)
    watched = here if same else {entry.address for entry in old}
    log = update(old, streams, sightings, sizes, dict.fromkeys(watched, at))
    if not same:
        # Of several scopes that were seen at different times: by time, and below it what has none.
        log = tuple(sorted(log, key=lambda entry: entry.seen or 0.0, reverse=True))
    arrived = previous.arrived + sum(1 for _ in _new(old, log)) if same else 0
    made = Picture(snapshot, feed, at, pinned, memory, states, trouble, None, claims, mentions, log, arrived, sizes)
    return replace(made, hot_bytes=_hot_bytes(made))


def measured(picture: Picture, step: Callable[[], object] = lambda: None) -> Picture:
    """Give the picture with all sizes known, or itself where they were. Walks what was never measured.

    Calls `step` often meanwhile.
    """
    unknown = [plane for view in picture.memory.values() for plane in view.values()]
    unknown = [plane for plane in unknown if picture.sizes.quick(plane) is None]
    if not unknown and picture.hot_bytes is not None:
        return picture
    for plane in unknown:
        for _ in picture.sizes.measure(plane):
            step()
    return replace(picture, hot_bytes=_hot_bytes(picture))


def _hot_bytes(picture: Picture) -> int | None:
    """Give the size of what a model is given, unless some of it has not been measured."""
    whole, dialect = picture.memory.get("effective"), picture.dialect
    if whole is None or dialect is None:
        return None
    shown = hot(dialect, whole)
    total = 1 + max(1, len(shown))
    for name, plane in shown.items():
        size = picture.sizes.quick(plane)
        if size is None:
            return None
        total += size + len(name) + 3
    return total


def _new(old: tuple[Entry, ...], log: tuple[Entry, ...]) -> list[Entry]:
    known = {entry.key for entry in old}
    return [entry for entry in log if entry.key not in known]


def _memory(snapshot: Snapshot) -> tuple[dict[View, JsonObject], dict[Scope, JsonObject], str | None]:
    memory: dict[View, JsonObject] = {}
    states: dict[Scope, JsonObject] = {}
    trouble: str | None = None
    for scope, reading in snapshot.scopes.items():
        if reading.stream is None or reading.dialect is None:
            continue
        states[scope] = reading.stream.current
    cohort = snapshot.cohort
    if cohort is not None:
        states = {scope: state for scope, state in cohort.states.items() if scope in snapshot.scopes}
        try:
            memory["effective"] = effective(cohort.dialect, cohort.states)
        except EngineError as error:
            trouble = error.message
    for scope, state in states.items():
        reading = snapshot.scopes[scope]
        dialect = reading.dialect or snapshot.dialect
        if reading.status != "absent" and dialect is not None:
            memory[scope] = scope_view(dialect, state)
    return memory, states, trouble


def revisions(picture: Picture) -> str:
    """Give the vector `g15 c8 s31`; a scope that cannot be read shows as `c✖`, an absent one as `c–`.

    Of an earlier moment, `c8?` is one whose memory is not known as it was then.
    """
    snapshot = picture.snapshot
    if snapshot is None:
        return ""
    if snapshot.cohort is not None and len(snapshot.scopes) == len(SCOPES) and not _absent(snapshot):
        return vector(snapshot.cohort.revisions)
    words: list[str] = []
    for scope, reading in snapshot.scopes.items():
        if reading.status == "absent":
            words.append(f"{initial(scope)}–")
        elif picture.as_of is not None and scope in picture.as_of.unknown and reading.status != "fenced":
            words.append(f"{initial(scope)}{picture.as_of.revisions.get(scope, '')}?")
        elif reading.stream is None:
            words.append(f"{initial(scope)}✖")
        else:
            words.append(f"{initial(scope)}{reading.stream.revision}")
    return " ".join(words)


def _absent(snapshot: Snapshot) -> bool:
    return any(reading.status == "absent" for reading in snapshot.scopes.values())


def first_intent(state: JsonObject | None) -> str | None:
    """Give the name of the first intent, or None."""
    intents = None if state is None else state.get(INTENTS)
    return next(iter(intents), None) if is_object(intents) else None
