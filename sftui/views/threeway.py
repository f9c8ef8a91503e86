"""Two sides of a change: what was approved beside what it would be now; and per key before, theirs and mine."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from engine.memory.draft import Draft, Operation, PreImage, Raw, Remove, Transfer
from engine.memory.pursuit import followed
from engine.memory.scope import Scope
from engine.records import dataclass
from engine.values import Json, JsonObject, dotted, get, has, pointer
from sftui.display import clean
from sftui.views.differing import NONE, NOTHING, Differing, Member, differing
from sftui.views.inner import Inner, inside
from sftui.views.kinds import Path
from sftui.views.preview import brief
from sftui.views.review_lines import Row
from sftui.views.spans import Role, Spans

if TYPE_CHECKING:
    from engine.memory.gathering import Drift
    from sftui.views.review import Review

_BRIEF: Final = 200
DELETED: Final = "deleted"
_NO_DRAFT: Final = Draft()
# Places of which the members are told: there is little to read in more of them.
_TOLD: Final = 20
# Lines told of each side of what moved; the rest is counted.
_MOST: Final = 40


@dataclass(frozen=True, slots=True)
class Conflict:
    """A place of a step that somebody else has changed since: what stood there, what they made of it, what the step would.

    All cleaned. `inner` tells how theirs became mine where that takes more than a line, `differing` the members of a
    structure that both have changed.
    """

    step: int
    scope: Scope
    path: Path
    now: PreImage
    where: str
    before: str
    theirs: str
    mine: str
    inner: tuple[Inner, ...]
    more: int
    differing: Differing = NONE

    @property
    def key(self) -> tuple[str, str, str]:
        """Its identity among all rows."""
        return ("conflict", str(self.step), f"/{self.scope}{pointer(self.path)}")

    def to_json(self) -> JsonObject:
        """It as data."""
        return {
            "step": self.step,
            "path": self.where,
            "before": self.before,
            "theirs": self.theirs,
            "mine": self.mine,
            "members": [member.to_json() for member in self.differing.members],
        }


def conflicts(
    drift: Collection[Drift], after: Mapping[Scope, JsonObject], draft: Draft = _NO_DRAFT
) -> tuple[Conflict, ...]:
    """Tell each place that moved under a draft; `after` is memory with the draft applied as it would be now."""
    found: list[Conflict] = []
    for one in drift:
        operation = draft.steps[one.step].operation if one.step < len(draft.steps) else None
        state = after.get(one.scope, {})
        there = has(state, one.path)
        value: Json = get(state, one.path) if there else None
        mine = _told(operation, one) or (brief(value, _BRIEF) if there else NOTHING)
        # An element that moved is followed once it is kept: what stands at its index now is another one.
        told = one.now.exists and there and not _names_element(operation, one)
        inner, more = inside(one.now.value, value) if told else ((), 0)
        found.append(
            Conflict(
                one.step,
                one.scope,
                one.path,
                one.now,
                clean(dotted(one.scope, one.path)),
                _shown(one.before),
                _shown(one.now),
                mine,
                inner,
                more,
                differing(one.before, one.now, PreImage(there, value)) if told and len(found) < _TOLD else NONE,
            )
        )
    return tuple(found)


def _names_element(operation: Operation | None, drift: Drift) -> bool:
    return operation is not None and (drift.scope, drift.path) in {one[:2] for one in operation.arrays}


def _told(operation: Operation | None, drift: Drift) -> str:
    """What the step itself says of the place; empty where what it leaves there says it."""
    if operation is None or isinstance(operation, Raw):
        return ""
    if not _names_element(operation, drift):
        return DELETED if isinstance(operation, Remove) else ""
    kept = followed(operation, drift.scope, drift.path, drift.now)
    if kept is None:
        return (
            f"{clean(dotted('', operation.path))} is not there any more, or not alone: keeping mine leaves the step out"
        )
    assert not isinstance(kept, Raw)
    where = clean(dotted("", kept.path))
    if isinstance(kept, Remove):
        return f"{where} {brief(kept.before.value, _BRIEF)} deleted"
    if isinstance(kept, Transfer):
        return f"{where} to {clean(dotted(kept.to_scope, kept.to_path))}"
    return f"{where} {brief(kept.value, _BRIEF)}"


def _shown(image: PreImage) -> str:
    return brief(image.value, _BRIEF) if image.exists else NOTHING


@dataclass(frozen=True, slots=True)
class Moved:
    """What was approved and would no longer happen, and what would happen now instead; lines, cleaned."""

    approved: tuple[str, ...]
    found: tuple[str, ...]

    def to_json(self) -> JsonObject:
        """It as data."""
        return {"approved": list(self.approved), "found": list(self.found)}


def moved(approved: Review, found: Review) -> Moved:
    """Compare two reviews of one draft by what they say."""
    before, now = _said(approved), _said(found)
    gone = tuple(line for line in before if line not in now)
    come = tuple(line for line in now if line not in before)
    return Moved(gone, come)


def _said(review: Review) -> dict[str, None]:
    """All that is approved, a line each: the net change and what goes along with intents."""
    told = review.entails
    said: dict[str, None] = {}
    for one in told.diffs:
        for line in one.lines:
            inner = "".join(f" {sign}{text}" for sign, text in line.inner)
            said[f"{line.sign} {one.scope}.{line.where}  {line.what}{inner}"] = None
    said.update({f"× {taken.path}  goes with its intent": None for taken in told.taken})
    return said


def conflict_rows(found: Collection[Conflict]) -> Iterator[Row]:
    """Before, theirs and mine, for each place; the keys that settle it stand in the section's title."""
    for one in found:
        key = one.key
        yield Row(key, (("  ! ", "warn"), (one.where, "key"), (f"  changed under step {one.step + 1}", "warn")), 6)
        if one.differing.members:
            yield from _member_rows(one)
            continue
        for name, text, role in _sides(one):
            yield Row((*key, name), ((f"      {name:<8}", "accent"), (text, role)), 14)
        for number, (sign, text) in enumerate(one.inner):
            role = "added" if sign == "+" else "removed" if sign == "-" else "muted"
            yield Row((*key, str(number)), ((f"              {sign} ", role), (text, "text")), 16)
        if one.more:
            yield Row((*key, "more"), ((f"                and {one.more:,} more", "muted"),), 16)


