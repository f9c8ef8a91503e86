"""Traces in a store: every file below its root, and of those that hold a text, what it is there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any, Final

from engine.memory.scope import Scope, initial
from engine.memory.stream import ScopeStream
from engine.records import dataclass, replace
from engine.store.layout import CHECKPOINT, CONFIG, META, PATCHES, RUNTIME, Address, is_cwd_key, is_session_key, owned
from engine.store.readings import Snapshot
from engine.store.snapshot import snapshot
from engine.values import Encoder, dotted
from sftui.actions import key_for, with_keys
from sftui.traces.sought import Probe, Sought, chunks, reason
from sftui.views.kinds import Path
from sftui.views.traces import FEW, Kind, Looked, Trace, Unseen

Step = Trace | Unseen | Looked | None

# Paths of one scope that are told; more are counted.
MOST_PATHS: Final = 20
# How long a look waits for a writer, in seconds.
_PATIENCE: Final = 0.2
_LEFT_OVER: Final = re.compile(r"\..+\.[1-9][0-9]*\.[^.]+\.(?:tmp|old)")
_REMEDIES: Final = {
    META: "it is among the names and cards of the scope: its agent, or a patch to artifacts, replaces it",
    CONFIG: "a setting: change it where it is set",
    RUNTIME: "the agent's own record of its run: it is replaced as the agent goes on, or goes with the session's directory",
}
_UNREADABLE: Final = "this scope cannot be read as memory: `sftui doctor` says why; put it right first, then look again"
_DELETE: Final = "delete it: `sftui patch` with null there, or {memory.delete} in Memory; what is said below of histories then still holds"


def look(root: str, sought: Sought) -> Iterator[Step]:
    """Every place in the store at `root`; a step is a piece of a file at most. What is below .git is left to others."""
    files, size = 0, 0
    beside: Snapshot | None = None
    for folder, directories, names in os.walk(root, onerror=None):
        directories[:] = sorted(name for name in directories if name != ".git")
        address = _address(root, folder)
        hits: dict[str, Probe] = {}
        for name in sorted(names):
            path = os.path.join(folder, name)
            probe = Probe(sought)
            try:
                for data in chunks(path):
                    probe.push(data)
                    size += len(data)
                    yield None
            except OSError as error:
                yield Unseen(path, reason(error))
                continue
            files += 1
            if probe.count and address is not None and owned(root, path):
                hits[name] = probe
            elif probe.count and not sought.whole:
                yield _of_other(root, path, probe)
        if hits and address is not None:
            known = None if beside is None else replace(beside, encoder=Encoder())
            beside = snapshot(address, known, patience=_PATIENCE, sliced=True)
            yield from _of_scope(beside, address, folder, sought, hits)
        yield Looked("the store", files, size)


def _address(root: str, folder: str) -> Address | None:
    """Whose scope a directory is; None for one that is no scope's."""
    parts = [] if folder == root else os.path.relpath(folder, root).split(os.sep)
    if not parts:
        return Address(root)
    if len(parts) > 2 or not is_cwd_key(parts[0]):
        return None
    if len(parts) == 1:
        return Address(root, key=parts[0])
    return Address(root, session=parts[1], key=parts[0]) if is_session_key(parts[1]) else None


def _of_other(root: str, path: str, probe: Probe) -> Trace:
    name, place = os.path.basename(path), os.path.relpath(path, root)
    if _LEFT_OVER.fullmatch(name):
        remedy = (
            "a publication was interrupted: the next `sftui patch` settles it if it was ours, else see `sftui doctor`"
        )
        return Trace("temporary", place, path, remedy, probe.first(FEW), probe.count)
    remedy = "no file of the store's own: remove it, if you know what it is"
    return Trace("stray", place, path, remedy, probe.first(FEW), probe.count)


