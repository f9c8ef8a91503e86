"""What stands in the way of a write: faults, files of two moments, a session at work, losses nobody agreed to. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from engine.errors import Busy, Fenced, InvalidRequest, StoreFailure
from engine.memory.dialect import V2, V4, Dialect
from engine.memory.scope import SCOPES, Scope
from engine.store.faults import Fault
from engine.store.layout import CHECKPOINT, PATCHES, Address
from engine.store.readings import ScopeReading, Snapshot
from engine.store.writing import Place, Successor
from engine.values import JsonObject

LOST_MEMORY: Final = "memory-lost"
LOST_BYTES: Final = "replacement-characters"
CONSENTS: Final = (LOST_MEMORY, LOST_BYTES)
"""The codes that a person may allow."""


def choose_dialect(snapshot: Snapshot, wanted: int | None, *, is_default_root: bool) -> Dialect:
    """The dialect that a write speaks: the store's own, else the one asked for.

    Raises InvalidRequest `dialect-needed` for the first scope of the default root.
    """
    # Metadata whose memory was lost or cannot be read still says how this store speaks.
    told = (reading.dialect for reading in snapshot.scopes.values() if reading.dialect is not None)
    spoken = snapshot.dialect or next(told, None)
    if spoken is not None:
        if wanted is not None and wanted != spoken.version:
            raise InvalidRequest(
                "dialect-differs",
                f"this store speaks dialect {spoken.version}, not {wanted}",
                hint="leave the dialect out",
            )
        return spoken
    if wanted is None and is_default_root:
        raise InvalidRequest(
            "dialect-needed",
            "this is the first memory of the default store, so its dialect must be said",
            hint="repeat with --dialect 2 or --dialect 4, as the agent speaks it: "
            "an agent refuses a store whose dialect it does not know",
        )
    chosen = {None: V4, 2: V2, 4: V4}.get(wanted)
    if chosen is None:
        raise InvalidRequest("unknown-dialect", f"there is no dialect {wanted}", hint="the dialects are 2 and 4")
    return chosen


def needed_scopes(address: Address, changed: Iterable[Scope]) -> tuple[Scope, ...]:
    """The scopes that take part in a change: those that it changes and every broader one."""
    narrowest = max(SCOPES.index(scope) for scope in changed)
    if narrowest >= len(address.scopes):
        missing = SCOPES[narrowest]
        raise InvalidRequest("no-such-scope", f"no {missing} is given, so its memory cannot be changed", scope=missing)
    return SCOPES[: narrowest + 1]


def fences(snapshot: Snapshot, needed: Collection[Scope]) -> Iterator[Fenced]:
    """What stands in the way of writing a cohort of the `needed` scopes."""
    for fault in snapshot.all_faults:
        if _blocks_write(fault, needed):
            yield Fenced(
                fault.code,
                f"{fault.reason}; nothing can be written beside it",
                scope=fault.scope,
                file=_path(fault.address, fault.file),
                line=fault.line,
                column=fault.column,
                kept=f"nothing was written; {fault.kept}",
                hint="run `sftui doctor` for everything that is wrong",
            )


def refuse_stale(snapshot: Snapshot, needed: Collection[Scope]) -> None:
    """Raise where the captured files are not those of one moment."""
    unread = [scope for scope in needed if scope in snapshot.stale]
    if unread and snapshot.lock.is_live:
        owner = f"process {snapshot.lock.pid}" if snapshot.lock.pid is not None else "another program"
        raise Busy(
            "busy",
            f"the store is locked by {owner}, so what a patch would do cannot be told",
            file=snapshot.lock.path,
            kept="nothing was written",
            hint="try again when it is done",
        )
    if unread:
        raise StoreFailure(
            "changed-meanwhile",
            "files of the store keep changing although the lock is held",
            scope=unread[0],
            kept="nothing was written",
            hint="look for a program that ignores the lock, then try again",
        )


def refuse_no_session(snapshot: Snapshot) -> None:
    """Raise InvalidRequest where there is no session to write to."""
    if snapshot.runtime is None:
        raise InvalidRequest(
            "no-session",
            "there is no session with this key",
            scope="session",
            hint="run `sftui status` for the sessions that there are",
        )


def refuse_unfinished(snapshot: Snapshot, *, force: bool) -> None:
    """Raise InvalidRequest when a session is to be written that an agent may be in the middle of."""
    runtime = snapshot.runtime
    if runtime is not None and runtime.specification is not None and not force:
        raise InvalidRequest(
            "session-unfinished",
            "a run of this session is unfinished, and its agent may be at work",
            scope="session",
            kept="nothing was written",
            hint="wait until it is done, or repeat with --force-session",
        )


def refuse_undeclared(snapshot: Snapshot, dialect: Dialect, patches: Mapping[Scope, JsonObject]) -> None:
    """Raise InvalidRequest for a plane that is an external root of another scope only: a writer declares none."""
    for scope, patch in patches.items():
        reading = snapshot.scopes.get(scope)
        own = reading.dialect if reading is not None and reading.stream is not None else None
        planes = own.planes if own is not None else (V2 if dialect.version == V2.version else V4).planes
        for plane in patch:
            if plane not in planes:
                raise InvalidRequest(
                    "root-undeclared",
                    f"the root {plane!r} is declared in another scope, but not here",
                    scope=scope,
                    path=plane,
                    hint="only the module that owns a root declares it",
                )


def losses(snapshot: Snapshot, made: Successor, allow: Collection[str]) -> Iterator[Fenced]:
    """Where writing would replace what tells of lost memory, or bytes that were never understood.

    Such a write needs a person's consent: the fault's code in `allow`.
    """
    for scope in made.scopes:
        reading = snapshot.scopes[scope]
        for fault in reading.faults:
            lost = fault.code == LOST_MEMORY or (fault.code == LOST_BYTES and _is_lost(reading, made, fault))
            if lost and fault.code not in allow:
                yield Fenced(
                    fault.code,
                    f"{fault.reason}, and this write would replace the file",
                    scope=scope,
                    file=_path(fault.address, fault.file),
                    line=fault.line,
                    column=fault.column,
                    kept="nothing was written",
                    hint=f"repeat with --allow {fault.code} to go on; the old bytes are archived then",
                )


def files_to_archive(snapshot: Snapshot, made: Successor) -> tuple[Place, ...]:
    """The files whose bytes are replaced by consent."""
    found: dict[Place, None] = {}
    for scope in made.scopes:
        reading = snapshot.scopes[scope]
        for fault in reading.faults:
            if fault.file is None:
                continue
            place = (reading.address, fault.file)
            if fault.code in (LOST_MEMORY, LOST_BYTES) and place in made.contents:
                found[place] = None
    return tuple(found)


def _blocks_write(fault: Fault, needed: Collection[Scope]) -> bool:
    if "write" not in fault.blocks or fault.code.startswith("lock-"):
        return False
    if fault.scope is not None:
        return fault.scope in needed
    # Without a scope it is the settings, or the composition with a session that may not be needed.
    return "session" in needed or fault.code not in ("boundary-contradiction", "session-diverged")


def _is_lost(reading: ScopeReading, made: Successor, fault: Fault) -> bool:
    """Whether bytes that are not UTF-8 go: retained lines are carried over as they are, so only a fold loses theirs."""
    if fault.file == PATCHES:
        return (reading.address, CHECKPOINT) in made.contents
    return (reading.address, fault.file or "") in made.contents


def _path(address: str, file: str | None) -> str | None:
    if file is None or address == ".":
        return file
    return f"{address}/{file}"