def _sides(one: Conflict | Member) -> tuple[tuple[str, str, Role], ...]:
    return ("before", one.before, "muted"), ("theirs", one.theirs, "text"), ("mine", one.mine, "text")


def _member_rows(one: Conflict) -> Iterator[Row]:
    """The members that differ; what only they have changed, and mine would put back, is said."""
    for member in one.differing.members:
        key = (*one.key, member.where)
        ending: Spans = (("  only they changed it: keeping mine puts it back", "warn"),) if member.reverts else ()
        yield Row(key, (("      ", "text"), (member.where, "key"), *ending), 8)
        for name, text, role in _sides(member):
            yield Row((*key, name), ((f"        {name:<8}", "accent"), (text, role)), 16)
    if one.differing.more or not one.differing.all_seen:
        count = f"{one.differing.more:,} more" if one.differing.all_seen else "more"
        yield Row((*one.key, "more"), ((f"      and {count}", "muted"),), 8)


def moved_rows(two: Moved) -> Iterator[Row]:
    """Both sides, one below the other."""
    sides: tuple[tuple[str, tuple[str, ...], Role], ...] = (
        ("as it was shown", two.approved, "removed"),
        ("as it would be now", two.found, "added"),
    )
    for name, lines, role in sides:
        yield Row(("moved", name), ((f"    {name}", role),))
        for line in lines[:_MOST]:
            yield Row(("moved", name, line), (("      ", "text"), (line, "text")), 8)
        if len(lines) > _MOST:
            yield Row(("moved", name, ""), ((f"      and {len(lines) - _MOST:,} more", "muted"),))
        if not lines:
            yield Row(("moved", name, "-"), (("      nothing that the other side does not say", "muted"),))
