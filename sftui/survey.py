"""What a store holds besides the open cohort: read in threads, lazily, without a trace."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from engine.memory.scope import Scope
from engine.records import replace
from engine.store.layout import CHECKPOINT, CONFIG, META, PATCHES, RUNTIME, Address
from engine.store.listing import cwds, newest_session, sessions
from engine.store.snapshot import snapshot
from engine.values import Encoder
from sftui.display import clean, one_line
from sftui.views.header import session_name
from sftui.views.names import start_of
from sftui.views.notices import of_fault
from sftui.views.picture import Picture, first_intent
from sftui.views.scopes import CwdPlace, Path, Peek, SessionPlace, Survey, cwd_of, path_of, session_of

if TYPE_CHECKING:
    from engine.store.readings import ScopeReading, Snapshot

# How long a look waits for a writer, in seconds: it is not worth more, there will be another.
_PATIENCE: Final = 0.2
_FILES: Final = (META, CHECKPOINT, PATCHES, RUNTIME, CONFIG)

Mark = tuple[tuple[int, int, int] | None, ...]


def list_cwds(root: str) -> tuple[CwdPlace, ...]:
    """List the directories that have memory in `root`, by their names."""
    places = [CwdPlace(entry.key, entry.owner_cwd, entry.exists) for entry in cwds(root)]
    return tuple(sorted(places, key=lambda place: place.owner or place.key))


def list_sessions(root: str, key: str) -> tuple[SessionPlace, ...]:
    """List the sessions of a directory, the most recently advanced first."""
    found = sorted(sessions(root, key), key=lambda entry: (entry.mtime_ns, entry.key), reverse=True)
    return tuple(SessionPlace(entry.key, entry.mtime_ns / 1e9) for entry in found)


def newest(root: str, key: str) -> str | None:
    """Give the session of a directory that advanced last."""
    entry = newest_session(root, key)
    return None if entry is None else entry.key


def mark(root: str, path: Path) -> Mark:
    """Give what changes whenever a file of a scope is replaced: a few stats, nothing is read."""
    key, session = cwd_of(path), session_of(path)
    place = os.path.join(root, *(part for part in (key, session) if part is not None))
    found: list[tuple[int, int, int] | None] = []
    for name in _FILES:
        try:
            stat = os.stat(os.path.join(place, name), follow_symlinks=False)
            found.append((stat.st_ino, stat.st_size, stat.st_mtime_ns))
        except OSError:
            found.append(None)
    return tuple(found)


def weight(found: Mark) -> int:
    """Give the bytes that a look at the marked scope reads."""
    return sum(part[1] for part in found if part is not None)


def peek(root: str, path: Path, beside: Snapshot | None = None) -> Peek:
    """Look at one scope closely enough to name it. Reads its files; what `beside` has read is not read again."""
    key, session = cwd_of(path), session_of(path)
    cwd = beside.address.cwd if beside is not None and beside.address.key == key else None
    known = None if beside is None else replace(beside, encoder=Encoder())
    looked = snapshot(Address(root, cwd, session, key), known, patience=_PATIENCE, sliced=True)
    scope: Scope = "session" if session is not None else "cwd" if key is not None else "global"
    reading = looked.scopes.get(scope)
    if reading is None:
        return Peek("", None, "absent")
    if scope in looked.stale:  # seen in the middle of somebody's write: that is not a fault
        return Peek(start_of(session) if session is not None else "", None, "healthy")
    if session is None:
        return _told(reading, "")
    runtime = looked.runtime
    if runtime is not None and runtime.specification:
        name = f'"{one_line(runtime.specification.strip(), 60)}"'
        return replace(_told(reading, name), unfinished=True, mode=looked.mode)
    intent = first_intent(None if reading.stream is None else reading.stream.current)
    return replace(_told(reading, clean(intent) if intent else start_of(session)), mode=looked.mode)


def of_picture(survey: Survey, picture: Picture) -> dict[Path, Peek]:
    """Give what the open cohort itself says about its scopes: nothing beside it may say otherwise."""
    seen = picture.snapshot
    if seen is None:
        return {}
    found: dict[Path, Peek] = {}
    for scope, reading in seen.scopes.items():
        key = None if scope == "global" else seen.address.key
        session = seen.address.session if scope == "session" else None
        told = _told(reading, session_name(picture) if scope == "session" else "")
        if scope == "session":
            unfinished = seen.runtime is not None and bool(seen.runtime.specification)
            told = replace(told, unfinished=unfinished, mode=seen.mode)
        found[path_of(survey, key, session)] = told
    return found


def _told(reading: ScopeReading, name: str) -> Peek:
    revision = None if reading.stream is None else reading.stream.revision
    faults = tuple(of_fault(fault) for fault in reading.faults)
    return Peek(name, revision, reading.status, faults=faults)
