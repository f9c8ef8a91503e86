"""What a store holds besides the open cohort: read in threads, lazily, without a trace."""

from __future__ import annotations

from engine.memory.scope import Scope
from engine.store.layout import Address
from engine.store.listing import cwds, newest_session, sessions
from engine.store.snapshot import snapshot
from sftui.display import clean, one_line
from sftui.views.names import start_of
from sftui.views.picture import first_intent
from sftui.views.scopes import CwdPlace, Path, Peek, SessionPlace, cwd_of, session_of


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


def peek(root: str, path: Path) -> Peek:
    """Look at one scope closely enough to name it. Reads its files."""
    key, session = cwd_of(path), session_of(path)
    looked = snapshot(Address(root, None, session, key))
    scope: Scope = "session" if session is not None else "cwd" if key is not None else "global"
    reading = looked.scopes.get(scope)
    if reading is None:
        return Peek("", None, "absent")
    if scope in looked.stale:  # seen in the middle of somebody's write: that is not a fault
        return Peek(start_of(session) if session is not None else "", None, "healthy")
    revision = None if reading.stream is None else reading.stream.revision
    if session is None:
        return Peek("", revision, reading.status)
    runtime = looked.runtime
    if runtime is not None and runtime.specification:
        name = f'"{one_line(runtime.specification.strip(), 60)}"'
        return Peek(name, revision, reading.status, unfinished=True, mode=looked.mode)
    intent = first_intent(None if reading.stream is None else reading.stream.current)
    return Peek(clean(intent) if intent else start_of(session), revision, reading.status, mode=looked.mode)
