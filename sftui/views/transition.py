"""What a transition did, as a readable diff: told by the states around it, or by nothing but its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from engine.memory.dialect import Dialect
from engine.memory.ownership import INTENTS, cascade
from engine.memory.scope import SCOPES, Scope, initial
from engine.records import dataclass
from engine.values import Json, JsonObject, dotted, is_object, merge, net_patch
from sftui.display import clean
from sftui.views.diffs import KEPT_LINES, DiffLine, ScopeDiff, diff
from sftui.views.kinds import Path
from sftui.views.preview import brief

if TYPE_CHECKING:
    from engine.ledger.events import Retained
    from engine.memory.stream import ScopeStream

_BRIEF: Final = 60
# What stood there before is in no record.
UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class Part:
    """What a transition did to one scope. `before` and `after` hold at least what it changed; `before` may be unknown."""

    scope: Scope
    address: str
    revision: int
    patch: JsonObject
    before: JsonObject | None
    after: JsonObject

    @property
    def short(self) -> str:
        """`s31`: scope and revision."""
        return f"{initial(self.scope)}{self.revision}"


def retained_part(scope: Scope, address: str, stream: ScopeStream, index: int) -> Part:
    """The transition at `index` of a tail, with the whole states around it."""
    revision = stream.revision - len(stream.tail) + 1 + index
    return Part(scope, address, revision, stream.tail[index].patch, stream.states[index], stream.states[index + 1])


def recorded_part(scope: Scope, address: str, record: Retained) -> Part:
    """A transition as the ledger holds it: its patch, and the patch that leads back if that was worked out."""
    before = None if record.inverse is None else _standing(record.inverse)
    return Part(scope, address, record.revision, record.patch, before, _standing(record.patch))


def _standing(patch: JsonObject) -> JsonObject:
    """What a patch says stands there: all of it but its deletions."""
    found: dict[str, Json] = {}
    for key, value in patch.items():
        if value is not None:
            found[key] = _standing(value) if is_object(value) else value
    return found


def transition_diff(dialect: Dialect, parts: Sequence[Part], *, most: int = KEPT_LINES) -> tuple[ScopeDiff, ...]:
    """Tell what a transition changed, scope by scope, broadest first; what was moved is told across them."""
    known = {part.scope: part for part in parts if part.before is not None}
    before = {scope: part.before or {} for scope, part in known.items()}
    after = {scope: part.after for scope, part in known.items()}
    net = {scope: part.patch for scope, part in known.items()}
    told = {one.scope: one for one in diff(dialect, net, before, after, cascaded(dialect, net, before), most=most)}
    for part in parts:
        if part.before is None:
            told[part.scope] = _without_before(part, most)
    return tuple(told[scope] for scope in SCOPES if scope in told)


def cascaded(
    dialect: Dialect, net: Mapping[Scope, JsonObject], before: Mapping[Scope, JsonObject]
) -> dict[Scope, tuple[str, ...]]:
    """The scoped paths that went along with the intents that patches removed."""
    found: dict[Scope, tuple[str, ...]] = {}
    for scope, patch in net.items():
        intents = patch.get(INTENTS)
        if INTENTS in patch and (is_object(intents) or intents is None):
            left = merge(before[scope], {INTENTS: intents}).value
            found[scope] = cascade(dialect, scope, before[scope], left).paths
    return found


def _without_before(part: Part, most: int) -> ScopeDiff:
    """Lines of a record that does not say what stood there before."""
    lines: list[DiffLine] = []
    more = 0
    stack: list[tuple[Path, Json]] = [((key,), value) for key, value in reversed(list(part.patch.items()))]
    while stack:
        path, value = stack.pop()
        if is_object(value) and value:
            stack.extend(((*path, key), member) for key, member in reversed(list(value.items())))
        elif len(lines) >= most:
            more += 1
        elif value is None:
            lines.append(DiffLine("-", part.scope, path, clean(dotted("", path)), f"what stood there is {UNKNOWN}"))
        else:
            what = f"{UNKNOWN} → {brief(value, _BRIEF)}"
            lines.append(DiffLine("~", part.scope, path, clean(dotted("", path)), what))
    return ScopeDiff(part.scope, tuple(lines), more)


def states_diff(
    dialect: Dialect, before: Mapping[Scope, JsonObject], after: Mapping[Scope, JsonObject], *, most: int = KEPT_LINES
) -> tuple[ScopeDiff, ...]:
    """Tell the net difference between memory at two moments; scopes that one of the two does not know are left out."""
    both = [scope for scope in SCOPES if scope in before and scope in after]
    net = {scope: net_patch(before[scope], after[scope]) for scope in both}
    net = {scope: patch for scope, patch in net.items() if patch}
    return diff(dialect, net, before, after, cascaded(dialect, net, before), most=most)
