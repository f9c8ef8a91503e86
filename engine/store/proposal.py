"""An authored patch on captured memory: what it would come to, whether it may be written, and what it costs. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from engine.errors import EngineError, InvalidRequest, Moved
from engine.memory.cohort import Cohort
from engine.memory.dialect import Dialect
from engine.memory.patching import Receipt, Staged, approval, receipt, stage
from engine.memory.scope import Scope, Wanted
from engine.memory.stream import Boundary
from engine.records import dataclass
from engine.store import admission, writing
from engine.store.asking import Asked, asked, blocked, refuse_unreadable
from engine.store.lockstate import broken_lock
from engine.store.readings import Snapshot
from engine.store.writing import Successor
from engine.values import Json, JsonObject

if TYPE_CHECKING:
    from engine.memory.compiling import Problem, Remark
    from engine.store.afterwards import Fold
    from engine.store.asking import Authored

_NOTHING: Final[JsonObject] = {}


@dataclass(frozen=True, slots=True)
class Proposal:
    """A staged patch, and what would be written. `successor` is None where nothing would change."""

    before: Snapshot
    asked: Asked
    staged: Staged
    receipt: Receipt
    digest: str
    needed: tuple[Scope, ...]
    successor: Successor | None
    advice: tuple[str, ...]
    fences: tuple[EngineError, ...] = ()
    alarms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Published:
    """What a patch did, or with a dry run would do.

    `boundary` is None and `changed` empty where memory already was as the patch wants it, and `boundary` alone is
    None in a dry run. `created` are scopes that were absent. `snapshot` is the cohort afterwards, warm for the next
    call. `digest` is what a person approves. `advice` are sentences about what else follows from it, `alarms` such
    as somebody should look into. `before` has the values of the changed scopes as they were. `obstacles`, of a dry run, are the errors that
    a publication would end with, the first one met first. `authored` is the patch of each scope that was asked for, of
    a draft what it was compiled to, with `problems` (steps that are not in it) and `remarks`. `folds` are the retained
    patches that become part of a checkpoint. `earlier` is the cohort before, `cohort` its streams afterwards, None
    without a change.
    """

    receipt: Receipt
    staged: Staged
    snapshot: Snapshot
    earlier: Snapshot
    boundary: Boundary | None
    changed: tuple[Scope, ...]
    created: tuple[Scope, ...]
    digest: str
    advice: tuple[str, ...]
    alarms: tuple[str, ...]
    before: Mapping[Scope, JsonObject]
    obstacles: tuple[EngineError, ...] = ()
    authored: JsonObject = _NOTHING
    problems: tuple[Problem, ...] = ()
    remarks: tuple[Remark, ...] = ()
    folds: tuple[Fold, ...] = ()
    cohort: Cohort | None = None


def propose(
    before: Snapshot,
    authored: Authored,
    wanted: Wanted | None,
    dialect: Dialect,
    ids: tuple[str, str],
    *,
    warm: bool = True,
    lenient: bool = False,
) -> Proposal:
    """Stage `authored` on the values of `before`; raises InvalidRequest, or Fenced where memory stands in the way.

    `ids` are for a fresh origin and for the boundary; `warm` is as in `writing.successor`. What a person must consent to first is not asked here.
    `lenient`, for a preview, goes on beside faults that only forbid to write; they are the proposal's `fences`.
    """
    if wanted is not None:
        refuse_unreadable(before, wanted)
    request = asked(before, authored, wanted, dialect)
    needed = admission.needed_scopes(before.address, request.patches) if request.patches else ()
    if wanted is None:
        refuse_unreadable(before, needed)
    fences = tuple(admission.fences(before, needed))
    if fences and not lenient:
        raise fences[0]
    admission.refuse_stale(before, needed)
    admission.refuse_undeclared(before, dialect, request.patches)
    states: dict[Scope, JsonObject] = {}
    tidy: set[Scope] = set()
    for scope, reading in before.scopes.items():
        if reading.stream is not None and (scope in needed or scope in request.wanted):
            states[scope] = reading.stream.current
            if reading.stream.tidy:
                tidy.add(scope)
    requests: dict[str, Json] = dict(request.patches.items())
    staged = stage(dialect, states, requests, tidy=frozenset(tidy), valid=frozenset(states))
    told = receipt(dialect, request.wanted, states, staged)
    digest = approval(states, staged)
    if not staged.net:
        return Proposal(before, request, staged, told, digest, needed, None, (), fences)
    if "session" in staged.net:
        admission.refuse_no_session(before)
    cohort = writing.next_cohort(before, dialect, needed, staged, ids)
    successor = writing.successor(before, dialect, needed, staged, cohort, warm=warm, sketch=lenient)
    advice = _advice(before, successor)
    return Proposal(before, request, staged, told, digest, needed, successor, advice, fences, _alarms(successor))


def refuse_moved(found: Proposal, approved: str | None) -> None:
    """Raise Moved unless the proposal is the one that was approved."""
    if approved is not None and approved != found.digest:
        raise Moved(
            "moved",
            "memory has changed since this was approved, and the patch would do something else now",
            approved=approved,
            found=found.digest,
            kept="nothing was written",
            hint="look at the preview again, and approve that",
        )


def unasked(found: Proposal, *, force_session: bool, allow: Collection[str]) -> Iterator[EngineError]:
    """What cannot be done as asked, and what a person must consent to first and has not."""
    yield from blocked(found.asked.problems)
    if found.successor is None:
        return
    if "session" in found.staged.net:
        try:
            admission.refuse_unfinished(found.before, force=force_session)
        except InvalidRequest as error:
            yield error
    yield from admission.losses(found.before, found.successor, allow)


def obstacles(
    found: Proposal, *, approved: str | None, force_session: bool, allow: Collection[str], clearing: bool
) -> tuple[EngineError, ...]:
    """Every error that a publication of this proposal would end with now, in the order in which it would meet them.

    `clearing` says that the lock is one of our own, which a publication puts right first.
    """
    met: list[EngineError] = []
    lock = found.before.lock
    if lock.is_broken and not clearing:
        met.append(broken_lock(lock))
    met.extend(found.fences)
    try:
        refuse_moved(found, approved)
    except Moved as error:
        met.append(error)
    met.extend(unasked(found, force_session=force_session, allow=allow))
    return tuple(met)


def _alarms(successor: Successor) -> tuple[str, ...]:
    if successor.runtime is None or successor.runtime.specification is None:
        return ()
    return ("a run of this session is unfinished: its agent may be at work",)


def _advice(before: Snapshot, successor: Successor) -> tuple[str, ...]:
    told: list[str] = []
    if successor.runtime is not None:
        told.append(
            f"session {before.address.session}: its agent will refuse its next publication once; "
            "selecting its mode again accepts the new memory"
        )
    elif any(reading.stream is not None for reading in before.scopes.values()):
        known = before.record.runtime is not None
        who = (
            f"session {before.address.session}, and every other one beside it," if known else "every session beside it"
        )
        told.append(
            f"{who} starts a new line of history, unless it had lost it before: "
            "effective[n] and session[n] reach back to this change only; each scope keeps its own patches"
        )
    if successor.runtime is not None and successor.cohort.adopted:
        told.append("other writers had moved the shared memory on, so the session starts a new line of history here")
    return tuple(told)
