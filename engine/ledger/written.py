"""What was made here, with what it changed: each publication of this program as the records of its scopes hold it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.ledger.authored import AUTHORED_VIEW, Authored, AuthoredAsk, AuthoredState
from engine.ledger.events import Retained
from engine.ledger.timeline import records_of
from engine.ledger.units import Source, ViewedUnit
from engine.memory.dialect import Dialect
from engine.memory.ownership import INTENTS, target_of
from engine.memory.references import refs
from engine.memory.scope import SCOPES, Scope
from engine.records import dataclass
from engine.values import Json, JsonObject, KeyPath, get, is_object


@dataclass(frozen=True, slots=True)
class Written:
    """One publication. `records` has the transition of each scope that it changed, None where the log has it no more."""

    made: Authored
    records: Mapping[Scope, Retained | None]

    @property
    def patch(self) -> JsonObject | None:
        """All of it as one patch that may be sent; None where the records do not say enough for that."""
        whole: dict[str, Json] = {}
        for scope, record in self.records.items():
            patch = None if record is None else _sendable(record)
            if patch is None:
                return None
            whole[scope] = patch
        return whole

    def is_doubtful(self, dialect: Dialect) -> bool:
        """Whether a replay may come to something else: a part of what went with an intent was written again.

        A record says what differs, and nothing of the members that were written again as they had been.
        """
        return any(_is_doubtful(dialect, scope, record) for scope, record in self.records.items() if record is not None)


def _sendable(record: Retained) -> JsonObject | None:
    """The patch of a record as an author may send it: a plane is emptied key by key."""
    patch = dict(record.patch)
    for plane, change in record.patch.items():
        if change is None:
            was = get(record.inverse, (plane,), None)
            if not is_object(was):
                return None
            patch[plane] = dict.fromkeys(was)
    return patch


def _is_doubtful(dialect: Dialect, scope: Scope, record: Retained) -> bool:
    if INTENTS not in record.patch:
        return False
    change, was = record.patch[INTENTS], get(record.inverse, (INTENTS,), None)
    gone = [name for name, below in change.items() if below is None] if is_object(change) else None
    if gone != [] and not is_object(was):
        # Nobody knows what they owned.
        return any(plane in dialect.ownable and is_object(below) for plane, below in record.patch.items())
    intents = was if is_object(was) else {}
    for name in intents if gone is None else gone:
        for ref in refs(intents.get(name)):
            target = target_of(dialect, scope, ref)
            if target is not None and not _is_told(record.patch, target):
                return True
    return False


def _is_told(patch: Json, target: KeyPath) -> bool:
    """Whether a record says all of what became of a place: it went, or another value stands there.

    Of what was written again as it had been a record says nothing; nor does it of what another intent kept.
    """
    for key in target:
        if not is_object(patch):
            return True
        if key not in patch:
            return False
        patch = patch[str(key)]
    return not is_object(patch)


def _view(source: Source, ask: AuthoredAsk) -> tuple[Written, ...]:
    found: list[Written] = []
    for made in AUTHORED_VIEW.view(source, ask):
        records: dict[Scope, Retained | None] = {}
        for scope in SCOPES:
            for named, address, revision, digest in made.changes:
                if named == scope:
                    reads = records_of(source, address, revision, made.boundary, digest)
                    records[scope] = next((record for _, record in reads), None)
        found.append(Written(made, records))
    return tuple(found)


WRITTEN_VIEW: Final[ViewedUnit[AuthoredState, AuthoredAsk, tuple[Written, ...]]] = ViewedUnit(
    unit=AUTHORED_VIEW.unit,
    view=_view,
    is_view=lambda view: isinstance(view, tuple) and all(isinstance(one, Written) for one in view),
    says="what this program published, with its patches, newest first",
)
