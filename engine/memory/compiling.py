"""A draft compiled: its steps carried out on current values, one after another, and authored as one patch.

Staging that patch leaves what the steps left, and takes along what the intents that they deleted owned; what a step
set itself survives that.
"""

from __future__ import annotations

from engine.memory.carrying import carry_out
from engine.memory.dialect import Dialect
from engine.memory.draft import Draft, Operation, Transfer
from engine.memory.gathering import States, places
from engine.memory.ownership import INTENTS
from engine.memory.references import REF
from engine.memory.renaming import Renaming, rename_everywhere
from engine.memory.scope import SCOPES, SHARED, Scope
from engine.memory.settling import settle
from engine.memory.working import Blocked, Working
from engine.records import dataclass
from engine.values import Json, JsonObject, KeyPath, fast_paths


@dataclass(frozen=True, slots=True)
class Problem:
    """A step that cannot be carried out on these values."""

    step: int
    code: str
    scope: Scope
    path: KeyPath
    message: str


@dataclass(frozen=True, slots=True)
class Remark:
    """What a person should know of a step that can be carried out."""

    step: int
    code: str
    scope: Scope
    path: KeyPath
    message: str


@dataclass(frozen=True, slots=True)
class Compiled:
    """`patch` is a request to `patch_state`, {scope: {plane: ...}}; {} where nothing would change.

    Steps with problems are left out of it, so that it can always be staged.
    """

    patch: JsonObject
    problems: tuple[Problem, ...]
    remarks: tuple[Remark, ...]


def compile_draft(draft: Draft, dialect: Dialect, states: States) -> Compiled:
    """The patch that the ticked steps come to on these values. The values have to be valid ones."""
    working = Working(dialect, states)
    problems: list[Problem] = []
    # A session is its agent's: it is not written for nothing but a reference in it.
    changed = {scope for step in draft.steps if step.ticked for scope, _ in places(step.operation)}
    mended = SCOPES if "session" in changed else SHARED
    renamings: list[Renaming] = []
    waiting: set[tuple[Scope, Scope] | None] = set()  # the crossings that left renamings

    def follow() -> None:
        if renamings:
            rename_everywhere(working, renamings, mended)
            renamings.clear()
        waiting.clear()

    def carried(operation: Operation, index: int) -> list[Renaming]:
        try:
            return carry_out(working, operation)
        except Blocked:
            if not renamings:
                raise
        # What stands in the way may be the same, once the references in both have followed.
        working.forget_remarks(index)
        follow()
        return carry_out(working, operation)

    for index, step in enumerate(draft.steps):
        if not step.ticked:
            continue
        crossing = _crossing(step.operation, dialect)
        if not _may_wait(step.operation) and (crossing is None or waiting - {crossing} or not fast_paths()):
            follow()
        working.step = index
        try:
            renamings.extend(carried(step.operation, index))
            waiting.add(crossing)
        except Blocked as blocked:
            problems.append(_problem(index, blocked))
            working.forget_remarks(index)
    follow()
    patch: dict[str, Json] = {}
    for scope in SCOPES:
        change, refused = settle(working, scope, states.get(scope, {}))
        problems.extend(_problem(index, blocked) for index, blocked in refused)
        if change:
            patch[scope] = change
    remarks = [Remark(*place, message) for place, message in working.remarks.items()]
    return Compiled(patch, tuple(problems), tuple(sorted(remarks, key=lambda remark: remark.step)))


def _may_wait(operation: Operation) -> bool:
    """Whether references may follow after this step as well: they are searched for once after moves in a row.

    What an intent owns is told by references, and a text is one as long as it stands where it does.
    """
    if not isinstance(operation, Transfer) or operation.path[:1] == (INTENTS,):
        return False
    return REF not in {*operation.path[-1:], *operation.to_path[-1:]}


def _crossing(operation: Operation, dialect: Dialect) -> tuple[Scope, Scope] | None:
    """From which scope to which a whole intent goes under its own name, with all that goes along; None for anything else.

    Of many that cross alike the references may follow at once. What was renamed bears the name of the other scope: it is
    renamed but once, in whatever order, and no intent that still has to go owns anything by it.
    """
    if not isinstance(operation, Transfer) or operation.keep or INTENTS in dialect.ownable:
        return None
    if operation.path != operation.to_path or len(operation.path) != 2 or operation.path[0] != INTENTS:
        return None
    return None if operation.scope == operation.to_scope else (operation.scope, operation.to_scope)


def _problem(step: int, blocked: Blocked) -> Problem:
    return Problem(step, blocked.code, blocked.scope, blocked.path, blocked.message)