def _of_scope(seen: Snapshot, address: Address, folder: str, sought: Sought, hits: dict[str, Probe]) -> Iterator[Step]:
    scope = address.scopes[-1]
    place = _Place(scope, address.scope_address(scope), folder, seen.config.history_limit)
    reading = seen.scopes.get(scope)
    stream = None if reading is None else reading.stream
    for name in (META, CONFIG, RUNTIME):
        # A short text is a part of many names in these: it is not told where it is no value.
        if name in hits and not sought.whole:
            yield place.raw("record", name, hits[name], _REMEDIES[name])
    if stream is None:
        for name in (CHECKPOINT, PATCHES):
            if name in hits:
                yield place.raw("history", name, hits[name], _UNREADABLE)
    elif CHECKPOINT in hits or PATCHES in hits:
        yield from _of_stream(place, stream, sought)


@dataclass(frozen=True, slots=True)
class _Place:
    """A scope, and how many patches it retains at most."""

    scope: Scope
    at: str
    folder: str
    limit: int

    def trace(self, kind: Kind, where: str, name: str, remedy: str, **more: Any) -> Trace:
        """A trace in one of the files; without a name, in what they come to together."""
        file = os.path.join(self.folder, name) if name else self.folder
        return Trace(kind, where, file, remedy, address=self.at, **more)

    def raw(self, kind: Kind, name: str, probe: Probe, remedy: str) -> Trace:
        where = name if self.at == "." else f"{self.at}/{name}"
        return self.trace(kind, where, name, remedy, lines=probe.first(FEW), count=probe.count)


def _of_stream(place: _Place, stream: ScopeStream, sought: Sought) -> Iterator[Step]:
    scope, kept = place.scope, len(stream.tail)
    delete = with_keys(_DELETE, key_for)
    count = 0
    for path in sought.paths(stream.current):
        count += path is not None
        if path is None:
            yield None
        elif count <= MOST_PATHS:
            yield place.trace("memory", dotted(scope, path), "", delete, path=path)
    if count > MOST_PATHS:
        yield place.trace("memory", f"{scope}: {count - MOST_PATHS:,} more paths", "", delete)
    folded: list[Path] = []
    for path in sought.paths(stream.checkpoint):
        yield None
        if path is not None:
            folded.append(path)
    set_later = [list(filter(None, sought.paths(transition.patch))) for transition in stream.tail]
    if folded:
        watched = [*folded, *(path for paths in set_later for path in paths)]
        if count:
            remedy = f"once it is deleted: after {place.limit:,} more accepted changes of this scope"
        else:
            remedy = f"leaves the checkpoint after {_changes(place.limit - kept + _gone(stream, sought, watched))} of this scope"
        yield place.trace("history", f"{scope} checkpoint", CHECKPOINT, remedy, count=len(folded))
    numbers = _line_numbers(os.path.join(place.folder, PATCHES))
    for number, paths in enumerate(set_later):
        if paths:
            revision = stream.revision - kept + 1 + number
            remedy = f"leaves the tail after {_changes(place.limit - kept + number + 1)} of this scope"
            lines = (numbers[number],) if len(numbers) == kept else ()
            where = f"{initial(scope)}{revision} retained patch"
            yield place.trace("history", where, PATCHES, remedy, lines=lines, revision=revision)


def _gone(stream: ScopeStream, sought: Sought, paths: list[Path]) -> int:
    """The first of the states from which on a text stands at none of these paths."""
    last = len(stream.states) - 1
    while last >= 0 and not any(sought.stands_at(stream.states[last], path) for path in paths):
        last -= 1
    return last + 1


def _line_numbers(path: str) -> list[int]:
    """The numbers of the lines of a tail that are not blank."""
    try:
        text = b"".join(chunks(path))
    except OSError:
        return []
    return [number for number, line in enumerate(text.split(b"\n"), 1) if line.strip()]


def _changes(count: int) -> str:
    return "one more accepted change" if count <= 1 else f"{count:,} more accepted changes"
