"""What a change means for the sessions beside it, told from their records alone.

A change of the global scope concerns every session of the store, one of a cwd scope those of that directory, one of a
session that session. Each is judged as its agent will judge it: its own lineage against the shared streams before, and
against those afterwards.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from typing import Final, Literal

from engine.memory.cohort import Contradiction, join
from engine.memory.dialect import V4
from engine.memory.scope import SHARED, Scope
from engine.memory.stream import Boundary
from engine.records import dataclass, replace
from engine.store import listing
from engine.store.captures import POLL_SECONDS
from engine.store.compose import origin_id
from engine.store.format import Runtime
from engine.store.hollow import Hollow, Unreadable, emptied, hollow_scope, session_runtime
from engine.store.layout import SESSION_FILES
from engine.store.lockstate import inspect
from engine.store.places import exists
from engine.store.proposal import Published

Effect = Literal["keeps", "apart", "loses-history", "fenced", "unreadable", "refuses-once"]

REASONS: Final[Mapping[Effect, str]] = {
    "keeps": "its line of history goes on",
    "apart": "its line of history had ended before, when other writers moved the shared memory on",
    "loses-history": "it starts a new line of history: effective[n] and session[n] reach back to this change only",
    "fenced": "its agent will refuse the three scopes together",
    "unreadable": "its agent refuses it already",
    "refuses-once": "its agent will refuse its next publication once; selecting its mode again accepts the new memory",
}
TRIES: Final = 5
"""How often a session that looks wrong is looked at again while somebody is writing."""


@dataclass(frozen=True, slots=True)
class SessionEffect:
    """What becomes of one session. `key` is that of its directory's memory, `cwd` that directory where it is known.

    `name` is what its unfinished run is about, None where none is under way.
    """

    key: str
    session: str
    cwd: str | None
    name: str | None
    effect: Effect
    reason: str


Shared = Mapping[Scope, Hollow]


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """What the sessions of one directory share, before and after. `refused` says why that directory is fenced."""

    key: str
    before: Shared
    after: Shared
    owner: str | None = None
    refused: str | None = None


def consequences(published: Published, cancel: threading.Event | None = None) -> Iterator[SessionEffect]:
    """What a change, or a preview of one, means for each session that it concerns, one after another.

    Files are read as the next one is asked for, and nothing is held of those before. Ends early once `cancel` is set.
    Raises StoreFailure when the system has no means left to read with.
    """
    changed, address = published.changed, published.snapshot.address
    written = address.session if "session" in changed else None
    if written is not None:
        yield _written(published, address.component("cwd"), written)
    if not any(scope in changed for scope in SHARED):
        return
    before, after = _shared(published)
    changed_key = address.key if "cwd" in before or "cwd" in after else None
    keys = listing.cwd_keys(address.root) if "global" in changed else (address.component("cwd"),)
    for key in keys:
        own = key == address.key
        with listing.opened(address.root) as root, listing.opened(key, root) as directory:
            if root is None or directory is None:
                continue
            if key == changed_key:
                around = _Surroundings(key, before, after, address.cwd)
            else:
                around = _read(_Surroundings(key, _broader(before), _broader(after)), directory)
            for session in listing.session_keys(directory):
                if cancel is not None and cancel.is_set():
                    return
                effect = None if own and session == written else _settled(address.root, session, directory, around)
                if effect is not None:
                    yield effect


def _shared(published: Published) -> tuple[Shared, Shared]:
    """The global scope before and after; the cwd scope, too, where it changes."""
    before: dict[Scope, Hollow] = {}
    after: dict[Scope, Hollow] = {}
    for scope in SHARED:
        if scope == "cwd" and scope not in published.changed and scope not in published.created:
            continue
        earlier = published.earlier.scopes.get(scope)
        if earlier is not None and earlier.stream is not None and earlier.dialect is not None:
            after[scope] = before[scope] = Hollow(emptied(earlier.stream), earlier.dialect.version)
        if published.cohort is not None and (scope in published.changed or scope in published.created):
            # A scope that is new speaks as the cohort does.
            version = before[scope].version if scope in before else published.cohort.dialect.version
            after[scope] = Hollow(emptied(published.cohort.streams[scope]), version)
    return before, after


def _broader(shared: Shared) -> Shared:
    return {"global": shared["global"]} if "global" in shared else {}


def _read(around: _Surroundings, directory: int) -> _Surroundings:
    """The surroundings in a directory whose own scope stays as it is."""
    found = hollow_scope("cwd", directory)
    if found is None:
        return around
    if isinstance(found, Unreadable):
        return replace(around, refused=found.reason)
    return replace(
        around, before={**around.before, "cwd": found}, after={**around.after, "cwd": found}, owner=found.owner
    )


def _written(published: Published, key: str, session: str) -> SessionEffect:
    """The session whose own files are replaced."""
    runtime, cohort = published.earlier.runtime, published.cohort
    reason = REASONS["refuses-once"]
    if cohort is not None and cohort.adopted:
        reason = f"{reason}; {REASONS['loses-history']}"
    if runtime is None:
        return SessionEffect(key, session, published.snapshot.address.cwd, None, "refuses-once", reason)
    return SessionEffect(key, session, runtime.cwd, runtime.specification, "refuses-once", reason)


def _settled(root: str, session: str, directory: int, around: _Surroundings) -> SessionEffect | None:
    """`_judged`, not misled by files of two moments: while somebody is writing, one that looks wrong is read again."""
    effect = _judged(session, directory, around)
    for _ in range(TRIES):
        if effect is None or effect.effect != "unreadable" or not inspect(root).is_live:
            break
        time.sleep(POLL_SECONDS)
        effect = _judged(session, directory, around)
    return effect


def _judged(session: str, directory: int, around: _Surroundings) -> SessionEffect | None:
    """What becomes of one session; None where there is none of its files."""
    with listing.opened(session, directory) as place:
        if place is None:
            return None
        runtime = session_runtime(place)
        found = hollow_scope("session", place)
        if runtime is None and not any(exists(place, name) for name in SESSION_FILES):
            return None
    effect, why = _compared(runtime, found, around)
    reason = f"{REASONS[effect]}: {why}" if why else REASONS[effect]
    if not isinstance(runtime, Runtime):
        return SessionEffect(around.key, session, around.owner, None, effect, reason)
    return SessionEffect(around.key, session, runtime.cwd, runtime.specification, effect, reason)


def _compared(
    runtime: Runtime | Unreadable | None, own: Hollow | Unreadable | None, around: _Surroundings
) -> tuple[Effect, str]:
    """A session's records against the shared streams as they were and as they will be; where it helps, why."""
    wrong = _wrong(runtime, own, around)
    if wrong is not None or not isinstance(runtime, Runtime) or not isinstance(own, Hollow):
        return "unreadable", wrong or ""
    was = _adopted(runtime.lineage, own, around.before)
    will = _adopted(runtime.lineage, own, around.after)
    if isinstance(was, str):
        return "unreadable", was
    if isinstance(will, str):
        return "fenced", will
    if not will:
        return "keeps", ""
    return ("apart" if was else "loses-history"), ""


def _wrong(runtime: Runtime | Unreadable | None, own: Hollow | Unreadable | None, around: _Surroundings) -> str | None:
    """Why an agent cannot open the session, whatever the shared scopes hold."""
    if runtime is None:
        return "it has no runtime record"
    if isinstance(runtime, Unreadable):
        return runtime.reason
    if around.refused is not None:
        return f"the memory of its directory is not to be had: {around.refused}"
    if around.owner is not None and runtime.cwd != around.owner:
        return f"it belongs to {runtime.cwd}"
    if own is None:
        return "its memory is gone"
    return own.reason if isinstance(own, Unreadable) else None


def _adopted(lineage: tuple[Boundary, ...], own: Hollow, shared: Shared) -> bool | str:
    """Whether the scopes no longer form one history with the lineage; why, where they are not put together at all."""
    if len({own.version, *(known.version for known in shared.values())}) > 1:
        return "its scopes speak different dialects"
    streams = {scope: known.stream for scope, known in shared.items()}
    streams["session"] = own.stream
    try:
        return join(V4, streams, lineage, origin_id=origin_id(streams), limit=len(lineage)).adopted
    except Contradiction as flaw:
        return flaw.message
