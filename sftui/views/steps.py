"""The steps of a draft in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from engine.memory.draft import Draft, Operation, Put, Raw, Remove, Transfer
from engine.records import dataclass
from engine.values import Json, JsonObject, dotted
from sftui.display import clean, one_line
from sftui.views.becoming import became
from sftui.views.diffs import MOVED
from sftui.views.preview import brief

if TYPE_CHECKING:
    from engine.memory.compiling import Problem, Remark

_BRIEF: Final = 40
_NOTE: Final = 80


@dataclass(frozen=True, slots=True)
class StepLine:
    """One step of a draft, in words, cleaned.

    `sign` is + - ~ →, or # for a patch as it was written. `problem` is why it cannot be carried out, `remarks` what is
    to be said of it.
    """

    index: int
    ticked: bool
    sign: str
    where: str
    what: str
    note: str = ""
    problem: str = ""
    remarks: tuple[str, ...] = ()

    def to_json(self) -> JsonObject:
        """The step as data."""
        told: dict[str, Json] = {"ticked": self.ticked, "sign": self.sign, "where": self.where, "what": self.what}
        if self.note:
            told["note"] = self.note
        if self.problem:
            told["problem"] = self.problem
        if self.remarks:
            told["remarks"] = list(self.remarks)
        return told


def step_lines(draft: Draft, problems: Iterable[Problem] = (), remarks: Iterable[Remark] = ()) -> tuple[StepLine, ...]:
    """Give every step, with what is wrong with it and what is to be said of it."""
    wrong = {problem.step: clean(problem.message) for problem in problems}
    said: dict[int, list[str]] = {}
    for remark in remarks:
        said.setdefault(remark.step, []).append(clean(remark.message))
    found: list[StepLine] = []
    for index, step in enumerate(draft.steps):
        sign, where, what = words(step.operation)
        note = one_line(step.note, _NOTE)
        found.append(
            StepLine(index, step.ticked, sign, where, what, note, wrong.get(index, ""), tuple(said.get(index, ())))
        )
    return tuple(found)


def words(operation: Operation) -> tuple[str, str, str]:
    """Give the sign, the place and the doing of an operation."""
    match operation:
        case Put():
            if operation.before.exists:
                return "~", _place(operation), became(operation.before.value, operation.value, _BRIEF)
            return "+", _place(operation), brief(operation.value, _BRIEF)
        case Remove():
            return "-", _place(operation), f"delete {brief(operation.before.value, _BRIEF)}"
        case Transfer():
            return MOVED, _place(operation), _transfer(operation)
        case Raw():
            scopes = ", ".join(clean(scope) for scope in operation.patch)
            count = len(operation.before)
            return "#", scopes, f"patch of {count} place{'' if count == 1 else 's'}"


def _place(operation: Put | Remove | Transfer) -> str:
    return clean(dotted(operation.scope, operation.path))


def _transfer(operation: Transfer) -> str:
    target = clean(dotted(operation.to_scope, operation.to_path))
    here = operation.scope == operation.to_scope
    renamed = here and operation.path[:-1] == operation.to_path[:-1]
    doing = "copy" if operation.keep else "rename" if renamed else "move"
    told = f"{doing} to {clean(str(operation.to_path[-1])) if renamed else target}"
    if operation.there.exists:
        told += f", over {brief(operation.there.value, _BRIEF)}"
    if not operation.keep and operation.path[0] == "intents" and operation.along and not here:
        told += ", with what it owns"
    if operation.rewrite and not operation.keep:
        told += ", references follow"
    return told
