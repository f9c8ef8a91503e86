"""What a publication is asked for: a patch as an agent sends it, or a person's draft, compiled on the captured values."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias, TypeGuard, cast

from engine.errors import Fenced, InvalidRequest
from engine.memory.dialect import Dialect
from engine.memory.patching import parse_request
from engine.memory.scope import SCOPES, Scope, Wanted
from engine.records import dataclass
from engine.store import admission
from engine.store.layout import default_root
from engine.store.readings import Snapshot
from engine.values import Json, JsonObject, dotted

if TYPE_CHECKING:
    from engine.memory.compiling import Problem, Remark
    from engine.memory.draft import Draft

    Authored: TypeAlias = Json | Draft


@dataclass(frozen=True, slots=True)
class Asked:
    """The patch of each scope, ready to be staged; of a draft, what could not be compiled and what to say of the rest.

    `wanted` are the scopes that the receipt is about.
    """

    patches: Mapping[Scope, JsonObject]
    wanted: Wanted
    problems: tuple[Problem, ...] = ()
    remarks: tuple[Remark, ...] = ()


def asked(before: Snapshot, authored: Authored, wanted: Wanted | None, dialect: Dialect) -> Asked:
    """What is asked for, on the memory of `before`; raises InvalidRequest for a patch that is none.

    Without `wanted` every scope is, down to the first one that cannot be read.
    """
    seen = readable(before) if wanted is None else wanted
    if not _is_draft(authored):
        return Asked(parse_request(dialect, seen, cast("Json", authored)), seen)
    from engine.memory.compiling import compile_draft
    from engine.memory.gathering import places

    steps = [step.operation for step in authored.steps if step.ticked]
    refuse_unreadable(before, {scope for operation in steps for scope, _ in places(operation)})
    made = compile_draft(authored, dialect, states_of(before))
    # A draft names each scope and each reference in full: nothing is bound to a scope that happens to be the only one.
    patches = parse_request(dialect, SCOPES, made.patch) if made.patch else {}
    return Asked(patches, seen, made.problems, made.remarks)


def spoken(before: Snapshot, wanted: int | None) -> Dialect:
    """The dialect of a write; `wanted` is the one asked for. Raises InvalidRequest where that has to be said, or is wrong."""
    first = before.dialect is None
    is_default = first and before.address.root == os.path.realpath(default_root(os.environ))
    return admission.choose_dialect(before, wanted, is_default_root=is_default)


def readable(before: Snapshot) -> Wanted:
    """The scopes of the address that an effective view can be made of: those above the first fenced one."""
    seen: list[Scope] = []
    for scope, reading in before.scopes.items():
        if reading.status == "fenced":
            break
        seen.append(scope)
    return tuple(seen)


def states_of(before: Snapshot) -> dict[Scope, JsonObject]:
    """The value of each healthy scope; one that is not there yet is empty, a fenced one is left out."""
    return {
        scope: {} if reading.stream is None else reading.stream.current
        for scope, reading in before.scopes.items()
        if reading.status != "fenced"
    }


def refuse_unreadable(before: Snapshot, wanted: Collection[Scope]) -> None:
    """Raise Fenced for the first of these scopes that is fenced."""
    for scope, reading in before.scopes.items():
        if scope in wanted and reading.status == "fenced":
            fault = next(fault for fault in reading.faults if fault.severity == "fault")
            raise Fenced(
                fault.code,
                fault.reason,
                scope=scope,
                file=fault.file if reading.address == "." else f"{reading.address}/{fault.file or ''}".rstrip("/"),
                line=fault.line,
                column=fault.column,
                kept=f"nothing was written; {fault.kept}",
                hint="name only healthy scopes with --scopes, or run `sftui doctor`",
            )


def blocked(problems: Iterable[Problem]) -> Iterator[InvalidRequest]:
    """The refusal of each step of a draft that cannot be carried out."""
    for problem in problems:
        yield InvalidRequest(
            "draft-blocked",
            problem.message,
            scope=problem.scope,
            path=dotted("", problem.path) or None,
            kept="nothing was written, and the draft is as it was",
            hint=f"change step {problem.step + 1} of the draft, or leave it out",
        )


def _is_draft(authored: Authored) -> TypeGuard[Draft]:
    """Whether it is a draft: no JSON value has steps. Asked this way round, so that its type need not be loaded."""
    return hasattr(authored, "steps")
