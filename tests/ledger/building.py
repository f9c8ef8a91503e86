"""Snapshots made by hand, so that the ledger is tested without a store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from engine import values
from engine.memory.dialect import V4
from engine.memory.scope import Scope
from engine.memory.stream import Boundary, ScopeStream, accept, created
from engine.store.faults import Fault
from engine.store.files import ABSENT, Capture, Identity
from engine.store.format import OperatorConfig
from engine.store.layout import Address
from engine.store.lockstate import LockState
from engine.store.readings import ScopeReading, SessionRecord, Settings, Snapshot, Status, Verdict
from engine.values import Encoder, JsonObject

ROOT = "/nowhere/state-flow"
ADDRESS = Address(ROOT, "/work/app")


@dataclass
class Scribe:
    """Writes one scope's stream the way a store would, and stamps each change with a rising clock."""

    name: str = "a"
    limit: int = 7
    stream: ScopeStream = field(default_factory=lambda: created(Boundary("origin", 0, None)))
    written: int = 1_000

    def change(self, patch: JsonObject | None = None) -> None:
        position = self.stream.head.position + 1
        boundary = Boundary(f"{self.name}{position}", position, self.stream.head.id)
        step = patch or {"lazy": {"n": position}}
        after = values.merge(self.stream.current, step).value
        assert values.is_object(after)
        self.stream = accept(self.stream, boundary, step, after, self.limit)
        self.written += 1_000


def reading(
    scope: Scope,
    stream: ScopeStream | None,
    *,
    written: int = 0,
    status: Status | None = None,
    faults: tuple[Fault, ...] = (),
) -> ScopeReading:
    identity = Identity(1, 2, 3, written, written)
    captures: Mapping[str, Capture] = {} if stream is None else {"meta.json": Capture(identity)}
    return ScopeReading(
        scope=scope,
        address=ADDRESS.scope_address(scope),
        status=status or ("absent" if stream is None else "healthy"),
        stream=stream,
        meta=None,
        dialect=V4,
        faults=faults,
        remarks=(),
        captures=captures,
        tail_lines=(),
    )


def snapshot(*readings: ScopeReading, verdict: Verdict = "ok", stale: frozenset[Scope] = frozenset()) -> Snapshot:
    return Snapshot(
        address=ADDRESS,
        present=True,
        scopes={entry.scope: entry for entry in readings},
        cohort=None,
        faults=(),
        lock=LockState("free", f"{ROOT}/.state-flow-publication.lock"),
        verdict=verdict,
        record=SessionRecord(None, None, ()),
        settings=Settings(OperatorConfig(), ABSENT, ()),
        dialect=V4,
        stale=stale,
        encoder=Encoder(),
    )


def seen(scribe: Scribe, *, stale: bool = False) -> Snapshot:
    """A snapshot in which only cwd memory exists, as the scribe left it."""
    shot = snapshot(reading("cwd", scribe.stream, written=scribe.written))
    return replace(shot, stale=frozenset({"cwd"})) if stale else shot


def fault(code: str, scope: Scope = "cwd", file: str = "patches.jsonl", line: int | None = 3) -> Fault:
    return Fault(
        code, scope, ADDRESS.scope_address(scope), file, line, None, "it is broken", "", frozenset({"scope"}), "fault"
    )
